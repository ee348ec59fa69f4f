"""Commands that a command queue orders and a device performs (QUE-1, QUE-3, QUE-4).

The work-groups of a kernel command are reserved and performed one by one, by any workers. Markers, barriers and waits
have no work, and only order other commands.
"""

from __future__ import annotations

from enum import Enum
from threading import Lock
from typing import TYPE_CHECKING

from mcm.machine.command_state import FAILED, State, is_over, status_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class CommandKind(Enum):
    """The kinds of commands; USER is a user event, which the host completes."""

    KERNEL = "kernel"
    COMMAND = "command"
    MARKER = "marker"
    BARRIER = "barrier"
    WAIT_FOR_EVENTS = "wait-for-events"
    USER = "user"

    @property
    def only_orders(self) -> bool:
        """Whether the command has no work, and only orders others."""
        return self not in {CommandKind.KERNEL, CommandKind.COMMAND}

    @property
    def blocks_later(self) -> bool:
        """Whether later commands of the queue wait for this one, in an out-of-order queue too."""
        return self in {CommandKind.BARRIER, CommandKind.WAIT_FOR_EVENTS}


class Command:
    """A command of any kind but KERNEL; `action` is the work of a COMMAND.

    `state` is a State, or a negative error code. `listeners` are called in order when the command is over. It waits for
    the commands of `wait_list` to succeed, and for those of `earlier` to be over.
    """

    __slots__ = ("action", "earlier", "kind", "listeners", "name", "state", "wait_list")

    def __init__(
        self,
        name: str,
        kind: CommandKind,
        wait_list: tuple[Command, ...] = (),
        earlier: tuple[Command, ...] = (),
        action: Callable[[], None] | None = None,
    ) -> None:
        self.name = name
        self.kind = kind
        self.wait_list = wait_list
        self.earlier = earlier
        self.action = action
        self.state: int = State.QUEUED
        self.listeners: list[Callable[[Command], None]] = []

    @property
    def status(self) -> int:
        """What `clGetEventInfo` tells of the command."""
        return status_of(self.state)

    @property
    def is_over(self) -> bool:
        """Whether the command has completed or failed."""
        return is_over(self.state)

    @property
    def may_begin(self) -> bool:
        """Whether every command that this one waits for has ended."""
        return all(command.is_over for command in (*self.wait_list, *self.earlier))

    @property
    def has_failed_dependency(self) -> bool:
        """Whether a command of the wait list has failed."""
        return any(command.state < 0 for command in self.wait_list)

    def finish(self, state: int) -> None:
        """End the command as complete or with an error; ValueError if it was over before, or if this is no end."""
        if self.is_over:
            message = f"command '{self.name}' has ended before"
            raise ValueError(message)
        if not is_over(state):
            message = f"{state} is not the status of a command that has ended"
            raise ValueError(message)
        self.state = state
        for listener in self.listeners:
            listener(self)


class KernelCommand(Command):
    """A kernel instance, whose work-groups workers reserve, take and finish."""

    __slots__ = ("_groups", "_mutex", "_next", "_open", "_result")

    def __init__(self, name: str, groups: Sequence[Callable[[], None]], wait_list: tuple[Command, ...] = ()) -> None:
        super().__init__(name, CommandKind.KERNEL, wait_list)
        if not groups:
            message = f"kernel '{name}' has no work-group"
            raise ValueError(message)
        self._groups = tuple(groups)
        self._mutex = Lock()
        self._next = 0
        self._open = len(groups)
        self._result: int = State.COMPLETE

    def reserve(self) -> bool:
        """Reserve the next work-group, and return whether it is the last; other workers block until it is taken."""
        self._mutex.acquire()
        return self._next == len(self._groups) - 1

    def take(self) -> tuple[int, Callable[[], None]]:
        """Take the work-group that was reserved: its number and its work; other workers may reserve again."""
        number = self._next
        self._next += 1
        self._mutex.release()
        return number, self._groups[number]

    def group_finished(self, *, failed: bool) -> int | None:
        """Count a work-group as done; after the last one, return how the command has ended."""
        with self._mutex:
            if failed:
                self._result = FAILED
            self._open -= 1
            return None if self._open else self._result
