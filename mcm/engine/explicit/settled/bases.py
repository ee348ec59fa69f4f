"""The writes that updates start from, where barriers fix that: who clears a counter, before all others count."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from mcm.engine.explicit.settled.performed import place_of
from mcm.execution.algebra import FALSE, TRUE
from mcm.execution.event import EventKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mcm.engine.explicit.settled.ordering import Ordering
    from mcm.execution.event import Event
    from mcm.execution.substitution import Substitution
    from mcm.program.types import Location


def bases(performed: Iterable[Event], ordering: Ordering, known: Substitution) -> dict[int, int]:
    """For updates the last write of their location before them that is none, where it is the same in all executions.

    `performed` are the events as units perform them, and `known` is what is known of reads. The model must not let
    the modification order go against happens-before.
    """
    return {
        update.identifier: base.identifier
        for location, written in _by_location(performed, known).items()
        for update, base in written.bases(ordering, location)
    }


class _Written(Struct, frozen=True):
    """The writes of a location: updates with the last other write that surely is executed, and all other writes."""

    updates: list[tuple[Event, Event]]
    others: list[Event]
    sure: list[Event]

    def bases(self, ordering: Ordering, location: Location) -> Iterator[tuple[Event, Event]]:
        """The updates before which their write comes, and before or after which all others come."""
        if len(self.others) > 1:
            for update, base in self.updates:
                if ordering.is_before(base, update, location) and all(
                    ordering.is_before(other, base, location) or ordering.is_before(update, other, location)
                    for other in self.others
                    if other is not base
                ):
                    yield update, base


def _by_location(performed: Iterable[Event], known: Substitution) -> dict[Location, _Written]:
    """The writes of each location; of none that a write may reach whose address is not known."""
    found: dict[Location, _Written] = {}
    open_: set[Location] = set()
    for event in performed:
        if not event.kind.writes or event.address is None:
            continue
        guard, place = known.apply(event.guard), place_of(event, known)
        if guard is FALSE:
            continue
        if place is None:
            open_.update(event.locations)
            continue
        written = found.setdefault(place, _Written([], [], []))
        if event.kind is EventKind.UPDATE:
            written.updates.extend((event, base) for base in written.sure[-1:])
        else:
            written.others.append(event)
            written.sure.extend([event] if guard is TRUE else [])
    return {location: written for location, written in found.items() if location not in open_}
