"""A skeleton without its settled accesses: what is left is what a search has to decide."""

from __future__ import annotations

from bisect import bisect_left
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.base.bits import elements, mask_of, moved, moves_to_lowest
from mcm.engine.explicit.settled.fixed_order import has_plain_units
from mcm.engine.explicit.settled.found import Settled, is_all
from mcm.engine.explicit.settled.idle import AT_BARRIERS, idle_units, says_nothing_of_barriers
from mcm.engine.explicit.settled.kinds import empty_bases
from mcm.engine.explicit.settled.settling import SYNCHRONISING, settled, settled_of_any_order
from mcm.execution.algebra import FALSE, TRUE
from mcm.execution.awaited import Shown
from mcm.execution.evaluate import reads_of, reads_of_all
from mcm.execution.event import EventKind
from mcm.execution.expression import Choice, Constant, ReadValue
from mcm.execution.renaming import Renaming
from mcm.execution.skeleton import SetMembers, Skeleton
from mcm.program.types import Location, Order

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from mcm.cat.model import Model
    from mcm.execution.candidate import Candidate
    from mcm.execution.event import Event
    from mcm.execution.expression import Expression
    from mcm.execution.skeleton import Fault, Stop
    from mcm.execution.substitution import Substitution
    from mcm.program.condition import Observable

_DEPENDENCIES: Final = ("data", "addr", "ctrl")


def without_settled(
    skeleton: Skeleton, model: Model, watched: Collection[Observable], *, filtered: bool = False
) -> Skeleton:
    """The skeleton with what is open; the same one where nothing is settled.

    It has the same final states of what is `watched`, the same flags, faults and stops. Of its suppositions those are
    left that are not shown. `filtered`: complete executions count only if a filter lets them pass.
    """
    # Imported here: few programs try again and again.
    from mcm.engine.explicit.settled.retries import where_all_succeed  # noqa: PLC0415

    tried = where_all_succeed(skeleton, model, watched)
    if tried is not None:
        from mcm.engine.explicit.settled.going_on import can_go_on  # noqa: PLC0415

        found = _without_settled(tried, model, watched)
        # What is raised where somebody still fails is raised where nobody does, but that may not pass the filter.
        if not found.paired and (not may_go_wrong(found) or (not filtered and can_go_on(skeleton, found, model))):
            return found
    if not filtered:
        from mcm.engine.explicit.settled.sections import where_sections_are_updates  # noqa: PLC0415 - as above

        locked = where_sections_are_updates(skeleton, model, watched)
        if locked is not None:
            found = _without_settled(locked, model, watched)
            if not (may_go_wrong(found) or found.choices or found.constraints):
                return found
    return _without_settled(skeleton, model, watched)


def _without_settled(skeleton: Skeleton, model: Model, watched: Collection[Observable]) -> Skeleton:
    return what_is_open(skeleton, model, watched)[0]


def what_is_open(
    skeleton: Skeleton, model: Model, watched: Collection[Observable]
) -> tuple[Skeleton, Collection[Event]]:
    """The skeleton with what is open as it stands there, and the events of the whole one that this is."""
    watched = frozenset(watched)
    # What was shown of some events needs these, whatever is left out.
    named = frozenset() if skeleton.shown is None else skeleton.shown.kept
    whatever = None if named else _settled_of_any_order(skeleton, model, watched)
    every = whatever if whatever is not None and is_all(skeleton, whatever) else None
    # What a paired read sees is not known, so neither is what it synchronises with.
    is_eased = not (skeleton.supposed or skeleton.program.has_commands or skeleton.paired)
    if every is None and whatever is not None and is_eased:
        # Imported here: most programs need none of it.
        from mcm.engine.explicit.settled.easing import with_relaxed  # noqa: PLC0415

        skeleton = with_relaxed(skeleton, model, watched, whatever)
    if every is None and skeleton.supposed and skeleton.program.has_commands:
        # That commands get as far as is supposed is shown where everything is settled.
        return skeleton, skeleton.events
    found = every or _settled(skeleton, model, watched, named)
    if found is None or not (found.accesses or found.bases or found.counted or found.begun):
        return skeleton, skeleton.events
    supposed = {r: value for r, value in skeleton.supposed.items() if not _is_shown(skeleton.events[r], value, found)}
    if supposed:
        return replace(skeleton, supposed=supposed), skeleton.events
    if every is None:
        open_ = _open(skeleton, model, found, named)
    else:
        # Barriers order nothing where nothing else is left.
        open_ = _initial(skeleton.events) - frozenset(every.accesses)
    # What a read that is never executed returns may be mentioned somewhere.
    mentioned = _mentioned(skeleton, found, open_, watched).difference(found.accesses)
    kept = [event for event in skeleton.events if event.identifier in open_ or event.identifier in mentioned]
    return _Reduction(skeleton, found, kept, watched).result(), kept


