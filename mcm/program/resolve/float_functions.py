"""The functions of OpenCL C on floating types (OpenCL C, Math, Common and Relational Functions)."""

from __future__ import annotations

from math import inf, nan
from typing import TYPE_CHECKING, Final

from mcm.program.float_arithmetic import EXACT_PRODUCT, NEXT, ONE, ROUNDED_SUM
from mcm.program.instruction import Binary, Conditional, Literal, Sequence, Unary
from mcm.program.resolve.checks import check_count
from mcm.program.resolve.conversions import common_type, converted
from mcm.program.resolve.functions import held
from mcm.program.resolve.spelling import RELATIONAL
from mcm.program.resolve.type_names import show_type
from mcm.program.types import Scalar

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.program.instruction import Expression
    from mcm.program.resolve.context import ThreadContext
    from mcm.syntax import ast

    Value = Callable[[ast.Expression, ThreadContext], Expression]

# How many arguments those take that are not made of one number, or of two.
_ARGUMENTS: Final = {
    **dict.fromkeys(("mad", "fma", "mix", "smoothstep"), 3),
    **dict.fromkeys(("isinf", "isfinite", "isnormal", "signbit", "ilogb"), 1),
}

_COMPARISONS: Final = {
    "isequal": "==",
    "isnotequal": "!=",
    "isgreater": ">",
    "isgreaterequal": ">=",
    "isless": "<",
    "islessequal": "<=",
}


def float_function(node: ast.Call, value: Value, context: ThreadContext) -> Expression:
    """The call, as an expression of operators; its arguments are evaluated once."""
    name = node.function.text.removeprefix("native_").removeprefix("half_")
    check_work_item(node, context)
    if name == "nan":
        return _nan(node, value, context)
    number = 1 if name in ONE else _ARGUMENTS.get(name, 2)
    check_count(node, number, f"{number} argument{'s' * (number > 1)}", context)
    operands = _floating([value(argument, context) for argument in node.arguments], context)
    type_ = operands[0].type
    assert isinstance(type_, Scalar), "numbers were asked for"
    if name in ONE:
        return Unary(name, operands[0], Scalar.INT if name == "isnan" else type_, span=node.span)
    if name in RELATIONAL:
        return _relation(name, operands, node, context)
    match name:
        case "mad":
            return _in("+", _in("*", *operands[:2]), operands[2])
        case "fma":
            if type_ is Scalar.DOUBLE:
                message = "not yet supported: 'fma' of doubles, which rounds once; 'mad' may round twice"
                context.complaints.fail("E100", node.span, message)
            return _in(ROUNDED_SUM, _in(EXACT_PRODUCT, *operands[:2]), operands[2])
        case "mix":
            first = held(operands[0], "first", context)
            return _in("+", first, _in("*", _in("-", operands[1], first), operands[2]))
        case "step":
            zero, one = (Literal(number, type_, span=node.span) for number in (0.0, 1.0))
            below = _compared("<", operands[1], operands[0])
            return Conditional(below, zero, one, type_, span=node.span)
        case "smoothstep":
            return _smooth(operands, node, context)
        case "pown" | "powr":
            return _in("pow", *operands)
        case "nextafter":
            return _in(NEXT[type_.bits], *operands)
        case "ilogb":
            return _whole_logarithm(operands[0], context)
        case "divide":
            return _in("/", *operands)
        case _:
            return _in(name, *operands)


# The least number of each floating type that has all its digits.
_LEAST_NORMAL: Final = {Scalar.HALF: 2.0**-14, Scalar.FLOAT: 2.0**-126, Scalar.DOUBLE: 2.0**-1022}
# What `ilogb` gives of 0, and of what is no finite number.
_OF_ZERO: Final = -(2**31)
_OF_OTHERS: Final = 2**31 - 1


def _whole_logarithm(operand: Expression, context: ThreadContext) -> Expression:
    """`ilogb(x)`: the power of two that `x` has, as an `int`."""
    number, type_, span = held(operand, "number", context), operand.type, operand.span
    size = Unary("fabs", number, type_, span=span)
    power = converted(Unary("logb", number, type_, span=span), Scalar.INT)
    of_zero, of_others = (Literal(value, Scalar.INT, span=span) for value in (_OF_ZERO, _OF_OTHERS))
    is_finite = _compared("<", size, Literal(inf, type_, span=span))
    found = Conditional(is_finite, power, of_others, Scalar.INT, span=span)
    return Conditional(_compared("==", number, Literal(0.0, type_, span=span)), of_zero, found, Scalar.INT, span=span)


# The type of `nan` for that of its argument.
_NANS: Final = {Scalar.USHORT: Scalar.HALF, Scalar.UINT: Scalar.FLOAT, Scalar.ULONG: Scalar.DOUBLE}


