"""Critical sections that update what a lock protects, as updates: `lock(); *x = *x + v; unlock();`.

Whoever takes a lock finds it free, and leaves it free: so sections come one after the other, and each happens before
the next one. A read and a write of one location in a section are then next to each other, like an update, and updates
that commute may come in any order. Who finds the lock held waits (`docs/adr/0018`), but not for ever. `docs/search.md`
has the argument (*Critical sections*).
"""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.base.bits import mask_of
from mcm.catalogue.dependencies import mentions_dependencies
from mcm.engine.explicit.settled.easing import eased
from mcm.engine.explicit.settled.fixed_order import fixed_order
from mcm.engine.explicit.settled.interleavings import allows_interleavings
from mcm.engine.explicit.settled.kinds import empty_bases
from mcm.engine.explicit.settled.links import Links
from mcm.engine.explicit.settled.locks import Locks
from mcm.engine.explicit.settled.operations import as_operation
from mcm.engine.explicit.settled.reduction import reduced, said_besides
from mcm.execution.algebra import FALSE, TRUE
from mcm.execution.evaluate import reads_of, reads_of_all
from mcm.execution.event import EventKind
from mcm.execution.expression import Constant, ReadValue
from mcm.execution.skeleton import SetMembers
from mcm.execution.substitution import Substitution

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from mcm.cat.model import Model
    from mcm.engine.explicit.settled.clocks import Clocks
    from mcm.engine.explicit.settled.ordering import Ordering
    from mcm.execution.event import Event
    from mcm.execution.expression import Expression
    from mcm.execution.skeleton import Skeleton, Stop
    from mcm.program.condition import Observable
    from mcm.program.types import Location
    from mcm.relation.term import Closure

# What a unit may do in a section: it waits for nobody there.
_INSIDE: Final = frozenset({EventKind.READ, EventKind.WRITE, EventKind.UPDATE, EventKind.FENCE})


# The sets of what updates update.
_OF_ATOMICS: Final = frozenset({"AO", "ATOMIC_TYPE"})


class Section(Struct, frozen=True):
    """What a unit does between taking a lock and releasing it, and the reads that are next to a write in it."""

    take: Event
    release: Event
    inside: tuple[Event, ...]
    pairs: tuple[tuple[Event, Event], ...]

    @property
    def lock(self) -> Location:
        """The lock."""
        return self.take.locations[0]

    @property
    def begins_with(self) -> Event | None:
        """What acquires: that it is taken, or a fence before all pairs; None where nothing does."""
        order = self.take.order
        if order is not None and order.acquires:
            return self.take
        first = min((read.identifier for read, _ in self.pairs), default=self.release.identifier)
        fences = [e for e in self._fences if e.identifier < first and e.order is not None and e.order.acquires]
        return fences[-1] if fences else None

    @property
    def ends_with(self) -> Event | None:
        """What releases: that it is free again, or a fence behind all pairs; None where nothing does."""
        order = self.release.order
        if order is not None and order.releases:
            return self.release
        last = max((write.identifier for _, write in self.pairs), default=self.take.identifier)
        fences = [e for e in self._fences if e.identifier > last and e.order is not None and e.order.releases]
        return fences[0] if fences else None

    @property
    def _fences(self) -> Iterator[Event]:
        return (event for event in self.inside if event.kind is EventKind.FENCE)


def where_sections_are_updates(skeleton: Skeleton, model: Model, watched: Collection[Observable]) -> Skeleton | None:
    """A skeleton in which nobody takes a lock, and each read and write of a section is one relaxed update.

    Its executions have all that complete executions have of what does not depend on the order of sections. None where
    there are no such locks, or where sections are not known to exclude each other, and to be ordered, by the model.
    """
    if skeleton.supposed or skeleton.shown is not None:
        return None
    if any(event.barrier is not None and event.barrier.of_active for event in skeleton.events):
        return None
    locks = Locks(skeleton)
    if not locks.free:
        return None
    sections = _sections(skeleton, locks)
    if sections is None:
        return None
    if mentions_dependencies(model) or not allows_interleavings(model, empty_bases(skeleton)):
        return None
    used = _used(skeleton, locks, sections, watched)
    if not used.isdisjoint(locks.releases):
        return None
    sections = [replace(one, pairs=tuple(p for p in one.pairs if p[0].identifier not in used)) for one in sections]
    waiting = _waiting(skeleton, locks, sections)
    fixed = fixed_order(skeleton, model, locks.known)
    if waiting is None or fixed is None:
        return None
    left = _with_updates(skeleton, locks, sections, watched)
    of_updates = fixed_order(left, model)
    if of_updates is None or not _Sequence(skeleton, locks, sections, fixed[1]).holds(left, of_updates[1]):
        return None
    return replace(left, waiting=waiting)


