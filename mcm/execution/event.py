"""Events: what a run of a program does to memory, one value for each operation that may be executed."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from msgspec import Struct

from mcm.base.compared import PartlyCompared

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcm.base.source import Span
    from mcm.execution.expression import Expression
    from mcm.program.operators import Level, PipeEnd
    from mcm.program.topology import SubGroup, WorkGroup
    from mcm.program.types import Flag, Location, Order, Scope


class EventKind(Enum):
    """The kinds of events. An UPDATE is one event that reads and writes; a CALL is one of a group function.

    COPIED is the end of an asynchronous copy, AWAITED the return of a call that waits for it.
    An API_CALL is a call of the host API or of enqueue_kernel, a RETURN that of a call which waits, a QUERY one of
    clGetEventInfo. START, END and COMPLETE are those of commands, and belong to no thread.
    """

    INITIAL = "initial"
    READ = "read"
    WRITE = "write"
    UPDATE = "update"
    FENCE = "fence"
    ENTRY = "entry"
    EXIT = "exit"
    CALL = "call"
    COPIED = "copied"
    AWAITED = "awaited"
    API_CALL = "api-call"
    RETURN = "return"
    QUERY = "query"
    START = "start"
    END = "end"
    COMPLETE = "complete"

    # Kinds are keys: their identity is their hash, without a call.
    __hash__ = object.__hash__

    def __init__(self, word: str) -> None:
        # Whether the event reads from a write, takes part in modification orders, accesses a location at all.
        self.reads = word in {"read", "update"}
        self.writes = word in {"initial", "write", "update"}
        self.is_access = self.reads or self.writes
        # Whether the event is one of a command, or a call about commands.
        self.is_of_commands = word in {"api-call", "return", "query", "start", "end", "complete"}
        self.noun = "completion" if word == "complete" else word
        # Whether the event is a fence, a barrier's entry or its exit.
        self.is_fence = word in {"fence", "entry", "exit"}


def iteration_numbers(iteration: Iterable[int]) -> str:
    """Numbers of iterations of loops as people count them, the outermost loop first: `2, 1`."""
    return ", ".join(str(number + 1) for number in iteration)


class BarrierInstance(Struct, frozen=True):
    """One dynamic instance of a barrier or group function in one group: events of the same instance meet.

    Those that are `of_active` need nobody: who comes is who takes part.
    """

    level: Level
    group: WorkGroup | SubGroup
    site: str
    iteration: tuple[int, ...]
    of_active: bool = False


class Event(PartlyCompared, frozen=True):
    """An operation that is executed when `guard` is not zero.

    `identifier` is the event's index in its skeleton. `thread` is None for initial writes. `address` is the accessed
    location as an expression and `locations` all that it can be, sorted (one element when it is static). `value` is
    what is written; for an UPDATE it may mention its own `ReadValue`. `order` is None for plain accesses.
    `atomic` is true for atomic accesses only. `flags` are those of fences and barriers; in the C dialect a fence has
    both GLOBAL and LOCAL. `command` is the command that the event is about, `answer` the status that a QUERY returns.
    `asynchronous` numbers the copies of a thread: the events of each are a unit of their own. `pipe` is the end of the
    pipe whose state the event reads and writes. `iteration` has the number of each loop's iteration around it, from 0,
    the outermost loop first.
    """

    identifier: int
    kind: EventKind
    thread: int | None
    guard: Expression
    address: Expression | None
    locations: tuple[Location, ...]
    value: Expression | None
    order: Order | None
    scope: Scope | None
    flags: frozenset[Flag]
    atomic: bool
    barrier: BarrierInstance | None
    span: Span
    command: int | None = None
    answer: int | None = None
    asynchronous: int | None = None
    pipe: PipeEnd | None = None
    iteration: tuple[int, ...] = ()

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """The guard, and the address and the value if the event has them."""
        return tuple(part for part in (self.guard, self.address, self.value) if part is not None)

    def is_like(self, other: Event) -> bool:
        """Whether two events of one thread make the same access: of one location, and in whatever models see."""
        return (
            self.kind is other.kind
            and self.thread == other.thread
            and self.address is other.address
            and (self.order, self.scope, self.atomic) == (other.order, other.scope, other.atomic)
        )


def writes_by_location(events: Iterable[Event]) -> dict[Location, list[Event]]:
    """For each location that may be written the events that may write it, in the order given."""
    found: dict[Location, list[Event]] = {}
    for event in events:
        for location in event.locations if event.kind.writes else ():
            found.setdefault(location, []).append(event)
    return found
