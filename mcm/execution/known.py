"""What private computation comes to where all that it reads is known: most of what a work-item computes is.

This says nothing that symbolic execution would not; it makes no expressions and no accesses on the way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mcm.execution.algebra import TRUE
from mcm.execution.expression import Constant
from mcm.program import instruction as hir
from mcm.program.apart import asks_for_order
from mcm.program.types import Scalar
from mcm.program.value_arithmetic import apply_binary, apply_unary, convert, divides, is_one_object, is_true
from mcm.program.walk import walk

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mcm.execution.path import VariableState
    from mcm.program.types import Type, Value


class Known:
    """Computes with the values that private `variables` have; the literals that are met are noted."""

    __slots__ = ("_literals", "variables")

    def __init__(self, literals: set[Value]) -> None:
        self.variables: Mapping[str, VariableState] = {}
        self._literals: Final = literals

    def value(self, node: hir.Expression) -> Value | None:
        """The value of an expression; None where it is not known, is more than a value, or is a fault."""
        # A table, not a `match`: this is asked for each expression of each work-item.
        reading = _READINGS.get(node.__class__)
        return None if reading is None else reading(self, node)

    def of_literal(self, node: hir.Literal) -> Value | None:
        """A literal."""
        self._literals.add(node.value)
        return node.value

    def of_read(self, node: hir.Read) -> Value | None:
        """What a private variable holds."""
        place = node.place
        if isinstance(place, hir.RegisterPlace):
            return self.of_variable(place.register)
        if not isinstance(place, hir.ElementPlace):
            return None
        index = self.value(place.index)
        inside = isinstance(index, int) and 0 <= index < place.length
        return self.of_variable(f"{place.array}[{index}]") if inside else None

    def of_variable(self, name: str) -> Value | None:
        """What a private variable holds, by its name."""
        variable = self.variables[name]
        held = variable.value
        return held.value if variable.defined is TRUE and isinstance(held, Constant) else None

    def of_unary(self, node: hir.Unary) -> Value | None:
        """An operator on one operand."""
        operand = self.value(node.operand)
        return None if operand is None else apply_unary(node.operator, operand, node.type)

    def of_binary(self, node: hir.Binary) -> Value | None:
        """An operator on two operands, which has a result: C-DIV and C-PTR hold."""
        left = self.value(node.left)
        right = None if left is None else self.value(node.right)
        if left is None or right is None:
            return None
        if not divides(node.operator, left, right, node.operands):
            return None
        if asks_for_order(node) and not is_one_object(left, right):
            return None
        return apply_binary(node.operator, left, right, node.operands)

    def of_logical(self, node: hir.Logical) -> Value | None:
        """`&&` or `||`, of which the second operand may not be evaluated."""
        left = self.value(node.left)
        if left is None:
            return None
        if is_true(left) is (node.operator == "||"):
            return int(is_true(left))
        right = self.value(node.right)
        return None if right is None else int(is_true(right))

    def of_conditional(self, node: hir.Conditional) -> Value | None:
        """The side that is evaluated."""
        test = self.value(node.condition)
        return None if test is None else self.value(node.then if is_true(test) else node.otherwise)

    def of_conversion(self, node: hir.Convert) -> Value | None:
        """A value in another type."""
        operand = self.value(node.operand)
        changes = operand is not None and not keeps_values(node.operand.type, node.type)
        return convert(operand, node.type) if changes and operand is not None else operand

    def of_index(self, node: hir.Inside) -> Value | None:
        """An index, where it is that of an element."""
        index = self.value(node.operand)
        return index if isinstance(index, int) and 0 <= index < node.count else None


_READINGS: Final[Mapping[type, Callable[[Known, Any], Value | None]]] = {
    hir.Literal: Known.of_literal,
    hir.Read: Known.of_read,
    hir.Unary: Known.of_unary,
    hir.Binary: Known.of_binary,
    hir.Logical: Known.of_logical,
    hir.Conditional: Known.of_conditional,
    hir.Convert: Known.of_conversion,
    hir.Inside: Known.of_index,
}


def keeps_values(source: Type, target: Type) -> bool:
    """Whether conversion changes nothing: every value of the first type is one of the second."""
    if source == target or not isinstance(source, Scalar) or not isinstance(target, Scalar):
        return True
    fits = source.bits < target.bits if source.signed != target.signed else source.bits <= target.bits
    keeps = fits and (target.signed or not source.signed) and not (source.is_floating or target.is_floating)
    return keeps and target is not Scalar.BOOL


def leaves_private_alone(node: hir.Expression) -> bool:
    """Whether a full expression changes no private variable but as its last operation, and takes the address of none.

    Then no order of evaluation matters to its reads of private variables.
    """
    last = node if isinstance(node, (hir.Assign, hir.Modify)) else None
    for part in walk(node):
        place = _CHANGED.get(part.__class__)
        if place is None or part is last:
            continue
        if isinstance(getattr(part, place), (hir.RegisterPlace, hir.ElementPlace)):
            return False
    return True


# What changes a private variable, or takes its address, has it in this field. Classes are looked up, not matched: this
# is asked of each part of each expression.
_CHANGED: Final[Mapping[type, str]] = {
    hir.Assign: "place",
    hir.Modify: "place",
    hir.PipeAction: "place",
    hir.CompareExchange: "expected",
    hir.AddressOfRegister: "place",
}
