"""Which accesses are of one buffer, by kernels that have nothing to do with each other (CC-1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.program.topology import WorkItem
from mcm.program.types import AllocationKind, Region

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.execution.event import Event
    from mcm.program.program import Program


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
