"""Arithmetic of the language on values: operators and conversions, as C and OpenCL C define them."""

from __future__ import annotations

import operator
from math import copysign, inf, isfinite, isnan, nan
from typing import TYPE_CHECKING, Final

from mcm.program.float_arithmetic import EXACT_PRODUCT, TWO, bits_of, float_of, in_tables, of_one, of_two, rounded
from mcm.program.types import Location, PointerType, RegisterPointer, Scalar

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.program.types import Type, Value

_COMPARISONS: Final[dict[str, Callable[[int | float, int | float], bool]]] = {
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}
_NUMERIC: Final[dict[str, Callable[[int | float, int | float], int | float]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "min": min,
    "max": max,
}
_INTEGRAL: Final[dict[str, Callable[[int, int], int]]] = {
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
}


def is_true(value: Value) -> bool:
    """Whether a value counts as true in a condition: everything but zero."""
    return value != 0


def convert(value: Value, to: Type) -> Value:
    """The value converted to a type: integers wrap, floats are rounded, addresses stay addresses.

    C leaves undefined which integer an infinity or a NaN becomes; here it is 0.
    """
    if isinstance(value, int) and isinstance(to, Scalar) and to.low <= value <= to.high:
        # So it is nearly always. Floats hold few integers.
        return value
    if isinstance(value, (Location, RegisterPointer)):
        return int(is_true(value)) if to is Scalar.BOOL else value
    if to is Scalar.BOOL:
        return int(value != 0)
    if isinstance(to, Scalar) and to.is_floating:
        return rounded(value, to.bits)
    whole = int(value) if isfinite(value) else 0
    return whole if isinstance(to, PointerType) else _wrap(whole, to)


# The bits of the largest floating type, which has the numbers of all.
_WIDEST: Final = 64


def bits_operator(source: Type, to: Type) -> str:
    """The unary operator that gives the number of one type that has the bits of one of another, of the same size."""
    return "convert" if source.is_floating == to.is_floating else "bits"


def are_same(one: Value, other: Value) -> bool:
    """Whether memory holds two values alike: a zero is none of the other sign, and NaN is itself."""
    if one is other:
        return True
    if isinstance(one, float) and isinstance(other, float):
        return bits_of(in_tables(one), _WIDEST) == bits_of(in_tables(other), _WIDEST)
    return one == other


def apply_unary(symbol: str, operand: Value, type_: Type) -> Value:
    """`- ~ !`, `convert`, `bits` or a function of floats; an operator without meaning on an address gives 0."""
    if symbol == "convert":
        return convert(operand, type_)
    if symbol == "!":
        return int(not is_true(operand))
    if isinstance(operand, (Location, RegisterPointer)):
        return 0
    if symbol == "-":
        return convert(-operand, type_)
    if symbol == "~":
        return convert(~int(operand), type_)
    if symbol == "bits":
        assert isinstance(type_, Scalar)
        size = type_.bits
        return float_of(int(operand), size) if type_.is_floating else convert(bits_of(operand, size), type_)
    return convert(of_one(symbol, operand), type_)


def divides(symbol: str, left: Value, right: Value, type_: Type) -> bool:
    """Whether an operator is no division of integers, or one that has a result of its type (C-DIV)."""
    if symbol not in {"/", "%"} or type_.is_floating:
        return True
    is_beyond = isinstance(type_, Scalar) and type_.signed and right == -1 and left == type_.low
    return is_true(right) and not is_beyond


def apply_binary(symbol: str, left: Value, right: Value, type_: Type) -> Value:
    """A binary operator of `BinaryValue` on two values of `type_`.

    An integer divided by zero gives 0; the program's fault says that it happened. Comparisons give 0 or 1. Addresses
    allow equality, addition of element counts, and difference inside one object.
    """
    if symbol == "&&":
        return int(is_true(left) and is_true(right))
    if symbol == "||":
        return int(is_true(left) or is_true(right))
    if symbol == "==":
        return int(left == right)
    if symbol == "!=":
        return int(left != right)
    if isinstance(left, (Location, RegisterPointer)) or isinstance(right, (Location, RegisterPointer)):
        return _pointer_arithmetic(symbol, left, right)
    comparison = _COMPARISONS.get(symbol)
    if comparison is not None:
        return int(comparison(left, right))
    numeric = _NUMERIC.get(symbol)
    if numeric is not None:
        return convert(numeric(left, right), type_)
    if symbol == "/" and type_.is_floating:
        return convert(_divide(left, right), type_)
    if symbol in TWO:
        found = of_two(symbol, left, right)
        return found if symbol == EXACT_PRODUCT else convert(found, type_)
    return convert(_apply_integral(symbol, int(left), int(right), type_), type_)


def _apply_integral(symbol: str, left: int, right: int, type_: Type) -> int:
    if symbol in _INTEGRAL:
        return _INTEGRAL[symbol](left, right)
    if symbol in {"<<", ">>"}:
        # OpenCL C takes shift counts modulo the width of the shifted operand.
        count = right % (type_.bits if isinstance(type_, Scalar) else 64)
        return left << count if symbol == "<<" else left >> count
    if symbol in {"/", "%"}:
        if right == 0:
            return 0
        quotient = abs(left) // abs(right)
        quotient = quotient if (left < 0) == (right < 0) else -quotient
        return quotient if symbol == "/" else left - quotient * right
    message = f"binary operator {symbol!r}"
    raise AssertionError(message)


def _pointer_arithmetic(symbol: str, left: Value, right: Value) -> Value:
    if symbol == "+" and isinstance(right, (Location, RegisterPointer)):
        left, right = right, left
    if symbol in {"+", "-"} and isinstance(left, (Location, RegisterPointer)) and isinstance(right, int):
        offset = left.offset + (right if symbol == "+" else -right)
        if isinstance(left, Location):
            return Location(left.object, offset)
        return RegisterPointer(left.thread, left.register, offset)
    if is_one_object(left, right):
        assert isinstance(left, (Location, RegisterPointer))
        assert isinstance(right, (Location, RegisterPointer))
        if symbol == "-":
            return left.offset - right.offset
        if symbol in _COMPARISONS:
            return int(_COMPARISONS[symbol](left.offset, right.offset))
    return 0


def is_one_object(left: Value, right: Value) -> bool:
    """Whether two values are pointers into one memory object, or one private variable."""
    if isinstance(left, Location) and isinstance(right, Location):
        return left.object == right.object
    if isinstance(left, RegisterPointer) and isinstance(right, RegisterPointer):
        return (left.thread, left.register) == (right.thread, right.register)
    return False


def _wrap(value: int, to: Scalar) -> int:
    value &= (1 << to.bits) - 1
    if to.signed and value >> (to.bits - 1):
        value -= 1 << to.bits
    return value


def _divide(left: float, right: float) -> float:
    """IEEE 754: a number divided by zero is infinite; zero divided by zero is no number, nor is NaN by anything."""
    if right:
        return left / right
    return nan if not left or isnan(left) else copysign(inf, left) * copysign(1.0, right)
