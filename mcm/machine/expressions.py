"""Expressions to code: a pure expression becomes a closure, each operation on memory an instruction before it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.machine.builder import binary, constant, conversion, is_copied, slot_value, unary
from mcm.machine.code import Compute
from mcm.machine.lvalues import Lvalues
from mcm.machine.operand_order import operand_pair
from mcm.machine.operations import Operations
from mcm.machine.sequencing import Sequencing
from mcm.program import instruction as hir
from mcm.program.operators import SHIFTS
from mcm.program.types import Location, RegisterPointer
from mcm.program.value_arithmetic import is_true

if TYPE_CHECKING:
    from mcm.machine.builder import CodeBuilder
    from mcm.machine.code import Operand, Slots
    from mcm.program.types import Value


class Expressions:
    """Compiles expressions: emits what they do, and returns the operands that have their values."""

    def __init__(self, code: CodeBuilder) -> None:
        self._code = code
        self._sequencing = Sequencing(code.thread, code.dialect)
        self._lvalues = Lvalues(code, self.evaluate)
        self._operations = Operations(code, self._lvalues, self.evaluate)

    def full(self, node: hir.Expression) -> Operand:
        """The value of a full expression, with a check of the accesses in it that are not sequenced."""
        conflicts = self._sequencing.conflicts(node)
        if not conflicts:
            return self.evaluate(node)
        return self._code.check_unsequenced(conflicts, lambda: self.evaluate(node))

    def initial(self, node: hir.Expression) -> tuple[Operand, Operand | None]:
        """What a variable begins with, a full expression, and whether that is a value; None if it always is."""
        if isinstance(node, hir.Read) and is_copied(node):
            return self._lvalues.copied(node.place)
        return self.full(node), None

    def evaluate(self, node: hir.Expression) -> Operand:
        """The value of an expression."""
        match node:
            case hir.Literal(value, _):
                slot = self._code.varying.get(id(node))
                return constant(value) if slot is None else slot_value(slot)
            case hir.Read(place, _):
                return self._lvalues.read(place)
            case hir.AddressOfRegister(place, type_):
                return self._lvalues.address(place, type_)
            case hir.Unary(operator, operand, type_):
                return unary(operator, self.evaluate(operand), type_)
            case hir.Binary():
                return self._binary(node)
            case hir.Logical():
                return self._logical(node)
            case hir.Conditional():
                return self._conditional(node)
            case hir.Sequence(left, right, _):
                self.evaluate(left)
                return self.evaluate(right)
            case hir.Convert(operand, type_):
                return conversion(self.evaluate(operand), operand.type, type_)
            case hir.InRegion(operand, objects, private, _):
                return _in_region(self.evaluate(operand), objects, private=private)
            case hir.MemberAddress(operand, places):
                return _member_address(self.evaluate(operand), places)
            case hir.Inside(operand):
                index = self.evaluate(operand)
                self._code.check_index(node, index)
                return index
            case hir.Assign():
                return self._lvalues.assign(node)
            case hir.Modify():
                return self._lvalues.modify(node)
            case _:
                return self._operations.call(node)

    def _binary(self, node: hir.Binary) -> Operand:
        if node.operator in SHIFTS and self._code.dialect.orders_shifts:
            left, right = self._code.held(self.evaluate(node.left)), self.evaluate(node.right)
        else:
            left, right = operand_pair(self._code, self.evaluate, node.left, node.right)
        self._code.check_divisor(node, left, right)
        self._code.check_order(node, left, right)
        return binary(node.operator, left, right, node.operands)

    # Expressions may be nested deeply: code within code is compiled without functions within functions.

    def _conditional(self, node: hir.Conditional) -> Operand:
        code, result = self._code, self._code.slot()
        condition = self.evaluate(node.condition)
        branch = code.begin_alternative(condition)
        code.emit(Compute(result, self.evaluate(node.then)))
        jump = code.begin_otherwise(branch, condition)
        code.emit(Compute(result, self.evaluate(node.otherwise)))
        code.end_alternatives(jump)
        return slot_value(result)

    def _logical(self, node: hir.Logical) -> Operand:
        """`&&` and `||`: the right side is evaluated only where the left side does not decide."""
        code, result = self._code, self._code.slot()
        left = self.evaluate(node.left)
        decided = int(node.operator == "||")
        goes_on = (lambda slots: int(not is_true(left(slots)))) if decided else left
        branch = code.begin_alternative(goes_on)
        right = self.evaluate(node.right)
        code.emit(Compute(result, lambda slots: int(is_true(right(slots)))))
        jump = code.begin_otherwise(branch, goes_on)
        code.emit(Compute(result, constant(decided)))
        code.end_alternatives(jump)
        return slot_value(result)


def _in_region(pointer: Operand, objects: frozenset[int], *, private: bool) -> Operand:
    """Whether a pointer points at one of some objects, or at a private variable."""

    def value(slots: Slots) -> Value:
        match pointer(slots):
            case Location(number, _):
                return int(number in objects)
            case RegisterPointer():
                return int(private)
            case _:
                return 0

    return value


def _member_address(head: Operand, places: tuple[hir.HeldMembers, ...]) -> Operand:
    """The address of a member of the structure whose head is at an address, or NULL where none is."""
    by_heads = {place.heads: place for place in places}

    def value(slots: Slots) -> Value:
        match head(slots):
            case Location(number) as address if number in by_heads:
                return by_heads[number].of(address)
            case _:
                return 0

    return value
