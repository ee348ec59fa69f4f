"""Small changes of views."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.machine.history import add_release
from mcm.machine.memory_layout import GLOBAL, IMAGES, LOCAL

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcm.machine.memory_layout import LocationInfo, MemoryLayout
    from mcm.machine.row import Row
    from mcm.machine.view import Release, ThreadView, Views, ViewState


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


def handed_by(entries: Mapping[int, Release], state: ViewState, layout: MemoryLayout) -> tuple[int, int, int]:
    """What a barrier hands from its entries, by threads, to its exits: in each region, and of images.

    BAR-2, BAR-3, IMG-2: of images only their accesses are handed on, whatever else has been seen of global memory.
    """
    handed, images = [0, 0], 0
    if any(entry.regions & IMAGES for entry in entries.values()):
        images = _accesses_of_images(state, layout)
    seen_of_images = 0
    for thread, entry in entries.items():
        for region in (GLOBAL, LOCAL):
            if entry.regions >> region & 1:
                add_release(handed, entry, region, crosses=False)
        if entry.regions & IMAGES:
            seen_of_images |= state.threads[thread].seen[GLOBAL] & images
    return handed[GLOBAL], handed[LOCAL], seen_of_images


def _accesses_of_images(state: ViewState, layout: MemoryLayout) -> int:
    found = 0
    for info, history, accesses in zip(layout.locations, state.histories, state.accesses, strict=True):
        if info.is_image:
            for message in history:
                found |= message.event | message.readers
            for access in accesses:
                found |= access.event
    return found
