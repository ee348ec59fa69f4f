"""Arithmetic of the language, and the value of symbolic expressions under an assignment."""

from __future__ import annotations

import operator
import struct
from typing import TYPE_CHECKING, Final

from mcm.execution.expression import BinaryValue, Choice, Constant, Expression, ReadValue, Select, UnaryValue
from mcm.program.types import Location, PointerType, RegisterPointer, Scalar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

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
    """The value converted to a type: integers wrap, floats round to 32 bits, addresses stay addresses."""
    if isinstance(value, (Location, RegisterPointer)):
        return int(is_true(value)) if to is Scalar.BOOL else value
    if isinstance(to, PointerType):
        return int(value)
    if to is Scalar.BOOL:
        return int(value != 0)
    if to is Scalar.FLOAT:
        return _round_to_float(value)
    return _wrap(int(value), to)


def apply_unary(symbol: str, operand: Value, type_: Type) -> Value:
    """`- ~ !` or `convert` of a value in a type; an operator without meaning on an address gives 0."""
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
    message = f"unary operator {symbol!r}"
    raise AssertionError(message)


def apply_binary(symbol: str, left: Value, right: Value, type_: Type) -> Value:
    """A binary operator of `BinaryValue` on two values of `type_`.

    Division by zero gives 0; the program's fault says that it happened. Comparisons give 0 or 1. Addresses allow
    equality, addition of element counts, and difference inside one object.
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
    if symbol in _COMPARISONS:
        return int(_COMPARISONS[symbol](left, right))
    if symbol in _NUMERIC:
        return convert(_NUMERIC[symbol](left, right), type_)
    if symbol == "/" and type_ is Scalar.FLOAT:
        return convert(left / right, type_) if right else 0.0
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
    if _same_object(left, right):
        assert isinstance(left, (Location, RegisterPointer))
        assert isinstance(right, (Location, RegisterPointer))
        if symbol == "-":
            return left.offset - right.offset
        if symbol in _COMPARISONS:
            return int(_COMPARISONS[symbol](left.offset, right.offset))
    return 0


def _same_object(left: Value, right: Value) -> bool:
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


def _round_to_float(value: float) -> float:
    try:
        rounded: float = struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
    return rounded


def evaluate(expression: Expression, reads: Mapping[int, Value], choices: Sequence[bool | None]) -> Value | None:
    """The value of an expression when `reads` gives what reads return; None when it needs a read or choice not given.

    Only the taken branch of a Select is looked at, and a decided `&&` or `||` does not need its other side.
    """
    match expression:
        case Constant(value):
            return value
        case ReadValue(event):
            return reads.get(event)
        case Choice(index):
            choice = choices[index]
            return None if choice is None else int(choice)
        case UnaryValue(symbol, operand, type_):
            inner = evaluate(operand, reads, choices)
            return None if inner is None else apply_unary(symbol, inner, type_)
        case BinaryValue(symbol, left, right, type_):
            one = evaluate(left, reads, choices)
            if one is not None and ((symbol == "&&" and not is_true(one)) or (symbol == "||" and is_true(one))):
                return int(symbol == "||")
            other = evaluate(right, reads, choices)
            if other is not None and ((symbol == "&&" and not is_true(other)) or (symbol == "||" and is_true(other))):
                return int(symbol == "||")
            return None if one is None or other is None else apply_binary(symbol, one, other, type_)
        case Select(condition, then, otherwise):
            test = evaluate(condition, reads, choices)
            return None if test is None else evaluate(then if is_true(test) else otherwise, reads, choices)


def subexpressions(expression: Expression) -> Iterator[Expression]:
    """The expression and everything inside it, each part once however often it is shared."""
    seen: set[Expression] = set()
    waiting = [expression]
    while waiting:
        part = waiting.pop()
        if part in seen:
            continue
        seen.add(part)
        yield part
        match part:
            case UnaryValue(_, operand, _):
                waiting.append(operand)
            case BinaryValue(_, left, right, _):
                waiting += (right, left)
            case Select(condition, then, otherwise):
                waiting += (otherwise, then, condition)
            case Constant() | ReadValue() | Choice():
                pass


def reads_of(expression: Expression) -> frozenset[int]:
    """The events whose read values an expression mentions."""
    return frozenset(part.event for part in subexpressions(expression) if isinstance(part, ReadValue))
