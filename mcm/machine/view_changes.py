"""Small changes of views."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.machine.memory_layout import GLOBAL, LOCAL

if TYPE_CHECKING:
    from mcm.machine.memory_layout import LocationInfo
    from mcm.machine.view import Views


def merged(seen: Views, gained: Views, info: LocationInfo) -> Views:
    """The views before an access: `gained`, and in the region of the location what the thread has seen."""
    if info.region == GLOBAL:
        return seen[0] | gained[0], gained[1]
    return (gained[0], seen[1] | gained[1]) if info.region == LOCAL else gained
