"""What updates write, as one operator that is applied to what they read: `o < v ? v : o` is `max(o, v)`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.execution.algebra import binary, unary
from mcm.execution.expression import BinaryValue, Constant, Select, UnaryValue
from mcm.program.types import Scalar

if TYPE_CHECKING:
    from mcm.execution.expression import Expression, ReadValue

# Operators whose operands may change places.
_COMMUTATIVE: Final = frozenset({"+", "|", "&", "^", "min", "max"})

# What `a symbol b ? a : b` is, and `a symbol b ? b : a`.
_EXTREMA: Final = {"<": ("min", "max"), "<=": ("min", "max"), ">": ("max", "min"), ">=": ("max", "min")}


def as_operation(value: Expression, own: ReadValue) -> Expression:
    """The same value, with what is read as the left operand where it is one operator that is applied to integers."""
    if isinstance(value, Select):
        value = _chosen(value.condition, value.then, value.otherwise)
    elif isinstance(value, UnaryValue):
        value = _narrow(value, own)
    match value:
        case BinaryValue(symbol, left, right, Scalar() as type_) if (
            right is own and left is not own and symbol in _COMMUTATIVE and not type_.is_floating
        ):
            return binary(symbol, own, left, type_)
        case _:
            return value


# Operators whose lowest bits depend on the lowest bits of the operands alone.
_OF_LOWEST_BITS: Final = frozenset({"+", "-", "|", "&", "^"})


def _narrow(value: UnaryValue, own: ReadValue) -> Expression:
    """`(int)((long)o + v)` as `o + (int)v`: what is left of a sum in a wider type is the sum."""
    match value:
        case UnaryValue("convert", BinaryValue(symbol, left, right, Scalar() as wide), Scalar() as narrow) if (
            symbol in _OF_LOWEST_BITS
            and not (wide.is_floating or narrow.is_floating or narrow is Scalar.BOOL)
            and narrow.bits <= wide.bits
        ):
            read = UnaryValue("convert", own, wide)
            if left is read:
                return binary(symbol, own, unary("convert", right, narrow), narrow)
            if right is read:
                return binary(symbol, unary("convert", left, narrow), own, narrow)
            return value
        case _:
            return value


def _chosen(condition: Expression, then: Expression, otherwise: Expression) -> Expression:
    """`condition ? then : otherwise`: an operator where that is the larger, the smaller, or has a bit set."""
    match condition:
        case UnaryValue("!", opposite, _):
            return _chosen(opposite, otherwise, then)
        case BinaryValue("==", left, right, type_):
            return _chosen(BinaryValue("!=", left, right, type_), otherwise, then)
        case BinaryValue(symbol, left, right, Scalar() as type_) if (
            symbol in _EXTREMA and not type_.is_floating and {then, otherwise} == {left, right}
        ):
            where_left, where_right = _EXTREMA[symbol]
            return binary(where_left if then is left else where_right, left, right, type_)
        case BinaryValue("!=", BinaryValue("&", left, Constant(int() as bit), _), Constant(0), _) if (
            left is then and bit & (bit - 1) == 0 and _sets(otherwise, then, bit)
        ):
            return otherwise
        case _:
            return Select(condition, then, otherwise)


def _sets(value: Expression, before: Expression, bit: int) -> bool:
    """Whether a value is one before it with a bit set."""
    return isinstance(value, BinaryValue) and (value.operator, value.left, value.right) == ("|", before, Constant(bit))
