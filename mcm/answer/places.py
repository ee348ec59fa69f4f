"""Where flags are raised: an answer lists one flag for each pair of places, and all engines the same ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mcm.execution.event import Event
    from mcm.program.types import Location

# The thread of an event (-1 for the initial state), and where its operation begins and ends in the source: the events
# of one operation in all iterations of a loop are at one place.
Place = tuple[int, int, int]

# The place of the one event that raises a flag, or of both; none for a flag that no events raise.
PlacePair = tuple[Place, ...]

# A raising as it is compared with others at the same places: of those, an answer lists the one that comes first.
Rank = tuple[int, int, tuple[int, ...], tuple[int, ...], tuple[int, int]]


class Places:
    """The places of the events of a skeleton.

    `ordinals` has for each event how many events of the same place have smaller identifiers: in a loop, how many
    iterations are before it.
    """

    def __init__(self, events: Sequence[Event]) -> None:
        # The events as they are shown: by thread, place and identifier, the initial state last.
        shown = sorted(events, key=lambda e: (e.thread is None, e.thread, e.span.start, e.identifier))
        self._shown: Final = {event.identifier: position for position, event in enumerate(shown)}
        self.of: Final[list[Place]] = [place_of(event) for event in events]
        self.at: Final[dict[Place, list[int]]] = {}
        self.ordinals: Final[list[int]] = []
        for event, place in enumerate(self.of):
            there = self.at.setdefault(place, [])
            self.ordinals.append(len(there))
            there.append(event)

    def pair(self, events: Iterable[int]) -> PlacePair:
        """The places of the events that raise a flag."""
        return tuple(sorted({self.of[event] for event in events}))

    def first(self, events: Iterable[int]) -> int:
        """The event of a flag that is shown first: what is told of a location is about the one that it accesses."""
        return min(events, key=self._shown.__getitem__)

    def farthest(self, events: Iterable[int]) -> tuple[int, int]:
        """The later and the earlier iteration of the events: what counts first in a rank."""
        ordinals = [self.ordinals[event] for event in events]
        return (max(ordinals, default=0), min(ordinals, default=0))

    def rank(self, events: Sequence[int], locations: Mapping[int, Location]) -> Rank:
        """How a raising by these events, which access `locations`, compares with others at the same places.

        Early iterations come first, then lower locations of the event that is shown first.
        """
        shown = sorted(events, key=self._shown.__getitem__)
        location = locations.get(shown[0]) if shown else None
        return (
            *self.farthest(events),
            tuple(self.ordinals[event] for event in shown),
            tuple(shown),
            (-1, -1) if location is None else (location.object, location.offset),
        )


def place_of(event: Event) -> Place:
    """The place of an event."""
    return (-1 if event.thread is None else event.thread, event.span.start, event.span.end)