def _sections(skeleton: Skeleton, locks: Locks) -> list[Section] | None:
    """The sections of all units, one after the other; None where a lock is not released, or something else is met."""
    found: list[Section] = []
    take: Event | None = None
    inside: list[Event] = []
    for event in skeleton.events:
        guard = locks.known.apply(event.guard)
        if event.thread is None or guard is FALSE:
            continue
        if take is not None and event.thread != take.thread:
            return None
        if not locks.free.keys().isdisjoint(event.locations):
            if event.identifier in locks.takes and take is None:
                take, inside = event, []
            elif event.identifier in locks.releases and take is not None and event.locations == take.locations:
                if guard is not locks.known.apply(take.guard):
                    return None
                found.append(Section(take, event, tuple(inside), tuple(_pairs(inside))))
                take = None
            elif event.identifier not in locks.tests or take is not None:
                return None
        elif take is not None:
            if event.kind not in _INSIDE or guard is not locks.known.apply(take.guard):
                return None
            inside.append(event)
    return found if take is None else None


def _pairs(inside: Sequence[Event]) -> Iterator[tuple[Event, Event]]:
    """The plain reads of a section with the write that is the next access of their location, and mentions them."""
    last: dict[Location, Event] = {}
    for event in inside:
        plain = event.order is None and not event.atomic and isinstance(event.address, Constant)
        for location in event.locations:
            before = last.pop(location, None)
            if not plain:
                continue
            if event.kind is EventKind.READ:
                last[location] = event
            elif before is not None and event.value is not None and before.identifier in reads_of(event.value):
                yield before, event


def _used(skeleton: Skeleton, locks: Locks, sections: Sequence[Section], watched: Collection[Observable]) -> set[int]:
    """The reads that anything speaks of, but for the write that makes a pair with one."""
    apply = locks.known.apply
    own = {write.identifier: read.identifier for section in sections for read, write in section.pairs}
    expressions: list[Expression] = []
    written: set[int] = set()
    for event in skeleton.events:
        if event.identifier in own:
            expressions += [part for part in (event.guard, event.address) if part is not None]
            assert event.value is not None, "a write writes a value"
            written |= reads_of(apply(event.value)) - {own[event.identifier]}
        else:
            expressions += event.expressions
    others = (stop for number, stop in enumerate(skeleton.stops) if number not in locks.stops)
    besides, named = said_besides(skeleton, watched, others)
    expressions += besides
    return written | named | reads_of_all(map(apply, expressions))


def _waiting(skeleton: Skeleton, locks: Locks, sections: Sequence[Section]) -> tuple[Stop, ...] | None:
    """The stops of those who find a lock held and may find it so again; None where it is not known that they do.

    A unit may be about to take a lock while another one holds it, if neither has to wait for the other: one command
    runs both, or none, and they meet at no barrier, or neither has met anybody before. Both have to come to it in any
    case: whether they do under conditions is not known yet.
    """
    runs = {unit: command.number for command in skeleton.program.commands for unit in command.units}
    met: dict[int, set[object]] = {}
    free_before: set[int] = set()
    takes = {section.take.identifier for section in sections}
    sure = {take for take in takes if locks.known.apply(skeleton.events[take].guard) is TRUE}
    for event in skeleton.events:
        if event.thread is not None and event.barrier is not None:
            met.setdefault(event.thread, set()).add(event.barrier)
        elif event.identifier in takes and event.thread not in met:
            free_before.add(event.identifier)

    def are_at_once(one: Section, other: Section) -> bool:
        first, second = one.take.thread, other.take.thread
        if first is None or second is None or first == second or one.lock != other.lock:
            return False
        if not sure.issuperset((one.take.identifier, other.take.identifier)):
            return False
        if runs.get(first) != runs.get(second):
            return False
        if {one.take.identifier, other.take.identifier} <= free_before:
            return True
        return met.get(first, set()).isdisjoint(met.get(second, set()))

    held = {one.take.identifier for one in sections if any(are_at_once(one, other) for other in sections)}
    found: list[Stop] = []
    for number, take in locks.stops.items():
        stop = skeleton.stops[number]
        if take not in held:
            return None
        if stop.fails_again:
            found.append(replace(stop, condition=TRUE, reads=(), persists=TRUE))
    return tuple(found)


