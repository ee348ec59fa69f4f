"""The state of a whole program between two steps, and what a step leads to."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

if TYPE_CHECKING:
    from mcm.machine.finding import Finding
    from mcm.program.types import Value

MemoryT = TypeVar("MemoryT", bound=Hashable)


class Configuration(NamedTuple, Generic[MemoryT]):
    """Program counters and slots of every thread, by position in the program, and the state of memory.

    Every thread is at an operation on memory, a group function, a choice of an evaluation order, its end, or in a loop
    without operations that never ends. `waiting` is the mask of threads that have arrived at a group function and wait
    for their group, `finished` the mask of those at their end, `endless` that of those in a loop without operations.
    """

    counters: tuple[int, ...]
    slots: tuple[tuple[Value, ...], ...]
    memory: MemoryT
    waiting: int = 0
    finished: int = 0
    endless: int = 0

    def is_waiting(self, thread: int) -> bool:
        """Whether a thread waits for its group."""
        return bool(self.waiting >> thread & 1)

    def is_finished(self, thread: int) -> bool:
        """Whether a thread is at its end."""
        return bool(self.finished >> thread & 1)


class Step(NamedTuple, Generic[MemoryT]):
    """The configuration that a step leads to, and what was found on the way; `value` is what it read, if it read."""

    after: Configuration[MemoryT]
    findings: tuple[Finding, ...] = ()
    value: Value | None = None
