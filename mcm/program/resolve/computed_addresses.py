"""What may be computed with addresses that integers hold: how far two lie apart, and what is left by a power of two.

`(uintptr_t)p & 15` and `(uintptr_t)p % 16` ask whether `p` is aligned, which the place of `p` in its object answers:
objects begin at multiples of all sizes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.program.instruction import Binary, Convert, Literal
from mcm.program.resolve.alignment import OF_INTEGERS
from mcm.program.resolve.arithmetic import operand_type
from mcm.program.resolve.conversions import converted, holds_address
from mcm.program.types import PointerType, Region, Scalar

if TYPE_CHECKING:
    from mcm.base.source import Span
    from mcm.program.instruction import Expression
    from mcm.program.resolve.context import ThreadContext
    from mcm.program.types import Type

# Bytes: that of the largest vectors.
_LARGEST: Final = 128


def computed(
    operator: str, left: Expression, right: Expression, span: Span, context: ThreadContext
) -> Expression | None:
    """The value of an operator between integers of which one is an address, or both are; None where it has none."""
    first, second = _pointer(left, context), _pointer(right, context)
    if operator == "-" and first is not None and second is not None:
        return _difference(first, second, operand_type(operator, left, right, span, context.complaints), span, context)
    if operator not in {"&", "%"}:
        return None
    for pointer, other, by in ((first, second, right), (second, first, left)):
        count = _power(operator, by)
        if pointer is not None and other is None and count is not None and not (operator == "%" and by is left):
            context.has_views = True
            type_ = operand_type(operator, left, right, span, context.complaints)
            return converted(Convert(pointer, Scalar.ULONG, count, span=span), type_)
    return None


def _difference(first: Expression, second: Expression, type_: Type, span: Span, context: ThreadContext) -> Expression:
    context.has_views = True
    one, other = (_to_bytes(pointer) for pointer in (first, second))
    return converted(Binary("-", one, other, one.type, OF_INTEGERS, span=span), type_)


def _to_bytes(pointer: Expression) -> Expression:
    assert isinstance(pointer.type, PointerType)
    return converted(pointer, PointerType(Scalar.UCHAR, pointer.type.region))


def _pointer(expression: Expression, context: ThreadContext) -> Expression | None:
    """The address that an integer holds, as a pointer; None where it holds none, or one of which nothing is known."""
    match expression:
        case Convert(operand, Scalar()) if isinstance(operand.type, PointerType):
            return operand if isinstance(operand.type.target, Scalar) else None
        case Convert(operand, Scalar()) if not expression.type.is_floating:
            return _pointer(operand, context)
        case _ if holds_address(expression, context.addresses):
            return Convert(expression, PointerType(Scalar.UCHAR, Region.GENERIC), span=expression.span)
        case _:
            return None


def _power(operator: str, by: Expression) -> int | None:
    """The power of two by which something is left, `& 15` or `% 16`; None where an operand means something else."""
    while isinstance(by, Convert):
        by = by.operand
    if not isinstance(by, Literal) or not isinstance(by.value, int):
        return None
    count = by.value + 1 if operator == "&" else by.value
    return count if 1 < count <= _LARGEST and count & (count - 1) == 0 else None
