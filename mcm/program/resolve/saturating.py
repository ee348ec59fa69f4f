"""The functions of OpenCL C on integers that compute with more bits than their type has: `add_sat`, `mul_hi` and so on.

They become expressions of operators, in `long` or `ulong` for smaller types; of those themselves the carry is computed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.program.instruction import Binary, Conditional, Literal, Unary
from mcm.program.resolve.conversions import converted, same_bits
from mcm.program.resolve.functions import held
from mcm.program.types import Scalar

if TYPE_CHECKING:
    from mcm.program.instruction import Expression
    from mcm.program.resolve.context import ThreadContext
    from mcm.syntax import ast

# How many arguments they take.
ARGUMENTS: Final = {
    **dict.fromkeys(("add_sat", "sub_sat", "mul_hi", "hadd", "rhadd", "abs_diff"), 2),
    **dict.fromkeys(("mad_hi", "mad_sat", "bitselect"), 3),
}

_UNSIGNED: Final = {
    Scalar.CHAR: Scalar.UCHAR,
    Scalar.SHORT: Scalar.USHORT,
    Scalar.INT: Scalar.UINT,
    Scalar.LONG: Scalar.ULONG,
}
_HALF: Final = 32


def saturating_function(
    node: ast.Call, operands: list[Expression], type_: Scalar, context: ThreadContext
) -> Expression:
    """The value of a call, whose arguments have one type."""
    if node.function.text == "bitselect" and type_.is_floating:
        return _selected_bits(node, operands, type_, context)
    held_ones = [held(operand, "operand", context) for operand in operands]
    first, second = held_ones[:2]
    match node.function.text:
        case "hadd":
            return _in("+", _in("&", first, second), _in(">>", _in("^", first, second), 1))
        case "rhadd":
            return _in("-", _in("|", first, second), _in(">>", _in("^", first, second), 1))
        case "bitselect":
            return _in("^", first, _in("&", _in("^", first, second), held_ones[2]))
        case "abs_diff":
            unsigned = _UNSIGNED.get(type_, type_)
            found = _in(
                "-", converted(_in("max", first, second), unsigned), converted(_in("min", first, second), unsigned)
            )
            # In SYCL it has the type of its arguments (SYCL 2020, 4.17.7).
            return found if context.dialect.has_unsigned_distances else converted(found, type_)
        case "mul_hi":
            return _high_product(first, second, type_, context)
        case "mad_hi":
            return _in("+", _high_product(first, second, type_, context), held_ones[2])
        case "mad_sat":
            if type_.bits == Scalar.LONG.bits:
                message = "not yet supported: 'mad_sat' of numbers of 64 bits"
                context.complaints.fail("E100", node.span, message)
            one, other, added = (converted(operand, _wide(type_)) for operand in held_ones)
            return saturated(_in("+", _in("*", one, other), added), type_)
        case name:
            return _sum(name, first, second, type_, context)


def _selected_bits(node: ast.Call, operands: list[Expression], type_: Scalar, context: ThreadContext) -> Expression:
    """`bitselect` of floats. What most integers are as bits that choose is NaN, of which there is one."""
    bits = next(one for one in _UNSIGNED.values() if one.bits == type_.bits)
    found = [
        converted(one.operand, bits)
        if isinstance(one, Unary) and one.operator == "bits"
        else same_bits(one, bits, one.span)
        for one in operands
    ]
    chosen = operands[2]
    is_integer = isinstance(chosen, Unary) and (chosen.operator == "bits" or isinstance(chosen.operand, Literal))
    if not is_integer and not isinstance(chosen, Literal):
        message = (
            f"not yet supported: bits that a float chooses; choose by the bits of an integer, 'as_{type_.spelling}(n)'"
        )
        context.complaints.fail("E100", chosen.span, message)
    return same_bits(saturating_function(node, found, bits, context), type_, node.span)


def saturated(value: Expression, type_: Scalar) -> Expression:
    """The nearest number of an integer type to a value of another one."""
    assert isinstance(value.type, Scalar)
    source = value.type
    if source.low < type_.low:
        value = _in("max", value, type_.low)
    if source.high > type_.high:
        value = _in("min", value, type_.high)
    return converted(value, type_)


def _wide(type_: Scalar) -> Scalar:
    """A type that has the product of two numbers of a smaller one, and one more added to it."""
    return Scalar.LONG if type_.signed or type_.bits < _HALF else Scalar.ULONG


def _sum(name: str, first: Expression, second: Expression, type_: Scalar, context: ThreadContext) -> Expression:
    """`add_sat` or `sub_sat`."""
    operator = "+" if name == "add_sat" else "-"
    if type_.bits < Scalar.LONG.bits:
        one, other = converted(first, Scalar.LONG), converted(second, Scalar.LONG)
        return saturated(_in(operator, one, other), type_)
    found = held(_in(operator, first, second), "sum", context)
    if type_ is Scalar.ULONG:
        is_beyond = _is_less(found, first) if operator == "+" else _is_less(first, second)
        limit: Expression = _number(type_.high if operator == "+" else 0, first)
        return Conditional(is_beyond, limit, found, type_, span=first.span)
    # Two numbers of one sign have a sum of the other one; or one is less another of the other sign.
    signs = _in("^", second, found) if operator == "+" else _in("^", first, second)
    is_beyond = _is_less(_in("&", _in("^", first, found), signs), _number(0, first))
    limit = Conditional(
        _is_less(first, _number(0, first)),
        _number(type_.low, first),
        _number(type_.high, first),
        type_,
        span=first.span,
    )
    return Conditional(is_beyond, limit, found, type_, span=first.span)


def _high_product(first: Expression, second: Expression, type_: Scalar, context: ThreadContext) -> Expression:
    """The upper half of the bits of a product."""
    if type_.bits < Scalar.LONG.bits:
        one, other = converted(first, _wide(type_)), converted(second, _wide(type_))
        return converted(_in(">>", _in("*", one, other), type_.bits), type_)
    one, other = converted(first, Scalar.ULONG), converted(second, Scalar.ULONG)
    found = _high_product_of_halves(one, other, context)
    if type_ is Scalar.ULONG:
        return found
    # A negative number is 2 to the power of 64 less than its bits without a sign.
    for number, bits in ((first, other), (second, one)):
        is_negative = _is_less(number, _number(0, number))
        found = _in("-", found, Conditional(is_negative, bits, _number(0, bits), Scalar.ULONG, span=number.span))
    return converted(found, type_)


def _high_product_of_halves(first: Expression, second: Expression, context: ThreadContext) -> Expression:
    """The same of numbers of 64 bits without a sign, from products of their halves."""
    low = (1 << _HALF) - 1
    one, other = ((_in("&", number, low), _in(">>", number, _HALF)) for number in (first, second))
    middle = _in("+", _in("*", one[1], other[0]), _in(">>", _in("*", one[0], other[0]), _HALF))
    middle = held(middle, "middle", context)
    carried = _in("+", _in("*", one[0], other[1]), _in("&", middle, low))
    upper = _in("+", _in("*", one[1], other[1]), _in(">>", middle, _HALF))
    return _in("+", upper, _in(">>", carried, _HALF))


def _number(value: int, like: Expression) -> Literal:
    return Literal(value, like.type, span=like.span)


def _in(operator: str, left: Expression, right: Expression | int) -> Expression:
    """`left operator right`, in the type of both."""
    right = _number(right, left) if isinstance(right, int) else right
    return Binary(operator, left, right, left.type, left.type, span=left.span)


def _is_less(left: Expression, right: Expression) -> Expression:
    return Binary("<", left, right, left.type, Scalar.INT, span=left.span)
