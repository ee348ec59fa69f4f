"""Which accesses are of one buffer by unrelated kernels (CC-1), and of buffers that overlap (CC-6)."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from mcm.execution.skeleton import Fault
from mcm.program.topology import WorkItem
from mcm.program.types import AllocationKind, Region

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcm.execution.event import Event
    from mcm.program.program import Program
    from mcm.program.types import Part


def shared_buffer(program: Program, events: Sequence[Event], families: Sequence[int]) -> tuple[int, ...]:
    """The rows of the relation between accesses of one buffer by work-items of different families.

    `families` has, for each event of a work-item, the events of its family. An access counts where it can be of no
    other object than this buffer.
    """
    rows = [0] * len(events)
    if len({row for row in families if row}) < 2:
        return tuple(rows)
    items = {thread.index for thread in program.threads if isinstance(thread.placement, WorkItem)}
    of_buffer: dict[int, int] = {}
    for event in events:
        buffer = _buffer_of(event, program) if event.thread in items else None
        if buffer is not None:
            of_buffer[buffer] = of_buffer.get(buffer, 0) | 1 << event.identifier
    for accesses in of_buffer.values():
        for event in events:
            if accesses >> event.identifier & 1:
                rows[event.identifier] = accesses & ~families[event.identifier]
    return tuple(rows)


def _buffer_of(event: Event, program: Program) -> int | None:
    """The buffer that an access is of; None where it may be of several objects, or of other memory."""
    objects = {location.object for location in event.locations}
    if len(objects) != 1:
        return None
    (number,) = objects
    item = program.objects[number]
    is_buffer = item.region is Region.GLOBAL and item.allocation is AllocationKind.BUFFER
    return number if is_buffer else None


def overlapping_buffers(program: Program, events: Sequence[Event]) -> tuple[int, ...]:
    """The rows of the relation between accesses of two units, by ways of two buffers of which one overlaps the other.

    That is a buffer and its sub-buffer, or two sub-buffers. What an access goes by is what its thread is given: where
    it is given several that have the element, any of them (CC-6).
    """
    rows = [0] * len(events)
    if not program.used_parts:
        return tuple(rows)
    given = _given(program)
    ways: dict[int, tuple[Part, ...]] = {}
    for event in events:
        if event.thread is not None and event.locations:
            ways[event.identifier] = tuple(
                part for part in given.get(event.thread, ()) if any(part.has(place) for place in event.locations)
            )
    for one, other in combinations(ways, 2):
        is_apart = events[one].thread == events[other].thread
        if not is_apart and any(a.name != b.name and a.overlaps(b) for a in ways[one] for b in ways[other]):
            rows[one] |= 1 << other
            rows[other] |= 1 << one
    return tuple(rows)


def outside_parts(program: Program, events: Sequence[Event]) -> Iterator[Fault]:
    """The accesses of elements of a buffer that are in no buffer or sub-buffer which their thread is given."""
    given = _given(program)
    for event in events:
        own = given.get(event.thread, []) if event.thread is not None else []
        names = [part.name for part in own if any(part.object == place.object for place in event.locations)]
        if names and not any(part.has(place) for part in own for place in event.locations):
            place = program.show_location(event.locations[0])
            why = f"the access is outside {' and '.join(map(repr, dict.fromkeys(names)))}: it is of {place}"
            yield Fault("out-of-bounds", "MEM-BOUNDS", event.guard, why, (event.identifier,))


def _given(program: Program) -> dict[int, list[Part]]:
    """The buffers and sub-buffers that each thread is given."""
    found: dict[int, list[Part]] = {}
    for thread, part in program.used_parts:
        found.setdefault(thread, []).append(part)
    return found
