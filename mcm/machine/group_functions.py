"""Barriers and collective functions: which calls belong together, their results, and divergence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, assert_never

from mcm.base.bits import listed
from mcm.execution.evaluate import is_true
from mcm.machine.code import Barrier, Collective
from mcm.machine.finding import Finding
from mcm.program.instruction import CollectiveOperator, Level

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from mcm.machine.code import GroupFunction, Instruction
    from mcm.machine.compiled import CompiledProgram
    from mcm.machine.configuration import Configuration
    from mcm.program.types import Value

# A finding names at most so many other places at which threads of the group wait, and counts the rest.
_MOST_PLACES: Final = 3


def dynamic_instance(compiled: CompiledProgram, now: Configuration[Any], thread: int) -> Hashable:
    """The dynamic instance at which a thread waits: kind, call site, and the iterations of the loops around it."""
    node = compiled.instruction(now, thread)
    assert isinstance(node, (Barrier, Collective))
    iterations = tuple(now.slots[thread][counter] for counter in node.iterations)
    return isinstance(node, Barrier), node.level, node.site, iterations


def collective_results(compiled: CompiledProgram, now: Configuration[Any], group: Sequence[int]) -> list[Value]:
    """COLL-1: the result of a group function for each member of the group; 0 for a barrier."""
    operands = []
    for member in group:
        node = compiled.instruction(now, member)
        if not isinstance(node, Collective):
            return [0] * len(group)
        operands.append(node.operand(now.slots[member]))
    first = compiled.instruction(now, group[0])
    assert isinstance(first, Collective)
    return [_combine(first, operands, now.slots[group[0]])] * len(group)


def _combine(node: Collective, operands: Sequence[Value], slots: Sequence[Value]) -> Value:
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


def barrier_divergence(compiled: CompiledProgram, now: Configuration[Any]) -> tuple[Finding, ...]:
    """BAR-DIV: one finding for each group in which some threads wait for others that can no longer come."""
    found = {}
    for thread in listed(now.waiting):
        node = compiled.instruction(now, thread)
        assert isinstance(node, (Barrier, Collective))
        group, mask = compiled.group(thread, node.level)
        # A member in a loop that never ends has not missed the barrier: the group is blocked, not divergent.
        if (node.level, mask) not in found and not mask & ~(now.waiting | now.finished):
            found[node.level, mask] = _divergence(compiled, now, node, group)
    return tuple(found.values())


def _divergence(
    compiled: CompiledProgram, now: Configuration[Any], node: GroupFunction, group: Sequence[int]
) -> Finding:
    """Which members of a group wait where, and which have finished; with one site for each."""
    waiting: dict[Hashable, list[int]] = {}
    finished = [member for member in group if now.is_finished(member)]
    for member in group:
        if now.waiting >> member & 1:
            waiting.setdefault(dynamic_instance(compiled, now, member), []).append(member)
    here, *elsewhere = waiting.values()
    said = [f"{_some(compiled, here, 'waits', 'wait')} there"]
    for those in elsewhere[:_MOST_PLACES]:
        where = compiled.instruction(now, those[0])
        said.append(f"{_some(compiled, those, 'waits', 'wait')} at {_group_function(where)}")
    if len(elsewhere) > _MOST_PLACES:
        said.append(f"others wait at {len(elsewhere) - _MOST_PLACES} more places")
    if finished:
        said.append(_some(compiled, finished, "has finished", "have finished"))
    kind = "work-group" if node.level is Level.WORK_GROUP else "sub-group"
    why = f"not all {len(group)} work-items of the {kind} execute {_group_function(node)}: {', '.join(said)}"
    first = [those[0] for those in (here, *elsewhere[:_MOST_PLACES], finished) if those]
    return Finding("barrier-divergence", "BAR-DIV", why, tuple(compiled.site(t, now.counters[t]) for t in first))


def _some(compiled: CompiledProgram, threads: Sequence[int], one: str, several: str) -> str:
    """Threads as the subject of a clause: `P1 waits`, `P1 and P2 wait`, `P1 and 7 others wait`."""
    name = compiled.threads[threads[0]].name
    match len(threads):
        case 1:
            return f"{name} {one}"
        case 2:
            return f"{name} and {compiled.threads[threads[1]].name} {several}"
        case many:
            return f"{name} and {many - 1} others {several}"


def _group_function(node: Instruction) -> str:
    """A barrier or collective function by its call site: `barrier #2`, `all#1`."""
    assert isinstance(node, (Barrier, Collective))
    return f"barrier {node.site}" if isinstance(node, Barrier) else node.site
