"""How far commands get: placeholders for what is not known while threads are executed.

`completion` says what takes their place.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from msgspec import Struct, field

if TYPE_CHECKING:
    from mcm.base.source import Span
    from mcm.execution.expression import Expression, GroupResult


class Stage(Enum):
    """What may be asked of a command.

    RESULT is the value that a blocking read returns, STATUS what `clGetEventInfo` tells of a command that is over; the
    others are conditions. One that has FAILED is COMPLETE too (HOST-18).
    """

    STARTED = "started"
    ENDED = "ended"
    COMPLETE = "complete"
    FAILED = "failed"
    RESULT = "result"
    STATUS = "status"

    # Members are keys, hashed by identity.
    __hash__ = object.__hash__


class Progress(Struct, frozen=True):
    """How far a command gets."""

    command: int
    stage: Stage


class Emptied(Struct, frozen=True):
    """That all commands which come before a clFinish in its queue are complete; `call` is its event."""

    call: int


class QueueCall(Struct, frozen=True):
    """A call that takes a place in a queue: of an enqueued command, or (None) of clFinish."""

    queue: int
    event: int
    thread: int
    guard: Expression
    command: int | None = None


class CompletedBy(Struct, frozen=True):
    """A call that completes a user event, or lets it fail with a negative status."""

    event: int
    guard: Expression
    status: int = 0


class Held(Struct, frozen=True):
    """A wait of a thread for events of commands, or (none) for a queue: where `guard` holds, until `opens` does."""

    thread: int
    guard: Expression
    opens: Expression
    span: Span
    awaits: tuple[int, ...]


class CommandCalls(Struct):
    """What threads have called so far.

    `unknown` numbers placeholders. `enqueued` has the call event and the guard of each command; `operands` what these
    pass by value; `setters` the calls that complete user events; `registered` the guards of the registrations of
    callbacks. `awaited` are pairs of a command and an event that comes after its completion, `queried` of a command
    and a query of its status; `helds` are the waits.
    """

    unknown: dict[Progress | Emptied, GroupResult] = field(default_factory=dict)
    enqueued: dict[int, tuple[int, Expression]] = field(default_factory=dict)
    operands: dict[int, Expression] = field(default_factory=dict)
    queue_calls: list[QueueCall] = field(default_factory=list)
    setters: dict[int, list[CompletedBy]] = field(default_factory=dict)
    registered: dict[int, Expression] = field(default_factory=dict)
    awaited: list[tuple[int, int]] = field(default_factory=list)
    finishes: dict[int, int] = field(default_factory=dict)
    queried: list[tuple[int, int]] = field(default_factory=list)
    helds: list[Held] = field(default_factory=list)
