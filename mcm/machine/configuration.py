"""The state of a whole program between two steps, and what a step leads to."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Final, Generic, NamedTuple, TypeVar

from mcm.machine.commands import CommandStates

if TYPE_CHECKING:
    from mcm.machine.commands import Transition
    from mcm.machine.finding import Finding
    from mcm.machine.row import Row
    from mcm.program.types import Value

MemoryT = TypeVar("MemoryT", bound=Hashable)

NO_COMMANDS: Final = CommandStates()


class Configuration(NamedTuple, Generic[MemoryT]):
    """Program counters and slots of every thread, by position in the program, and the state of memory.

    Every thread is at an operation on memory, a group function, a call of the host API, a choice of an evaluation
    order, its end, or in a loop without operations that never ends. `waiting` is the mask of threads that have arrived
    at a group function and wait for their group, or wait for commands in a call; `finished` the mask of those at their
    end, `endless` that of those in a loop without operations, `held` that of those whose command has not begun.
    """

    counters: Row[int]
    slots: Row[tuple[Value, ...]]
    memory: MemoryT
    waiting: int = 0
    finished: int = 0
    endless: int = 0
    held: int = 0
    commands: CommandStates = NO_COMMANDS

    def is_waiting(self, thread: int) -> bool:
        """Whether a thread waits for its group, or for commands."""
        return bool(self.waiting >> thread & 1)

    def is_finished(self, thread: int) -> bool:
        """Whether a thread is at its end."""
        return bool(self.finished >> thread & 1)


class Step(NamedTuple, Generic[MemoryT]):
    """The configuration that a step leads to, and what was found on the way; `value` is what it read, if it read.

    `transitions` are the states that commands have come into because of it, in order. `results` is what calls return to
    threads that go on from them with those who came.
    """

    after: Configuration[MemoryT]
    findings: tuple[Finding, ...] = ()
    value: Value | None = None
    transitions: tuple[Transition, ...] = ()
    results: tuple[tuple[int, Value], ...] = ()
