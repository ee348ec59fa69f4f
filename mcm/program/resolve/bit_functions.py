"""`popcount`, `clz`, `ctz`, `rotate`, `mul24` and `mad24` of OpenCL C, on integers, as expressions of operators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.program.instruction import Binary, Literal
from mcm.program.resolve.conversions import converted
from mcm.program.resolve.functions import held
from mcm.program.types import Scalar

if TYPE_CHECKING:
    from mcm.program.instruction import Expression
    from mcm.program.resolve.context import ThreadContext

# How many arguments they take.
ARGUMENTS: Final = {"popcount": 1, "clz": 1, "ctz": 1, "rotate": 2, "mul24": 2, "mad24": 3}


def bit_function(name: str, operands: list[Expression], type_: Scalar, context: ThreadContext) -> Expression:
    """The value of a call, whose arguments have one type."""
    match name:
        case "mul24":
            return _in("*", *operands)
        case "mad24":
            return _in("+", _in("*", *operands[:2]), operands[2])
    # Bits are looked at without a sign, and moved in types that C does not widen.
    wide = Scalar.ULONG if type_.bits > Scalar.UINT.bits else Scalar.UINT
    mask = (1 << type_.bits) - 1
    bits = held(_in("&", converted(operands[0], wide), mask), "bits", context)
    match name:
        case "popcount":
            found = _ones(bits, context)
        case "clz":
            found = _in("-", _number(type_.bits, bits), _ones(_spread_down(bits, context), context))
        case "ctz":
            # The bits below the lowest one.
            found = _ones(_in("&", _in("&", _in("^", bits, wide.high), _in("-", bits, 1)), mask), context)
        case _:
            found = _rotated(bits, converted(operands[1], wide), type_, context)
    return converted(found, type_)


def _number(value: int, like: Expression) -> Literal:
    return Literal(value, like.type, span=like.span)


def _in(operator: str, left: Expression, right: Expression | int) -> Expression:
    """`left operator right`, in the type of both."""
    right = _number(right, left) if isinstance(right, int) else right
    return Binary(operator, left, right, left.type, left.type, span=left.span)


def _steps(type_: Scalar) -> list[int]:
    """1, 2, 4 … up to half the bits of a type."""
    return [1 << step for step in range(type_.bits.bit_length() - 1)]


def _ones(value: Expression, context: ThreadContext) -> Expression:
    """How many bits are set: those of neighbours are added up, then of pairs of them, and so on."""
    assert isinstance(value.type, Scalar)
    for step in _steps(value.type):
        # Every second group of `step` bits.
        groups = value.type.high // ((1 << step) + 1)
        value = held(value, "ones", context)
        value = _in("+", _in("&", value, groups), _in("&", _in(">>", value, step), groups))
    return value


def _spread_down(value: Expression, context: ThreadContext) -> Expression:
    """All bits from the highest one that is set down."""
    assert isinstance(value.type, Scalar)
    for step in _steps(value.type):
        value = held(value, "below", context)
        value = _in("|", value, _in(">>", value, step))
    return value


def _rotated(bits: Expression, count: Expression, type_: Scalar, context: ThreadContext) -> Expression:
    """The bits moved up; those that leave at the top come in below."""
    count = held(_in("&", count, type_.bits - 1), "count", context)
    back = _in("&", _in("-", _number(type_.bits, count), count), type_.bits - 1)
    return _in("|", _in("<<", bits, count), _in(">>", bits, back))
