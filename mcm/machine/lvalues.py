"""Reading and writing what an lvalue designates: a private variable, an array element, a memory object."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from mcm.machine.builder import as_bits, binary, constant, is_copied, slot_value, unary
from mcm.machine.code import Compute, Load, Store
from mcm.machine.operand_order import arguments, assigned_pair, is_there_once, operates
from mcm.program import instruction as hir
from mcm.program.types import Scalar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.base.source import Span
    from mcm.machine.builder import CodeBuilder
    from mcm.machine.code import Operand
    from mcm.machine.operand_order import Evaluate
    from mcm.program.types import Type


class Lvalues:
    """Compiles plain accesses; `evaluate` compiles the expressions inside an lvalue."""

    def __init__(self, code: CodeBuilder, evaluate: Evaluate) -> None:
        self._code = code
        self._evaluate = evaluate

    def address(self, place: hir.RegisterPlace | hir.ElementPlace, type_: Type) -> Operand:
        """The address of a private variable."""
        if isinstance(place, hir.RegisterPlace):
            return self._code.pointer(place.register)
        return binary("+", self._code.pointer(place.array), self._evaluate(place.index), type_)

    def read(self, place: hir.Place) -> Operand:
        """The value of an lvalue."""
        code = self._code
        match place:
            case hir.RegisterPlace(register, _):
                code.require_value(register, place.span)
                self._record_private(place, place, None, place.span)
                return slot_value(code.registers[register])
            case hir.ElementPlace(_, _, index, _):
                number = self._evaluate(index)
                self._record_private(place, place, number, place.span)
                return code.element(place, number, code.slot(), writes=False)
            case hir.MemoryPlace(address, _):
                pointer = self._evaluate(address)
                code.record_access(place, pointer, place.span)
                return code.load(pointer, None, None, place.span)
            case _:
                assert_never(place)

    def assign(self, node: hir.Assign) -> Operand:
        """`lvalue = value`; its value is the one that is assigned."""
        code, place = self._code, node.place
        if isinstance(node.value, hir.Read) and is_copied(node.value):
            return self._copy(node, node.value.place)
        match place:
            case hir.RegisterPlace(register, _):
                value = code.held(self._evaluate(node.value))
                self._record_private(node, place, None, node.span)
                code.assign(register, value)
                return value
            case hir.ElementPlace(_, _, index, _):
                number, value = assigned_pair(code, self._evaluate, index, node.value)
                target = code.slot()
                code.emit(Compute(target, value))
                self._record_private(node, place, number, node.span)
                return code.element(place, number, target, writes=True)
            case hir.MemoryPlace(address, _):
                pointer, value = assigned_pair(code, self._evaluate, address, node.value)
                value = code.held(value)
                code.record_access(node, pointer, node.span)
                code.emit(Store(pointer, value, None, None, node.span))
                return value
            case _:
                assert_never(place)

    def copied(self, place: hir.Place) -> tuple[Operand, Operand | None]:
        """What a member of a structure that is copied holds, and whether that is a value; None if it always is."""
        code = self._code
        match place:
            case hir.RegisterPlace(register, _):
                is_value = code.is_defined(register)
                self._record_private(place, place, None, place.span)
                return code.held(slot_value(code.registers[register])), is_value
            case hir.ElementPlace(_, _, index, _):
                number, found = self._evaluate(index), code.slot()
                self._record_private(place, place, number, place.span)
                return code.element(place, number, code.slot(), writes=False, found=found), slot_value(found)
            case hir.MemoryPlace(address, _):
                pointer, found = self._evaluate(address), code.slot()
                code.record_access(place, pointer, place.span)
                return code.load(pointer, None, None, place.span, found), slot_value(found)
            case _:
                assert_never(place)

    def _copy(self, node: hir.Assign, source: hir.Place) -> Operand:
        """The assignment of a member of a structure, which may have no value."""
        code, place = self._code, node.place
        slot = code.slot()
        is_value = slot_value(slot)

        def evaluate(part: hir.Expression) -> Operand:
            if part is not node.value:
                return self._evaluate(part)
            value, found = self.copied(source)
            code.emit(Compute(slot, found or constant(1)))
            return value

        match place:
            case hir.RegisterPlace(register, _):
                value = code.held(evaluate(node.value))
                self._record_private(node, place, None, node.span)
                code.assign(register, value, is_value)
            case hir.ElementPlace(_, _, index, _):
                number, value = assigned_pair(code, evaluate, index, node.value)
                target = code.slot()
                code.emit(Compute(target, value))
                self._record_private(node, place, number, node.span)
                code.element(place, number, target, writes=True, is_value=is_value)
            case hir.MemoryPlace(address, _):
                pointer, value = assigned_pair(code, evaluate, address, node.value)
                value = code.held(value)
                code.record_access(node, pointer, node.span)
                code.emit(Store(pointer, value, None, None, node.span, defined=is_value))
            case _:
                assert_never(place)
        return value

    def modify(self, node: hir.Modify) -> Operand:
        """Compound assignment, increment and decrement: the lvalue is evaluated once."""
        code, place = self._code, node.place
        where: Operand | None = None
        match place:
            case hir.RegisterPlace():
                operand = self._evaluate(node.value)
                old = code.held(self.read(place))
            case hir.ElementPlace(_, _, index, _):
                where, operand = assigned_pair(code, self._evaluate, index, node.value)
                where = code.held(where)
                self._record_private(place, place, where, place.span)
                old = code.element(place, where, code.slot(), writes=False)
            case hir.MemoryPlace(address, _):
                operand, where, old = self._load_and_operand(address, node)
            case _:
                assert_never(place)
        if node.seen is not None:
            old = code.held(as_bits(old, place.type, node.seen))
        left = unary("convert", old, node.operands)
        right = unary("convert", operand, node.operands)
        code.check_divisor(node, left, right)
        new = code.held(unary("convert", binary(node.operator, left, right, node.operands), node.type))
        written = new if node.seen is None else as_bits(new, node.seen, place.type)
        if isinstance(place, hir.MemoryPlace):
            assert where is not None
            code.record_access(node, where, node.span)
        else:
            self._record_private(node, place, where, node.span)
        self.write_back(place, where, written, node.span)
        return old if node.returns_old else new

    def _load_and_operand(self, address: hir.Expression, node: hir.Modify) -> tuple[Operand, Operand, Operand]:
        """Operand, address and old value of `*address op= operand`; the load may come before or after the operand.

        In some languages the operand comes first.
        """
        code = self._code
        pointer, old, operand = code.slot(), code.slot(), code.slot()

        def load() -> None:
            code.emit(Compute(pointer, self._evaluate(address)))
            code.record_access(node.place, slot_value(pointer), node.place.span)
            code.emit(Load(old, slot_value(pointer), None, None, node.place.span))

        def evaluate_operand() -> None:
            code.emit(Compute(operand, self._evaluate(node.value)))

        if operates(node.value) and not code.dialect.orders_assignments:
            if is_there_once(address, node.value):
                begun = code.begin_in_either_order()
                load()
                leave = code.go_on_in_either_order(begun)
                evaluate_operand()
                code.end_in_either_order(begun, leave)
            else:
                code.any_order(load, evaluate_operand)
        else:
            evaluate_operand()
            load()
        return slot_value(operand), slot_value(pointer), slot_value(old)

    def arguments(
        self, nodes: Sequence[hir.Expression], place: hir.Place | None
    ) -> tuple[list[Operand], Operand | None]:
        """The arguments of a call, and the index or address of the lvalue that it is passed a pointer to.

        The latter is None for a private variable, and where there is no such lvalue.
        """
        match place:
            case None | hir.RegisterPlace():
                return arguments(self._code, self._evaluate, nodes), None
            case hir.ElementPlace(_, _, where, _) | hir.MemoryPlace(where, _):
                *others, last = arguments(self._code, self._evaluate, (*nodes, where))
                return others, self._code.held(last)
            case _:
                assert_never(place)

    def write_back(self, place: hir.Place, where: Operand | None, new: Operand, span: Span) -> None:
        """Assign to an lvalue that has been read; `where` is its index or address, None for a private variable."""
        code = self._code
        match place:
            case hir.RegisterPlace(register, _):
                code.assign(register, new)
            case hir.ElementPlace():
                assert where is not None
                target = code.slot()
                code.emit(Compute(target, new))
                code.element(place, where, target, writes=True)
            case hir.MemoryPlace():
                assert where is not None
                code.emit(Store(where, new, None, None, span))
            case _:
                assert_never(place)

    def _record_private(
        self,
        node: hir.Place | hir.Assign | hir.Modify,
        place: hir.RegisterPlace | hir.ElementPlace,
        index: Operand | None,
        span: Span,
    ) -> None:
        """Record the access of a private variable that comes next; `index` is that of an element."""
        if isinstance(place, hir.RegisterPlace):
            self._code.record_access(node, self._code.pointer(place.register), span)
        else:
            assert index is not None
            base = self._code.pointer(place.array)
            self._code.record_access(node, binary("+", base, index, Scalar.LONG), span)
