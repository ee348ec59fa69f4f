"""Constant expressions: array lengths, labels, initial values. Each part has the type and the value that C gives it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.program.operators import SHIFTS
from mcm.program.resolve.complaints import Complaints, UnresolvedError
from mcm.program.resolve.conversions import common_type, promoted
from mcm.program.resolve.literals import NAMED_CONSTANTS, number
from mcm.program.resolve.spelling import SCALARS, scalar_name
from mcm.program.types import Scalar
from mcm.program.value_arithmetic import apply_binary, convert
from mcm.syntax import ast

if TYPE_CHECKING:
    from typing import NoReturn

    from mcm.program.types import Value

# A value and its type.
Typed = tuple[int | float, Scalar]

_ARITHMETIC: Final = frozenset({"+", "-", "*", "/"})
_INTEGRAL: Final = frozenset({"%", "|", "&", "^", "<<", ">>"})
_COMPARISONS: Final = frozenset({"==", "!=", "<", ">", "<=", ">="})
_LOGICAL: Final = frozenset({"&&", "||"})
_OPERATORS: Final = _ARITHMETIC | _INTEGRAL | _COMPARISONS | _LOGICAL


def constant(
    node: ast.Expression, complaints: Complaints, what: str, unsuffixed: Scalar = Scalar.DOUBLE
) -> int | float:
    """The value of a constant expression, such as an array length; `what` is its name in error messages.

    `unsuffixed` is the type of floating literals without a suffix.
    """
    return _Constants(complaints, what, unsuffixed).value(node)[0]


def constant_integer(node: ast.Expression, complaints: Complaints, what: str) -> int:
    """The value of a constant integer expression."""
    value = constant(node, complaints, what)
    if isinstance(value, float):
        complaints.fail("E131", node.span, f"{what} must be an integer, found '{node.span.text}'")
    return value


def known_constant(node: ast.Expression) -> int | float | None:
    """The value of a constant expression; None for any other."""
    try:
        return constant(node, Complaints(), "a constant")
    except UnresolvedError:
        return None


def known_integer(node: ast.Expression) -> int | None:
    """The value of a constant integer expression; None for any other."""
    value = known_constant(node)
    return None if isinstance(value, float) else value


class _Constants:
    """How one constant expression is computed."""

    def __init__(self, complaints: Complaints, what: str, unsuffixed: Scalar) -> None:
        self._complaints: Final = complaints
        self._what: Final = what
        self._unsuffixed: Final = unsuffixed

    def value(self, node: ast.Expression) -> Typed:
        """The value of a part, in its type."""
        match node:
            case ast.NumberLiteral():
                return number(node, self._complaints, self._unsuffixed)
            case ast.Name(text) if text in NAMED_CONSTANTS:
                return NAMED_CONSTANTS[text]
            case ast.Prefix("!", operand):
                return int(not self.value(operand)[0]), Scalar.INT
            case ast.Prefix("-" | "+" | "~" as symbol, operand):
                return self._signed(symbol, operand)
            case ast.Cast(type_, operand):
                return self._cast(type_, self.value(operand))
            case ast.Call(ast.Name("ATOMIC_VAR_INIT"), (argument,)):
                return self.value(argument)
            case ast.Conditional(condition, then, otherwise):
                # The type is that of both.
                one, other = self.value(then), self.value(otherwise)
                chosen = one if self.value(condition)[0] else other
                return _converted(chosen[0], common_type(one[1], other[1]))
            case ast.Infix(symbol) if symbol in _OPERATORS:
                return self._folded(node)
            case _:
                return self._refuse(node)

    def _refuse(self, node: ast.Expression) -> NoReturn:
        self._complaints.fail("E131", node.span, f"{self._what} must be a constant, found '{node.span.text}'")

    def _signed(self, symbol: str, operand: ast.Expression) -> Typed:
        value, type_ = self.value(operand)
        type_ = promoted(type_)
        if symbol == "~":
            return _converted(~self._whole(value, operand), type_)
        return _converted(-value if symbol == "-" else value, type_)

    def _cast(self, type_: ast.TypeName, found: Typed) -> Typed:
        """A value as a number of another type; an address, or a type that is no number, keeps the value."""
        scalar = None if type_.pointers else SCALARS.get(scalar_name(type_.qualifiers, type_.base))
        return found if scalar is None else _converted(found[0], scalar)

    def _folded(self, node: ast.Infix) -> Typed:
        """The value of a chain of operators, each the left operand of the next one, however long."""
        chain = [node]
        while isinstance(left := chain[-1].left, ast.Infix) and left.operator in _OPERATORS:
            chain.append(left)
        found = self.value(left)
        for operation in reversed(chain):
            found = self._applied(operation, found, left)
            left = operation
        return found

    def _applied(self, node: ast.Infix, found: Typed, left: ast.Expression) -> Typed:
        """An operator whose left operand, `left`, has the value that was found."""
        symbol = node.operator
        if symbol in _LOGICAL:
            if bool(found[0]) is (symbol == "||"):
                return int(symbol == "||"), Scalar.INT
            return int(self.value(node.right)[0] != 0), Scalar.INT
        right = self.value(node.right)
        is_shift = symbol in SHIFTS
        type_ = promoted(found[1]) if is_shift else common_type(found[1], right[1])
        one, _ = _converted(found[0], type_)
        other = right[0] if is_shift else _converted(right[0], type_)[0]
        if symbol in _INTEGRAL or (symbol == "/" and not type_.is_floating):
            one, other = self._whole(one, left), self._whole(other, node.right)
            if symbol in {"/", "%"} and other == 0:
                self._complaints.fail("E131", node.span, f"{self._what} divides by 0: '{node.span.text}'")
        value = _number(apply_binary(symbol, one, other, type_))
        return value, Scalar.INT if symbol in _COMPARISONS else type_

    def _whole(self, value: int | float, node: ast.Expression) -> int:  # noqa: PYI041 - the two are told apart
        if isinstance(value, float):
            self._complaints.fail("E131", node.span, f"{self._what} must be an integer, found '{node.span.text}'")
        return value


def _converted(value: float, to: Scalar) -> Typed:
    """A number in a type: integers wrap, and floats are rounded."""
    return _number(convert(value, to)), to


def _number(value: Value) -> int | float:
    assert isinstance(value, (int, float)), "an operator gives no address for numbers"
    return value
