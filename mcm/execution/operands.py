"""Symbolic execution of expressions: their values, and how what they do is sequenced."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, assert_never

from mcm.execution.algebra import binary, conjunction, disjunction, negation, select, truth, unary
from mcm.execution.expression import Constant
from mcm.execution.memory import Memory
from mcm.execution.sequencing import NOTHING
from mcm.program import instruction as hir
from mcm.program.types import RegisterPointer, Scalar

if TYPE_CHECKING:
    from mcm.execution.expression import Expression
    from mcm.execution.sequencing import Effects
    from mcm.program.types import Type

Call = (
    hir.AtomicLoad
    | hir.AtomicStore
    | hir.AtomicInit
    | hir.AtomicUpdate
    | hir.CompareExchange
    | hir.LegacyCompareExchange
    | hir.Collective
)


def converted(value: Expression, source: Type, target: Type) -> Expression:
    """A value of one type converted to another; nothing where every value of the first is one of the second."""
    if source == target or not isinstance(source, Scalar) or not isinstance(target, Scalar):
        return value
    fits = source.bits < target.bits if source.signed != target.signed else source.bits <= target.bits
    keeps = fits and (target.signed or not source.signed) and Scalar.FLOAT not in {source, target}
    return value if keeps and target is not Scalar.BOOL else unary("convert", value, target)


class Operands(Memory):
    """Evaluates expressions."""

    @abstractmethod
    def call(self, node: Call, guard: Expression, after: int) -> tuple[Expression, Effects]:
        """The value and the effects of an operation that is a function call in the language."""

    def unsequenced(
        self, left: hir.Expression, right: hir.Expression, guard: Expression, after: int
    ) -> tuple[Expression, Expression, Effects]:
        """Two operands without a sequence point between them."""
        first, one = self.expression(left, guard, after)
        second, other = self.expression(right, guard, after)
        return first, second, self.beside(one, other)

    def expression(self, node: hir.Expression, guard: Expression, after: int) -> tuple[Expression, Effects]:
        """The value and the effects of an expression."""
        match node:
            case hir.Literal():
                self.shared.constants.add(node.value)
                return Constant(node.value), NOTHING
            case hir.Read(place, _):
                return self.read_place(place, guard, after)
            case hir.AddressOfRegister(place, type_):
                if isinstance(place, hir.RegisterPlace):
                    return Constant(RegisterPointer(self.thread.index, place.register)), NOTHING
                offset, effects = self.expression(place.index, guard, after)
                base = Constant(RegisterPointer(self.thread.index, place.array))
                return binary("+", base, offset, type_), effects
            case hir.Unary(operator, operand, type_):
                value, effects = self.expression(operand, guard, after)
                return (negation(truth(value)) if operator == "!" else unary(operator, value, type_)), effects
            case hir.Binary(operator, left, right, operands, _):
                first, second, effects = self.unsequenced(left, right, guard, after)
                if operator in {"/", "%"} and operands is not Scalar.FLOAT:
                    zero = conjunction(guard, negation(truth(second)))
                    self.fault("division-by-zero", "C-DIV", zero, "the divisor is zero", node.span)
                return binary(operator, first, second, operands), effects
            case hir.Logical() | hir.Conditional() | hir.Sequence():
                return self.sequenced(node, guard, after)
            case hir.Convert(operand, type_):
                value, effects = self.expression(operand, guard, after)
                return converted(value, operand.type, type_), effects
            case hir.Assign(place, value_node, _):
                value, effects = self.expression(value_node, guard, after)
                return value, self.write_place(place, guard, after, value, effects, node.span)
            case hir.Modify():
                return self.modify(node, guard, after)
            case _:
                return self.call(node, guard, after)

    def sequenced(
        self, node: hir.Logical | hir.Conditional | hir.Sequence, guard: Expression, after: int
    ) -> tuple[Expression, Effects]:
        """The operators with a sequence point after their first operand."""
        match node:
            case hir.Logical(operator, left, right, _):
                first, one = self.expression(left, guard, after)
                test = truth(first)
                goes_on = conjunction(guard, test if operator == "&&" else negation(test))
                second, other = self.expression(right, goes_on, after | one.values | one.pending)
                both = conjunction(test, truth(second)) if operator == "&&" else disjunction(test, truth(second))
                return both, one.completed() | other
            case hir.Conditional(condition, then, otherwise, _):
                first, one = self.expression(condition, guard, after)
                test = truth(first)
                later = after | one.values | one.pending
                second, taken = self.expression(then, conjunction(guard, test), later)
                third, skipped = self.expression(otherwise, conjunction(guard, negation(test)), later)
                return select(test, second, third), one.completed() | taken | skipped
            case hir.Sequence(left, right, _):
                _, one = self.expression(left, guard, after)
                value, other = self.expression(right, guard, after | one.values | one.pending)
                return value, one.completed() | other
            case _:
                assert_never(node)

    def modify(self, node: hir.Modify, guard: Expression, after: int) -> tuple[Expression, Effects]:
        """Compound assignment, increment and decrement."""
        operand, effects = self.expression(node.value, guard, after)
        place = node.place
        if isinstance(place, hir.MemoryPlace):
            pointer, found = self.expression(place.address, guard, after)
            old, read = self.load(pointer, guard, after | found.values, place.span)
        else:
            cases, found = self.private_place(place, guard, after)
            old, read = self.read_private(cases, guard, place.span)
        effects = self.beside(effects, self.following(found, read))
        left = converted(old, place.type, node.operands)
        right = converted(operand, node.value.type, node.operands)
        new = converted(binary(node.operator, left, right, node.operands), node.operands, place.type)
        if isinstance(place, hir.MemoryPlace):
            stored = self.store(pointer, new, guard, after | effects.values, node.span)
        else:
            stored = self.write_private(cases, guard, new, node.span)
        return (old if node.returns_old else new), self.following(effects, stored)
