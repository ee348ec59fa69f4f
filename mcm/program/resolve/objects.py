"""Compound literals, `(int){1}` and `(int[]){1, 2}`: variables without a name, made anew by each evaluation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.program.instruction import AddressOfRegister, Declare, ElementPlace, Literal, Read, RegisterPlace
from mcm.program.resolve.complaints import Attempts
from mcm.program.resolve.conversions import filled
from mcm.program.resolve.hoisting import HoistedCall, does, settle_list
from mcm.program.resolve.initial_values import array_length
from mcm.program.resolve.type_names import object_type
from mcm.program.types import PointerType, Region, Scalar

if TYPE_CHECKING:
    from mcm.program.instruction import Expression
    from mcm.program.resolve.calls import Value
    from mcm.program.resolve.context import ThreadContext
    from mcm.program.types import Type
    from mcm.syntax import ast


def unnamed(node: ast.CompoundLiteral, value: Value, context: ThreadContext) -> Expression:
    """The value of the variable, or the address of the first element of an array.

    What declares it stands before the expression, as calls of functions do.
    """
    declared = object_type(node.type, (), context.unnamed_region, context.complaints)
    if declared.region not in {None, Region.PRIVATE} or declared.atomic:
        message = f"what '{node.type.span.text}' names here is private, and no atomic object"
        context.complaints.fail("E127", node.type.span, message)
    length = None if node.length is None else array_length(node.length, context.complaints)
    values = _values(node, declared.type, length or 1, value, context)
    variable = context.names.declare_hidden("literal", declared.type, node.span, length)
    context.note_const(variable.register, node.type, ())
    statement = Declare(variable.register, declared.type, length, values, span=node.span)
    context.hoisted.statements.append(statement)
    is_one = length is None
    context.hoisted.calls.append(HoistedCall(node.span, does([statement]), variable.register if is_one else None))
    if length is None:
        place = RegisterPlace(variable.register, declared.type, span=node.span)
        return Read(place, declared.type, span=node.span)
    first = ElementPlace(
        variable.register, length, Literal(0, Scalar.INT, span=node.span), declared.type, span=node.span
    )
    return AddressOfRegister(first, PointerType(declared.type, context.private_region), span=node.span)


def _values(
    node: ast.CompoundLiteral, type_: Type, count: int, value: Value, context: ThreadContext
) -> tuple[Expression, ...]:
    """The value of each element; those that are left out are 0."""
    items, attempts = node.initializer.items, Attempts()
    if node.initializer.rows:
        message = f"'{node.span.text}' has one dimension, found a list of lists"
        context.complaints.fail("E131", node.initializer.span, message)
    if len(items) > count:
        message = f"{len(items)} initial values for the {count} of '{node.span.text}'"
        context.complaints.fail("E131", items[count].span, message)
    found: list[Expression] = []
    for item in items:
        with attempts:
            found.append(value(item, context))
    attempts.finish()
    settle_list(found, context)
    return filled(found, type_, count, node.span, context.complaints)