class _Sequence:
    """Tells whether sections of one lock are ordered by what each of them does, and that nobody races for a lock."""

    def __init__(self, skeleton: Skeleton, locks: Locks, sections: Sequence[Section], ordering: Ordering) -> None:
        self._skeleton: Final = skeleton
        self._locks: Final = locks
        self._sections: Final = sections
        self._ordering: Final = ordering
        # Of each lock and closure, whether that orders its sections.
        self._known: Final[dict[tuple[Location, Closure], bool]] = {}

    def holds(self, left: Skeleton, of_updates: Ordering) -> bool:
        """Whether that is so of all locks, and updates in what is `left` are ordered as what they stand for."""
        locks = self._locks.free
        return all(map(self._is_quiet, locks)) and all(self._is_ordered(lock, left, of_updates) for lock in locks)

    def _is_quiet(self, lock: Location) -> bool:
        """Whether no two accesses of a lock race, none is flagged, and it is taken before it is released."""
        ordering, sequenced = self._ordering, self._ordering.sequenced
        initial, *others = [event for event in self._skeleton.events if lock in event.locations]
        clocks, kinds = _clocks(self._skeleton, ordering, lock)
        every = sum({1 << kind for kind in kinds.values()})
        return (
            clocks is not None
            and all(clocks.is_before(one.take, one.release, sequenced) for one in self._sections if one.lock == lock)
            and all(clocks.is_before(initial, event, sequenced) for event in others)
            and not ordering.may_raise_alone(every)
            and not ordering.may_race(others, sum({1 << kinds[event.identifier] for event in others}))
            and not any(ordering.is_flagged(kinds[e.identifier]) for e in (initial, *others) if e.kind.writes)
        )

    def _is_ordered(self, lock: Location, left: Skeleton, of_updates: Ordering) -> bool:
        """Whether the pairs of each section happen before those of the next one, whichever that is."""
        ordering = self._ordering
        sections = [section for section in self._sections if section.lock == lock]
        for place in dict.fromkeys(read.locations[0] for section in sections for read, _ in section.pairs):
            clocks, kinds = _clocks(self._skeleton, ordering, place)
            same, _ = _clocks(left, of_updates, place)
            if clocks is None or same is None or same.order != clocks.order:
                return False
            if ordering.may_raise_alone(sum({1 << kind for kind in kinds.values()})):
                return False
            writes = (write for section in sections for _, write in section.pairs if write.locations[0] == place)
            if any(ordering.is_flagged(kinds[write.identifier]) for write in writes):
                return False
            known = lock, clocks.order
            if known not in self._known:
                self._known[known] = self._is_sequence(sections, clocks)
            if not (
                self._known[known] and self._are_alone(sections, place) and self._is_within(sections, place, clocks)
            ):
                return False
        return True

    def _are_alone(self, sections: Sequence[Section], place: Location) -> bool:
        """Whether other accesses of a place cannot come between pairs as updates may, and reads see visible writes.

        What is plain there must be ordered with each update that is left; what is atomic, or protected by another lock,
        would not have to be.
        """
        ordering = self._ordering
        own = {event.identifier for section in sections for pair in section.pairs for event in pair}
        paired = {event.identifier for section in self._sections for pair in section.pairs for event in pair}
        accesses = [event for event in self._skeleton.events if place in event.locations]
        return not any(e.atomic or e.identifier in paired for e in accesses if e.identifier not in own) and all(
            ordering.visible >> ordering.kinds.of(event, place) & 1
            for event in accesses
            if event.kind is EventKind.READ
        )

    def _is_within(self, sections: Sequence[Section], place: Location, clocks: Clocks) -> bool:
        """Whether pairs of a place come after what their section begins with, and before what it ends with."""
        sequenced = self._ordering.sequenced
        return all(
            section.begins_with is not None
            and section.ends_with is not None
            and clocks.is_before(section.begins_with, event, sequenced)
            and clocks.is_before(event, section.ends_with, sequenced)
            for section in sections
            for pair in section.pairs
            for event in pair
            if place in event.locations
        )

    def _is_sequence(self, sections: Sequence[Section], clocks: Clocks) -> bool:
        """Whether the beginning of a section comes after the ends of all before, whoever takes the lock when."""
        order, sequenced = Links(self._skeleton, clocks.order), self._ordering.sequenced
        ends: list[tuple[Section, Event, Event]] = []
        for section in sections:
            begin, end = section.begins_with, section.ends_with
            if begin is None or end is None or not clocks.is_before(begin, end, sequenced):
                return False
            ends.append((section, begin, end))

        def leads(one: tuple[Section, Event, Event], other: tuple[Section, Event, Event]) -> bool:
            (first, _, end), (second, begin, _) = one, other
            # What one unit does is sequenced.
            return first.take.thread == second.take.thread or order.is_related(
                first.release.identifier,
                second.take.identifier,
                is_read=False,
                before=None if end is first.release else end.identifier,
                behind=None if begin is second.take else begin.identifier,
            )

        return all(leads(one, other) for one, other in permutations(ends, 2))


