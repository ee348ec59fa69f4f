"""Command queues, the commands that threads may enqueue, and user events.

Every command has an event, so an event is the number of a command. Each call in the text enqueues one command; calls in
loops with a constant number of iterations enqueue one in each.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final

from mcm.base.compared import PartlyCompared

if TYPE_CHECKING:
    from mcm.base.source import Span
    from mcm.program.topology import Device
    from mcm.program.types import Part


# CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST: the status of a command that waits for one that has failed, and what a
# call returns that does. CL_INVALID_OPERATION: what a call returns that sets a user event which is set.
FAILED_IN_WAIT_LIST: Final = -14
INVALID_OPERATION: Final = -59


# What the names of commands begin with that give memory back, and of the ends of variables of the host.
FREE: Final = "free of "
END: Final = "end of "
# The registers of the thread of a command on memory: what the call passes by value, and what a blocking read returns.
VALUE: Final = "value"
RESULT: Final = "result"


def numbered(register: str, number: int) -> str:
    """The register of one of several values, those of the members of a structure.

    >>> numbered(VALUE, 0), numbered(VALUE, 1)
    ('value', 'value.1')
    """
    return register if number == 0 else f"{register}.{number}"


class Queue(PartlyCompared, frozen=True):
    """A command queue, which feeds one device; `on_device` queues take commands from kernels, out of order (HOST-5)."""

    name: str
    device: Device
    in_order: bool
    on_device: bool
    span: Span


class CommandKind(Enum):
    """The kinds of commands; the SVM forms are those of the same kind. A USER event is one that no queue executes."""

    # Members are keys, hashed by identity.
    __hash__ = object.__hash__

    NDRANGE = "kernel"
    CHILD = "child kernel"
    READ = "read"
    WRITE = "write"
    FILL = "fill"
    COPY = "copy"
    MIGRATE = "migration"
    MAP = "map"
    UNMAP = "unmap"
    MARKER = "marker"
    BARRIER = "barrier"
    USER = "user event"

    @property
    def runs_kernel(self) -> bool:
        """Whether work-items execute the command."""
        return self is CommandKind.NDRANGE or self is CommandKind.CHILD


class MapFlag(Enum):
    """What a region is mapped for."""

    READ = "CL_MAP_READ"
    WRITE = "CL_MAP_WRITE"
    WRITE_INVALIDATE = "CL_MAP_WRITE_INVALIDATE_REGION"


class EnqueueFlag(Enum):
    """When a child kernel may start (HOST-13..15)."""

    NO_WAIT = "CLK_ENQUEUE_FLAGS_NO_WAIT"
    WAIT_KERNEL = "CLK_ENQUEUE_FLAGS_WAIT_KERNEL"
    WAIT_WORK_GROUP = "CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP"


class Command(PartlyCompared, frozen=True):
    """A command, known by its `number`; `name` is how it is shown, `function` the call that enqueues it.

    `caller` is the thread that enqueues it (None for user events), `queue` the number of its queue (None for the
    default queue of the caller's device, and for user events), `waits` its wait list. `requires` are commands that it
    comes after where they are enqueued at all: those that accessors order before it. `units` are the threads that
    execute it. `parts` are the buffers or sub-buffers that a command on memory is about. `parent` is the
    command whose kernel enqueues a child; None where that kernel was not enqueued by a command.
    """

    number: int
    kind: CommandKind
    name: str
    function: str
    span: Span
    queue: int | None = None
    caller: int | None = None
    waits: tuple[int, ...] = ()
    requires: tuple[int, ...] = ()
    blocking: bool = False
    units: tuple[int, ...] = ()
    parts: tuple[Part, ...] = ()
    map_flags: frozenset[MapFlag] = frozenset()
    enqueue_flag: EnqueueFlag | None = None
    parent: int | None = None

    @property
    def is_listed(self) -> bool:
        """Whether it says what it waits for; a marker or barrier that does not waits for all before it in its queue."""
        return bool(self.waits or self.requires)
