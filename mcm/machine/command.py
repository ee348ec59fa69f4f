"""Events: what a command queue orders and a device performs (QUE-1, QUE-3, QUE-4).

An event does nothing by itself. Kernel events are performed one work-group after the other, by whichever workers
reserve them; dummy events only order others.
"""

from __future__ import annotations

from enum import Enum
from threading import Lock
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

QUEUED: Final = 3
SUBMITTED: Final = 2
RUNNING: Final = 1
COMPLETE: Final = 0
# OpenCL's codes of errors: of a command that waited for one that failed, and of a kernel that did.
FAILED_IN_WAIT_LIST: Final = -14
FAILED: Final = -5


class CommandKind(Enum):
    """What kind of command an event stands for."""

    KERNEL = "kernel"
    COMMAND = "command"
    MARKER = "marker"
    BARRIER = "barrier"
    WAIT_FOR_EVENTS = "wait-for-events"
    USER = "user"

    @property
    def is_dummy(self) -> bool:
        """Whether there is no work to do."""
        return self not in {CommandKind.KERNEL, CommandKind.COMMAND}

    @property
    def holds_back(self) -> bool:
        """Whether later events of the queue wait for this one, even out of order."""
        return self in {CommandKind.BARRIER, CommandKind.WAIT_FOR_EVENTS}


class Command:
    """An event of any kind but kernels; `action` is the work of a COMMAND.

    `status` is QUEUED, SUBMITTED, RUNNING, COMPLETE, or a negative code of an error. `listeners` are told when the
    event is over, in order. `earlier` are events that it follows whether they fail or not.
    """

    __slots__ = ("action", "earlier", "kind", "listeners", "name", "status", "wait_list")

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
        self.status = QUEUED
        self.listeners: list[Callable[[Command], None]] = []

    @property
    def is_over(self) -> bool:
        """Whether the event has completed or failed."""
        return self.status <= COMPLETE

    @property
    def may_begin(self) -> bool:
        """Whether everything that this one waits for is over."""
        return all(event.is_over for event in (*self.wait_list, *self.earlier))

    @property
    def waits_in_vain(self) -> bool:
        """Whether something in the wait list has failed."""
        return any(event.status < COMPLETE for event in self.wait_list)

    def finish(self, status: int) -> None:
        """The event is over; that happens once."""
        if self.is_over:
            message = f"event '{self.name}' is over already"
            raise ValueError(message)
        if status > COMPLETE:
            message = f"{status} is no status with which an event is over"
            raise ValueError(message)
        self.status = status
        for listener in self.listeners:
            listener(self)


class KernelCommand(Command):
    """A kernel instance: a work-group is a piece of work, which a worker reserves, takes and finishes."""

    __slots__ = ("_groups", "_mutex", "_next", "_open", "_status")

    def __init__(self, name: str, groups: Sequence[Callable[[], None]], wait_list: tuple[Command, ...] = ()) -> None:
        super().__init__(name, CommandKind.KERNEL, wait_list)
        if not groups:
            message = f"kernel '{name}' has no work-group"
            raise ValueError(message)
        self._groups = tuple(groups)
        self._mutex = Lock()
        self._next = 0
        self._open = len(groups)
        self._status = COMPLETE

    def reserve(self) -> bool:
        """Reserve the next work-group, and say whether it is the last; nobody else can until it is taken."""
        self._mutex.acquire()
        return self._next == len(self._groups) - 1

    def take(self) -> tuple[int, Callable[[], None]]:
        """The work-group that was reserved; others may reserve again."""
        number = self._next
        self._next += 1
        self._mutex.release()
        return number, self._groups[number]

    def group_finished(self, *, failed: bool) -> int | None:
        """Count a work-group as done; after the last one, the status with which the event is over."""
        with self._mutex:
            if failed:
                self._status = FAILED
            self._open -= 1
            return None if self._open else self._status