def may_go_wrong(skeleton: Skeleton) -> bool:
    """Whether there is anything that threads do, or that may go wrong: a skeleton without it raises nothing."""
    return bool(skeleton.faults or skeleton.stops) or any(event.thread is not None for event in skeleton.events)


def _is_shown(read: Event, value: Constant, found: Settled) -> bool:
    """Whether a read that is executed in any case always returns a value, which is written in any case, too."""
    layer = found.sources.get(read.identifier)
    if layer is None or any(event.guard is not TRUE for event in (read, *layer.writes)):
        return False
    return found.substitution.apply(ReadValue(read.identifier)) is value


def _mentioned(
    skeleton: Skeleton, found: Settled, events: Collection[int], watched: Collection[Observable]
) -> set[int]:
    """The reads that what is left speaks of, when `events` are left: by their values, or by name."""
    expressions = [each for event in events for each in skeleton.events[event].expressions]
    besides, named = said_besides(skeleton, watched, skeleton.stops)
    expressions += [*besides, *(value for place, value in found.finals.items() if place in watched)]
    mentioned: set[int] = set()
    parts: set[Expression] = set()
    new = named | reads_of_all(map(found.substitution.apply, expressions), parts)
    while new:
        mentioned |= new
        expressions = [each for event in new for each in skeleton.events[event].expressions]
        new = reads_of_all(map(found.substitution.apply, expressions), parts) - mentioned
    return mentioned


def said_besides(
    skeleton: Skeleton, watched: Collection[Observable], stops: Iterable[Stop]
) -> tuple[list[Expression], set[int]]:
    """What a skeleton says besides its events, of these stops: its expressions, and the events that it names."""
    expressions = [*skeleton.constraints]
    expressions += [value for register, value in skeleton.registers.items() if register in watched]
    named: set[int] = set()
    for fault in skeleton.faults:
        expressions += [fault.condition, *([] if fault.operand is None else [fault.operand])]
        named.update(fault.events)
    for stop in stops:
        expressions += [stop.condition, stop.persists]
        named.update(stop.reads)
    return expressions, named


def reduced(
    skeleton: Skeleton, known: Substitution, kept: Sequence[Event], watched: Collection[Observable]
) -> Skeleton:
    """Some events of a skeleton, with values in the place of what is known of reads."""
    found = Settled({}, {}, (), known, {}, in_phases=False)
    return _Reduction(skeleton, found, kept, watched).result()


def open_events(candidate: Candidate, model: Model, named: frozenset[int]) -> frozenset[int]:
    """The events of an execution, of which all are executed, that decide whether it is consistent and raises flags.

    What is `named` stays. All events stay where what is settled is not as it must be.
    """
    skeleton = candidate.skeleton
    found = _settled(skeleton, model, (), named, counts=False)
    if found is None or not found.accesses or not _is_as_settled(candidate, found):
        return candidate.executed
    return _open(skeleton, model, found, named)


def _is_as_settled(candidate: Candidate, found: Settled) -> bool:
    """Whether settled reads have the sources, and settled locations the order of writes, of all consistent executions.

    Where updates commute, no order is that of all.
    """
    sources = all(
        any(candidate.reads_from[read] == write.identifier for write in layer.writes)
        for read, layer in found.sources.items()
    )
    return sources and all(
        candidate.modification_orders[location] == tuple(w.identifier for layer in layers for w in layer.writes)
        for location, layers in found.layers.items()
    )


def _settled(
    skeleton: Skeleton, model: Model, watched: Collection[Observable], named: frozenset[int], *, counts: bool = True
) -> Settled | None:
    if not has_plain_units(skeleton, model):
        return None
    return settled(skeleton, model, watched, named, counts=counts)


def _settled_of_any_order(skeleton: Skeleton, model: Model, watched: Collection[Observable]) -> Settled | None:
    """What is settled of accesses of any order; None where nothing synchronises."""
    if not _synchronises(skeleton) or not has_plain_units(skeleton, model):
        return None
    return settled_of_any_order(skeleton, model, watched)


