"""`to_global`, `to_local`, `to_private`: conversions of generic pointers, or NULL (AS-1, AS-5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.program.instruction import AddressOfRegister, Binary, Convert, Literal, Read, RegisterPlace
from mcm.program.resolve.conversions import converted
from mcm.program.resolve.type_names import show_type
from mcm.program.types import PointerType, Region

if TYPE_CHECKING:
    from mcm.base.source import Span
    from mcm.program.instruction import Expression
    from mcm.program.resolve.context import ThreadContext

_CONVERSIONS: Final = {"to_global": Region.GLOBAL, "to_local": Region.LOCAL, "to_private": Region.PRIVATE}

POINTER_FUNCTIONS: Final = frozenset(_CONVERSIONS)


def pointer_function(name: str, pointer: Expression, span: Span, context: ThreadContext) -> Expression:
    """The pointer in the named address space, or NULL when it points elsewhere."""
    if not context.is_work_item:
        context.complaints.fail("E140", span, f"'{name}' exists in OpenCL C only")
    if not isinstance(pointer.type, PointerType):
        message = f"'{pointer.span.text}' has type '{show_type(pointer.type)}', expected a pointer"
        context.complaints.fail("E121", pointer.span, message)
    wanted = _CONVERSIONS[name]
    region = _region_of_object(pointer, context)
    if region is None:
        message = f"not yet supported: '{name}' of a pointer whose object is known at run time only"
        context.complaints.fail("E100", span, message)
    result = PointerType(pointer.type.target, wanted, pointer.type.atomic)
    return converted(pointer if region is wanted else Literal(0, result, span=span), result)


def _region_of_object(pointer: Expression, context: ThreadContext) -> Region | None:
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
            return _region_of_object(left, context)
        case Convert(operand, _) if isinstance(operand.type, PointerType):
            return _region_of_object(operand, context)
        case _:
            return None
