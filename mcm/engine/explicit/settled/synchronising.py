"""The part of a skeleton that synchronises: what is left without plain accesses, on whose values nothing else depends.

What holds there holds in the skeleton, as leaving out such accesses takes no pair away from other events, under a model
that settles anything. So it is asked there what units wait for: in `engine.smt`, since that takes a search.
"""

from __future__ import annotations

from functools import cache
from itertools import permutations, product
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.engine.explicit.settled.clocks import Phases
from mcm.engine.explicit.settled.conditions import Conditions
from mcm.engine.explicit.settled.footprint import PLAIN
from mcm.engine.explicit.settled.idle import IDLE, idle_units
from mcm.engine.explicit.settled.kinds import Kinds, empty_bases
from mcm.engine.explicit.settled.ordering import Ordering
from mcm.engine.explicit.settled.reduction import reduced
from mcm.engine.explicit.settled.rules import settling_rules
from mcm.execution.awaited import Awaited, Part, Place, Shown, Wait
from mcm.execution.evaluate import reads_of, reads_of_all
from mcm.execution.event import EventKind
from mcm.execution.expression import Constant
from mcm.execution.renaming import Renaming
from mcm.execution.substitution import Substitution

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from mcm.cat.model import Model
    from mcm.engine.explicit.settled.clocks import Clocks
    from mcm.engine.explicit.settled.conditions import Condition
    from mcm.execution.awaited import InOrder
    from mcm.execution.event import Event
    from mcm.execution.expression import Expression
    from mcm.execution.skeleton import Skeleton
    from mcm.program.types import Location
    from mcm.relation.term import RelationTerm

_NOTHING_KNOWN: Final = Substitution({})


class Synchronisation(Struct, frozen=True):
    """The part of a skeleton that synchronises, and what its questions are about in the skeleton.

    `kept` are the numbers there of the events of the part, and `places` the events that stand for the places of waits.
    """

    part: Part
    kept: tuple[int, ...]
    places: tuple[int, ...]

    def shown(self, waits: Collection[int], orders: Collection[InOrder]) -> Shown:
        """What is shown of the skeleton, by the numbers of the waits and the orders that hold in the part."""
        earlier: dict[tuple[RelationTerm, int], list[int]] = {}
        for number in sorted(waits):
            wait = self.part.waits[number]
            earlier.setdefault((wait.order, self.places[number]), []).append(self.kept[wait.event])
        return Shown(
            tuple(Awaited(order, place, tuple(events)) for (order, place), events in earlier.items()),
            frozenset((self.kept[first], self.kept[second]) for first, second in orders),
            frozenset(self.kept),
        )


def synchronisation(skeleton: Skeleton, model: Model) -> Synchronisation | None:
    """The part of a skeleton that synchronises; None if nothing is left out, or what it says would settle nothing."""
    if model.splits_updates or skeleton.supposed or any(event.asynchronous is not None for event in skeleton.events):
        return None
    rules = settling_rules(model, empty_bases(skeleton))
    if rules is None:
        return None
    kinds = Kinds(skeleton, PLAIN)
    phases = Phases(skeleton, Conditions(skeleton, _NOTHING_KNOWN))
    ordering = Ordering(skeleton, rules, kinds, phases)
    dropped = _unneeded(skeleton, kinds)
    if not (ordering.is_usable and dropped):
        return None
    bare = replace(skeleton, stops=(), faults=(), registers={})
    kept = [event for event in skeleton.events if event.identifier not in dropped]
    if phases.are_regular:
        idle = idle_units(bare, model, kept)
        kept = [event for event in kept if event.thread not in idle]
    questions = _Questions(skeleton, phases, ordering, frozenset(event.identifier for event in kept))
    asked = [(clocks, event, place) for clocks in ordering.closures for event, place in questions.waits(clocks)]
    if not questions.settle_something(asked, dropped):
        return None
    numbers = [-1] * len(skeleton.events)
    for number, event in enumerate(kept):
        numbers[event.identifier] = number
    renaming = Renaming(numbers, range(skeleton.choices))

    @cache
    def place_of(clocks: Clocks, event: int) -> Place:
        place = skeleton.events[event]
        after = (numbers[event.identifier] for event in questions.heard_before(place, clocks))
        return Place(renaming.expression(place.guard), tuple(after))

    waits = (
        Wait(clocks.order, numbers[e.identifier], place_of(clocks, place.identifier)) for clocks, e, place in asked
    )
    orders = ((numbers[one.identifier], numbers[other.identifier]) for one, other in questions.orders())
    return Synchronisation(
        Part(reduced(bare, _NOTHING_KNOWN, kept, ()), tuple(waits), tuple(orders)),
        tuple(event.identifier for event in kept),
        tuple(place.identifier for *_, place in asked),
    )


