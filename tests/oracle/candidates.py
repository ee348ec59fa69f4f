"""All candidate executions of a program: every control outcome, source of a read and modification order."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations, product

from oracle.program import (
    UNASSIGNED,
    Barrier,
    CompareExchange,
    Exchange,
    Fence,
    FetchAdd,
    Instruction,
    Load,
    Location,
    Operand,
    Order,
    Program,
    Region,
    Scope,
    Store,
    Unit,
    same_sub_group,
    same_work_group,
)


@dataclass(frozen=True, slots=True)
class Event:
    """One executed event; a read-modify-write is one event that reads and writes."""

    number: int
    unit: int | None
    location: Location | None = None
    reads: bool = False
    writes: bool = False
    fence: bool = False
    entry: bool = False
    exit: bool = False
    atomic: bool = False
    order: Order | None = None
    scope: Scope | None = None
    flags: frozenset[Region] = frozenset()
    read_value: int | None = None
    written_value: int | None = None
    barrier: Barrier | None = None

    @property
    def initial(self) -> bool:
        return self.unit is None


Domain = dict[str, frozenset[int]]


@dataclass(frozen=True, slots=True)
class Trace:
    """What one unit does when its reads return certain values."""

    events: tuple[Event, ...] = ()
    registers: dict[str, int] = field(default_factory=dict)

    def value(self, operand: Operand) -> int:
        return self.registers[operand] if isinstance(operand, str) else operand

    def then(self, *events: Event, **assigned: int) -> "Trace":
        return Trace(self.events + events, self.registers | assigned)


@dataclass(frozen=True, slots=True)
class Candidate:
    """Executed events, where each read takes its value from, and the order of the writes of each ordered location."""

    program: Program
    events: tuple[Event, ...]
    registers: tuple[tuple[str, int], ...]
    source: dict[int, int]
    modification_order: dict[str, tuple[int, ...]]


def candidates(program: Program, *, order_all: bool = False, prune: bool = True) -> Iterator[Candidate]:
    """Yield every candidate execution.

    `order_all` also orders the writes of objects that are not atomic (MO-2 gives them no order, but sequential
    consistency knows no such objects). `prune` leaves out candidates that are incoherent within single units already.
    """
    domain = _values(program)
    traces = [tuple(_traces(unit, number, program, domain)) for number, unit in enumerate(program.units)]
    for chosen in product(*traces):
        events = numbered(program, (trace.events for trace in chosen))
        registers = tuple(
            (f"{number}:{name}", value)
            for number, trace in enumerate(chosen)
            for name, value in trace.registers.items()
        )
        yield from candidates_of(program, events, registers, order_all=order_all, prune=prune)


def held_candidates(program: Program, *, order_all: bool = False, prune: bool = True) -> Iterator[Candidate]:
    """Yield the candidate executions in which units wait for ever at barriers that others of their group do not reach.

    They are no outcomes: registers are left out.
    """
    if len([i for i in program.instructions() if isinstance(i, Barrier)]) < 2:
        return
    domain = _values(program)
    traces = [tuple(_traces(unit, number, program, domain)) for number, unit in enumerate(program.units)]
    for chosen in product(*traces):
        units = [trace.events for trace in chosen]
        held = _held(program, units)
        if held != units:
            yield from candidates_of(program, numbered(program, held), (), order_all=order_all, prune=prune)


def _held(program: Program, units: list[tuple[Event, ...]]) -> list[tuple[Event, ...]]:
    """Cut the events of each unit behind the entry of the barrier that it never passes.

    A barrier is passed when everybody of the group has reached it, or has come to its end elsewhere.
    """
    done = [_up_to_barrier(events, 0) for events in units]
    moves = True
    while moves:
        moves = False
        for number, events in enumerate(units):
            if done[number] == len(events):
                continue
            waits = events[done[number] - 1].barrier
            assert waits is not None
            if all(
                done[other] == len(units[other]) or any(_meets(event, waits) for event in units[other][: done[other]])
                for other, unit in enumerate(program.units)
                if (same_sub_group if waits.sub_group else same_work_group)(unit, program.units[number])
            ):
                done[number] = _up_to_barrier(events, done[number])
                moves = True
    return [events[:end] for events, end in zip(units, done, strict=True)]


def _up_to_barrier(events: tuple[Event, ...], begin: int) -> int:
    """Count the events up to the next entry of a barrier, which is included."""
    return next((place + 1 for place in range(begin, len(events)) if events[place].entry), len(events))


def _meets(event: Event, barrier: Barrier) -> bool:
    return event.barrier is not None and (event.barrier.label, event.barrier.sub_group) == (
        barrier.label,
        barrier.sub_group,
    )


def candidates_of(
    program: Program,
    events: tuple[Event, ...],
    registers: tuple[tuple[str, int], ...],
    *,
    order_all: bool = False,
    prune: bool = True,
) -> Iterator[Candidate]:
    """Yield the candidate executions that consist of these events, which are numbered."""
    for source in _sources(events, prune=prune):
        for order in _modification_orders(program, events, source, order_all=order_all, prune=prune):
            yield Candidate(program, events, registers, source, order)


def _values(program: Program) -> Domain:
    """Collect, for each location, the values that it may hold (too many do no harm: their reads find no source)."""
    held = {
        location.name: {location.initial if location.initial is not None else 0} | program.free_values
        for location in program.locations
    }
    for _ in range(1 + sum(isinstance(i, Store | Exchange | FetchAdd) for i in program.instructions())):
        for unit in program.units:
            for instruction in unit.body:
                match instruction:
                    case Store(location, value) | Exchange(_, location, value):
                        held[location] |= _operand_values(value, unit, held)
                    case FetchAdd(_, location, addend):
                        held[location] |= {value + addend for value in held[location]}
                    case CompareExchange():
                        held[instruction.location].add(instruction.desired)
                    case Load() | Fence() | Barrier():
                        pass
    return {name: frozenset(values) for name, values in held.items()}


def _operand_values(operand: Operand, unit: Unit, held: dict[str, set[int]]) -> set[int]:
    if isinstance(operand, int):
        return {operand}
    values = {UNASSIGNED}
    for instruction in unit.body:
        match instruction:
            case Load(register, location) | Exchange(register, location) | FetchAdd(register, location):
                if register == operand:
                    values |= held[location]
            case CompareExchange(register, seen):
                if register == operand:
                    values |= {0, 1}
                if seen == operand:
                    values |= held[instruction.location] | {instruction.expected}
            case Store() | Fence() | Barrier():
                pass
    return values


def _traces(unit: Unit, number: int, program: Program, domain: Domain) -> Iterator[Trace]:
    growing = [Trace(registers=dict.fromkeys(unit.registers(), UNASSIGNED))]
    for instruction in unit.body:
        guard = instruction.guard
        growing = [
            longer
            for trace in growing
            for longer in (
                _step(instruction, trace, number, unit, program, domain)
                if guard is None or trace.registers[guard.register] == guard.value
                else (trace,)
            )
        ]
    yield from growing


def _step(
    instruction: Instruction, trace: Trace, number: int, unit: Unit, program: Program, domain: Domain
) -> Iterator[Trace]:
    # HOST-SVM: the atomics of a host thread act at scope ALL.
    def scope_of(scope: Scope | None) -> Scope | None:
        return Scope.ALL if unit.host else scope

    match instruction:
        case Fence(flags, order, scope):
            yield trace.then(Event(0, number, fence=True, flags=flags, order=order, scope=scope_of(scope)))
        case Barrier(_, flags, scope):
            # BAR-1: an entry fence that releases and an exit fence that acquires, with the flags and scope of the call.
            half = Event(0, number, fence=True, flags=flags, scope=scope_of(scope), barrier=instruction)
            yield trace.then(
                replace(half, entry=True, order=Order.RELEASE), replace(half, exit=True, order=Order.ACQUIRE)
            )
        case Store(name, value, order, scope):
            access = Event(0, number, program.location(name), order=order, scope=scope_of(scope))
            yield trace.then(replace(access, writes=True, written_value=trace.value(value), atomic=order is not None))
        case Load(register, name, order, scope):
            access = Event(0, number, program.location(name), order=order, scope=scope_of(scope))
            for value in sorted(domain[name]):
                event = replace(access, reads=True, read_value=value, atomic=order is not None)
                yield trace.then(event, **{register: value})
        case Exchange(register, name, _, order, scope) | FetchAdd(register, name, _, order, scope):
            access = Event(0, number, program.location(name), order=order, scope=scope_of(scope), atomic=True)
            for value in sorted(domain[name]):
                new = (
                    value + instruction.addend if isinstance(instruction, FetchAdd) else trace.value(instruction.value)
                )
                event = replace(access, reads=True, writes=True, read_value=value, written_value=new)
                yield trace.then(event, **{register: value})
        case CompareExchange():
            yield from _compare_exchange(instruction, trace, number, program, domain, scope_of(instruction.scope))


def _compare_exchange(
    call: CompareExchange, trace: Trace, number: int, program: Program, domain: Domain, scope: Scope | None
) -> Iterator[Trace]:
    access = Event(0, number, program.location(call.location), scope=scope, atomic=True, reads=True)
    for value in sorted(domain[call.location]):
        if value == call.expected:
            event = replace(access, order=call.success, writes=True, read_value=value, written_value=call.desired)
            yield trace.then(event, **{call.register: 1, call.seen: value})
        if value != call.expected or call.weak:
            # RMW-2: a failing compare-exchange is a load with the failure order.
            event = replace(access, order=call.failure, read_value=value)
            yield trace.then(event, **{call.register: 0, call.seen: value})


def numbered(program: Program, units: Iterable[Sequence[Event]]) -> tuple[Event, ...]:
    """Return the initial writes and the events of the units, one unit after the other."""
    initial = [
        Event(0, None, location, writes=True, written_value=0 if location.initial is None else location.initial)
        for location in program.locations
    ]
    events = initial + [event for unit in units for event in unit]
    return tuple(replace(event, number=number) for number, event in enumerate(events))


def _sources(events: tuple[Event, ...], *, prune: bool) -> Iterator[dict[int, int]]:
    reads = [event for event in events if event.reads]
    choices = [
        [
            write.number
            for write in events
            if write.writes
            and write.location == read.location
            and write.written_value == read.read_value
            and write.number != read.number
            and not (prune and _before(read, write))
        ]
        for read in reads
    ]
    if all(choices):
        for chosen in product(*choices):
            yield {read.number: write for read, write in zip(reads, chosen, strict=True)}


def _modification_orders(
    program: Program, events: tuple[Event, ...], source: dict[int, int], *, order_all: bool, prune: bool
) -> Iterator[dict[str, tuple[int, ...]]]:
    # MO-1: a total order over the writes of each atomic object, starting from the initial value.
    ordered = [location for location in program.locations if location.atomic or order_all]
    choices = []
    for location in ordered:
        here = [event for event in events if event.location == location]
        initial, *writes = [event.number for event in here if event.writes]
        choices.append(
            [
                (initial, *order)
                for order in permutations(writes)
                if not prune or _coherent_in_each_unit(here, source, (initial, *order))
            ]
        )
    for chosen in product(*choices):
        yield {location.name: order for location, order in zip(ordered, chosen, strict=True)}


def _before(a: Event, b: Event) -> bool:
    """Tell whether `a` is sequenced before `b` (events are numbered unit by unit, in program order)."""
    return a.unit is not None and a.unit == b.unit and a.number < b.number


def _coherent_in_each_unit(here: list[Event], source: dict[int, int], order: tuple[int, ...]) -> bool:
    """Tell whether the accesses to one location respect this order within every unit.

    Each is ordered by happens-before as the other one's location is in the same region (HB-G, HB-L), so the four
    coherence rules and RMW-1 would reject the candidate anyhow: this only saves time.
    """
    place = {write: index for index, write in enumerate(order)}

    def observed(event: Event) -> int:
        return place[event.number] if event.writes else place[source[event.number]]

    for event in here:
        if event.reads and event.writes and event.atomic and place[source[event.number]] != place[event.number] - 1:
            return False
    return not any(
        _before(a, b)
        and (observed(a) > observed(b) or (a.reads and b.reads and place[source[a.number]] > place[source[b.number]]))
        for a in here
        for b in here
    )
