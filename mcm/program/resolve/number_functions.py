"""The functions of OpenCL C from numbers to a number: of integers, of floats, `select`, and conversions by name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mcm.program.instruction import Unary
from mcm.program.resolve.arithmetic import conditional
from mcm.program.resolve.checks import check_count
from mcm.program.resolve.conversions import converted
from mcm.program.resolve.float_functions import check_work_item, float_function
from mcm.program.resolve.functions import held
from mcm.program.resolve.integer_functions import integer_function
from mcm.program.resolve.spelling import INTEGER_FUNCTIONS
from mcm.program.resolve.type_names import show_type
from mcm.program.types import Scalar

if TYPE_CHECKING:
    from mcm.program.instruction import Expression
    from mcm.program.resolve.context import ThreadContext
    from mcm.program.resolve.float_functions import Value
    from mcm.syntax import ast

_CONVERSION: Final = re.compile(r"(as|convert)_([a-z]+)")


def number_function(node: ast.Call, value: Value, context: ThreadContext) -> Expression:
    """The call, as an expression of operators; its arguments are evaluated once."""
    name = node.function.text
    if name in INTEGER_FUNCTIONS:
        return integer_function(node, value, context)
    if name == "select":
        return _selected(node, value, context)
    target = _conversion_target(name)
    return float_function(node, value, context) if target is None else _named_conversion(node, target, value, context)


def _selected(node: ast.Call, value: Value, context: ThreadContext) -> Expression:
    """`select(a, b, c)` of numbers: `c ? b : a`, both of which are evaluated."""
    check_work_item(node, context)
    check_count(node, 3, "3 arguments", context)
    first, second, chosen = (value(argument, context) for argument in node.arguments)
    sides = [held(side, "side", context) for side in (first, second)]
    return conditional(held(chosen, "chosen", context), sides[1], sides[0], node.span, context.complaints)


def _conversion_target(name: str) -> Scalar | None:
    """The type that a conversion such as `convert_int` or `as_float` names; None for other functions."""
    found = _CONVERSION.fullmatch(name)
    return None if found is None else Scalar[found[2].upper()]


def _named_conversion(node: ast.Call, target: Scalar, value: Value, context: ThreadContext) -> Expression:
    """`convert_int(x)`, which is a cast, or `as_int(x)`, which keeps the bits."""
    check_work_item(node, context)
    check_count(node, 1, "1 argument", context)
    operand = value(node.arguments[0], context)
    type_ = operand.type
    if not isinstance(type_, Scalar):
        message = f"'{operand.span.text}' has type '{show_type(type_)}', expected a number"
        context.complaints.fail("E119", operand.span, message)
    if node.function.text.startswith("convert_"):
        return converted(operand, target)
    if type_.bits != target.bits:
        message = f"'{operand.span.text}' has {type_.bits} bits, and '{target.spelling}' has {target.bits}"
        context.complaints.fail("E119", operand.span, message)
    if (type_.is_floating) == (target.is_floating):
        return converted(operand, target)
    return Unary("bits", operand, target, span=node.span)
