"""Groups of work-items: who meets whom, what a group function gives, and who is missing."""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
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
    from mcm.program.topology import Placement
    from mcm.program.types import Value

# Threads by position in the program, in order and as a mask.
Group = tuple[tuple[int, ...], int]


@lru_cache(maxsize=4096)
def members(mask: int) -> tuple[int, ...]:
    """The threads of a mask, in order.

    >>> members(0b1101)
    (0, 2, 3)
    """
    return tuple(number for number, bit in enumerate(reversed(f"{mask:b}")) if bit == "1")


def groups_of(threads: Sequence[ThreadCode]) -> list[dict[Level, Group]]:
    """The work-group and the sub-group of every thread; a host thread is alone."""
    gathered: defaultdict[Hashable, list[int]] = defaultdict(list)
    keys = [_keys(number, code.placement) for number, code in enumerate(threads)]
    for number, own in enumerate(keys):
        for key in own.items():
            gathered[key].append(number)
    groups = {key: (tuple(found), sum(1 << n for n in found)) for key, found in gathered.items()}
    return [{level: groups[level, key] for level, key in own.items()} for own in keys]


def _keys(number: int, place: Placement) -> dict[Level, Hashable]:
    if not isinstance(place, WorkItem):
        return dict.fromkeys(Level, number)
    return {Level.WORK_GROUP: place.group_key, Level.SUB_GROUP: place.sub_group_key}


def group_of(machine: Machine[MemoryT], thread: int, level: Level) -> Group:
    """The group of a thread that a barrier or group function concerns."""
    return machine.groups[thread][level]


def instance_of(machine: Machine[MemoryT], now: Configuration[MemoryT], thread: int) -> Hashable:
    """The dynamic instance at which a thread waits: kind, call site, and the passes of the loops around."""
    node = machine.instruction(now, thread)
    assert isinstance(node, (Barrier, Collective))
    passes = tuple(now.slots[thread][counter] for counter in node.counters)
    return isinstance(node, Barrier), node.level, node.site, passes


def combined(machine: Machine[MemoryT], now: Configuration[MemoryT], group: Sequence[int]) -> list[Value]:
    """COLL-1: what a group function gives each of the group; 0 for a barrier."""
    operands = []
    for member in group:
        node = machine.instruction(now, member)
        if not isinstance(node, Collective):
            return [0] * len(group)
        operands.append(node.operand(now.slots[member]))
    first = machine.instruction(now, group[0])
    assert isinstance(first, Collective)
    return [_combination(first, operands, now.slots[group[0]])] * len(group)


def _combination(node: Collective, operands: Sequence[Value], slots: Sequence[Value]) -> Value:
    match node.operator:
        case CollectiveOperator.ALL:
            return int(all(map(is_true, operands)))
        case CollectiveOperator.ANY:
            return int(any(map(is_true, operands)))
        case CollectiveOperator.BROADCAST:
            lane = 0 if node.lane is None else node.lane(slots)
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
        here, (group, mask) = instance_of(machine, now, thread), group_of(machine, thread, node.level)
        if (mask, here) in reported:
            continue
        reported.add((mask, here))
        missing = [m for m in group if not now.waiting >> m & 1 or instance_of(machine, now, m) != here]
        if not missing:
            continue
        sites = tuple(machine.site(t, now.places[t]) for t in (thread, missing[0]))
        name = machine.threads[missing[0]].name
        where = "has finished" if machine.is_finished(now, missing[0]) else "waits elsewhere"
        kind = "work-group" if node.level is Level.WORK_GROUP else "sub-group"
        why = f"not all work-items of the {kind} execute barrier {node.site}: {name} {where}"
        found.append(Finding("barrier-divergence", "BAR-DIV", why, sites))
    return tuple(found)
