"""The races between accesses of a location."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.machine.memory import Race

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.machine.access_records import Accesses, AccessRecord
    from mcm.machine.memory_layout import LocationInfo, MemoryLayout


def found_races(
    layout: MemoryLayout, accesses: Accesses, access: AccessRecord, info: LocationInfo, before: int
) -> Iterator[Race]:
    """DR-1: conflicting accesses of different units that are not both atomic and inclusive, and not ordered.

    One copier makes all asynchronous copies of a group, each of which is a unit of its own.
    """
    is_copier = access.thread in layout.performers
    for other in () if info.is_pipe else accesses.in_conflict_with(access):
        if other.event & before:
            continue
        if other.thread == access.thread and not is_copier:
            continue
        if layout.is_spared(other.thread, access.thread, one_writes=other.writes, other_writes=access.writes):
            continue
        both = other.scope is not None and access.scope is not None
        if (
            other.scope is not None
            and access.scope is not None
            and layout.includes(other.thread, other.scope, access.thread, access.scope, info.reach)
        ):
            continue
        yield Race((other.thread, other.site), (access.thread, access.site), both)
