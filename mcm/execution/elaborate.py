"""Program to skeletons: every event that a program may execute, with loops unrolled to a bound."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.execution.addresses import reads_addresses
from mcm.execution.algebra import TRUE
from mcm.execution.call_orders import MOST_SEQUENCINGS, CallOrders, orders_of_calls, too_large
from mcm.execution.event import Event, EventKind
from mcm.execution.expression import Constant
from mcm.execution.groups import Results, divergence, results_filled, solved
from mcm.execution.holding import hold, may_hold
from mcm.execution.missing import may_be_missed
from mcm.execution.named_addresses import objects_in, objects_named
from mcm.execution.outcome import constants
from mcm.execution.shared import EventLimitError, Foreknown, GroupCall, Shared
from mcm.execution.skeleton import Skeleton, StopKind, is_cut
from mcm.execution.structure import base_relations, base_sets, choice_bases
from mcm.execution.supposition import NOTHING_SUPPOSED, FalseSuppositionError
from mcm.execution.thread import ThreadRun
from mcm.program.condition import RegisterName
from mcm.program.members import is_member, may_lack_values
from mcm.program.topology import HostThread
from mcm.program.types import Location

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mcm.base.source import Span
    from mcm.execution.completion import Completion
    from mcm.execution.expression import Expression
    from mcm.execution.progress import CommandCalls
    from mcm.execution.skeleton import Stop
    from mcm.execution.supposition import Suppositions
    from mcm.execution.tickets import Tickets
    from mcm.program.program import Program
    from mcm.program.topology import SubGroup, WorkGroup
    from mcm.program.types import Value


MOST_EVENTS: Final = 250_000

# A program whose loops were cut may take so many times as much where those that end by themselves are not. What is far
# more is seldom executed: most who look for a free slot find one soon.
_MOST_TO_END: Final = 4


def elaborate(  # noqa: PLR0913 - what there is to choose
    program: Program,
    bound: int = 2,
    *,
    waiting: bool = False,
    overwrites: bool = False,
    folds: bool = False,
    limit: int = MOST_EVENTS,
    supposed: Suppositions = NOTHING_SUPPOSED,
    tickets: Tickets | None = None,
    calls: CallOrders = CallOrders.EACH,
) -> tuple[Skeleton, ...]:
    """The skeletons of a program: one for each order in which C lets the calls of its expressions come, or as wanted.

    Of a loop, `bound` iterations are executed in which it depends on memory whether they are the last. With `waiting`,
    an iteration that has no effect and would be repeated is where the thread waits; that is right for models in which
    reads that are left out make no execution inconsistent (`docs/adr/0018`). If it `overwrites`, such an iteration may
    write what the next one writes anew: that is right where such writes can be left out, too (`docs/adr/0129`). If it
    `folds`, what is read where nobody writes is its initial value, and nothing depends on it; that is right for models
    that ask for no dependencies. Nor does anything depend on reads that return what is `supposed`, or on updates that
    take `tickets`.
    Raises FalseSuppositionError where group functions return something else, EventLimitError where events and
    iterations are more than `limit`, InputError where orders are too many.
    """
    locations = tuple(Location(i, k) for i, o in enumerate(program.objects) for k in range(len(o.initial)))

    def run(foreknown: Foreknown, limit: int = limit) -> tuple[Shared, dict[RegisterName, Expression]]:
        shared = Shared(program, bound, waiting, limit, frozenset(locations), foreknown, overwrites=overwrites)
        return _elaborated(shared, locations)

    unwritten = _unwritten(program) if folds else {}
    lacking = may_lack_values(program)
    first = Foreknown(frozenset(locations), unwritten=unwritten, supposed=supposed, tickets=tickets, lacking=lacking)
    shared, registers = run(first)
    if shared.stores_none:
        # Now it is known that members without a value are copied to memory, so any may be one.
        members = {i for i, item in enumerate(program.objects) if is_member(item)}
        first = replace(first, lacking=lacking | members)
        shared, registers = run(first)
    was_cut = waiting and is_cut(shared.stops)
    if was_cut and shared.may_end:
        enough = shared.size * _MOST_TO_END
        to_end = replace(first, goes_to_end=True)
        try:
            shared, registers = run(to_end, min(limit, enough))
            first = to_end
        except EventLimitError:
            if enough > limit:
                raise
    foreknown = first
    # Now it is known which addresses are stored at all (only those can be loaded), what is written where, and behind
    # that where threads may stop.
    addresses = {event.address for event in shared.events}
    if any(address is not None and reads_addresses(address) for address in addresses):
        named = objects_named(program)
        foreknown = replace(foreknown, stored=_stored(shared, locations, named), named=named)
    domains = _domains(shared) if was_cut else {}
    if domains:
        foreknown = replace(foreknown, domains=domains)
    if foreknown is not first:
        shared, registers = run(foreknown)
    missed = may_be_missed(shared)
    held = may_hold(shared, missed)
    if held:
        shared, registers = run(replace(foreknown, held=held, missed=missed))
    hold(shared)
    _find_faults(shared)
    if not program.has_commands:
        skeletons = tuple(_skeletons(shared, _fill_in(shared, registers, None), locations, {}, calls))
        if tickets is None or all(tickets.are_taken(skeleton.events) for skeleton in skeletons):
            return skeletons
        again = partial(elaborate, program, bound, waiting=waiting, overwrites=overwrites, folds=folds)
        return again(limit=limit, supposed=supposed, calls=calls)
    return tuple(_in_each_order(shared, registers, locations, calls))


def _elaborated(shared: Shared, locations: tuple[Location, ...]) -> tuple[Shared, dict[RegisterName, Expression]]:
    """All threads, elaborated; where it may matter who performs asynchronous copies, anew with all who may."""
    shared.host = _calls_of(shared.program) if shared.program.has_commands else None
    registers = _run(shared, locations)
    if shared.copy_calls and (several := _several_performers(shared)) > shared.foreknown.several_performers:
        foreknown = replace(shared.foreknown, several_performers=several)
        known = (shared.program, shared.bound, shared.waiting, shared.limit, shared.locations, foreknown)
        return _elaborated(Shared(*known, overwrites=shared.overwrites), locations)
    return shared, registers


def _several_performers(shared: Shared) -> frozenset[WorkGroup | SubGroup]:
    """The groups for whose copies it matters who performs them, those that are known included."""
    # Imported here: most programs have no copies.
    from mcm.execution.performers import several_performers  # noqa: PLC0415

    return shared.foreknown.several_performers | several_performers(shared)


def _find_faults(shared: Shared) -> None:
    """Add the faults that several threads commit together."""
    shared.faults += divergence(shared)
    if shared.group_arguments:
        # Imported here: most programs have no copies.
        from mcm.execution.copies import different_arguments  # noqa: PLC0415

        shared.faults += different_arguments(shared)
    if shared.program.used_parts:
        # Imported here: most programs have no sub-buffers.
        from mcm.execution.shared_buffers import outside_parts  # noqa: PLC0415

        shared.faults += outside_parts(shared.program, shared.events)


def _unwritten(program: Program) -> dict[Value, Constant]:
    """What is read at the locations that nobody writes, where they have an initial value."""
    # Imported here: small programs are not folded.
    from mcm.execution.unwritten import unwritten_objects  # noqa: PLC0415

    return {
        Location(number, offset): Constant(value)
        for number in unwritten_objects(program)
        for offset, value in enumerate(program.objects[number].initial)
        if value is not None
    }


def _in_each_order(
    shared: Shared, registers: dict[RegisterName, Expression], locations: tuple[Location, ...], calls: CallOrders
) -> Iterator[Skeleton]:
    """The skeletons of a program with commands: for each order in which calls may come to their queues."""
    # Imported here: most programs have no commands.
    from copy import copy  # noqa: PLC0415

    from mcm.execution.command_relations import command_relations  # noqa: PLC0415
    from mcm.execution.completion import Completion, add_command_events, call_orders  # noqa: PLC0415

    program = shared.program
    add_command_events(shared)
    orders = call_orders(shared, MOST_SEQUENCINGS)
    if orders is None:
        message = (
            f"the calls of the host's threads can come to their queues and user events in more than {MOST_SEQUENCINGS} "
            f"orders"
        )
        raise too_large(message, program.threads[0].span)
    for order in orders:
        filled = copy(shared)
        finals = _fill_in(filled, registers, Completion(filled, order, registers))
        if shared.calls.presumed:
            # Imported here: see `Shared.condition`.
            from mcm.execution.presumed import check_results  # noqa: PLC0415

            check_results(shared, finals)
        relations = command_relations(program, filled.events, filled.calls, order)
        yield from _skeletons(filled, finals, locations, relations, calls)


def _run(shared: Shared, locations: tuple[Location, ...]) -> dict[RegisterName, Expression]:
    """Execute all threads; what their private variables hold in the end."""
    for location in locations:
        shared.events.append(initial_write(shared.program, location, len(shared.events)))
    registers: dict[RegisterName, Expression] = {}
    for thread in shared.program.threads:
        for name, value in ThreadRun(shared, thread).run().items():
            registers[RegisterName(thread.index, name)] = value
    return registers


def initial_write(program: Program, location: Location, identifier: int) -> Event:
    """The write that gives a location its first value; 0 where it is indeterminate."""
    return Event(
        identifier=identifier,
        kind=EventKind.INITIAL,
        thread=None,
        guard=TRUE,
        address=Constant(location),
        locations=(location,),
        value=Constant(program.object_at(location).begins_with(location.offset)),
        order=None,
        scope=None,
        flags=frozenset(),
        atomic=False,
        barrier=None,
        span=program.object_at(location).span,
    )


def _fill_in(
    shared: Shared, registers: dict[RegisterName, Expression], completion: Completion | None
) -> dict[RegisterName, Expression]:
    """Fill in the results of group functions and how far commands get, here and in what has been recorded."""
    if not shared.collected and not shared.undetermined:
        return registers
    # Imported here: few programs have group functions.
    from mcm.execution.substitution import substituted  # noqa: PLC0415

    results = Results(shared)
    definitions: list[Expression] = []
    # A definition may ask for what nothing has asked for before.
    while len(definitions) < len(shared.collected):
        what = shared.collected[len(definitions)]
        if isinstance(what, GroupCall):
            definitions.append(results.of(what))
        else:
            assert completion is not None
            definitions.append(completion.definition(what))
    found, constraints = solved(definitions)
    _check_suppositions(shared, found)
    shared.constraints = [*shared.constraints, *constraints]
    filling = results_filled(found)

    shared.events = [substituted(event, filling) for event in shared.events]
    shared.constraints = [filling.apply(c) for c in shared.constraints]
    shared.faults = [
        replace(f, condition=filling.apply(f.condition), operand=filling.optional(f.operand)) for f in shared.faults
    ]
    shared.stops = [
        replace(s, condition=filling.apply(s.condition), persists=filling.apply(s.persists)) for s in shared.stops
    ]
    finals = {name: filling.apply(value) for name, value in registers.items()}
    if any(instance.of_active for instance in shared.arrivals):
        # Imported here: few programs ask those only that come.
        from mcm.execution.active import check_who_comes  # noqa: PLC0415

        check_who_comes(shared, filling)
    if not results.undetermined:
        return finals
    # Imported here: few programs shuffle.
    from mcm.execution.undetermined import Uses  # noqa: PLC0415

    return Uses(results.undetermined, filling).settle(shared, finals)


def _calls_of(program: Program) -> CommandCalls:
    """What is known of the calls of the host API before any is executed."""
    # Imported here: most programs have no commands.
    from mcm.execution.commands import calls_that_set  # noqa: PLC0415
    from mcm.execution.progress import CommandCalls  # noqa: PLC0415

    return CommandCalls(written=calls_that_set(program))


def _check_suppositions(shared: Shared, found: Sequence[Expression]) -> None:
    """Raise FalseSuppositionError where a group function returns something else than was supposed, or may do so."""
    for what, value in zip(shared.collected, found, strict=True):
        if isinstance(what, GroupCall) and what.supposed is not None and value != what.supposed:
            raise FalseSuppositionError


def _stored(shared: Shared, locations: tuple[Location, ...], named: frozenset[int]) -> frozenset[Location]:
    """Every location whose address some write stores; with pointer arithmetic, the whole object.

    So are those that the program or its condition names as values: a value that depends on itself may be one of them.
    """
    objects = {value.object for value in _constants_beside(shared.program) if isinstance(value, Location)} | named
    for event in shared.events:
        if event.value is not None:
            objects |= objects_in(event.value)
    return frozenset(location for location in locations if location.object in objects)


def _domains(shared: Shared) -> dict[Location, frozenset[Value]]:
    """The values that a location can have, where only constants are written to it."""
    found: dict[Location, set[Value]] = {}
    unknown: set[Location] = set()
    for event in shared.events:
        if not event.kind.writes:
            continue
        for location in event.locations:
            if isinstance(event.value, Constant):
                found.setdefault(location, set()).add(event.value.value)
            else:
                unknown.add(location)
    return {location: frozenset(values) for location, values in found.items() if location not in unknown}


def _skeletons(
    shared: Shared,
    registers: dict[RegisterName, Expression],
    locations: tuple[Location, ...],
    about_commands: Mapping[str, tuple[int, ...]],
    calls: CallOrders,
) -> Iterator[Skeleton]:
    program = shared.program
    stops = tuple(_with_places_of_loops(shared.stops))
    if any(stop.kind is StopKind.WAIT for stop in stops):
        # Imported here: few programs wait.
        from mcm.execution.waiting import lasting  # noqa: PLC0415

        stops = tuple(lasting(stops, shared.events, shared.constraints))
    sets = base_sets(program, shared.events, locations)
    values = _constants(shared)
    hosts = (thread.index for thread in program.threads if isinstance(thread.placement, HostThread))
    enqueuing = frozenset(hosts if program.has_commands else ())
    orders = orders_of_calls(shared.open_expressions, shared.events, enqueuing, calls)
    for combination in product(*orders):
        before = dict(shared.before)
        for order in combination:
            before.update(order)
        yield Skeleton(
            program=program,
            events=tuple(shared.events),
            sets=sets,
            relations=base_relations(program, shared.events, before, choice_bases(shared)) | dict(about_commands),
            registers=registers,
            constraints=tuple(shared.constraints),
            choices=shared.choices,
            faults=tuple(shared.faults),
            stops=stops,
            constants=values,
            supposed=shared.supposed,
        )


def _with_places_of_loops(stops: Sequence[Stop]) -> Iterator[Stop]:
    """The stops, each that waits in a loop with the places of all iterations of it."""
    places: dict[tuple[int, Span], frozenset[Location]] = {}
    for stop in stops:
        loop = stop.thread, stop.span
        places[loop] = places.get(loop, frozenset()) | stop.places
    return (replace(s, places=places[s.thread, s.span]) if s.kind is StopKind.WAIT else s for s in stops)


def _constants(shared: Shared) -> frozenset[Value]:
    """The constants of the program and of its condition; of addresses those that are not only followed, if known."""
    named, found = shared.foreknown.named, shared.constants
    if named is not None:
        found = {value for value in found if not isinstance(value, Location) or value.object in named}
    return _constants_beside(shared.program) | {0, *found}


def _constants_beside(program: Program) -> frozenset[Value]:
    """Those of the initial state and of the condition."""
    found: list[Value | None] = []
    for item in program.objects:
        found += item.initial
    for thread in program.threads:
        # The address that a parameter holds is no value of the program's data.
        found += [register.initial for register in thread.registers if not register.is_parameter]
    if program.condition is not None:
        found += constants(program.condition.proposition)
    return frozenset([value for value in found if value is not None])
