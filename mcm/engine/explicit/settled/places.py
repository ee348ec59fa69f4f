"""The kinds of events, by base sets and by where they stand: how many barriers their unit has left before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.execution.event import EventKind

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from mcm.engine.explicit.settled.clocks import Phases
    from mcm.engine.explicit.settled.kinds import Kinds
    from mcm.execution.event import BarrierInstance, Event

# With more kinds than this, barriers are not told apart.
_MOST: Final = 160


class Place(Struct, frozen=True):
    """A kind: base sets, as written and where orders are relaxed; what is settled and relaxed; barriers before.

    The object, by its number, is None where none is accessed.
    """

    written: frozenset[str]
    relaxed: frozenset[str]
    object: int | None
    is_settled: bool
    is_relaxed: bool
    barriers: int


class Places:
    """The kinds of the events that may be executed, and how kinds may stand to each other.

    Masks of kinds: accesses of `settled` locations, and those that are `relaxed`; for each kind those that may access
    the same location (`located`). Rows of masks: which kinds are `sequenced` after which, and which meet at a barrier
    (`meeting`).
    """

    def __init__(self, phases: Phases, written: Kinds, weaker: Kinds, settled: Collection[int], eased: int) -> None:
        """`settled` are accesses that are settled, `eased` (a mask) those whose orders are relaxed."""
        self._numbers: dict[Place, int] = {}
        self._written: Final = written
        self._weaker: Final = weaker
        self._settled: Final = settled
        self._eased: Final = eased
        ahead = self._all_before(phases)
        kinds = self._kinds_of(phases, ahead)
        if len(self._numbers) > _MOST:
            self._numbers.clear()
            kinds = self._kinds_of(phases, [0] * len(phases.events))
        self.count: Final = len(self._numbers)
        self._having: Final[dict[tuple[str, bool], int]] = {}
        self.settled: Final = self._mask(place.is_settled for place in self._numbers)
        self.located: Final = self._located()
        self.relaxed: Final = self._mask(place.is_relaxed for place in self._numbers)
        self.sequenced: Final = self._sequenced(phases, kinds)
        self.meeting: Final = self._meeting(phases.events, kinds)

    def having(self, name: str, *, relaxes: bool) -> int:
        """The kinds in a base set."""
        found = self._having.get((name, relaxes))
        if found is None:
            found = self._mask(name in (place.relaxed if relaxes else place.written) for place in self._numbers)
            self._having[name, relaxes] = found
        return found

    def differing(self, name: str) -> int:
        """The kinds that are in a base set in one case only."""
        return self.having(name, relaxes=True) ^ self.having(name, relaxes=False)

    def _located(self) -> tuple[int, ...]:
        """Settled are all accesses of a location or none."""
        places: dict[tuple[int, bool], int] = {}
        for place, number in self._numbers.items():
            if place.object is not None:
                key = place.object, place.is_settled
                places[key] = places.get(key, 0) | 1 << number
        return tuple(0 if place.object is None else places[place.object, place.is_settled] for place in self._numbers)

    @staticmethod
    def _mask(of: Iterator[bool]) -> int:
        return sum(1 << number for number, member in enumerate(of) if member)

    @staticmethod
    def _all_before(phases: Phases) -> list[int]:
        """For each event how many barriers its unit has left before."""
        found = [0] * len(phases.events)
        for unit in phases.units:
            left = 0
            for event in unit:
                left += event.kind is EventKind.EXIT
                found[event.identifier] = left
        return found

    def _kinds_of(self, phases: Phases, ahead: Sequence[int]) -> list[int]:
        """For each event the kinds that it may have, as a mask; none for one that is never executed."""
        return [
            0 if phases.conditions.of[event.identifier] is None else self._of(event, ahead[event.identifier])
            for event in phases.events
        ]

    def _of(self, event: Event, ahead: int) -> int:
        is_settled, is_relaxed = event.identifier in self._settled, bool(self._eased >> event.identifier & 1)
        found = 0
        for location in event.locations or (None,):
            place = Place(
                self._written.names[self._written.of(event, location)],
                self._weaker.names[self._weaker.of(event, location)],
                None if location is None else location.object,
                is_settled,
                is_relaxed,
                ahead,
            )
            found |= 1 << self._numbers.setdefault(place, len(self._numbers))
        return found

    def _sequenced(self, phases: Phases, kinds: Sequence[int]) -> tuple[int, ...]:
        found = [0] * self.count
        # Units mostly do the same.
        for unit in {tuple(kinds[event.identifier] for event in unit) for unit in phases.units}:
            later = 0
            for of in reversed(unit):
                for kind in range(self.count):
                    if of >> kind & 1:
                        found[kind] |= later
                later |= of
        return tuple(found)

    def _meeting(self, events: Sequence[Event], kinds: Sequence[int]) -> tuple[int, ...]:
        together: dict[BarrierInstance, int] = {}
        for event in events:
            if event.barrier is not None:
                together[event.barrier] = together.get(event.barrier, 0) | kinds[event.identifier]
        found = [0] * self.count
        for met in set(together.values()):
            for kind in range(self.count):
                if met >> kind & 1:
                    found[kind] |= met
        return tuple(found)
