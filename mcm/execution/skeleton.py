"""A skeleton: all events that a program may execute, and everything about them that the program fixes.

What is left open is what a candidate execution adds: which write each read reads from (`rf`), the modification
orders (`mo`), the free choices, and a model's linearisations.
"""

from __future__ import annotations

from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field

from mcm.base.compared import PartlyCompared
from mcm.execution.algebra import FALSE, TRUE, leaves
from mcm.execution.evaluate import reads_of, subexpressions
from mcm.execution.event import EventKind
from mcm.execution.expression import BinaryValue, Choice, Constant
from mcm.program.division import UNSPECIFIED
from mcm.program.types import Location, PointerType, RegisterPointer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mcm.base.source import Span
    from mcm.execution.awaited import Shown
    from mcm.execution.event import BarrierInstance, Event
    from mcm.execution.expression import Expression
    from mcm.program.condition import RegisterName
    from mcm.program.program import Program
    from mcm.program.types import Value

Address = Location | RegisterPointer


class SetMembers(Struct, frozen=True):
    """Members of a base set: the events of the bit mask `events`, and every access to one of `locations`.

    Only executed events count. An event whose location is not static is a member as soon as the location it
    reaches is in `locations`.
    """

    events: int
    locations: frozenset[Location] = frozenset()


class Fault(Struct, frozen=True):
    """Undefined behaviour that is seen in the program's values, not in its relations.

    A consistent execution in which `condition` is not zero has the fault. `kind` is a kind of the result format
    (`barrier-divergence`, `uninitialised-read`, `unsequenced-race`, `out-of-bounds`, `undetermined-value` …); `rule` is
    the ID that it implements; `spans` are the places to show. `thread` is the thread that has it, None where several
    do together. `operand` is the index or the address that leads out of bounds, or the address of the private variable
    that has no value, where it is about one; `iteration` has the number of each loop's iteration around it, from 0.
    `access` is what would be done at the address, where that is known. The events of the thread whose identifiers are
    below `place` come before it.
    """

    kind: str
    rule: str
    condition: Expression
    why: str
    events: tuple[int, ...] = ()
    spans: tuple[Span, ...] = ()
    thread: int | None = None
    operand: Expression | None = None
    iteration: tuple[int, ...] = ()
    access: EventKind | None = None
    place: int = 0

    @property
    def reported(self) -> tuple[object, ...]:
        """What is reported of it: the same may happen in several iterations."""
        return self.kind, self.rule, self.why, self.spans, self.thread


# The rules that faults implement, each in a sentence; models do not state them.
FAULT_RULES: Final[dict[str, str]] = {
    "BAR-DIV": "All work-items of a group execute a barrier or group function, with the same flags and scope, or none.",
    "COLL-2": "Nothing depends on a value that a shuffle brings from outside the sub-group.",
    "INIT-2": "A private or local object has no value before something is written to it.",
    "DR-3": "Conflicting accesses of one thread are sequenced.",
    "AS-5": "Atomic operations are not applied to private memory.",
    "SYCL-UB-3": "An atomic_ref does not refer to an object in private memory.",
    "MEM-BOUNDS": "An access stays inside its object.",
    "C-DIV": "An integer is not divided by zero, nor the least of a signed type by -1; in OpenCL C the result is open.",
    "C-PTR": "Pointers whose order or difference is asked for lead into one object.",
    "ASYNC-1": "A work-item waits for events of asynchronous copies.",
    "ASYNC-2": "All work-items of a work-group pass the same arguments to an asynchronous copy, or a wait for some.",
    "PIPE-3": "A reservation of packets is committed once, and its packets are accessed before that, by their indices.",
    "PIPE-4": "A work-item commits each reservation of packets before it ends.",
    "ASYNC-3": "A work-item waits for each asynchronous copy before it ends.",
}


# The kinds of faults that leave the program defined, but open what it computes.
IMPL_DEFINED_FAULTS: Final = frozenset({UNSPECIFIED})


class StopKind(Enum):
    """Why a thread does not go on.

    BOUND: a loop has used up its iterations. WAIT: an iteration without effect would be repeated until other threads
    change what it reads. BARRIER: a member of the group does not reach the barrier. EVENT: a command that the thread
    waits for does not complete, or (for a thread that a command runs) the command does not start.
    """

    BOUND = "bound"
    WAIT = "wait"
    BARRIER = "barrier"
    EVENT = "event"


class Stop(PartlyCompared, frozen=True):
    """A thread stops here when `condition` is not zero: none of its later events are executed.

    An execution in which some stop's condition holds is unfinished, and no outcome. For a WAIT, `reads` are the reads
    of the iteration that fails, `places` the locations that those of any iteration of the loop may reach, `stores`
    those that it writes, as each further iteration does anew, and `persists` is the condition under which it fails
    again as long as they read the same values: a weak compare-exchange that fails spuriously does not have to. For a
    BARRIER, `barrier` is the instance at which the thread waits; for an EVENT, `awaits` are the commands that it waits
    for.
    """

    kind: StopKind
    thread: int
    condition: Expression
    span: Span
    reads: tuple[int, ...] = ()
    places: frozenset[Location] = frozenset()
    persists: Expression = TRUE
    barrier: BarrierInstance | None = None
    awaits: tuple[int, ...] = ()
    stores: frozenset[Location] = frozenset()

    @property
    def fails_again(self) -> bool:
        """Whether what fails in a loop that waits may fail again although nothing changes."""
        return self.persists is not FALSE

    def reached(self, locations: Mapping[int, Location]) -> set[Location]:
        """The locations of those of the reads that are executed, by those of all reads that are."""
        return {locations[read] for read in self.reads if read in locations}


