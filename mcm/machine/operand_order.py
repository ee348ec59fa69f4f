"""The order in which two unsequenced operands are evaluated."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from mcm.machine.builder import slot_value
from mcm.machine.code import Compute
from mcm.program import instruction as hir
from mcm.program.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mcm.machine.builder import CodeBuilder
    from mcm.machine.code import Operand

# Compiles an expression, and returns the operand that has its value.
Evaluate = Callable[[hir.Expression], "Operand"]

_OPERATIONS: Final = (
    hir.AtomicLoad,
    hir.AtomicStore,
    hir.AtomicInit,
    hir.AtomicUpdate,
    hir.CompareExchange,
    hir.LegacyCompareExchange,
    hir.MemoryPlace,
    hir.Collective,
    hir.AsyncCopy,
    hir.AwaitCopies,
    hir.PipeAction,
    hir.AboutCommands,
)


# The code of so few operations may be there several times: it tells in the fewest steps what comes when.
_FEW_OPERATIONS: Final = 4


def operates(node: hir.Written) -> bool:
    """Whether evaluating this accesses memory, or calls a group function or the host API."""
    return any(isinstance(part, _OPERATIONS) for part in walk(node))


def _meets(node: hir.Written) -> bool:
    """Whether evaluating this calls a group function."""
    return any(isinstance(part, hir.Collective | hir.AsyncCopy | hir.AwaitCopies) for part in walk(node))


def is_there_once(*operands: hir.Written) -> bool:
    """Whether code for operands in either order has each of them once, rather than once for each order.

    Else the code of a long sum would double with each term. Where a work-item may still come to a group function is
    told by where its code leads, so that one which the work-item has come to already is not there again.
    """
    return _are_many(operands) and not any(map(_meets, operands))


def _are_many(operands: Iterable[hir.Written]) -> bool:
    number = sum(isinstance(part, _OPERATIONS) for operand in operands for part in walk(operand))
    return number > _FEW_OPERATIONS


def operand_pair(
    code: CodeBuilder, evaluate: Evaluate, left: hir.Expression, right: hir.Expression
) -> tuple[Operand, Operand]:
    """Two operands without a sequence point between them: in either order if both of them operate on memory.

    Private variables do not matter: if one operand changes what the other reads, the program is undefined. Where both
    call group functions, all work-items come to these in the order that the compiler has chosen, which is this one.
    """
    if not operates(right) or not operates(left) or (_meets(left) and _meets(right)):
        return evaluate(left), evaluate(right)
    one, other = code.slot(), code.slot()
    if not _are_many((left, right)):
        code.any_order(
            lambda: _evaluate_into(code, evaluate, one, left),
            lambda: _evaluate_into(code, evaluate, other, right),
        )
    elif _meets(left) or _meets(right):
        meeting, its, beside, of_beside = (left, one, right, other) if _meets(left) else (right, other, left, one)

        def evaluate_beside() -> None:
            _evaluate_into(code, evaluate, of_beside, beside)

        before_or_after = code.begin_before_or_after(evaluate_beside)
        code.emit(Compute(its, evaluate(meeting)))
        code.end_before_or_after(before_or_after, evaluate_beside)
    else:
        # Without functions within functions: expressions may be nested deeply.
        begun = code.begin_in_either_order()
        code.emit(Compute(one, evaluate(left)))
        leave = code.go_on_in_either_order(begun)
        code.emit(Compute(other, evaluate(right)))
        code.end_in_either_order(begun, leave)
    return slot_value(one), slot_value(other)


def arguments(code: CodeBuilder, evaluate: Evaluate, nodes: Sequence[hir.Expression]) -> list[Operand]:
    """The arguments of a call, in any order: of many operations the first argument comes before or after the others."""
    operating = [node for node in nodes if operates(node)]
    if len(operating) <= 1 or sum(map(_meets, operating)) > 1:
        return [evaluate(node) for node in nodes]
    values = [code.slot() if operates(node) else evaluate(node) for node in nodes]
    evaluations = [
        partial(_evaluate_into, code, evaluate, slot, node)
        for node, slot in zip(nodes, values, strict=True)
        if isinstance(slot, int)
    ]
    if is_there_once(*operating):
        begun = []
        for evaluation in evaluations[:-1]:
            order = code.begin_in_either_order()
            evaluation()
            begun.append((order, code.go_on_in_either_order(order)))
        evaluations[-1]()
        for order, leave in reversed(begun):
            code.end_in_either_order(order, leave)
    else:
        code.any_order(*evaluations)
    return [slot_value(value) if isinstance(value, int) else value for value in values]


def assigned_pair(
    code: CodeBuilder, evaluate: Evaluate, where: hir.Expression, value: hir.Expression
) -> tuple[Operand, Operand]:
    """The index or address of an lvalue, and what is assigned to it, which some languages evaluate first."""
    if not code.dialect.orders_assignments:
        return operand_pair(code, evaluate, where, value)
    operand = code.held(evaluate(value))
    return evaluate(where), operand


def _evaluate_into(code: CodeBuilder, evaluate: Evaluate, target: int, node: hir.Expression) -> None:
    code.emit(Compute(target, evaluate(node)))
