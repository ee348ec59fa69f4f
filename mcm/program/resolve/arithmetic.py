"""Operators on resolved operands: conversions are made explicit, results get their types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.program.instruction import Assign, Binary, Conditional, Literal, Logical, Modify, Unary
from mcm.program.operators import SHIFTS
from mcm.program.resolve.conversions import coerced, common_type, converted, is_null, promoted, same_pointee
from mcm.program.resolve.type_names import show_type
from mcm.program.types import PointerType, Region, Scalar
from mcm.program.value_arithmetic import apply_unary

if TYPE_CHECKING:
    from mcm.base.source import Span
    from mcm.program.instruction import Expression, Place
    from mcm.program.resolve.complaints import Complaints
    from mcm.program.types import Type

_COMPARISONS: Final = frozenset({"==", "!=", "<", ">", "<=", ">="})
_INTEGRAL: Final = frozenset({"%", "&", "|", "^", "<<", ">>"})


def binary(operator: str, left: Expression, right: Expression, span: Span, complaints: Complaints) -> Expression:
    """`left operator right`."""
    if operator in {"&&", "||"}:
        return Logical(operator, left, right, Scalar.INT, span=span)
    operands = operand_type(operator, left, right, span, complaints)
    if isinstance(operands, PointerType):
        return _pointer_binary(operator, left, right, operands, span)
    result = Scalar.INT if operator in _COMPARISONS else operands
    return Binary(operator, converted(left, operands), converted(right, operands), operands, result, span=span)


def operand_type(operator: str, left: Expression, right: Expression, span: Span, complaints: Complaints) -> Type:
    """The type in which `left operator right` is computed."""
    match left.type, right.type:
        case (Scalar() as one, Scalar() as other):
            is_integral = operator not in _INTEGRAL or not (one.is_floating or other.is_floating)
            if not is_integral or Scalar.EVENT in {one, other}:
                _refuse(operator, left, right, span, complaints)
            return promoted(one) if operator in SHIFTS else common_type(one, other)
        case (PointerType() as one, PointerType() as other):
            if operator not in {"-", *_COMPARISONS} or not same_pointee(one, other):
                _refuse(operator, left, right, span, complaints)
            return one
        case (PointerType() as one, Scalar() as other):
            is_null_test = operator in {"==", "!="} and is_null(right)
            if not is_null_test and (operator not in {"+", "-"} or other.is_floating):
                _refuse(operator, left, right, span, complaints)
            return one
        case (Scalar() as one, PointerType() as other):
            is_null_test = operator in {"==", "!="} and is_null(left)
            if not is_null_test and (operator != "+" or one.is_floating):
                _refuse(operator, left, right, span, complaints)
            return other
        case _:
            raise AssertionError


def _refuse(operator: str, left: Expression, right: Expression, span: Span, complaints: Complaints) -> None:
    types = f"'{show_type(left.type)}' and '{show_type(right.type)}'"
    hint = _pointed_at(operator, left, right)
    complaints.fail("E119", span, f"operator '{operator}' does not apply to {types}{hint}")


def _pointed_at(operator: str, left: Expression, right: Expression) -> str:
    """A suggestion where a pointer by its name is compared with a number, as what it points to may be."""
    for one, other in ((left, right), (right, left)):
        is_pointer = isinstance(one.type, PointerType) and one.type.target == other.type
        if operator in _COMPARISONS and is_pointer and one.span.text.isidentifier():
            return f"; did you mean '*{one.span.text}'?"
    return ""


def _pointer_binary(operator: str, left: Expression, right: Expression, pointer: PointerType, span: Span) -> Expression:
    both = isinstance(left.type, PointerType) and isinstance(right.type, PointerType)
    if operator in _COMPARISONS:
        return Binary(operator, converted(left, pointer), converted(right, pointer), pointer, Scalar.INT, span=span)
    return Binary(operator, left, right, pointer, Scalar.LONG if both else pointer, span=span)


def unary(operator: str, operand: Expression, span: Span, complaints: Complaints) -> Expression:
    """`operator operand` for `+ - ~ !`."""
    type_ = operand.type
    if operator == "!":
        return Unary("!", operand, Scalar.INT, span=span)
    if isinstance(type_, PointerType) or (operator == "~" and type_.is_floating):
        complaints.fail("E119", span, f"operator '{operator}' does not apply to '{show_type(type_)}'")
    widened = converted(operand, promoted(type_))
    if operator == "+":
        return widened
    is_number = isinstance(widened, Literal) and isinstance(widened.value, (int, float))
    is_signed = not isinstance(widened.type, Scalar) or widened.type.signed
    if operator == "-" and isinstance(widened, Literal) and is_number and is_signed:
        # In C's grammar `-1` is an operator and a literal; here it is one literal.
        return Literal(apply_unary("-", widened.value, widened.type), widened.type, span=span)
    return Unary(operator, widened, widened.type, span=span)


def conditional(
    condition: Expression, then: Expression, otherwise: Expression, span: Span, complaints: Complaints
) -> Expression:
    """`condition ? then : otherwise`."""
    match then.type, otherwise.type:
        case (Scalar() as one, Scalar() as other):
            type_: Type = common_type(one, other)
        case (PointerType() as one, PointerType(_, Region.GENERIC) as other) if one.region is not Region.CONSTANT:
            type_ = other
        case (PointerType() as one, _):
            type_ = one
        case (_, other):
            type_ = other
    one_side, other_side = coerced(then, type_, complaints), coerced(otherwise, type_, complaints)
    return Conditional(condition, one_side, other_side, type_, span=span)


def assign(operator: str, place: Place, value: Expression, span: Span, complaints: Complaints) -> Expression:
    """`place = value`, or `place op= value`."""
    if operator == "=":
        name = place.span.text if place.span.text.isidentifier() else ""
        return Assign(place, coerced(value, place.type, complaints, pointer=name), place.type, span=span)
    return modify(operator.removesuffix("="), place, value, span, complaints, returns_old=False)


def modify(
    operator: str, place: Place, value: Expression, span: Span, complaints: Complaints, *, returns_old: bool
) -> Expression:
    """`place op= value`, `++place`, `place++`."""
    # The conversions depend only on the type of the place, so a literal of that type is used for it.
    stand_in = Literal(1, place.type, span=place.span)
    operands = operand_type(operator, stand_in, value, span, complaints)
    if isinstance(operands, PointerType):
        if isinstance(value.type, PointerType) or not isinstance(place.type, PointerType):
            _refuse(operator, stand_in, value, span, complaints)
        return Modify(operator, place, value, operands, returns_old, place.type, span=span)
    return Modify(operator, place, converted(value, operands), operands, returns_old, place.type, span=span)