def _unneeded(skeleton: Skeleton, kinds: Kinds) -> frozenset[int]:
    """The plain accesses of locations that nothing else accesses, and on whose values nothing else depends."""
    left = {event.identifier for event in skeleton.events if _is_plain(event, kinds)}
    new = [event for event in skeleton.events if event.identifier not in left]
    parts: set[Expression] = set()
    mentioned = reads_of_all(skeleton.constraints, parts)
    open_: set[Location] = set()
    while new:
        open_.update(location for event in new for location in event.locations)
        mentioned |= reads_of_all((part for event in new for part in event.expressions), parts)
        needed = {each for each in left if each in mentioned or not open_.isdisjoint(skeleton.events[each].locations)}
        left -= needed
        new = [skeleton.events[each] for each in needed]
    return frozenset(left)


def _is_plain(event: Event, kinds: Kinds) -> bool:
    """Whether an event is a plain access of objects that are not atomic."""
    its = (kinds.of(event, location) for location in event.locations)
    return event.kind.is_access and bool(event.locations) and all(kinds.settleable >> kind & 1 for kind in its)


class _Questions:
    """What may be awaited in a skeleton of which some events are `kept`."""

    def __init__(self, skeleton: Skeleton, phases: Phases, ordering: Ordering, kept: frozenset[int]) -> None:
        self._skeleton: Final = skeleton
        self._phases: Final = phases
        self._ordering: Final = ordering
        self._kept: Final = kept
        # What units say to others, and hear of them: those of one shape may be in order.
        self._said: Final = {
            unit: said for unit, events in enumerate(phases.units) if (said := list(filter(self._says, events)))
        }
        self._shapes: Final = self._shapes_of_units()
        # For each unit and each location that it surely stores to, how much it has said when it has.
        self._stores: Final = {
            unit: {
                e.locations[0]: n for n, e in enumerate(said, 1) if e.kind is EventKind.WRITE and len(e.locations) == 1
            }
            for unit, said in self._said.items()
        }

    def _says(self, event: Event) -> bool:
        is_possible = self._phases.conditions.of[event.identifier] is not None
        return event.identifier in self._kept and event.kind not in IDLE and is_possible

    def _shapes_of_units(self) -> dict[int, tuple[object, ...]]:
        """What is the same for units of one text that do the same under the same conditions."""
        numbers = [0] * len(self._skeleton.events)
        for said in self._said.values():
            for number, event in enumerate(said):
                numbers[event.identifier] = number
        own = Renaming(numbers, [0] * self._skeleton.choices)
        return {
            unit: tuple((e.kind, e.order, e.scope, e.atomic, len(e.locations), own.expression(e.guard)) for e in said)
            for unit, said in self._said.items()
        }

    def _before(self, unit: int, place: Event) -> list[Event]:
        """What a unit has said before an event of its own."""
        ranks = self._phases.ranks
        return [event for event in self._said[unit] if ranks[event.identifier] < ranks[place.identifier]]

    def waits(self, clocks: Clocks) -> Iterator[tuple[Event, Event]]:
        """Events of one unit, and those of another one that stand for the places where it may have waited for them."""
        for unit, shape in self._shapes.items():
            for place in self._places(unit, clocks):
                before = self._before(unit, place)
                loaded = {location for event in before if event.kind is EventKind.READ for location in event.locations}
                for other, said in self._said.items():
                    # If units of one text did later what others wait for, these would wait for each other: but for what
                    # each stores for another one.
                    until = max((self._stores[other].get(location, 0) for location in loaded), default=0)
                    awaited = said[: max(len(before), until)] if self._shapes[other] == shape else said
                    if other != unit:
                        yield from ((event, place) for event in awaited if clocks.carries(event))

    def _places(self, unit: int, clocks: Clocks) -> Iterator[Event]:
        """The first carriers behind what a unit says, and hears: one for each condition that they may be under."""
        conditions = self._phases.conditions
        since: list[Condition] | None = None
        for event in self._phases.units[unit]:
            condition = conditions.of[event.identifier]
            if condition is None:
                continue
            if self._says(event):
                since = []
            elif since is not None and clocks.carries(event) and not any(earlier <= condition for earlier in since):
                since.append(condition)
                if reads_of(event.guard) <= self._kept:
                    yield event

    def heard_before(self, place: Event, clocks: Clocks) -> Iterator[Event]:
        """The carriers that are kept and sequenced before an event, and this if it is kept: they lead on to it."""
        sequenced = self._skeleton.relations["po"]
        for event in self._phases.units[self._phases.unit_of(place)]:
            is_before = event is place or sequenced[event.identifier] >> place.identifier & 1
            if is_before and event.identifier in self._kept and clocks.carries(event):
                yield event

    def orders(self) -> Iterator[tuple[Event, Event]]:
        """Writes of units of one shape at one location that may be in order in every execution."""
        for one, other in permutations(self._said, 2):
            if self._shapes[one] == self._shapes[other]:
                for number, second in enumerate(self._said[other]):
                    yield from (
                        (first, second) for first in self._said[one][:number] if _write_one_location(first, second)
                    )

    def settle_something(self, asked: Iterable[tuple[Clocks, Event, Event]], dropped: frozenset[int]) -> bool:
        """Whether some accesses that are left out, and may race, are in order if all that is asked holds."""
        # For each closure and each event that may be awaited the places where it may be, and all places.
        places_of: dict[Clocks, dict[int, set[int]]] = {}
        places: dict[Clocks, set[int]] = {}
        for clocks, event, place in asked:
            places_of.setdefault(clocks, {}).setdefault(event.identifier, set()).add(place.identifier)
            places.setdefault(clocks, set()).add(place.identifier)
        all_events = self._skeleton.events

        @cache
        def leading_to(first: int, clocks: Clocks) -> frozenset[int]:
            """The places where something may be awaited that an access comes before."""
            of_events = places_of.get(clocks, {}).items()
            behind = (its for event, its in of_events if self._is_behind(all_events[first], all_events[event], clocks))
            return frozenset[int]().union(*behind)

        @cache
        def before(second: int, clocks: Clocks) -> frozenset[int]:
            """The places that come before an access."""
            its = places.get(clocks, ())
            return frozenset(p for p in its if self._is_behind(all_events[p], all_events[second], clocks))

        return any(
            not leading_to(first.identifier, clocks).isdisjoint(before(second.identifier, clocks))
            and not (self._is_behind(first, second, clocks) or self._is_behind(second, first, clocks))
            for first, second, clocks in self._conflicts(dropped)
        )

    def _is_behind(self, first: Event, second: Event, clocks: Clocks) -> bool:
        return first is second or clocks.is_before(first, second, self._skeleton.relations["po"])

    def _conflicts(self, dropped: frozenset[int]) -> Iterator[tuple[Event, Event, Clocks]]:
        """Pairs of accesses of one location by different units, one a write, with what may order them."""
        accesses: dict[Location, list[Event]] = {}
        for event in self._phases.order:
            if event.identifier in dropped and self._phases.conditions.of[event.identifier] is not None:
                for location in event.locations:
                    accesses.setdefault(location, []).append(event)
        seen: set[tuple[int, int, int]] = set()
        for location, events in accesses.items():
            for write, other in product((event for event in events if event.kind.writes), events):
                # Accesses of any of many elements of an object meet at each of them.
                pair = write.identifier, other.identifier, location.object
                if pair in seen:
                    continue
                seen.add(pair)
                kinds = (self._ordering.kinds.of(event, location) for event in (write, other))
                clocks = None if write.thread == other.thread else self._ordering.clocks(sum({1 << k for k in kinds}))
                if clocks is not None:
                    yield write, other, clocks
                    yield other, write, clocks


def _write_one_location(first: Event, second: Event) -> bool:
    """Whether two events write one location, whatever is read."""
    return (
        first.kind.writes
        and second.kind.writes
        and isinstance(first.address, Constant)
        and first.address is second.address
    )
