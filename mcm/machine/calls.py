"""Calls to code: atomic operations, each one instruction, and group functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, assert_never

from mcm.execution.evaluate import apply_binary
from mcm.machine.code import Collective, CompareExchange, Store, Update
from mcm.machine.expressions import Call, Expressions, slot_value
from mcm.program import instruction as hir
from mcm.program.topology import HostThread
from mcm.program.types import Order

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.machine.code import Operand
    from mcm.program.types import Type, Value

_UPDATES: Final[dict[hir.UpdateOperator, str]] = {
    hir.UpdateOperator.ADD: "+",
    hir.UpdateOperator.SUB: "-",
    hir.UpdateOperator.OR: "|",
    hir.UpdateOperator.XOR: "^",
    hir.UpdateOperator.AND: "&",
    hir.UpdateOperator.MIN: "min",
    hir.UpdateOperator.MAX: "max",
}


class Calls(Expressions):
    """Compiles operations. Their arguments are complete before they begin."""

    def call(self, node: Call) -> Operand:
        """The value of an operation."""
        match node:
            case hir.AtomicLoad(address):
                return self.load(self.expression(address), node, node.span)
            case hir.AtomicStore(address, value_node, order, scope, _):
                where, value = self.pair(address, value_node)
                self.emit(Store(where, value, order, scope, node.span, is_call=True))
                return value
            case hir.AtomicInit(address, value_node, _):
                where, value = self.pair(address, value_node)
                self.emit(Store(where, value, None, None, node.span, is_call=True))
                return value
            case hir.AtomicUpdate(operator, address, operand_node, order, scope, type_):
                where, operand = self.pair(address, operand_node)
                target = self.slot()
                self.emit(Update(target, where, operand, _combination(operator, type_), order, scope, node.span))
                return slot_value(target)
            case hir.CompareExchange():
                return self._compare_exchange(node)
            case hir.LegacyCompareExchange(address, expected_node, desired_node):
                where, desired = self.pair(address, desired_node)
                expected = self.expression(expected_node)
                return slot_value(self._attempt(where, expected, desired, node)[1])
            case hir.Collective():
                return self._collective(node)
            case _:
                assert_never(node)

    def _compare_exchange(self, node: hir.CompareExchange) -> Operand:
        """C11 form: a failure writes what was found to the place of the expected value."""
        where, desired = self.pair(node.address, node.desired)
        place = node.expected
        index: Operand | None = None
        match place:
            case hir.RegisterPlace():
                expected = self.read(place)
            case hir.ElementPlace(_, _, inner, _):
                index = self.held(self.expression(inner))
                expected = self.element(place, index, self.slot(), writes=False)
            case hir.MemoryPlace(address, _):
                index = self.held(self.expression(address))
                expected = self.load(index, None, place.span)
            case _:
                assert_never(place)
        succeeded, found = self._attempt(where, expected, desired, node)
        self.choose(
            slot_value(succeeded),
            lambda: None,
            lambda: self.write_back(place, index, slot_value(found), place.span),
        )
        return slot_value(succeeded)

    def _attempt(
        self,
        where: Operand,
        expected: Operand,
        desired: Operand,
        node: hir.CompareExchange | hir.LegacyCompareExchange,
    ) -> tuple[int, int]:
        """The slots of success and of the value found."""
        succeeded, found = self.slot(), self.slot()
        success, failure, weak = Order.RELAXED, Order.RELAXED, False
        if isinstance(node, hir.CompareExchange):
            success, failure, weak = node.success, node.failure, node.weak
        self.emit(
            CompareExchange(succeeded, found, where, expected, desired, success, failure, node.scope, weak, node.span)
        )
        return succeeded, found

    def _collective(self, node: hir.Collective) -> Operand:
        operand = self.held(self.expression(node.operand))
        lane = None if node.lane is None else self.held(self.expression(node.lane))
        if isinstance(self.thread.placement, HostThread):
            return operand
        target, counters = self.slot(), tuple(self.counters)
        self.emit(Collective(target, node.operator, node.level, operand, lane, node.site, counters, node.span))
        return slot_value(target)


def _combination(operator: hir.UpdateOperator, type_: Type) -> Callable[[Value, Value], Value]:
    """What an update writes, from the old value and its operand."""
    if operator is hir.UpdateOperator.EXCHANGE:
        return lambda _, operand: operand
    symbol = _UPDATES[operator]
    return lambda old, operand: apply_binary(symbol, old, operand, type_)
