"""Undefined behaviour that a few runs of the machine meet, confirmed by a model before anybody is told.

Most runs are sequentially consistent, and so executions; in others, loads may return what was replaced before. The part
of a run that leads to what was found is handed to the model as a candidate. Only what the model itself says of a
consistent candidate counts. That a run finds nothing means nothing: an engine has to look at all executions then.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any, Final, Protocol

from msgspec import Struct
from msgspec.structs import replace

from mcm.answer.answer import RaisedFault, RaisedFlag
from mcm.answer.places import place_of
from mcm.base.bits import listed, nth
from mcm.cat.model import Shape
from mcm.catalogue.evaluate import evaluate_model, is_met, structure_of
from mcm.confirm_commands import command_calls
from mcm.execution.algebra import TRUE
from mcm.execution.candidate import Candidate
from mcm.execution.command_relations import command_relations
from mcm.execution.elaborate import initial_write
from mcm.execution.event import BarrierInstance, Event, EventKind
from mcm.execution.expression import Constant
from mcm.execution.skeleton import IMPL_DEFINED_FAULTS, Fault, Skeleton
from mcm.execution.structure import base_relations, base_sets
from mcm.machine.build import build
from mcm.machine.recording import ALL_NEWEST, recorded
from mcm.program.types import Location
from mcm.relation.evaluate import Evaluator
from mcm.relation.term import SetTerm
from mcm.run_numbers import AHEAD, OLDER, RUNS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from mcm.answer.places import Place
    from mcm.cat.model import Flag, Model
    from mcm.machine.configuration import Configuration
    from mcm.machine.machine import Machine
    from mcm.machine.memory import Choice
    from mcm.machine.recording import Operation, Recording
    from mcm.program.program import Program
    from mcm.program.types import Value

_TURN: Final = 100
# Who goes ahead goes on for so long that what it only waits for is told from tasks: nobody looks at so many iterations.
_TURN_AHEAD: Final = 2_000
# A run that goes on for longer has no end, or one that nobody elaborates: so many steps for each thread, within limits.
_STEPS_OF_EACH: Final = 1_500
_LIMITS: Final = 12_000, 50_000
_WEAK_MEMORY: Final = "views"

# Of so many operations those are left out that barriers settle: relations of all of them take seconds.
MANY_OPERATIONS: Final = 256

# What is wrong with the values of a program, whatever the model says; the other kinds are flags of models.
_FAULTS: Final = frozenset(
    {
        *("barrier-divergence", "division-by-zero", "division-overflow", "out-of-bounds", "private-atomic"),
        "unrelated-pointers",
    }
)

# Who comes to a barrier or group function, and what others have come to before.
_ARRIVING: Final = frozenset({EventKind.ENTRY, EventKind.CALL})
_LEAVING: Final = frozenset({EventKind.EXIT, EventKind.AWAITED})


class Met(Struct, frozen=True):
    """What runs met and a model confirms: flags that it raises, and faults of the program's values.

    `last` is the run that met them, or the last one that was made.
    """

    flags: tuple[RaisedFlag, ...] = ()
    faults: tuple[RaisedFault, ...] = ()
    last: Recording | None = None

    @property
    def is_undefined(self) -> bool:
        """Whether anything was met."""
        return bool(self.flags or self.faults)


def undefined_behaviour(program: Program, model: Model, runs: Iterable[int] = RUNS) -> Met:
    """What the first run that finds something wrong shows under a model; nothing if none of these runs does."""
    run_of = runs_of(program)
    met = Met()
    for number in runs:
        met = confirmed(run_of(number), program, model)
        if met.is_undefined:
            break
    return met


class RunOf(Protocol):
    """Gives the run of a number of one program; some loads may have given `sources`, as `recorded` says."""

    def __call__(self, number: int, sources: Mapping[int, int | None] = ...) -> Recording:
        """The run; the same one whenever it is asked for."""


def runs_of(program: Program) -> RunOf:
    """The runs of a program, by number: the first one lets each thread in turn go on for long, others mix them.

    In that of `AHEAD` the first threads go ahead of all others; in those of `OLDER` loads may return older values.
    """
    machine = build(program, _WEAK_MEMORY, counts_loops=True)
    least, most = _LIMITS
    longest = min(max(_STEPS_OF_EACH * len(program.threads), least), most)

    def run_of(number: int, sources: Mapping[int, int | None] = ALL_NEWEST) -> Recording:
        turns = _Ahead() if number == AHEAD else _Turns(number)
        return recorded(machine, turns, longest, is_weak=number in OLDER, sources=sources)

    return run_of


def confirmed(recording: Recording, program: Program, model: Model) -> Met:
    """What a model says of the findings of a run: the first of each kind is looked at."""
    flags: list[RaisedFlag] = []
    faults: list[RaisedFault] = []
    kinds: set[str] = set()
    for found in recording.findings:
        finding = found.finding
        if finding.kind in kinds or finding.kind in IMPL_DEFINED_FAULTS:
            continue
        kinds.add(finding.kind)
        waiting = _waiting(found.accesses, recording.operations)
        chosen = _leading_to((*found.accesses, *waiting), recording.operations)
        if len(chosen) >= MANY_OPERATIONS:
            # From a barrier that nobody leaves nothing follows: who waits there may stay, to be told of.
            chosen = sorted({*open_operations(chosen, found.accesses, recording, program, model), *waiting})
        candidate = execution_of(recording, program, model, chosen)
        if not evaluate_model(candidate, model).is_consistent:
            continue
        flags += flags_of(candidate, model)
        if finding.kind in _FAULTS:
            spans = tuple(site.span for site in finding.sites)
            thread = finding.sites[0].thread if len(finding.sites) == 1 else None
            # A run goes no further than what is wrong.
            end = len(candidate.skeleton.events)
            fault = Fault(finding.kind, finding.rule, TRUE, finding.why, (), spans, thread, place=end)
            if finding.outside is not None:
                operand, access = Constant(finding.outside.address), finding.outside.access
                fault = replace(fault, operand=operand, access=access)
            faults.append(RaisedFault(fault, candidate))
    return Met(tuple(flags), tuple(faults), recording)


class _Turns:
    """The schedule of a run: each thread in turn for as long as it can go on, or at random; a spinning one is left.

    What is chosen of memory is chosen at random as well, and else the newest value.
    """

    def __init__(self, number: int) -> None:
        self._random = Random(number) if number else None  # noqa: S311 - nothing secret
        self._thread = 0
        self._left = 0

    def begin(self) -> None:
        """A new run."""
        self._thread, self._left = 0, 0

    def pick(self, machine: Machine[Any], now: Configuration[Any], ready: int) -> int:  # noqa: ARG002
        """The thread that goes next."""
        if self._random is not None:
            return nth(ready, self._random.randrange(ready.bit_count()))
        if not self._left or not ready >> self._thread & 1:
            self._left = _TURN
            later = ready >> self._thread + 1 << self._thread + 1
            self._thread = ((later or ready) & -(later or ready)).bit_length() - 1
        self._left -= 1
        return self._thread

    def choose(self, choices: Sequence[Choice]) -> Choice:
        """A value that memory shows; a run that is sequentially consistent does not ask."""
        return choices[-1] if self._random is None else self._random.choice(choices)


class _Ahead(_Turns):
    """The schedule of a run in which the first thread that can go on does so, also when a barrier has held it up."""

    def __init__(self) -> None:
        super().__init__(0)
        self._taken: list[int] = []

    def begin(self) -> None:
        """A new run."""
        self._taken = []

    def pick(self, machine: Machine[Any], now: Configuration[Any], ready: int) -> int:  # noqa: ARG002
        """The thread that goes next: one that may only spin comes later."""
        threads = listed(ready)
        self._taken += [0] * (threads[-1] + 1 - len(self._taken))
        found = min(threads, key=lambda thread: (self._taken[thread] // _TURN_AHEAD, thread))
        self._taken[found] += 1
        return found


def execution_of(
    recording: Recording, program: Program, model: Model, chosen: Sequence[int] | None = None
) -> Candidate:
    """A run as an execution, with the orders that a model asks for.

    Where some operations are chosen, these are all that come before one of them, or those of them that are open.
    """
    chosen = range(len(recording.operations)) if chosen is None else chosen
    part = _Part(program, recording, chosen)
    evaluator = Evaluator(structure_of(part.candidate))
    # Events are numbered as they were performed.
    orders = {order.name: listed(evaluator.set(order.events)) for order in model.linearisations}
    return replace(part.candidate, linearisations=orders)


class _Part:
    """Some operations of a run, by their numbers, as an execution in which nothing is left open."""

    def __init__(self, program: Program, recording: Recording, chosen: Sequence[int]) -> None:
        operations = {number: recording.operations[number] for number in chosen}
        locations = sorted({o.location for o in operations.values() if o.location is not None})
        self._operations: Final[Mapping[int, Operation]] = operations
        self._orders: Final = recording.orders
        self._performed: Final = recording.operations
        self._initial: Final = {location: event for event, location in enumerate(locations)}
        self._events: Final = {number: event for event, number in enumerate(operations, start=len(locations))}
        self.candidate: Final = self._candidate(self._skeleton(program))

    def of(self, operations: Iterable[int]) -> list[int]:
        """The events of some operations."""
        return [self._events[number] for number in operations]

    def _skeleton(self, program: Program) -> Skeleton:
        events = [initial_write(program, location, event) for location, event in self._initial.items()]
        events += [_event(self._operations[number], event) for number, event in self._events.items()]
        # In masks that count from the first event of the thread.
        before: dict[int, int] = {}
        first: dict[int, int] = {}
        of_thread: dict[int | None, int] = {}
        of_copy: dict[tuple[int, int], int] = {}
        for event in events[len(self._initial) :]:
            if event.thread is None:
                continue
            bit = 1 << event.identifier - first.setdefault(event.thread, event.identifier)
            before[event.identifier] = of_thread.get(event.thread, 0)
            if event.asynchronous is None:
                of_thread[event.thread] = before[event.identifier] | bit
                continue
            # What a copy does is sequenced before nothing that the thread does.
            copy = event.thread, event.asynchronous
            before[event.identifier] |= of_copy.get(copy, 0)
            of_copy[copy] = of_copy.get(copy, 0) | bit
        everywhere = [Location(i, k) for i, o in enumerate(program.objects) for k in range(len(o.initial))]
        return Skeleton(
            program=program,
            events=tuple(events),
            sets=base_sets(program, events, everywhere),
            relations=base_relations(program, events, before, {})
            | command_relations(program, events, *command_calls(program, self._operations, self._events)),
            registers={},
            constraints=(),
            choices=0,
            faults=(),
            stops=(),
            constants=frozenset(),
            is_part=self._leaves_out(),
        )

    def _leaves_out(self) -> bool:
        """Whether a thread performs something of what is not chosen before something that is: else it stops there."""
        last = {operation.thread: number for number, operation in self._operations.items()}
        return any(
            number not in self._operations and number < last.get(operation.thread, -1)
            for number, operation in enumerate(self._performed)
        )

    def _candidate(self, skeleton: Skeleton) -> Candidate:
        orders: dict[Location, list[int]] = {location: [event] for location, event in self._initial.items()}
        reads_from: dict[int, int] = {}
        read: dict[int, Value] = {}
        for number, operation in self._operations.items():
            location, event = operation.location, self._events[number]
            if location is None:
                continue
            if operation.read is not None:
                source = operation.source
                reads_from[event] = self._initial[location] if source is None else self._events[source]
                read[event] = operation.read
        for location in orders:
            written = self._orders.get(location, ())
            orders[location] += (self._events[number] for number in written if number in self._events)
        return Candidate(
            skeleton=skeleton,
            executed=frozenset(range(len(skeleton.events))),
            reads_from=reads_from,
            modification_orders={location: tuple(order) for location, order in orders.items()},
            locations={event.identifier: event.locations[0] for event in skeleton.events if event.locations},
            read_values=read,
            written_values={e.identifier: e.value.value for e in skeleton.events if isinstance(e.value, Constant)},
            choices=(),
            linearisations={},
        )


def _waiting(accesses: Sequence[int], operations: Sequence[Operation]) -> list[int]:
    """The arrivals at barriers at which some of the accesses, which a run ends with, are arrivals."""
    instances = {operations[n].barrier for n in accesses if operations[n].kind in _ARRIVING} - {None}
    return [n for n, one in enumerate(operations) if one.kind in _ARRIVING and one.barrier in instances]


def _leading_to(accesses: Sequence[int], operations: Sequence[Operation]) -> list[int]:
    """Some operations, with all that they follow in their thread, read from or met at a barrier, in order.

    Commands follow so many others that in a program with commands it is everything before.
    """
    if any(operation.command is not None for operation in operations):
        return list(range(max(accesses, default=-1) + 1))
    entries: dict[BarrierInstance, list[int]] = {}
    earlier: dict[int, int | None] = {}
    last: dict[int | None, int] = {}
    for number, operation in enumerate(operations):
        earlier[number] = last.get(operation.thread)
        last[operation.thread] = number
        if operation.barrier is not None and operation.kind not in _LEAVING:
            entries.setdefault(operation.barrier, []).append(number)
    found: set[int] = set()
    waiting = list(accesses)
    while waiting:
        number = waiting.pop()
        if number in found:
            continue
        found.add(number)
        operation = operations[number]
        waiting += [n for n in (earlier[number], operation.source) if n is not None]
        if operation.kind in _LEAVING and operation.barrier is not None:
            # Who leaves later follows the same entries.
            waiting += entries.pop(operation.barrier, ())
    return sorted(found)


def open_operations(
    chosen: Sequence[int], accesses: Collection[int], recording: Recording, program: Program, model: Model
) -> list[int]:
    """Those of the chosen operations that decide whether the execution is consistent, and what flags it raises.

    What is wrong may lie in some `accesses`: those stay.
    """
    # Imported here: only large programs need it.
    from mcm.engine.explicit.settled.reduction import open_events  # noqa: PLC0415

    events = _Part(program, recording, chosen)
    left = open_events(events.candidate, model, frozenset(events.of(accesses)))
    return [number for number, event in zip(chosen, events.of(chosen), strict=True) if event in left]


def _event(operation: Operation, identifier: int) -> Event:
    location, written = operation.location, operation.written
    return Event(
        identifier=identifier,
        kind=operation.kind,
        thread=operation.thread,
        guard=TRUE,
        address=None if location is None else Constant(location),
        locations=() if location is None else (location,),
        value=None if written is None else Constant(written),
        order=operation.order,
        scope=operation.scope,
        flags=operation.flags,
        atomic=operation.kind.is_access and operation.order is not None,
        barrier=operation.barrier,
        span=operation.span,
        command=operation.command,
        answer=operation.answer,
        asynchronous=operation.asynchronous,
        pipe=operation.pipe,
        iteration=operation.iteration,
    )


def flags_of(candidate: Candidate, model: Model) -> tuple[RaisedFlag, ...]:
    """Every flag that the model raises on a candidate, once for each pair of places."""
    evaluator = Evaluator(structure_of(candidate))
    place = [place_of(event) for event in candidate.skeleton.events]
    found: dict[tuple[str, frozenset[Place]], RaisedFlag] = {}
    for flag in model.flags:
        rule = flag.rule.identifier if flag.rule else None
        for events in _raised(flag, evaluator):
            places = frozenset(place[event] for event in events)
            found.setdefault((flag.name, places), RaisedFlag(flag.name, rule, events, candidate))
    return tuple(found.values())


def _raised(flag: Flag, evaluator: Evaluator) -> Iterator[tuple[int, ...]]:
    """The events at which a flag is raised: single ones or pairs; none are named where it is about a cycle."""
    if not is_met(flag, evaluator):
        return
    if flag.shape is not Shape.EMPTY or not flag.negated:
        yield ()
    elif isinstance(flag.term, SetTerm):
        yield from ((event,) for event in listed(evaluator.set(flag.term)))
    else:
        for first, row in enumerate(evaluator.relation(flag.term)):
            yield from (tuple(sorted({first, second})) for second in listed(row))
