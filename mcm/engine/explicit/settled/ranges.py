"""Places that nobody else has: where threads take ranges from counters, and write into what is their own.

What a thread writes there conflicts with nothing, whatever the order in which the ranges were taken. If nobody looks
at it, it is left out, and so are faults that cannot be. `docs/search.md` has the argument.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.catalogue.updates import reads_write_before
from mcm.engine.explicit.settled.added import Counter, added_in_layers, added_to, sums_of
from mcm.engine.explicit.settled.reduction import may_go_wrong, reduced, without_settled
from mcm.engine.explicit.settled.settling import look_at, look_at_any_order
from mcm.execution.algebra import FALSE, conjunction
from mcm.execution.event import EventKind
from mcm.execution.expression import Constant
from mcm.execution.substitution import Substitution, substituted

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from mcm.cat.model import Model
    from mcm.engine.explicit.settled.found import Settled
    from mcm.engine.explicit.settled.ordering import Ordering
    from mcm.engine.explicit.settled.settling import Look
    from mcm.engine.explicit.settled.sums import Sum, Sums
    from mcm.execution.event import Event
    from mcm.execution.skeleton import Skeleton
    from mcm.program.condition import Observable
    from mcm.program.types import Location

    # How it is looked at what is settled.
    Looks = Callable[[Skeleton, Model, Collection[Observable]], tuple[Look, Settled] | None]


def without_private(
    skeleton: Skeleton, model: Model, watched: Collection[Observable], *, filtered: bool = False
) -> Skeleton:
    """The skeleton without writes to places that nobody else has, and without what is settled then.

    It has the same final states of what is `watched`, the same flags, faults and stops; `filtered` is that of
    `without_settled`.
    """
    if not skeleton.program.has_commands:
        fewer = apart(skeleton, model, watched)
        if fewer is not None:
            return without_settled(fewer, model, watched, filtered=filtered)
    # What commands order, or atomics that synchronise, is looked at where nothing else is left.
    fewer = apart(skeleton, model, watched, look_at_any_order)
    nothing = skeleton if fewer is None else without_settled(fewer, model, watched, filtered=filtered)
    return skeleton if may_go_wrong(nothing) else nothing


def apart(
    skeleton: Skeleton, model: Model, watched: Collection[Observable], look_for: Looks = look_at
) -> Skeleton | None:
    """The skeleton without writes to places that nobody else has, and without faults that cannot be; None if nothing.

    `look_for` is how it is looked at what is settled.
    """
    if model.splits_updates or not reads_write_before(model) or not any(map(_is_somewhere, skeleton.events)):
        return None
    looked = look_for(skeleton, model, watched)
    if looked is None:
        return None
    look, found = looked
    ranges = _Ranges(skeleton, look.ordering, found)
    known = found.substitution.apply
    faults = tuple(fault for fault in skeleton.faults if not ranges.sums.is_never(known(fault.condition)))
    named = frozenset(event for fault in faults for event in fault.events).union(
        *(stop.reads for stop in skeleton.stops), () if skeleton.shown is None else skeleton.shown.kept
    )
    left_out = {event.identifier for event in ranges.private(frozenset(watched), named)}
    if not left_out and len(faults) == len(skeleton.faults):
        return None
    events = tuple(replace(e, locations=ranges.places.get(e.identifier, e.locations)) for e in skeleton.events)
    open_ = [event for event in events if event.identifier not in left_out]
    return reduced(replace(skeleton, events=events, faults=faults), Substitution({}), open_, watched)


def _is_somewhere(event: Event) -> bool:
    """Whether an event is a plain write by a thread, at a place that is not known."""
    return (
        event.kind is EventKind.WRITE
        and event.thread is not None
        and event.asynchronous is None
        and not (event.atomic or isinstance(event.address, Constant))
    )


class _Ranges:
    """The ranges that threads take from the counters of a skeleton, and where events may be by that."""

    def __init__(self, skeleton: Skeleton, ordering: Ordering, found: Settled) -> None:
        self._skeleton: Final = skeleton
        self._ordering: Final = ordering
        # What may be executed, by what is known of reads.
        known = (substituted(event, found.substitution) for event in skeleton.events)
        self._events: Final = [event for event in known if event.guard is not FALSE]
        self.places: Final = {event.identifier: event.locations for event in self._events}
        self._narrow()
        alone = added_to(skeleton, self._events, self.places)
        self._counters: Final = (
            *added_in_layers(found.counted.values(), found.substitution),
            *(counter for location, counter in alone.items() if location not in found.counted),
        )
        self.sums: Final = sums_of(self._counters)

    # --- where writes may be ------------------------------------------------------------------------------------------

    def _narrow(self) -> None:
        """Leave out places at which no write can be, by what the updates return on which its address depends."""
        writes = [event for event in self._events if _is_somewhere(event)]
        atomic = self._skeleton.sets["AO"].locations
        certain: dict[int, Collection[Location]] = {**self.places}
        for event in writes:
            certain[event.identifier] = frozenset(event.locations) - atomic
        counters = added_to(self._skeleton, self._events, certain)
        sums = sums_of(counters.values())
        where = {update: location for location, counter in counters.items() for update in counter.added}
        suspects = {
            location: its for location in counters if (its := [each for each in writes if location in each.locations])
        }
        hit = {
            location
            for location, its in suspects.items()
            if not all(self._misses(each, location, sums, where, suspects) for each in its)
        }
        for event in writes:
            address = _address(event, sums)
            if address is not None and not any(where[update] in hit for update, _ in address.terms):
                self.places[event.identifier] = _within(event, address, sums)

    def _misses(
        self, write: Event, counter: Location, sums: Sums, where: Mapping[int, Location], suspects: Collection[Location]
    ) -> bool:
        """Whether a write is not at a counter if it is the first one there, in modification order, but for updates.

        It comes behind the updates of the counter on which its address depends, so these return what updates leave.
        """
        address = _address(write, sums)
        return (
            address is not None
            and all(
                where[update] not in suspects
                or (
                    where[update] == counter and self._ordering.is_before(self._skeleton.events[update], write, counter)
                )
                for update, _ in address.terms
            )
            and counter not in _within(write, address, sums)
        )

    # --- what nobody else has -----------------------------------------------------------------------------------------

    def private(self, watched: Collection[Observable], named: frozenset[int]) -> list[Event]:
        """The writes to objects of which each thread has its own places, that are not `watched`, nor `named`."""
        accesses: dict[int, list[Event]] = {}
        for event in self._events:
            for number in {place.object for place in self.places[event.identifier]}:
                accesses.setdefault(number, []).append(event)
        return [event for number, its in accesses.items() for event in self._private_of(number, its, watched, named)]

    def _private_of(
        self, number: int, accesses: Sequence[Event], watched: Collection[Observable], named: frozenset[int]
    ) -> Sequence[Event]:
        """The writes to the places that nobody else has of an object, given its accesses; nothing if some have them."""
        writes = [event for event in accesses if _is_somewhere(event)]
        if not named.isdisjoint(event.identifier for event in writes):
            return ()
        sums: list[tuple[Event, Sum]] = []
        places: set[Location] = set()
        for event in writes:
            address = _address(event, self.sums)
            if address is None or address.object != number:
                return ()
            sums.append((event, address))
            places.update(self.places[event.identifier])
        initial = {e.locations[0]: e for e in accesses if e.kind is EventKind.INITIAL}
        others = (e for e in accesses if e.kind is not EventKind.INITIAL and not _is_somewhere(e))
        if (
            not places.isdisjoint(watched)
            or not places <= initial.keys()
            or any(not places.isdisjoint(self.places[other.identifier]) for other in others)
            or not self._are_apart(sums)
        ):
            return ()
        return writes if all(self._may_be_left_out(event, initial) for event in writes) else ()

    def _are_apart(self, writes: Sequence[tuple[Event, Sum]]) -> bool:
        """Whether no two writes are at one place in any execution, by their addresses."""
        if all(not address.terms for _, address in writes):
            return all(
                one.constant != other.constant or conjunction(first.guard, second.guard) is FALSE
                for (first, one), (second, other) in combinations(writes, 2)
            )
        return any(self._are_in_ranges(writes, counter) for counter in self._counters)

    def _are_in_ranges(self, writes: Sequence[tuple[Event, Sum]], counter: Counter) -> bool:
        """Whether each write is within the range that an update takes from a counter, and apart from others there."""
        by_update: dict[int, list[tuple[Event, Sum]]] = {}
        factors: set[int] = set()
        for event, address in writes:
            own = [(update, factor) for update, factor in address.terms if update in counter.added]
            if len(own) != 1:
                return False
            ((update, factor),) = own
            factors.add(factor)
            rest = replace(address, terms=tuple(term for term in address.terms if term not in own))
            by_update.setdefault(update, []).append((event, rest))
        if len(factors) != 1:
            return False
        (factor,) = factors
        if factor < 0:
            return self._are_in_ranges([(event, address.mirrored()) for event, address in writes], counter)
        ends = {update: [self.sums.interval(rest) for _, rest in its] for update, its in by_update.items()}
        begin = min(low for its in ends.values() for low, _ in its)
        return all(
            high < begin + factor * counter.added[update] for update, its in ends.items() for _, high in its
        ) and all(map(self._are_apart, by_update.values()))

    def _may_be_left_out(self, write: Event, initial: Mapping[Location, Event]) -> bool:
        """Whether the model says nothing of a write that conflicts with no access but an initial one."""
        kinds, as_written = self._ordering.kinds, self._skeleton.events[write.identifier]
        of_each = {
            (kinds.of(as_written, place), kinds.of(initial[place])): initial[place]
            for place in self.places[write.identifier]
        }
        for (own, first), before in of_each.items():
            both = 1 << own | 1 << first
            clocks = self._ordering.clocks(both)
            if clocks is None or self._ordering.may_raise_alone(both):
                return False
            if not clocks.is_before(before, write, self._ordering.sequenced):
                return False
        return True


def _address(event: Event, sums: Sums) -> Sum | None:
    """The address of an event as a sum; None if it is none."""
    found = None if event.address is None else sums.sum_of(event.address)
    return None if found is None or found.object is None else found


def _within(event: Event, address: Sum, sums: Sums) -> tuple[Location, ...]:
    """Where an event may be if its address is a sum, and its guard holds."""
    known = sums.known_of(event.guard)
    if known is None:
        return ()
    low, high = sums.interval(address, known)
    return tuple(place for place in event.locations if place.object == address.object and low <= place.offset <= high)
