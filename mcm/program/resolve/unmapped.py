"""A warning about what rule MAP-4 is not asked of: memory that the host shares, of a kind that nobody has written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.program.instruction import Assign, MemoryPlace, Modify, Read
from mcm.program.resolve.accessed import ATOMIC, Reach
from mcm.program.topology import HostThread
from mcm.program.types import AllocationKind, Region
from mcm.program.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcm.base.source import Span
    from mcm.program.instruction import Expression
    from mcm.program.program import MemoryObject, Thread
    from mcm.program.resolve.complaints import Complaints


def warn_unmapped(threads: Sequence[Thread], objects: Sequence[MemoryObject], complaints: Complaints) -> None:
    """Warn where the host accesses what commands access too, and whether it must be mapped is not known (MAP-4)."""
    by_hosts = [one for thread in threads if _is_host(thread) for one in _accessed(thread, objects)]
    # Most hosts only call.
    others = [thread for thread in threads if not _is_host(thread)] if by_hosts else []
    shared = {number for thread in others for number, _ in _accessed(thread, objects)}
    for number, span in by_hosts:
        item = objects[number]
        is_open = item.region is Region.GLOBAL and item.allocation is AllocationKind.BUFFER and not item.needs_map
        if is_open and number in shared and complaints.is_new("W131", item.name):
            message = (
                f"the host accesses '{item.name}', whose kind of memory is not written, so that no map is asked "
                f"for (MAP-4): write 'fine_svm', or 'buffer' or 'coarse_svm', which the host must map"
            )
            complaints.warning("W131", span, message)


def _is_host(thread: Thread) -> bool:
    return isinstance(thread.placement, HostThread)


_ACCESSES: Final = (Read, Assign, Modify, *ATOMIC)


def _accessed(thread: Thread, objects: Sequence[MemoryObject]) -> Iterator[tuple[int, Span]]:
    """The objects that a thread accesses for sure, with the places."""
    nodes = tuple(walk(thread.body))
    reach = Reach(thread, nodes, objects)
    for node in nodes:
        if node.__class__ not in _ACCESSES:
            continue
        address: Expression
        match node:
            case Read(MemoryPlace(address)) | Assign(MemoryPlace(address)) | Modify(_, MemoryPlace(address)):
                pass
            case _ if isinstance(node, ATOMIC):
                address = node.address
            case _:
                continue
        found = reach.of(address)
        if len(found) == 1:
            yield from ((number, node.span) for number in found)
