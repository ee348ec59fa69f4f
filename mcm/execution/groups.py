"""What concerns a whole group: barrier divergence (BAR-DIV) and the results of group functions (COLL-1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from mcm.execution.algebra import FALSE, binary, conjunction, disjunction, negation, select, truth, unary
from mcm.execution.expression import BinaryValue, Choice, Constant, ReadValue, Select, UnaryValue
from mcm.execution.skeleton import Fault
from mcm.program.instruction import CollectiveOperator, Level
from mcm.program.topology import WorkItem
from mcm.program.types import Scalar

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcm.execution.event import BarrierInstance
    from mcm.execution.expression import Expression
    from mcm.execution.shared import Arrival, Shared
    from mcm.program.program import Program, Thread


def group_members(program: Program, instance: BarrierInstance) -> tuple[Thread, ...]:
    """The threads that an instance needs."""
    found = []
    for thread in program.threads:
        place = thread.placement
        if isinstance(place, WorkItem):
            key = place.work_group if instance.level is Level.WORK_GROUP else place.sub_group
            if key == instance.group:
                found.append(thread)
    return tuple(found)


def divergence(shared: Shared) -> list[Fault]:
    """BAR-DIV: all or none of a group reach an instance, and with the same flags and scope."""
    faults = []
    for instance, arrivals in shared.arrivals.items():
        reached = {a.thread: a for a in arrivals}
        somebody = disjunction(*(a.guard for a in arrivals))
        for thread in group_members(shared.program, instance):
            here = reached[thread.index].guard if thread.index in reached else FALSE
            missing = conjunction(somebody, negation(here))
            if missing is not FALSE:
                faults.append(_divergence(missing, f"{thread.name} does not reach it", instance, arrivals))
        first = arrivals[0]
        for other in arrivals[1:]:
            if (other.flags, other.scope) != (first.flags, first.scope):
                both = conjunction(first.guard, other.guard)
                faults.append(_divergence(both, "it is called with different flags or scopes", instance, arrivals))
    return faults


def _divergence(condition: Expression, reason: str, instance: BarrierInstance, arrivals: list[Arrival]) -> Fault:
    group = "work-group" if instance.level is Level.WORK_GROUP else "sub-group"
    times = f", iteration {', '.join(str(i + 1) for i in instance.iteration)}" if instance.iteration else ""
    why = f"not all work-items of the {group} execute barrier {instance.site}{times}: {reason}"
    return Fault("barrier-divergence", "BAR-DIV", condition, why, (), tuple(a.span for a in arrivals))


def results(shared: Shared) -> dict[int, Expression]:
    """What each placeholder of a group function stands for."""
    direct = {
        placeholder: _combined(operator, instance, shared)
        for placeholder, (instance, operator) in shared.collected.items()
    }
    # An operand may itself depend on an earlier group function: at most as often as there are group functions.
    for _ in direct:
        direct = {placeholder: substitute(expression, direct) for placeholder, expression in direct.items()}
    return direct


def _combined(operator: CollectiveOperator, instance: BarrierInstance, shared: Shared) -> Expression:
    arrivals = shared.arrivals[instance]
    operands = [a.operand for a in arrivals if a.operand is not None]
    match operator:
        case CollectiveOperator.ALL:
            return conjunction(*(truth(operand) for operand in operands))
        case CollectiveOperator.ANY:
            return disjunction(*(truth(operand) for operand in operands))
        case CollectiveOperator.BROADCAST:
            lane = arrivals[0].lane
            result: Expression = Constant(0)
            for rank, thread in enumerate(group_members(shared.program, instance)):
                for arrival in arrivals:
                    if arrival.thread == thread.index and arrival.operand is not None and lane is not None:
                        result = select(binary("==", lane, Constant(rank), Scalar.INT), arrival.operand, result)
            return result
        case _:
            assert_never(operator)


def substitute(expression: Expression, results: Mapping[int, Expression]) -> Expression:
    """The expression with the placeholders of group functions replaced by what they stand for."""
    match expression:
        case ReadValue(event):
            return results.get(event, expression) if event < 0 else expression
        case UnaryValue(symbol, operand, type_):
            inner = substitute(operand, results)
            return negation(inner) if symbol == "!" else unary(symbol, inner, type_)
        case BinaryValue(symbol, left, right, type_):
            return binary(symbol, substitute(left, results), substitute(right, results), type_)
        case Select(condition, then, otherwise):
            return select(
                truth(substitute(condition, results)), substitute(then, results), substitute(otherwise, results)
            )
        case Constant() | Choice():
            return expression