def _synchronises(skeleton: Skeleton) -> bool:
    """Whether anything may synchronise; what commands order is looked at where all is settled."""
    if skeleton.program.has_commands:
        return True
    orders = {event.order for event in skeleton.events if event.kind.is_access}
    # Relaxed accesses of several groups do where each group has barriers before and after: these are fences, too.
    is_fenced = Order.RELAXED in orders and any(event.kind in AT_BARRIERS for event in skeleton.events)
    return is_fenced or not orders.isdisjoint(SYNCHRONISING)


def _open(skeleton: Skeleton, model: Model, found: Settled, named: frozenset[int] = frozenset()) -> frozenset[int]:
    """The events that are left without settled accesses and what is idle then."""
    removed, apply = frozenset(found.accesses), found.substitution.apply
    possible = [e for e in skeleton.events if e.identifier not in removed and apply(e.guard) is not FALSE]
    if found.in_phases:
        # Barriers order nothing where nothing else is left; else some of those who wait at them are not needed.
        busy = frozenset(skeleton.events[event].thread for event in named)
        left = {event.kind for event in possible if event.thread is not None}
        if left <= AT_BARRIERS and not busy and says_nothing_of_barriers(model, empty_bases(skeleton)):
            return _initial(possible)
        idle = idle_units(skeleton, model, possible, busy)
        possible = [event for event in possible if event.thread not in idle]
    return frozenset(event.identifier for event in possible)


def _initial(events: Iterable[Event]) -> frozenset[int]:
    """The initial writes."""
    return frozenset(event.identifier for event in events if event.kind is EventKind.INITIAL)


