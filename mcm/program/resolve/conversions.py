"""Conversions of C: promotions, the usual arithmetic conversions, and pointers between address spaces."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from mcm.program.instruction import Convert, Literal, Read, RegisterPlace, Unary
from mcm.program.resolve.literals import fits
from mcm.program.resolve.type_names import show_type
from mcm.program.types import PointerType, Region, Scalar
from mcm.program.value_arithmetic import convert

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from mcm.base.source import Span
    from mcm.program.instruction import Expression
    from mcm.program.resolve.complaints import Complaints
    from mcm.program.types import Type
    from mcm.syntax.ast import TypeName


def promoted(scalar: Scalar) -> Scalar:
    """Integer promotion: what is smaller than an int becomes one."""
    return Scalar.INT if not scalar.is_floating and scalar.bits < Scalar.INT.bits else scalar


def common_type(left: Scalar, right: Scalar) -> Scalar:
    """The usual arithmetic conversions.

    >>> common_type(Scalar.INT, Scalar.UINT).spelling, common_type(Scalar.BOOL, Scalar.CHAR).spelling
    ('uint', 'int')
    """
    for floating in (Scalar.DOUBLE, Scalar.FLOAT, Scalar.HALF):
        if floating in {left, right}:
            return floating
    one, other = promoted(left), promoted(right)
    if one.bits != other.bits:
        return one if one.bits > other.bits else other
    return one if not one.signed else other


def converted(expression: Expression, type_: Type) -> Expression:
    """The expression in another type; a literal that the type holds unchanged just changes its type."""
    if expression.type == type_:
        return expression
    if isinstance(expression, Literal) and isinstance(expression.value, (int, float)):
        if isinstance(type_, PointerType):
            return Literal(expression.value, type_, expression.is_asked, span=expression.span)
        if fits(expression.value, type_):
            return Literal(convert(expression.value, type_), type_, expression.is_asked, span=expression.span)
    return Convert(expression, type_, span=expression.span)


def cast(expression: Expression, to: Type, written: TypeName, span: Span) -> Expression:
    """The expression in a type that is written so; a pointer through which one may write is another one than before."""
    levels = written.qualifiers, *written.pointers
    writes = isinstance(to, PointerType) and len(levels) > 1 and "const" not in levels[-2]
    if writes and isinstance(expression.type, PointerType):
        return Convert(expression, to, span=span)
    return converted(expression, to)


def holds_address(expression: Expression, registers: Collection[str]) -> bool:
    """Whether an integer is an address: a pointer that was cast, or one of the registers that hold one."""
    match expression:
        case Convert(operand, Scalar(), 1):
            return isinstance(operand.type, PointerType) or holds_address(operand, registers)
        case Read(RegisterPlace(register)):
            return register in registers and isinstance(expression.type, Scalar)
        case _:
            return False


def filled(
    values: Sequence[Expression], type_: Type, count: int, span: Span, complaints: Complaints
) -> tuple[Expression, ...]:
    """The values of the elements of an array, which C fills with zeros."""
    found = [coerced(value, type_, complaints) for value in values]
    zero = converted(Literal(0, Scalar.INT, span=span), type_)
    return (*found, *[zero] * (count - len(found)))


def same_bits(expression: Expression, to: Scalar, span: Span) -> Expression:
    """The value of another type of the same size that has the same bits."""
    source = expression.type
    assert isinstance(source, Scalar)
    if source.is_floating == to.is_floating:
        return converted(expression, to)
    return Unary("bits", expression, to, span=span)


def is_null(expression: Expression) -> bool:
    """Whether this is a null pointer constant."""
    return isinstance(expression, Literal) and expression.value == 0


def coerced(expression: Expression, type_: Type, complaints: Complaints, *, pointer: str = "") -> Expression:
    """The expression converted as by assignment: implicit conversions only.

    `pointer` is what it is assigned to, where that is a variable: what it points to may be meant.
    """
    source = expression.type
    if source is type_:
        return expression
    match source, type_:
        case (Scalar(), Scalar()):
            pass
        case (PointerType(), Scalar.BOOL):
            pass
        case (Scalar(), PointerType()):
            if not is_null(expression):
                cast = "an integer becomes a pointer by a cast only"
                _refuse(expression, type_, f"; did you mean '*{pointer}'?" if pointer else f"; {cast}", complaints)
        case (PointerType(), Scalar()):
            _refuse(expression, type_, _value_hint(expression, source, type_), complaints)
        case (PointerType(), PointerType()):
            if not same_pointee(source, type_):
                _refuse(expression, type_, _pointer_hint(expression, source, type_), complaints)
            # A structure is copied as it is, whatever address spaces its pointers do not name.
            if not (isinstance(expression, Read) and expression.is_copied):
                check_regions(source, type_, expression.span, complaints, is_cast=False)
        case _:
            assert_never((source, type_))  # type: ignore[arg-type]
    return converted(expression, type_)


def _value_hint(expression: Expression, pointer: PointerType, wanted: Scalar) -> str:
    text = expression.span.text
    if text.isidentifier() and isinstance(pointer.target, Scalar):
        return f"; did you mean '{f'atomic_load({text})' if pointer.atomic else f'*{text}'}'?"
    return "" if wanted.is_floating else "; a pointer becomes an integer by a cast only"


def _pointer_hint(expression: Expression, pointer: PointerType, wanted: PointerType) -> str:
    """`&x` for the pointer `x`."""
    text, target = expression.span.text, pointer.target
    is_address_of_it = text.startswith("&") and isinstance(target, PointerType) and same_pointee(target, wanted)
    return f"; did you mean '{text[1:].strip()}'?" if is_address_of_it else ""


def _refuse(expression: Expression, type_: Type, hint: str, complaints: Complaints) -> None:
    found, wanted = show_type(expression.type), show_type(type_)
    text = expression.span.text
    complaints.fail("E122", expression.span, f"'{text}' has type '{found}', expected '{wanted}'{hint}")


def same_pointee(one: PointerType, other: PointerType) -> bool:
    """Whether pointers point at the same kind of object, address spaces and atomicity aside."""
    match one.target, other.target:
        case (Scalar() as left, Scalar() as right):
            return left is right
        case (PointerType() as left, PointerType() as right):
            return same_pointee(left, right)
        case _:
            return False


def check_regions(
    source: PointerType, target: PointerType, span: Span, complaints: Complaints, *, is_cast: bool
) -> None:
    """AS-1, AS-2: which conversions between address spaces exist."""
    one, other = source.region, target.region
    if one is other or Region.NONE in {one, other}:
        return
    what = f"'{span.text}' points into the {one.value} address space, expected {other.value}"
    if Region.CONSTANT in {one, other}:
        complaints.fail("E123", span, f"{what}; constant memory converts to no other address space, even by a cast")
    if one is Region.GENERIC:
        if not is_cast:
            complaints.fail("E123", span, f"{what}; a generic pointer becomes {other.value} by a cast only")
    elif other is not Region.GENERIC:
        complaints.fail("E123", span, f"{what}; named address spaces do not convert to each other")
