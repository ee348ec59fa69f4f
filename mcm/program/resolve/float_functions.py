"""The functions of OpenCL C on `float` (OpenCL C, Math, Common and Relational Functions)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.program.float_arithmetic import EXACT_PRODUCT, ONE, ROUNDED_SUM
from mcm.program.instruction import Binary, Conditional, Literal, Unary
from mcm.program.resolve.checks import check_count
from mcm.program.resolve.conversions import converted
from mcm.program.resolve.functions import held
from mcm.program.resolve.type_names import show_type
from mcm.program.types import Scalar

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.program.instruction import Expression
    from mcm.program.resolve.context import ThreadContext
    from mcm.syntax import ast

    Value = Callable[[ast.Expression, ThreadContext], Expression]

# How many arguments those take that are not made of one number, or of two.
_ARGUMENTS: Final = {"mad": 3, "fma": 3, "mix": 3, "isinf": 1, "isfinite": 1}


def float_function(node: ast.Call, value: Value, context: ThreadContext) -> Expression:
    """The call, as an expression of operators; its arguments are evaluated once."""
    name = node.function.text.removeprefix("native_").removeprefix("half_")
    check_work_item(node, context)
    number = 1 if name in ONE else _ARGUMENTS.get(name, 2)
    check_count(node, number, f"{number} argument{'s' * (number > 1)}", context)
    operands = [_as_float(value(argument, context), context) for argument in node.arguments]
    if name in ONE:
        return Unary(name, operands[0], Scalar.INT if name == "isnan" else Scalar.FLOAT, span=node.span)
    match name:
        case "mad":
            return _in("+", _in("*", *operands[:2]), operands[2])
        case "fma":
            return _in(ROUNDED_SUM, _in(EXACT_PRODUCT, *operands[:2]), operands[2])
        case "mix":
            first = held(operands[0], "first", context)
            return _in("+", first, _in("*", _in("-", operands[1], first), operands[2]))
        case "step":
            zero, one = (Literal(number, Scalar.FLOAT, span=node.span) for number in (0.0, 1.0))
            below = _compared("<", operands[1], operands[0])
            return Conditional(below, zero, one, Scalar.FLOAT, span=node.span)
        case "isinf" | "isfinite":
            size = Unary("fabs", operands[0], Scalar.FLOAT, span=node.span)
            infinity = Literal(float("inf"), Scalar.FLOAT, span=node.span)
            return _compared("==" if name == "isinf" else "<", size, infinity)
        case "pown" | "powr":
            return _in("pow", *operands)
        case "divide":
            return _in("/", *operands)
        case _:
            return _in(name, *operands)


def check_work_item(node: ast.Call, context: ThreadContext) -> None:
    """Refuse a function of OpenCL C elsewhere."""
    if not context.is_work_item:
        context.complaints.fail("E140", node.span, f"'{node.function.text}' exists in OpenCL C only")


def _as_float(operand: Expression, context: ThreadContext) -> Expression:
    if not isinstance(operand.type, Scalar):
        message = f"'{operand.span.text}' has type '{show_type(operand.type)}', expected a number"
        context.complaints.fail("E119", operand.span, message)
    return converted(operand, Scalar.FLOAT)


def _in(operator: str, left: Expression, right: Expression) -> Expression:
    return Binary(operator, left, right, Scalar.FLOAT, Scalar.FLOAT, span=left.span)


def _compared(operator: str, left: Expression, right: Expression) -> Expression:
    return Binary(operator, left, right, Scalar.FLOAT, Scalar.INT, span=left.span)
