"""Calls of the host API, and of `enqueue_kernel`: expressions of type int."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.program.written import Written

if TYPE_CHECKING:
    from mcm.program.instruction import Expression
    from mcm.program.types import Type


class AboutCommands(Written, frozen=True):
    """A call that is about commands and events, numbers of `Program.commands`: each of `HostCall`."""


class Enqueue(AboutCommands, frozen=True):
    """Enqueues a command; a blocking one also waits for it.

    The registers `passed` of the command's units begin with the `operands`. The value is that of the register `result`
    where a blocking read has no target (of several `results`, the first), else 0, or the error of what was waited for.
    """

    command: int
    operands: tuple[Expression, ...]
    passed: tuple[str, ...]
    type: Type
    results: int = 1


class Returned(AboutCommands, frozen=True):
    """What a blocking call before in this expression gave: the error, or (`is_value`) the `number`th value it read."""

    command: int
    is_value: bool
    type: Type
    number: int = 0


class WaitForEvents(AboutCommands, frozen=True):
    """`clWaitForEvents`: returns when all events are complete."""

    events: tuple[int, ...]
    type: Type


class Finish(AboutCommands, frozen=True):
    """`clFinish`: returns when all commands that were enqueued to the queue before are complete."""

    queue: int
    type: Type


class Flush(AboutCommands, frozen=True):
    """`clFlush`: submits what was enqueued; it waits for nothing and orders nothing."""

    queue: int
    type: Type


class SetUserEventStatus(AboutCommands, frozen=True):
    """`clSetUserEventStatus`: completes a user event; a negative `status` is that of an error (HOST-18)."""

    event: int
    status: int
    type: Type


class SetEventCallback(AboutCommands, frozen=True):
    """`clSetEventCallback`: thread `thread` runs once the event is complete."""

    event: int
    thread: int
    type: Type


class EventStatus(AboutCommands, frozen=True):
    """`clGetEventInfo`: the status of an event, which is no synchronisation point but in SYCL (HOST-4q, SYCL-CMD-5)."""

    event: int
    type: Type


HostCall = Enqueue | Returned | WaitForEvents | Finish | Flush | SetUserEventStatus | SetEventCallback | EventStatus