def is_cut(stops: Iterable[Stop]) -> bool:
    """Whether some of the stops are where a loop goes on behind the bound."""
    return any(stop.kind is StopKind.BOUND for stop in stops)


class Skeleton(Struct, frozen=True, dict=True):
    """Events (initial writes first; `events[i].identifier == i`) and the static part of base sets and relations.

    `relations[name][a]` is the bit mask of all `b` with `(a, b)` in the static relation `name`, supposing that both
    are executed. The dynamic relations `rf`, `mo` and `loc` are not listed; engines provide them.
    An execution counts only if every expression of `constraints` is not zero, and is complete if no stop's condition
    holds.
    `finals` has the final values of locations where they are known before the search, whose writes then need not be
    events. `registers` gives the final value of every register. `constants` are the values that the program's text, the
    initial state and the condition name. `is_part`: not all operations that are executed are events. `bases` are for
    updates the last write of their location before them that is no update, where it is known before the search.
    `supposed` are reads that are supposed to return a value which nothing depends on: executions with others are
    missing until it is shown that there are none. `shown` is what holds in every consistent execution, by what units
    wait for. `paired` are reads with the update right behind them that reads the same: nothing depends on what they
    return, and other executions are missing. At the stops that are `waiting` units wait in some execution, of which
    nothing else is left.
    """

    program: Program
    events: tuple[Event, ...]
    sets: Mapping[str, SetMembers]
    relations: Mapping[str, Sequence[int]]
    registers: Mapping[RegisterName, Expression]
    constraints: tuple[Expression, ...]
    choices: int
    faults: tuple[Fault, ...]
    stops: tuple[Stop, ...]
    constants: frozenset[Value]
    finals: Mapping[Location, Expression] = field(default_factory=dict)
    is_part: bool = False
    bases: Mapping[int, int] = field(default_factory=dict)
    supposed: Mapping[int, Constant] = field(default_factory=dict)
    shown: Shown | None = None
    paired: Mapping[int, int] = field(default_factory=dict)
    waiting: tuple[Stop, ...] = ()

    @cached_property
    def self_dependent(self) -> int:
        """The updates, as a mask, that write or happen depending on what they read themselves.

        A fetch-and-add is one, and so is a compare-exchange that succeeds; an exchange is not. The base relations do
        not list this, since a read-modify-write is one event.
        """
        compared = frozenset[int]().union(*map(reads_of, self.constraints))
        result = 0
        for event in self.events:
            if event.kind is EventKind.UPDATE and event.value is not None:
                chosen = any(isinstance(part, Choice) for part in subexpressions(event.guard))
                if event.identifier in reads_of(event.value) or (chosen and event.identifier in compared):
                    result |= 1 << event.identifier
        return result

    @property
    def problems(self) -> Iterator[Expression]:
        """The conditions of faults and stops."""
        yield from (fault.condition for fault in self.faults)
        yield from (stop.condition for stop in self.stops)

    @property
    def named(self) -> frozenset[int]:
        """The events that faults and stops speak of."""
        reads = (read for stop in self.stops for read in stop.reads)
        return frozenset(event for fault in self.faults for event in fault.events).union(reads)

    def accesses_by_location(self) -> dict[Location, list[Event]]:
        """For each location the accesses that may reach it."""
        found: dict[Location, list[Event]] = {}
        for event in self.events:
            for location in event.locations if event.kind.is_access else ():
                found.setdefault(location, []).append(event)
        return found

    @cached_property
    def addresses(self) -> frozenset[Address]:
        """Addresses that a value which depends on itself may be: all that the program, or its condition, has as values.

        What an access merely starts from is none of them.
        """
        expressions = [part for event in self.events for part in (event.guard, event.value) if part is not None]
        for event in self.events:
            for condition, address in () if event.address is None else leaves(event.address):
                expressions += (condition,) if isinstance(address, Constant) else (condition, address)
        expressions += [*self.constraints, *self.problems]
        expressions += [final for final in self.registers.values() if not isinstance(final, Constant)]
        held = {value for value in self.constants if isinstance(value, (Location, RegisterPointer))}
        return frozenset(held.union(_addresses_in(expressions)))


def _addresses_in(expressions: Iterable[Expression]) -> Iterator[Address]:
    parts = {part for expression in expressions for part in subexpressions(expression)}
    bases = {
        side
        for part in parts
        if isinstance(part, BinaryValue) and isinstance(part.type, PointerType) and part.operator in {"+", "-"}
        for side in (part.left, part.right)
    }
    for part in parts - bases:
        if isinstance(part, Constant) and isinstance(part.value, (Location, RegisterPointer)):
            yield part.value
