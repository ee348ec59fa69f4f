"""The groups for whose asynchronous copies it may matter which work-item performs them.

Who performs a copy decides what is sequenced before it, and so, by way of the waits for it, before what others do then.
That makes a difference only by what some member of the group does before its call and no barrier in between orders
before the calls of all: an access of memory that somebody writes, or something that synchronises. Where there is
nothing of that kind, the executions with one performer are those with any other, but for names, and are enough.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.execution.algebra import TRUE
from mcm.execution.event import EventKind
from mcm.program.types import AllocationKind, Flag, Region

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mcm.execution.event import BarrierInstance, Event
    from mcm.execution.shared import Shared
    from mcm.program.program import Program
    from mcm.program.topology import SubGroup, WorkGroup

# Of what is no access of memory, these order nothing by themselves, or the same in all members if all execute them.
_ALIKE: Final = frozenset({EventKind.ENTRY, EventKind.EXIT, EventKind.CALL, EventKind.AWAITED})
_FLAGS: Final = {Region.GLOBAL: Flag.GLOBAL, Region.LOCAL: Flag.LOCAL}


def several_performers(shared: Shared) -> frozenset[WorkGroup | SubGroup]:
    """The groups for whose copies it may matter who performs them, of those that one work-item has performed."""
    events: dict[int | None, list[Event]] = {}
    for event in shared.events:
        events.setdefault(event.thread, []).append(event)
    groups: dict[WorkGroup | SubGroup, list[BarrierInstance]] = {}
    for instance in shared.copy_calls:
        groups.setdefault(instance.group, []).append(instance)
    written = frozenset(
        place.object
        for event in shared.events
        if event.kind.writes and event.kind is not EventKind.INITIAL
        for place in event.locations
    )
    return frozenset(group for group, instances in groups.items() if _may_matter(instances, events, written, shared))


def _may_matter(
    instances: Sequence[BarrierInstance],
    events: Mapping[int | None, Sequence[Event]],
    written: frozenset[int],
    shared: Shared,
) -> bool:
    """Whether it may matter who performs these copies, all those of a group."""
    members = {member.index for member in shared.members(instances[0])}
    calls: dict[int, list[int]] = {member: [] for member in members}
    for instance in instances:
        came = shared.copy_calls[instance]
        if {call.thread for call in came} != members or any(call.guard is not TRUE for call in came):
            return True
        for call in came:
            calls[call.thread].append(call.place)
    if shared.program.used_parts:
        # Another object may be the same memory.
        return True
    return any(
        _is_open(events.get(member, ()), sorted(places), written, shared.program) for member, places in calls.items()
    )


def _is_open(events: Iterable[Event], calls: Sequence[int], written: frozenset[int], program: Program) -> bool:
    """Whether at some call a member has accessed an object that is `written`, or synchronised, without a barrier."""
    waiting, left = list(calls), set[int]()
    for event in events:
        while waiting and event.identifier >= waiting[0]:
            waiting.pop(0)
            if left:
                return True
        if not waiting:
            return False
        if event.asynchronous is not None:
            continue
        is_alike = event.kind in _ALIKE and event.guard is TRUE
        if not is_alike and (not event.kind.is_access or event.atomic or event.pipe is not None):
            return True
        if event.kind is EventKind.EXIT:
            left = {number for number in left if _flag(number, program) not in event.flags}
        left |= written.intersection(place.object for place in event.locations)
    return bool(waiting and left)


def _flag(number: int, program: Program) -> Flag | None:
    """The flag of barriers that order the accesses of an object; None where none is known to."""
    item = program.objects[number]
    return None if item.allocation is AllocationKind.IMAGE else _FLAGS.get(item.region)
