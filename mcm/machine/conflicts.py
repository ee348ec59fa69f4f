"""The accesses of a location that are remembered, and the races between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.machine.memory import Race

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.machine.memory_layout import LocationInfo, MemoryLayout
    from mcm.machine.view import AccessRecord


def with_access(accesses: frozenset[AccessRecord], access: AccessRecord) -> frozenset[AccessRecord]:
    """The accesses with one more, which replaces the earlier ones of the same instruction.

    An access that races with an earlier one races with it too: whatever happens after it happens after them.
    """
    kind = access[1:]
    return frozenset({*(other for other in accesses if other[1:] != kind), access})


def found_races(
    layout: MemoryLayout, accesses: frozenset[AccessRecord], access: AccessRecord, info: LocationInfo, before: int
) -> Iterator[Race]:
    """DR-1: conflicting accesses of different units that are not both atomic and inclusive, and not ordered.

    One copier makes all asynchronous copies of a group, each of which is a unit of its own.
    """
    is_copier = access.thread in layout.performers
    for other in () if info.is_pipe else accesses:
        if other.event & before or not (other.writes or access.writes):
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
