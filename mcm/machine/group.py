"""Groups of work-items: who meets whom, what a group function gives, and who is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from mcm.execution.evaluate import is_true
from mcm.machine.code import Barrier, Collective
from mcm.machine.finding import Finding
from mcm.program.instruction import CollectiveOperator, Level
from mcm.program.topology import WorkItem

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from mcm.machine.code import ThreadCode
    from mcm.machine.configuration import Configuration, Machine, MemoryT
    from mcm.program.types import Value

# The threads of the work-group, and of the sub-group, that a thread is in.
Groups = tuple[tuple[int, ...], tuple[int, ...]]


def members_of(threads: Sequence[ThreadCode], thread: int) -> Groups:
    """Both groups of a thread, by position in the program; the host is alone."""
    place = threads[thread].placement
    if not isinstance(place, WorkItem):
        return (thread,), (thread,)
    items = [(n, t.placement) for n, t in enumerate(threads) if isinstance(t.placement, WorkItem)]
    work_group = tuple(n for n, other in items if other.group_key == place.group_key)
    return work_group, tuple(n for n, other in items if other.sub_group_key == place.sub_group_key)


def group_of(machine: Machine[MemoryT], thread: int, level: Level) -> tuple[int, ...]:
    """The group of a thread that a barrier or group function concerns."""
    work_group, sub_group = machine.groups[thread]
    return work_group if level is Level.WORK_GROUP else sub_group


def instance_of(machine: Machine[MemoryT], now: Configuration[MemoryT], thread: int) -> Hashable:
    """The dynamic instance at which a thread waits: kind, call site, and the passes of the loops around."""
    node = machine.instruction(now, thread)
    assert isinstance(node, (Barrier, Collective))
    passes = tuple(now.slots[thread][counter] for counter in node.counters)
    return isinstance(node, Barrier), node.level, node.site, passes


def combined(machine: Machine[MemoryT], now: Configuration[MemoryT], members: Sequence[int], thread: int) -> Value:
    """COLL-1: what a group function gives; 0 for a barrier."""
    node = machine.instruction(now, thread)
    if not isinstance(node, Collective):
        return 0
    operands = []
    for member in members:
        other = machine.instruction(now, member)
        assert isinstance(other, Collective)
        operands.append(other.operand(now.slots[member]))
    match node.operator:
        case CollectiveOperator.ALL:
            return int(all(map(is_true, operands)))
        case CollectiveOperator.ANY:
            return int(any(map(is_true, operands)))
        case CollectiveOperator.BROADCAST:
            first = machine.instruction(now, members[0])
            assert isinstance(first, Collective)
            lane = 0 if first.lane is None else first.lane(now.slots[members[0]])
            return operands[lane] if isinstance(lane, int) and 0 <= lane < len(operands) else 0
        case _:
            assert_never(node.operator)


def diverged(machine: Machine[MemoryT], now: Configuration[MemoryT]) -> tuple[Finding, ...]:
    """BAR-DIV: those who wait although nobody can come any more, each with where a missing one is."""
    found = []
    reported: set[Hashable] = set()
    for thread in range(len(machine.threads)):
        if not now.waiting >> thread & 1:
            continue
        node = machine.instruction(now, thread)
        assert isinstance(node, (Barrier, Collective))
        here, members = instance_of(machine, now, thread), group_of(machine, thread, node.level)
        missing = [m for m in members if not now.waiting >> m & 1 or instance_of(machine, now, m) != here]
        if not missing or (members, here) in reported:
            continue
        reported.add((members, here))
        sites = tuple(machine.site(t, now.places[t]) for t in (thread, missing[0]))
        name = machine.threads[missing[0]].name
        where = "has finished" if machine.is_finished(now, missing[0]) else "waits elsewhere"
        group = "work-group" if node.level is Level.WORK_GROUP else "sub-group"
        why = f"not all work-items of the {group} execute barrier {node.site}: {name} {where}"
        found.append(Finding("barrier-divergence", "BAR-DIV", why, sites))
    return tuple(found)