def _nan(node: ast.Call, value: Value, context: ThreadContext) -> Expression:
    """`nan(code)`: there is one NaN, whatever the code."""
    check_count(node, 1, "1 argument", context)
    code = value(node.arguments[0], context)
    type_ = _NANS.get(code.type) if isinstance(code.type, Scalar) else None
    if type_ is None:
        message = f"'nan' takes a 'ushort', 'uint' or 'ulong'; '{code.span.text}' has type '{show_type(code.type)}'"
        context.complaints.fail("E119", code.span, message)
    found = Literal(nan, type_, span=node.span)
    return found if isinstance(code, Literal) else Sequence(code, found, type_, span=node.span)


def _relation(name: str, operands: list[Expression], node: ast.Call, context: ThreadContext) -> Expression:
    """Whether numbers are related so, as 1 or 0; NaN to nothing."""
    first, type_ = operands[0], operands[0].type
    assert isinstance(type_, Scalar), "numbers were asked for"
    if name in _COMPARISONS:
        return _compared(_COMPARISONS[name], *operands)
    match name:
        case "isinf" | "isfinite":
            size = Unary("fabs", first, type_, span=node.span)
            infinity = Literal(inf, type_, span=node.span)
            return _compared("==" if name == "isinf" else "<", size, infinity)
        case "isnormal":
            absolute = held(Unary("fabs", first, type_, span=node.span), "size", context)
            least = Literal(_LEAST_NORMAL[type_], type_, span=node.span)
            infinity = Literal(inf, type_, span=node.span)
            return _of_flags("&", _compared("<=", least, absolute), _compared("<", absolute, infinity))
        case "signbit":
            one = Literal(1.0, type_, span=node.span)
            return _compared("<", _in("copysign", one, first), Literal(0.0, type_, span=node.span))
        case "islessgreater":
            sides = [held(operand, "operand", context) for operand in operands]
            return _of_flags("|", _compared("<", *sides), _compared(">", *sides))
        case _:
            flags = [Unary("isnan", operand, Scalar.INT, span=node.span) for operand in operands]
            either = _of_flags("|", *flags)
            return _of_flags("^", either, Literal(1, Scalar.INT, span=node.span)) if name == "isordered" else either


def _of_flags(operator: str, one: Expression, other: Expression) -> Expression:
    return Binary(operator, one, other, Scalar.INT, Scalar.INT, span=one.span)


def _smooth(operands: list[Expression], node: ast.Call, context: ThreadContext) -> Expression:
    """`smoothstep(a, b, x)`: with `t` between 0 and 1, `t * t * (3 - 2 * t)` (OpenCL C, Common Functions)."""
    type_ = operands[0].type
    zero, one, two, three = (Literal(float(number), type_, span=node.span) for number in range(4))
    low = held(operands[0], "low", context)
    part: Expression = _in("/", _in("-", operands[2], low), _in("-", operands[1], low))
    part = held(_in("fmin", _in("fmax", part, zero), one), "part", context)
    return _in("*", _in("*", part, part), _in("-", three, _in("*", two, part)))


# What C calls by the same name.
_OF_C: Final = frozenset(
    {"fabs", "sqrt", "cbrt", "floor", "ceil", "trunc", "round", "rint", "exp", "exp2", "expm1", "log", "log2", "log10"}
    | {"log1p", "pow", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "hypot"}
    | {"fmin", "fmax", "fmod", "fdim", "fma", "copysign"}
)


def check_work_item(node: ast.Call, context: ThreadContext) -> None:
    """Refuse a function of OpenCL C elsewhere; those that C has too, in <math.h>, are everywhere."""
    if not context.has_functions and node.function.text not in _OF_C:
        context.complaints.fail("E140", node.span, f"'{node.function.text}' exists in OpenCL C only")


def _floating(operands: list[Expression], context: ThreadContext) -> list[Expression]:
    """Numbers in the widest floating type among theirs; `float` where all are integers."""
    found: Scalar | None = None
    for operand in operands:
        if not isinstance(operand.type, Scalar):
            message = f"'{operand.span.text}' has type '{show_type(operand.type)}', expected a number"
            context.complaints.fail("E119", operand.span, message)
        if operand.type.is_floating:
            found = operand.type if found is None else common_type(found, operand.type)
    return [converted(operand, found or Scalar.FLOAT) for operand in operands]


def _in(operator: str, left: Expression, right: Expression) -> Expression:
    return Binary(operator, left, right, left.type, left.type, span=left.span)


def _compared(operator: str, left: Expression, right: Expression) -> Expression:
    return Binary(operator, left, right, left.type, Scalar.INT, span=left.span)
