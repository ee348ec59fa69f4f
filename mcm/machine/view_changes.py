"""Small changes of views."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.machine.memory_layout import GLOBAL, LOCAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.machine.memory_layout import LocationInfo
    from mcm.machine.row import Row
    from mcm.machine.view import ThreadView, Views


def merged(seen: Views, gained: Views, info: LocationInfo) -> Views:
    """The views before an access: `gained`, and in the region of the location what the thread has seen."""
    if info.region == GLOBAL:
        return seen[0] | gained[0], gained[1]
    return (gained[0], seen[1] | gained[1]) if info.region == LOCAL else gained


def met(threads: Row[ThreadView], group: Sequence[int]) -> list[ThreadView]:
    """The views of all threads after those of a group have met: each of these has seen what any of them has."""
    seen = [0, 0]
    for member in group:
        for region in (GLOBAL, LOCAL):
            seen[region] |= threads[member].seen[region]
    found = list(threads)
    for member in group:
        found[member] = threads[member]._replace(seen=(seen[GLOBAL], seen[LOCAL]), latest_reads=0)
    return found