class _Reduction:
    """Some events of a skeleton, numbered anew, with settled reads replaced by their values."""

    def __init__(
        self, skeleton: Skeleton, found: Settled, kept: Sequence[Event], watched: Collection[Observable]
    ) -> None:
        self._skeleton: Final = skeleton
        self._found: Final = found
        self._kept: Final = kept
        self._watched: Final = frozenset(watched)
        self._numbers: Final = [-1] * len(skeleton.events)
        for number, event in enumerate(kept):
            self._numbers[event.identifier] = number
        # What is left to be chosen, and for each choice its number among these.
        open_ = [n for n in range(skeleton.choices) if isinstance(found.substitution.apply(Choice(n)), Choice)]
        self._choices: Final = len(open_)
        self._renaming: Final = Renaming(self._numbers, [bisect_left(open_, n) for n in range(skeleton.choices)])
        self._mask: Final = mask_of(event.identifier for event in kept)
        self._moves: Final = moves_to_lowest(self._mask)
        self._known: Final[dict[int, int]] = {}

    def result(self) -> Skeleton:
        """The reduced skeleton."""
        skeleton = self._skeleton
        constraints = map(self._expression, skeleton.constraints)
        faults = (
            replace(
                fault,
                condition=self._expression(fault.condition),
                events=self._events(fault.events),
                operand=self._operand(fault),
                place=bisect_left(self._kept, fault.place, key=attrgetter("identifier")),
            )
            for fault in skeleton.faults
        )
        stops = (
            replace(
                stop,
                condition=self._expression(stop.condition),
                persists=self._expression(stop.persists),
                reads=self._events(stop.reads),
            )
            for stop in skeleton.stops
        )
        return Skeleton(
            program=skeleton.program,
            events=tuple(map(self._event, self._kept)),
            sets={name: SetMembers(self._of(of.events), of.locations) for name, of in skeleton.sets.items()},
            relations=self._relations(),
            # Registers that nobody looks at may hold what is not known any more.
            registers={n: self._expression(value) for n, value in skeleton.registers.items() if n in self._watched},
            constraints=tuple(constraint for constraint in constraints if constraint is not TRUE),
            choices=self._choices,
            faults=tuple(fault for fault in faults if fault.condition is not FALSE),
            stops=tuple(stop for stop in stops if stop.condition is not FALSE),
            constants=skeleton.constants,
            finals={
                place: self._expression(value)
                for place, value in {**skeleton.finals, **self._found.finals}.items()
                if place in self._watched
            },
            is_part=self._is_part(),
            bases={self._numbers[update]: self._numbers[base] for update, base in self._found.bases.items()},
            shown=self._shown(),
            paired={
                self._numbers[read]: self._numbers[update]
                for read, update in skeleton.paired.items()
                if self._numbers[read] >= 0
            },
            waiting=skeleton.waiting,
        )

    def _shown(self) -> Shown | None:
        """The orders that were shown of writes; what units wait for was used to settle accesses."""
        if self._skeleton.shown is None:
            return None
        orders = ((self._numbers[one], self._numbers[other]) for one, other in self._skeleton.shown.orders)
        return Shown((), frozenset(pair for pair in orders if min(pair) >= 0), frozenset())

    def _is_part(self) -> bool:
        """Whether something that may be executed is left out."""
        return self._skeleton.is_part or any(
            self._numbers[event.identifier] < 0 and self._found.substitution.apply(event.guard) is not FALSE
            for event in self._skeleton.events
        )

    def _expression(self, expression: Expression) -> Expression:
        return self._renaming.expression(self._found.substitution.apply(expression))

    def _operand(self, fault: Fault) -> Expression | None:
        """The operand of a fault, where it is known whenever the condition is."""
        if fault.operand is None or not reads_of(fault.operand) <= reads_of(fault.condition):
            return None
        return self._expression(fault.operand)

    def _event(self, event: Event) -> Event:
        address = None if event.address is None else self._expression(event.address)
        place = address.value if isinstance(address, Constant) else None
        return replace(
            event,
            identifier=self._numbers[event.identifier],
            guard=self._expression(event.guard),
            address=address,
            locations=(place,) if isinstance(place, Location) else event.locations,
            value=None if event.value is None else self._expression(event.value),
        )

    def _events(self, events: Iterable[int]) -> tuple[int, ...]:
        return tuple(self._numbers[event] for event in events)

    def _of(self, events: int) -> int:
        """A set of events, as a mask: those of them that are kept, under their new numbers."""
        events &= self._mask
        found = self._known.get(events)
        if found is None:
            found = moved(events, self._moves)
            self._known[events] = found
        return found

    def _relations(self) -> dict[str, tuple[int, ...]]:
        relations = self._skeleton.relations
        projected = {
            name: tuple(self._of(rows[event.identifier]) for event in self._kept)
            for name, rows in relations.items()
            if name not in _DEPENDENCIES
        }
        return projected | self._dependencies()

    def _depends_on_itself(self, event: int) -> bool:
        """Whether what an access passes on depends on what it reads."""
        return not self._skeleton.events[event].kind.writes or bool(self._skeleton.self_dependent >> event & 1)

    def _dependencies(self) -> dict[str, tuple[int, ...]]:
        """Dependencies on reads that are kept, also through memory whose accesses are settled."""
        rows = {name: [0] * len(self._kept) for name in _DEPENDENCIES}
        apply = self._found.substitution.apply
        # What is never executed depends on nothing.
        if not any(event.kind.reads and apply(event.guard) is not FALSE for event in self._kept):
            return {name: tuple(row) for name, row in rows.items()}
        direct = {name: _needs(self._skeleton.relations[name]) for name in _DEPENDENCIES}
        known: dict[int, frozenset[int]] = {}

        def origins(event: int, *names: str) -> frozenset[int]:
            reads = (read for name in names for read in direct[name].get(event, ()))
            return frozenset[int]().union(*(known.get(read, (read,)) for read in reads))

        # Nor is what is never executed in the order in which accesses are performed.
        performed = [each for each in self._found.accesses if apply(self._skeleton.events[each].guard) is not FALSE]
        known.update(dict.fromkeys(self._found.accesses, frozenset[int]()))
        for event in performed:
            layer = self._found.sources.get(event)
            own = (
                origins(event, "addr", "ctrl")
                if not self._skeleton.events[event].kind.writes
                else origins(event, *_DEPENDENCIES)
            )
            if layer is not None and self._depends_on_itself(event):
                own = own.union(*(known[write.identifier] for write in layer.writes))
            known[event] = own
        for number, dependent in enumerate(self._kept):
            for name, row in rows.items():
                for read in origins(dependent.identifier, name):
                    if self._numbers[read] >= 0:
                        row[self._numbers[read]] |= 1 << number
        return {name: tuple(row) for name, row in rows.items()}


def _needs(rows: Sequence[int]) -> dict[int, list[int]]:
    """For each event the reads that it depends on."""
    found: dict[int, list[int]] = {}
    for read, row in enumerate(rows):
        for event in elements(row):
            found.setdefault(event, []).append(read)
    return found
