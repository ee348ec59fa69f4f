"""The races between accesses of a location."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.machine.access_records import AccessRecord
from mcm.machine.memory import Race

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.machine.access_records import Accesses
    from mcm.machine.memory_layout import LocationInfo, MemoryLayout
    from mcm.program.types import Scope


def record_of(
    layout: MemoryLayout, info: LocationInfo, event: int, thread: int, site: int, scope: Scope | None, *, writes: bool
) -> AccessRecord:
    """What is remembered of an access of a location."""
    covers = 0 if scope is None else layout.covered(thread, scope, info.reach)
    return AccessRecord(event, thread, site, writes, scope, covers)


def found_races(
    layout: MemoryLayout, accesses: Accesses, access: AccessRecord, info: LocationInfo, before: int
) -> Iterator[Race]:
    """DR-1: conflicting accesses of different units that are not both atomic and inclusive, and not ordered.

    One copier makes all asynchronous copies of a group, each of which is a unit of its own.
    """
    is_copier, has_maps = access.thread in layout.performers, layout.has_maps
    for other in () if info.is_pipe else accesses.in_conflict_with(access):
        if other.event & before:
            continue
        if other.thread == access.thread and not is_copier:
            continue
        if has_maps and layout.is_spared(
            other.thread, access.thread, one_writes=other.writes, other_writes=access.writes
        ):
            continue
        if other.covers and other.covers == access.covers:
            continue
        both = other.scope is not None and access.scope is not None
        yield Race((other.thread, other.site), (access.thread, access.site), both)
