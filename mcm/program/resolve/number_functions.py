"""The functions of OpenCL C from numbers to a number: of integers, of floats, `select`, and conversions by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.program.instruction import Binary, Convert, Literal, Read, Unary
from mcm.program.resolve.arithmetic import conditional
from mcm.program.resolve.checks import check_count
from mcm.program.resolve.conversions import converted
from mcm.program.resolve.float_functions import check_work_item, float_function
from mcm.program.resolve.functions import held
from mcm.program.resolve.integer_functions import integer_function
from mcm.program.resolve.named_conversions import is_conversion, named_conversion
from mcm.program.resolve.spelling import AS_OPERANDS, COPIED, HIGHEST_BIT, INTEGER_FUNCTIONS
from mcm.program.resolve.type_names import show_type
from mcm.program.types import Scalar

if TYPE_CHECKING:
    from mcm.program.instruction import Expression
    from mcm.program.resolve.context import ThreadContext
    from mcm.program.resolve.float_functions import Value
    from mcm.syntax import ast

_SIGNED: Final = {
    Scalar.UCHAR: Scalar.CHAR,
    Scalar.USHORT: Scalar.SHORT,
    Scalar.UINT: Scalar.INT,
    Scalar.ULONG: Scalar.LONG,
}


def number_function(node: ast.Call, value: Value, context: ThreadContext) -> Expression:
    """The call, as an expression of operators; its arguments are evaluated once."""
    name = node.function.text
    if name in INTEGER_FUNCTIONS:
        return integer_function(node, value, context)
    if name == "select":
        return _selected(node, value, context)
    if name in {HIGHEST_BIT, "any", "all"}:
        return _has_highest_bit(node, value, context)
    if name == COPIED:
        found = value(node.arguments[0], context)
        return replace(found, is_copied=True) if isinstance(found, Read) else found
    if name == AS_OPERANDS:
        return _as_operands(value(node.arguments[0], context))
    return named_conversion(node, value, context) if is_conversion(name) else float_function(node, value, context)


def _selected(node: ast.Call, value: Value, context: ThreadContext) -> Expression:
    """`select(a, b, c)` of numbers: `c ? b : a`, both of which are evaluated."""
    check_work_item(node, context)
    check_count(node, 3, "3 arguments", context)
    first, second, chosen = (value(argument, context) for argument in node.arguments)
    sides = [held(side, "side", context) for side in (first, second)]
    found = conditional(held(chosen, "chosen", context), sides[1], sides[0], node.span, context.complaints)
    # It is a function, so that what it returns is not widened as by the operator.
    return converted(found, first.type) if first.type == second.type else found


def _as_operands(found: Expression) -> Expression:
    """The value of an operator, in the type that its operands had before they were widened."""
    match found:
        case Binary(_, left, right):
            operands = [left, right]
        case Unary(_, operand):
            operands = [operand]
        case _:
            return found
    types = {operand.operand.type for operand in operands if isinstance(operand, Convert)}
    wide = [one for one in operands if not isinstance(one, Convert | Literal)]
    return converted(found, types.pop()) if len(types) == 1 and not wide else found


def _has_highest_bit(node: ast.Call, value: Value, context: ThreadContext) -> Expression:
    """Whether the highest bit of an integer is set, by which components of vectors choose."""
    check_count(node, 1, "1 argument", context)
    operand = value(node.arguments[0], context)
    if not isinstance(operand.type, Scalar) or operand.type.is_floating:
        message = f"'{operand.span.text}' has type '{show_type(operand.type)}', expected integers to choose by"
        context.complaints.fail("E119", operand.span, message)
    signed = _SIGNED.get(operand.type, operand.type)
    zero = Literal(0, signed, span=node.span)
    return Binary("<", converted(operand, signed), zero, signed, Scalar.INT, span=node.span)
