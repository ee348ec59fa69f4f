"""The functions of OpenCL C on integers (OpenCL C, Integer Functions); `abs` is one of C, too, and some take floats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.program.instruction import Binary, Literal
from mcm.program.resolve.arithmetic import unary
from mcm.program.resolve.bit_functions import ARGUMENTS, bit_function
from mcm.program.resolve.checks import check_count
from mcm.program.resolve.conversions import common_type, converted
from mcm.program.resolve.functions import held
from mcm.program.resolve.saturating import ARGUMENTS as SATURATING
from mcm.program.resolve.saturating import saturating_function
from mcm.program.resolve.type_names import show_type
from mcm.program.types import Scalar

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.program.instruction import Expression
    from mcm.program.resolve.context import ThreadContext
    from mcm.syntax import ast

# How many arguments they take.
_ARGUMENTS: Final = {"min": 2, "max": 2, "clamp": 3, "abs": 1, "upsample": 2, **ARGUMENTS, **SATURATING}

# The type of `upsample` for that of its first argument; the second one is unsigned, and as large.
_UPSAMPLED: Final = {
    Scalar.CHAR: Scalar.SHORT,
    Scalar.UCHAR: Scalar.USHORT,
    Scalar.SHORT: Scalar.INT,
    Scalar.USHORT: Scalar.UINT,
    Scalar.INT: Scalar.LONG,
    Scalar.UINT: Scalar.ULONG,
}

# Those that are functions of floats, too.
_OF_FLOATS: Final = frozenset({"min", "max", "clamp", "bitselect"})

_UNSIGNED: Final = {
    Scalar.CHAR: Scalar.UCHAR,
    Scalar.SHORT: Scalar.USHORT,
    Scalar.INT: Scalar.UINT,
    Scalar.LONG: Scalar.ULONG,
}


def integer_function(
    node: ast.Call, value: Callable[[ast.Expression, ThreadContext], Expression], context: ThreadContext
) -> Expression:
    """The call, as an expression of operators; its arguments are evaluated once."""
    name = node.function.text
    if not context.has_functions and name != "abs":
        context.complaints.fail("E140", node.span, f"'{name}' exists in OpenCL C only")
    number = _ARGUMENTS[name]
    check_count(node, number, f"{number} argument{'s' * (number > 1)}", context)
    operands = [value(argument, context) for argument in node.arguments]
    if name == "upsample":
        return _upsampled(operands, node, context)
    type_ = _type_of(operands, node, context)
    if name == "abs":
        return _absolute(operands[0], type_, node, context)
    operands = [converted(operand, type_) for operand in operands]
    if name in ARGUMENTS:
        return bit_function(name, operands, type_, context)
    if name in SATURATING:
        return saturating_function(node, operands, type_, context)
    if name == "clamp":
        operands = [Binary("max", operands[0], operands[1], type_, type_, span=node.span), operands[2]]
        name = "min"
    return Binary(name, operands[0], operands[1], type_, type_, span=node.span)


def _type_of(operands: list[Expression], node: ast.Call, context: ThreadContext) -> Scalar:
    """The type that numbers of several types have in common, that of one alone; others are refused."""
    found: Scalar | None = None
    for operand in operands:
        type_ = operand.type
        if type_.is_floating and node.function.text not in _OF_FLOATS:
            hint = "; 'fabs' does" if node.function.text == "abs" else ""
            message = f"'{node.function.text}' takes no float{hint}"
            context.complaints.fail("E119", operand.span, message)
        if not isinstance(type_, Scalar):
            message = f"'{operand.span.text}' has type '{show_type(type_)}', expected an integer"
            context.complaints.fail("E119", operand.span, message)
        found = type_ if found is None or found is type_ else common_type(found, type_)
    assert found is not None, "each function has an argument"
    return found


def _absolute(operand: Expression, type_: Scalar, node: ast.Call, context: ThreadContext) -> Expression:
    """The absolute value: in OpenCL C in the unsigned type, in which that of the least integer is, too.

    In SYCL it has the type of its argument (SYCL 2020, 4.17.7).
    """
    if type_ not in _UNSIGNED:
        return operand
    operand = held(operand, "operand", context)
    negative = unary("-", operand, node.span, context.complaints)
    wide = negative.type
    largest = Binary("max", converted(operand, wide), negative, wide, wide, span=node.span)
    if context.dialect.has_unsigned_distances and context.is_work_item:
        return converted(largest, _UNSIGNED[type_])
    return converted(largest, wide if not context.is_work_item else type_)


def _upsampled(operands: list[Expression], node: ast.Call, context: ThreadContext) -> Expression:
    """The bits of the first argument above those of the second one."""
    high, low = operands
    part = high.type if isinstance(high.type, Scalar) else Scalar.BOOL
    unsigned = _UNSIGNED.get(part, part)
    if part not in _UPSAMPLED or low.type is not unsigned:
        found = f"'{show_type(high.type)}' and '{show_type(low.type)}'"
        message = f"'upsample' takes an integer of 8, 16 or 32 bits and an unsigned one as large; found {found}"
        context.complaints.fail("E119", node.span, message)
    wide = _UPSAMPLED[part]
    count = Literal(part.bits, Scalar.INT, span=node.span)
    above = Binary("<<", converted(high, wide), count, wide, wide, span=node.span)
    return Binary("|", above, converted(low, wide), wide, wide, span=node.span)
