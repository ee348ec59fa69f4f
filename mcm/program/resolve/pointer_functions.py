"""`to_global`, `to_local`, `to_private`: conversions of generic pointers, or NULL (AS-1, AS-5); `get_fence`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.program.instruction import (
    AddressOfRegister,
    Binary,
    Conditional,
    Convert,
    InRegion,
    Literal,
    Read,
    RegisterPlace,
)
from mcm.program.resolve.conversions import converted
from mcm.program.resolve.functions import held
from mcm.program.resolve.literals import NAMED_CONSTANTS
from mcm.program.resolve.type_names import show_type
from mcm.program.types import Flag, PointerType, Region, Scalar

if TYPE_CHECKING:
    from mcm.base.source import Span
    from mcm.program.instruction import Expression
    from mcm.program.resolve.context import ThreadContext

_CONVERSIONS: Final = {"to_global": Region.GLOBAL, "to_local": Region.LOCAL, "to_private": Region.PRIVATE}

GET_FENCE: Final = "get_fence"


def pointer_function(name: str, pointer: Expression, span: Span, context: ThreadContext) -> Expression:
    """The pointer in the named address space, or NULL when it points elsewhere; of `get_fence`, the flag."""
    if not context.is_work_item:
        context.complaints.fail("E140", span, f"'{name}' exists in OpenCL C only")
    if not isinstance(pointer.type, PointerType):
        message = f"'{pointer.span.text}' has type '{show_type(pointer.type)}', expected a pointer"
        context.complaints.fail("E121", pointer.span, message)
    if name == GET_FENCE:
        flags = [Literal(NAMED_CONSTANTS[flag.value][0], Scalar.UINT, span=span) for flag in (Flag.LOCAL, Flag.GLOBAL)]
        return Conditional(points_into(pointer, Region.LOCAL, context), flags[0], flags[1], Scalar.UINT, span=span)
    wanted = _CONVERSIONS[name]
    region = region_of_object(pointer, context)
    result = PointerType(pointer.type.target, wanted, pointer.type.atomic)
    null = Literal(0, result, span=span)
    if region is not None:
        return converted(pointer if region is wanted else null, result)
    pointer = held(pointer, "pointer", context)
    return Conditional(points_into(pointer, wanted, context), converted(pointer, result), null, result, span=span)


def points_into(pointer: Expression, region: Region, context: ThreadContext) -> Expression:
    """Whether a pointer points into an address space: known now, or when the program runs."""
    known = region_of_object(pointer, context)
    if known is not None:
        return Literal(int(known is region), Scalar.INT, span=pointer.span)
    objects = frozenset(number for number, item in enumerate(context.memory.objects) if item.region is region)
    return InRegion(pointer, objects, region is Region.PRIVATE, Scalar.INT, span=pointer.span)


def region_of_object(pointer: Expression, context: ThreadContext) -> Region | None:
    """The address space that a pointer points into, where it is known before the program runs."""
    assert isinstance(pointer.type, PointerType)
    if pointer.type.region not in {Region.GENERIC, Region.NONE}:
        return pointer.type.region
    match pointer:
        case AddressOfRegister():
            return Region.PRIVATE
        case Read(RegisterPlace(register)) if register not in context.reassigned:
            parameters = context.memory.parameters
            index = context.memory.find(register) if (context.number, register) in parameters else None
            return None if index is None else context.memory.objects[index].region
        case Binary(_, left, _, PointerType(), _):
            return region_of_object(left, context)
        case Convert(operand, _) if isinstance(operand.type, PointerType):
            return region_of_object(operand, context)
        case _:
            return None