def _clocks(skeleton: Skeleton, ordering: Ordering, place: Location) -> tuple[Clocks | None, dict[int, int]]:
    """The clocks that order all accesses of a place, if some surely do, and the kinds of these."""
    events = (event for event in skeleton.events if place in event.locations)
    kinds = {event.identifier: ordering.kinds.of(event, place) for event in events}
    return ordering.clocks(sum({1 << kind for kind in kinds.values()})), kinds


def _with_updates(
    skeleton: Skeleton, locks: Locks, sections: Sequence[Section], watched: Collection[Observable]
) -> Skeleton:
    """The skeleton with an update in the place of each pair, and without locks and the fences in sections."""
    takes = {write.identifier: section.take for section in sections for _, write in section.pairs}
    reads = {write.identifier: read.identifier for section in sections for read, write in section.pairs}
    fences = {e.identifier for section in sections for e in section.inside if e.kind is EventKind.FENCE}
    left_out = fences | set(reads.values())
    events = tuple(
        _update(event, reads[event.identifier], takes[event.identifier], locks.known)
        if event.identifier in takes
        else event
        for event in skeleton.events
    )
    every, places = mask_of(takes), {skeleton.events[write].locations[0] for write in takes}
    sets = {
        name: SetMembers(
            of.events & ~every | mask_of(one for one, take in takes.items() if of.events >> take.identifier & 1),
            of.locations | places if name in _OF_ATOMICS else of.locations,
        )
        for name, of in skeleton.sets.items()
    }
    whole = eased(replace(skeleton, events=events, sets=sets), takes)
    kept = [
        event
        for event in whole.events
        if event.identifier not in left_out and (event.thread is None or locks.free.keys().isdisjoint(event.locations))
    ]
    return reduced(whole, locks.known, kept, watched)


def _update(write: Event, read: int, take: Event, known: Substitution) -> Event:
    """The update that reads and writes what a pair does: as atomic as the one that takes the lock, and relaxed."""
    assert write.value is not None, "a write writes a value"
    own = ReadValue(write.identifier)
    value = as_operation(Substitution({ReadValue(read): own}).apply(known.apply(write.value)), own)
    return replace(write, kind=EventKind.UPDATE, value=value, atomic=True, scope=take.scope)
