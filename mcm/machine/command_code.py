"""The commands, queues and events of a compiled program: what never changes while it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from mcm.machine.command import CommandKind

if TYPE_CHECKING:
    from mcm.base.source import Span


class QueueCode(Struct, frozen=True):
    """A command queue and the number of its device."""

    name: str
    device: int
    in_order: bool


class CommandCode(Struct, frozen=True):
    """A command, a user event, or a callback; `kind` is COMMAND for whatever has work and is no kernel.

    Threads are given as masks. `groups` are the work-groups that a device reserves one by one; a command that only
    orders others has none. It waits for the commands of `wait_list`, for those of `requires` that are enqueued, and for
    the threads of `after` to have finished. A child is enqueued by a kernel; `parent` is the command that launched that
    kernel, if one did. `queue` is None for user events, for callbacks, and on a device, whose queue orders nothing.
    `caller` is the thread that enqueues it; None for a user event. `is_asked`: somebody asks for its status.
    """

    name: str
    kind: CommandKind
    span: Span
    queue: int | None = None
    wait_list: tuple[int, ...] = ()
    requires: tuple[int, ...] = ()
    groups: tuple[int, ...] = ()
    caller: int | None = None
    parent: int | None = None
    after: int = 0
    is_child: bool = False
    is_map: bool = False
    is_unmap: bool = False
    is_asked: bool = False

    @property
    def is_callback(self) -> bool:
        """Whether the host performs it, whatever has become of the event."""
        return self.kind is CommandKind.COMMAND and self.queue is None

    @property
    def units(self) -> int:
        """The threads that do its work."""
        return sum(self.groups)


class CommandTable(Struct, frozen=True):
    """Everything that is enqueued anywhere in a program, by number, and the queues."""

    commands: tuple[CommandCode, ...] = ()
    queues: tuple[QueueCode, ...] = ()

    def performed_by(self, thread: int) -> int | None:
        """The command whose work a thread does."""
        return next((number for number, code in enumerate(self.commands) if code.units >> thread & 1), None)
