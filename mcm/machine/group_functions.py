"""Barriers and collective functions: which calls belong together, their results, and divergence."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

from mcm.base.bits import listed
from mcm.machine.code import AwaitCopies, Barrier, Branch, ChooseOrder, Collective, GroupFunction, Jump, Stop
from mcm.machine.finding import Finding
from mcm.program.collectives import EXCLUSIVE_SCANS, INCLUSIVE_SCANS, REDUCTIONS, identity
from mcm.program.operators import RELATIVE_SHUFFLES, SAME_FOR_ALL, SHUFFLES, CollectiveOperator, Level
from mcm.program.value_arithmetic import apply_binary, is_true

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from mcm.machine.code import Instruction
    from mcm.machine.compiled import CompiledProgram
    from mcm.machine.configuration import Configuration
    from mcm.program.types import Type, Value

# A finding names at most so many other places at which threads of the group wait, and counts the rest.
_MOST_PLACES: Final = 3


def dynamic_instance(compiled: CompiledProgram, now: Configuration[Any], thread: int) -> Hashable:
    """The dynamic instance at which a thread waits: kind, call site, and the iterations of the loops around it."""
    node = compiled.instruction(now, thread)
    assert isinstance(node, GroupFunction)
    iterations = tuple(now.slots[thread][counter] for counter in node.iterations)
    return type(node).__name__, node.level, node.site, iterations


def collective_results(compiled: CompiledProgram, now: Configuration[Any], group: Sequence[int]) -> list[Value]:
    """COLL-1: the result of a group function for each member of the group; 0 for a barrier."""
    nodes: list[Collective] = []
    operands = []
    for member in group:
        node = compiled.instruction(now, member)
        if not isinstance(node, Collective):
            return [0] * len(group)
        nodes.append(node)
        operands.append(node.operand(now.slots[member]))
    combined: dict[tuple[CollectiveOperator, Type], list[Value]] = {}
    results = []
    for rank, node in enumerate(nodes):
        if node.operator is CollectiveOperator.BROADCAST or node.operator in SHUFFLES:
            asking = group[rank] if node.operator in SHUFFLES else group[0]
            results.append(_taken(compiled, now, asking, operands))
            continue
        called = node.operator, node.type
        if called not in combined:
            combined[called] = _combined(node.operator, operands, node.type)
        results.append(combined[called][rank])
    return results


def _combined(operator: CollectiveOperator, operands: Sequence[Value], type_: Type) -> list[Value]:
    """The results for the members of a group, in order, of a function of the operands of several."""
    match operator:
        case CollectiveOperator.ALL:
            return [int(all(map(is_true, operands)))] * len(operands)
        case CollectiveOperator.ANY:
            return [int(any(map(is_true, operands)))] * len(operands)
    if operator in REDUCTIONS:
        return [_accumulated(REDUCTIONS[operator], operands, type_)[-1]] * len(operands)
    if operator in INCLUSIVE_SCANS:
        return _accumulated(INCLUSIVE_SCANS[operator], operands, type_)
    symbol = EXCLUSIVE_SCANS[operator]
    return [identity(symbol, type_), *_accumulated(symbol, operands[:-1], type_)]


def _taken(compiled: CompiledProgram, now: Configuration[Any], asking: int, operands: Sequence[Value]) -> Value:
    """The operand of the member that another one names; 0 where there is none."""
    node = compiled.instruction(now, asking)
    assert isinstance(node, Collective)
    lane = 0 if node.lane is None else node.lane(now.slots[asking])
    return operands[lane] if isinstance(lane, int) and 0 <= lane < len(operands) else 0


def missing_lanes(compiled: CompiledProgram, now: Configuration[Any], group: Sequence[int]) -> Iterator[Finding]:
    """MEM-BOUNDS: members that ask for the operand of a work-item that does not exist."""
    for member in group:
        node = compiled.instruction(now, member)
        # What a shuffle brings from outside the sub-group is no fault; 0 stands for it.
        is_asked = isinstance(node, Collective) and not node.of_active and node.operator not in RELATIVE_SHUFFLES
        if isinstance(node, Collective) and is_asked and node.lane is not None:
            lane = node.lane(now.slots[member])
            if not (isinstance(lane, int) and 0 <= lane < len(group)):
                why = f"there is no such work-item in the {_named(node.level)}, which has {len(group)}"
                yield Finding("out-of-bounds", "MEM-BOUNDS", why, (compiled.site(member, now.counters[member]),))


def different_lanes(compiled: CompiledProgram, now: Configuration[Any], group: Sequence[int]) -> Iterator[Finding]:
    """BAR-DIV: members of a group that broadcast from different work-items, or pass others of what is one for all."""
    nodes = [compiled.instruction(now, member) for member in group]
    lanes = {
        node.lane(now.slots[member])
        for member, node in zip(group, nodes, strict=True)
        if isinstance(node, Collective) and node.operator in SAME_FOR_ALL and node.lane is not None
    }
    if len(lanes) > 1 and isinstance(nodes[0], Collective):
        sites = tuple(compiled.site(member, now.counters[member]) for member in group)
        why = f"the work-items name {SAME_FOR_ALL[nodes[0].operator]}"
        yield Finding("barrier-divergence", "BAR-DIV", why, sites)


def _named(level: Level) -> str:
    return "work-group" if level is Level.WORK_GROUP else "sub-group"


def _accumulated(symbol: str, operands: Sequence[Value], type_: Type) -> list[Value]:
    """What an operator makes of the first operand, of the first two, and so on."""
    return list(accumulate(operands, lambda found, operand: apply_binary(symbol, found, operand, type_)))


def barrier_divergence(compiled: CompiledProgram, now: Configuration[Any]) -> tuple[Finding, ...]:
    """BAR-DIV: one finding for each group in which some threads wait for others that can no longer come.

    Threads that wait for each other at different calls, each of which the others might still come to, are blocked, but
    have not diverged.
    """
    found: dict[tuple[Level, int], Finding] = {}
    for thread in listed(now.waiting):
        node = compiled.instruction(now, thread)
        if not isinstance(node, GroupFunction) or (isinstance(node, Collective) and node.of_active):
            # It waits for commands, or until no more can come.
            continue
        group, mask = compiled.group(thread, node.level)
        if (node.level, mask) not in found and any(_has_missed(compiled, now, other, thread) for other in group):
            found[node.level, mask] = _divergence(compiled, now, thread, node, group)
    return tuple(found.values())


def _has_missed(compiled: CompiledProgram, now: Configuration[Any], thread: int, waiting: int) -> bool:
    """Whether a thread can no longer come to the call at which another one waits."""
    if now.is_finished(thread):
        return True
    if not now.is_waiting(thread) or dynamic_instance(compiled, now, thread) == dynamic_instance(
        compiled, now, waiting
    ):
        return False
    node = compiled.instruction(now, waiting)
    assert isinstance(node, GroupFunction)
    calls = [call for call in _calls_after(compiled, thread, now.counters[thread]) if call.site == node.site]
    # The iterations of an inner loop begin anew in each iteration of the outer one.
    outermost = [now.slots[waiting][slot] for slot in node.iterations[:1]]
    return not any([now.slots[thread][slot] for slot in call.iterations[:1]] <= outermost for call in calls)


def _calls_after(compiled: CompiledProgram, thread: int, counter: int) -> list[GroupFunction]:
    """The group functions that a thread may call after an instruction, whatever it reads."""
    code = compiled.threads[thread].instructions
    found: list[GroupFunction] = []
    seen: set[int] = set()
    to_visit = [counter + 1]
    while to_visit:
        counter = to_visit.pop()
        if counter in seen:
            continue
        seen.add(counter)
        match code[counter]:
            case Stop():
                continue
            case Jump(to):
                to_visit.append(to)
            case Branch(_, otherwise):
                to_visit += [counter + 1, otherwise]
            case ChooseOrder(first, second):
                to_visit += [first, second]
            case Barrier() | Collective() | AwaitCopies() as call:
                found.append(call)
                to_visit.append(counter + 1)
            case _:
                to_visit.append(counter + 1)
    return found


def _divergence(
    compiled: CompiledProgram, now: Configuration[Any], thread: int, node: GroupFunction, group: Sequence[int]
) -> Finding:
    """Which members of a group wait where, beginning with where a thread waits, and which have finished."""
    waiting: dict[Hashable, list[int]] = {dynamic_instance(compiled, now, thread): []}
    finished = [member for member in group if now.is_finished(member)]
    for member in group:
        if now.is_waiting(member):
            waiting.setdefault(dynamic_instance(compiled, now, member), []).append(member)
    here, *elsewhere = waiting.values()
    said = [f"{_some(compiled, here, 'waits', 'wait')} there"]
    for those in elsewhere[:_MOST_PLACES]:
        where = compiled.instruction(now, those[0])
        said.append(f"{_some(compiled, those, 'waits', 'wait')} at {_group_function(where, node.level)}")
    if len(elsewhere) > _MOST_PLACES:
        said.append(f"others wait at {len(elsewhere) - _MOST_PLACES} more places")
    if finished:
        said.append(_some(compiled, finished, "has finished", "have finished"))
    everybody = f"all {len(group)} work-items of the {_named(node.level)}"
    why = f"not {everybody} execute {_group_function(node)}: {', '.join(said)}"
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


def _group_function(node: Instruction, beside: Level | None = None) -> str:
    """A barrier or collective function by its call site: `barrier #2`, `all#1`.

    Those of work-groups and of sub-groups are counted apart: one of another kind than the one `beside` it says so.
    """
    assert isinstance(node, GroupFunction)
    name = f"barrier {node.site}" if isinstance(node, Barrier) else node.site
    return name if beside in {None, node.level} else f"{name} of a {_named(node.level)}"
