"""Conversions of OpenCL C that are called by name: `convert_int`, `convert_uchar_sat_rte`, `as_float`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mcm.program.float_arithmetic import DIRECTED
from mcm.program.instruction import Binary, Conditional, Literal, Unary
from mcm.program.resolve.checks import check_count
from mcm.program.resolve.conversions import converted, same_bits
from mcm.program.resolve.float_functions import check_work_item
from mcm.program.resolve.functions import held
from mcm.program.resolve.saturating import saturated
from mcm.program.resolve.type_names import show_type
from mcm.program.types import Scalar

if TYPE_CHECKING:
    from mcm.program.instruction import Expression
    from mcm.program.resolve.context import ThreadContext
    from mcm.program.resolve.float_functions import Value
    from mcm.syntax import ast

_CONVERSION: Final = re.compile(r"(as|convert)_([a-z]+)(?P<saturated>_sat)?(?:_(?P<mode>rt[ezpn]))?")
# What rounds a number of a floating type to an integer, before the conversion, which cuts off.
_ROUNDED: Final = {"rte": "rint", "rtp": "ceil", "rtn": "floor"}


def is_conversion(name: str) -> bool:
    """Whether a function of numbers is a conversion."""
    return _CONVERSION.fullmatch(name) is not None


def named_conversion(node: ast.Call, value: Value, context: ThreadContext) -> Expression:
    """`convert_int(x)`, which is a cast, perhaps with another way to round, or `as_int(x)`, which keeps the bits."""
    found = _CONVERSION.fullmatch(node.function.text)
    assert found is not None, "asked before"
    target = Scalar[found[2].upper()]
    check_work_item(node, context)
    check_count(node, 1, "1 argument", context)
    operand = value(node.arguments[0], context)
    type_ = operand.type
    if not isinstance(type_, Scalar):
        message = f"'{operand.span.text}' has type '{show_type(type_)}', expected a number"
        context.complaints.fail("E119", operand.span, message)
    if found[1] == "convert":
        return _converted(node, operand, target, found, context)
    if type_.bits != target.bits:
        message = f"'{operand.span.text}' has {type_.bits} bits, and '{target.spelling}' has {target.bits}"
        context.complaints.fail("E119", operand.span, message)
    return same_bits(operand, target, node.span)


def _converted(
    node: ast.Call, operand: Expression, target: Scalar, found: re.Match[str], context: ThreadContext
) -> Expression:
    """The nearest number as the mode says; of an integer type, the nearest one that it has where it is saturated."""
    assert isinstance(operand.type, Scalar)
    mode = found["mode"]
    if target.is_floating:
        if found["saturated"]:
            message = f"'{node.function.text}': only conversions to integers are saturated"
            context.complaints.fail("E119", node.span, message)
        return _directed(node, operand, target, mode, context)
    if not operand.type.is_floating:
        return saturated(operand, target) if found["saturated"] else converted(operand, target)
    if mode in _ROUNDED:
        operand = Unary(_ROUNDED[mode], operand, operand.type, span=node.span)
    return _limited(held(operand, "number", context), target) if found["saturated"] else converted(operand, target)


def _directed(
    node: ast.Call, operand: Expression, target: Scalar, mode: str | None, context: ThreadContext
) -> Expression:
    """A number of a floating type, rounded as the mode says."""
    assert isinstance(operand.type, Scalar)
    if mode in {None, "rte"}:
        return converted(operand, target)
    assert mode is not None
    if not operand.type.is_floating and operand.type.bits == Scalar.LONG.bits:
        message = f"not yet supported: '{node.function.text}' of an integer of 64 bits"
        context.complaints.fail("E100", node.span, message)
    # A double holds every other number as it is.
    name = DIRECTED.get((mode, target.bits))
    if name is None:
        return converted(operand, target)
    wide = converted(operand, Scalar.DOUBLE)
    return converted(Unary(name, wide, Scalar.DOUBLE, span=node.span), target)


def _limited(number: Expression, target: Scalar) -> Expression:
    """An integer for a number of a floating type, the nearest one for what is beyond all; 0 for NaN (OpenCL C, Out-of-
    Range Behavior and Saturated Conversions).
    """
    found: Expression = converted(number, target)
    zero = Literal(0, target, span=number.span)
    found = Conditional(_compared("==", number, number), found, zero, target, span=number.span)
    for operator, limit in (("<=", target.low), (">=", target.high)):
        nearest = Literal(limit, target, span=number.span)
        is_beyond = _compared(operator, number, converted(nearest, number.type))
        found = Conditional(is_beyond, nearest, found, target, span=number.span)
    return found


def _compared(operator: str, left: Expression, right: Expression) -> Expression:
    return Binary(operator, left, right, left.type, Scalar.INT, span=left.span)
