"""Calls to code: each atomic operation is one instruction, and so is each collective function."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from mcm.machine.builder import as_bits, slot_value
from mcm.machine.code import Collective, CompareExchange, Store, Update
from mcm.machine.copy_code import await_copies, copy
from mcm.machine.host_operations import host_call
from mcm.machine.operand_order import arguments, operand_pair
from mcm.program import instruction as hir
from mcm.program.operators import OPERATOR_OF_UPDATE, CollectiveOperator, UpdateOperator
from mcm.program.topology import HostThread
from mcm.program.types import Order
from mcm.program.value_arithmetic import apply_binary, apply_unary, bits_operator, is_true

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.machine.builder import CodeBuilder
    from mcm.machine.code import Operand
    from mcm.machine.lvalues import Lvalues
    from mcm.machine.operand_order import Evaluate
    from mcm.program.types import Value

Call = (
    hir.AtomicLoad
    | hir.AtomicStore
    | hir.AtomicInit
    | hir.AtomicUpdate
    | hir.CompareExchange
    | hir.LegacyCompareExchange
    | hir.Collective
    | hir.AsyncCopy
    | hir.AwaitCopies
    | hir.PipeAction
    | hir.HostCall
)


class Operations:
    """Compiles calls. `evaluate` compiles their arguments, which are evaluated before the operation begins."""

    def __init__(self, code: CodeBuilder, lvalues: Lvalues, evaluate: Evaluate) -> None:
        self._code = code
        self._lvalues = lvalues
        self._evaluate = evaluate

    def call(self, node: Call) -> Operand:
        """The value of a call."""
        code = self._code
        match node:
            case hir.AboutCommands():
                return host_call(code, self._evaluate, node)
            case hir.PipeAction():
                return self._pipe(node)
            case hir.AtomicLoad(address, order, scope, _):
                return code.load(self._evaluate(address), order, scope, node.span)
            case hir.AtomicStore(address, value_node, order, scope, _):
                pointer, value = operand_pair(code, self._evaluate, address, value_node)
                code.emit(Store(pointer, value, order, scope, node.span, is_call=True))
                return value
            case hir.AtomicInit(address, value_node, _):
                pointer, value = operand_pair(code, self._evaluate, address, value_node)
                code.emit(Store(pointer, value, None, None, node.span, is_call=True))
                return value
            case hir.AtomicUpdate(_, address, operand_node, order, scope):
                pointer, operand = operand_pair(code, self._evaluate, address, operand_node)
                target = code.slot()
                code.emit(Update(target, pointer, operand, _combination(node), order, scope, node.span))
                return slot_value(target)
            case hir.CompareExchange():
                return self._compare_exchange(node)
            case hir.LegacyCompareExchange(address, expected_node, desired_node, scope, _):
                pointer, expected, desired = arguments(code, self._evaluate, (address, expected_node, desired_node))
                succeeded, found = code.slot(), code.slot()
                code.emit(
                    CompareExchange(
                        succeeded=succeeded,
                        found=found,
                        address=pointer,
                        expected=expected,
                        desired=desired,
                        success=Order.RELAXED,
                        failure=Order.RELAXED,
                        scope=scope,
                        weak=False,
                        span=node.span,
                    )
                )
                return slot_value(found)
            case hir.Collective():
                return self._collective(node)
            case hir.AsyncCopy():
                return copy(code, self._evaluate, node)
            case hir.AwaitCopies():
                return await_copies(code, self._evaluate, node)
            case _:
                assert_never(node)

    def _pipe(self, node: hir.PipeAction) -> Operand:
        # Imported here: most programs have no pipes.
        from mcm.machine.pipe_code import PipeCode  # noqa: PLC0415

        return PipeCode(self._code, self._lvalues, self._evaluate).call(node)

    def _compare_exchange(self, node: hir.CompareExchange) -> Operand:
        """C11 form: a failure writes the value found to the lvalue of the expected value."""
        code, place = self._code, node.expected
        (pointer, desired), where = self._lvalues.arguments((node.address, node.desired), place)
        if isinstance(place, hir.RegisterPlace):
            expected = self._lvalues.read(place)
        else:
            assert where is not None, "it has an index or an address"
            if isinstance(place, hir.ElementPlace):
                expected = code.element(place, where, code.slot(), writes=False)
            else:
                expected = code.load(where, None, None, place.span)
        succeeded, found = code.slot(), code.slot()
        written = slot_value(found)
        if node.seen is not None:
            expected = as_bits(expected, node.seen, node.object_type)
            written = as_bits(written, node.object_type, node.seen)
        code.emit(
            CompareExchange(
                succeeded,
                found,
                pointer,
                expected,
                desired,
                node.success,
                node.failure,
                node.scope,
                node.weak,
                node.span,
            )
        )
        code.branch(
            slot_value(succeeded),
            lambda: None,
            lambda: self._lvalues.write_back(place, where, written, place.span),
        )
        return slot_value(succeeded)

    def _collective(self, node: hir.Collective) -> Operand:
        code = self._code
        given = (node.operand,) if node.lane is None else (node.operand, node.lane)
        operand, *lanes = map(code.held, arguments(code, self._evaluate, given))
        lane = lanes[0] if lanes else None
        if isinstance(code.thread.placement, HostThread):
            return operand
        if node.operator is CollectiveOperator.DETERMINED:
            # 0 stands for what nothing determines.
            assert lane is not None
            return _where(lane, operand)
        target, iterations = code.slot(), code.iterations
        code.emit(
            Collective(
                target,
                node.operator,
                node.level,
                operand,
                lane,
                node.type,
                node.site,
                iterations,
                node.span,
                node.of_active,
                node.cluster,
            )
        )
        return slot_value(target)


def _where(condition: Operand, value: Operand) -> Operand:
    """A value where a condition holds; else 0."""
    return lambda slots: value(slots) if is_true(condition(slots)) else 0


def _combination(node: hir.AtomicUpdate) -> Callable[[Value, Value], Value]:
    """The function from the old value and the operand to the value that an update writes."""
    operator, type_, seen = node.operator, node.type, node.seen
    if operator is UpdateOperator.EXCHANGE:
        return lambda _, operand: operand
    symbol = OPERATOR_OF_UPDATE[operator]
    if seen is None:
        return lambda old, operand: apply_binary(symbol, old, operand, type_)

    to, back = bits_operator(type_, seen), bits_operator(seen, type_)

    def combined(old: Value, operand: Value) -> Value:
        return apply_unary(back, apply_binary(symbol, apply_unary(to, old, seen), operand, seen), type_)

    return combined
