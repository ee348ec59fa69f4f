"""Groups of work-items: who meets whom, what a group function gives, and who is missing."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final, assert_never

from mcm.base.bits import listed
from mcm.execution.evaluate import is_true
from mcm.machine.code import Barrier, Collective
from mcm.machine.finding import Finding
from mcm.program.instruction import CollectiveOperator, Level
from mcm.program.topology import WorkItem

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from mcm.machine.code import Instruction, Meeting, ThreadCode
    from mcm.machine.configuration import Configuration, Machine, MemoryT
    from mcm.program.topology import Placement
    from mcm.program.types import Value

# Of more than so many places at which a group waits, the rest are counted.
_MOST_PLACES: Final = 3

# Threads by position in the program, in order and as a mask.
Group = tuple[tuple[int, ...], int]


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
    """BAR-DIV: one finding for each group in which some wait for others who can come no more."""
    found = {}
    for thread in listed(now.waiting):
        node = machine.instruction(now, thread)
        assert isinstance(node, (Barrier, Collective))
        group, mask = group_of(machine, thread, node.level)
        if (node.level, mask) not in found:
            found[node.level, mask] = _divergence(machine, now, node, group)
    return tuple(found.values())


def _divergence(machine: Machine[MemoryT], now: Configuration[MemoryT], node: Meeting, group: Sequence[int]) -> Finding:
    """Who of a group waits where, and who has finished; one place for each."""
    waiting: dict[Hashable, list[int]] = {}
    finished = [member for member in group if machine.is_finished(now, member)]
    for member in group:
        if now.waiting >> member & 1:
            waiting.setdefault(instance_of(machine, now, member), []).append(member)
    here, *elsewhere = waiting.values()
    said = [f"{_some(machine, here, 'waits', 'wait')} there"]
    for those in elsewhere[:_MOST_PLACES]:
        where = machine.instruction(now, those[0])
        said.append(f"{_some(machine, those, 'waits', 'wait')} at {_meeting(where)}")
    if len(elsewhere) > _MOST_PLACES:
        said.append(f"others wait at {len(elsewhere) - _MOST_PLACES} more places")
    if finished:
        said.append(_some(machine, finished, "has finished", "have finished"))
    kind = "work-group" if node.level is Level.WORK_GROUP else "sub-group"
    why = f"not all {len(group)} work-items of the {kind} execute {_meeting(node)}: {', '.join(said)}"
    first = [those[0] for those in (here, *elsewhere[:_MOST_PLACES], finished) if those]
    return Finding("barrier-divergence", "BAR-DIV", why, tuple(machine.site(t, now.places[t]) for t in first))


def _some(machine: Machine[MemoryT], threads: Sequence[int], one: str, several: str) -> str:
    """Threads as the subject of a clause, however many: `P1 waits`, `P1 and P2 wait`, `P1 and 7 others wait`."""
    name = machine.threads[threads[0]].name
    match len(threads):
        case 1:
            return f"{name} {one}"
        case 2:
            return f"{name} and {machine.threads[threads[1]].name} {several}"
        case many:
            return f"{name} and {many - 1} others {several}"


def _meeting(node: Instruction) -> str:
    """A barrier or group function by its site: `barrier #2`, `all#1`."""
    assert isinstance(node, (Barrier, Collective))
    return f"barrier {node.site}" if isinstance(node, Barrier) else node.site
