"""What one run reads of locations that may turn out to be settled, and which accesses it leaves out.

Whether a work-item writes often depends on what it has read, as where elements are exchanged that are out of order.
That is settled if what was written in earlier phases is, so no location is settled before the others. Therefore a run
is made in which all are supposed to be settled; what it reads is confirmed, or the location given up (`settling.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.execution.algebra import FALSE, TRUE
from mcm.execution.event import EventKind
from mcm.execution.expression import Constant, ReadValue
from mcm.execution.substitution import Substitution
from mcm.program.types import Location

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from mcm.engine.explicit.settled.clocks import Clocks
    from mcm.engine.explicit.settled.ordering import Layer
    from mcm.execution.event import Event
    from mcm.execution.expression import Atom, Expression


def reads_of_a_run(
    performed: Iterable[Event], settled: Collection[int], known: Substitution, given_up: Collection[Location]
) -> tuple[Substitution, frozenset[Location]]:
    """What reads return in a run, and the locations for which that is to be confirmed.

    Reads of what is `given_up` return nothing known. Of accesses that are `settled` the values are `known`.
    """
    atoms: dict[Atom, Expression] = {}
    found = Substitution(atoms)
    memory: dict[Location, Expression] = {}
    for event in performed:
        if not event.kind.is_access or event.address is None:
            continue
        read = ReadValue(event.identifier)
        if event.identifier in settled:
            value = known.apply(read)
            if value is not read:
                atoms[read] = found.apply(value)
            continue
        guard = found.apply(event.guard)
        if guard is FALSE:
            continue
        place = place_of(event, found)
        if place is None or guard is not TRUE:
            # What is left open here fails to be confirmed.
            continue
        if place not in given_up:
            if event.kind.reads and place in memory:
                atoms[read] = memory[place]
            if event.kind.writes:
                assert event.value is not None, "a write writes a value"
                memory[place] = found.apply(event.value)
    return found, frozenset(memory)


def place_of(event: Event, known: Substitution) -> Location | None:
    """The location that an access reaches; None if that is open."""
    address = None if event.address is None else known.apply(event.address)
    place = address.value if isinstance(address, Constant) else None
    return place if isinstance(place, Location) and place in event.locations else None


def left_out(
    performed: Iterable[Event], settled: Collection[int], before: Substitution, now: Substitution
) -> dict[Location, list[Event]]:
    """For each location the writes that a run does not do there, though they might by what was known `before`."""
    found: dict[Location, list[Event]] = {}
    for event in performed:
        if not event.kind.writes or event.kind is EventKind.INITIAL or event.identifier in settled:
            continue
        guard = before.apply(event.guard)
        if guard is FALSE or (guard is TRUE and place_of(event, before) is not None):
            continue
        done = None if now.apply(event.guard) is FALSE else place_of(event, now)
        for location in event.locations:
            if location != done:
                found.setdefault(location, []).append(event)
    return found


def come_after(
    events: Sequence[Event], layers: Sequence[Layer], positions: Sequence[int], clocks: Clocks, sequenced: Sequence[int]
) -> bool:
    """Whether each of some events comes after all accesses of a location that a run performs before it.

    Layers follow each other, so it is enough to look at the last of these.
    """
    reached = 0
    for event in events:
        here = positions[event.identifier]
        while reached + 1 < len(layers) and positions[layers[reached + 1].writes[0].identifier] < here:
            reached += 1
        layer = layers[reached]
        earlier = (e for e in (*layer.writes, *layer.reads) if positions[e.identifier] < here)
        if not all(clocks.is_before(one, event, sequenced) for one in earlier):
            return False
    return True
