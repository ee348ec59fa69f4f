"""How far commands get: placeholders for what is not known while threads are executed.

`completion` says what takes their place.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from msgspec import Struct, field

from mcm.execution.algebra import TRUE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcm.base.source import Span
    from mcm.execution.expression import Constant, Expression, GroupResult


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
    """How far a command gets; `number` is that of a result, where there are several."""

    command: int
    stage: Stage
    number: int = 0


class Emptied(Struct, frozen=True):
    """That all commands which come before a clFinish in its queue are complete; `call` is its event."""

    call: int


class TakesEffect(Struct, frozen=True):
    """That no other call has set a user event before; `call` is the event of the call, where it does."""

    call: int


Unknown = Progress | Emptied | TakesEffect


class QueueCall(Struct, frozen=True):
    """A call that takes a place in a queue: of an enqueued command, or (None) of clFinish."""

    queue: int
    event: int
    thread: int
    guard: Expression
    command: int | None = None


class CompletedBy(Struct, frozen=True):
    """A call that completes a user event, or lets it fail with a negative status.

    Of the calls for one user event, the first that is made takes effect. `event` stands for a call that does, `refused`
    (None where no other call can come first) for one that does not; `guard` is that of the call, `first` the condition
    under which it takes effect.
    """

    event: int
    guard: Expression
    thread: int
    status: int = 0
    refused: int | None = None
    first: Expression = TRUE

    @property
    def events(self) -> tuple[int, ...]:
        """The events of the call, of which one is executed."""
        return (self.event,) if self.refused is None else (self.event, self.refused)


class CallOrders(Struct, frozen=True):
    """The orders in which calls come to queues, and set user events, by the numbers of both."""

    queues: Mapping[int, tuple[QueueCall, ...]] = field(default_factory=dict)
    setters: Mapping[int, tuple[CompletedBy, ...]] = field(default_factory=dict)


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
    callbacks; `written` are the calls in the text that set user events: the event, the thread, the status. `awaited`
    are pairs of a command and an event that comes after its completion, `queried` of a command and a query of its
    status; `helds` are the waits; `presumed` has what blocking reads are supposed to return, by command and number.
    """

    written: tuple[tuple[int, int, int], ...] = ()
    unknown: dict[Unknown, GroupResult] = field(default_factory=dict)
    enqueued: dict[int, tuple[int, Expression]] = field(default_factory=dict)
    operands: dict[int, dict[str, Expression]] = field(default_factory=dict)
    queue_calls: list[QueueCall] = field(default_factory=list)
    setters: dict[int, list[CompletedBy]] = field(default_factory=dict)
    registered: dict[int, Expression] = field(default_factory=dict)
    awaited: list[tuple[int, int]] = field(default_factory=list)
    finishes: dict[int, int] = field(default_factory=dict)
    queried: list[tuple[int, int]] = field(default_factory=list)
    helds: list[Held] = field(default_factory=list)
    presumed: dict[tuple[int, int], Constant] = field(default_factory=dict)
