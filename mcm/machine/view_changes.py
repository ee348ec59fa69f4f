"""Small changes of views and of the tuples that states consist of."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from mcm.machine.memory_layout import GLOBAL, LOCAL

if TYPE_CHECKING:
    from mcm.machine.memory_layout import LocationInfo
    from mcm.machine.view import Views

ItemT = TypeVar("ItemT")


def merged(seen: Views, gained: Views, info: LocationInfo) -> Views:
    """The views before an access: `gained`, and in the region of the location what the thread has seen."""
    if info.region == GLOBAL:
        return seen[0] | gained[0], gained[1]
    return (gained[0], seen[1] | gained[1]) if info.region == LOCAL else gained


def replaced(items: tuple[ItemT, ...], index: int, item: ItemT) -> tuple[ItemT, ...]:
    """The items with another one at an index."""
    # With a list in between: the fastest way for a thousand items, and as fast as others for two.
    changed = list(items)
    changed[index] = item
    return tuple(changed)
