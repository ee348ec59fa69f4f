"""The addresses of members of structures whose heads memory holds the addresses of (ADR 124)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from mcm.program.instruction import HeldMembers, MemberAddress
from mcm.program.resolve.literals import written_integer
from mcm.program.resolve.spelling import MEMBER
from mcm.program.resolve.type_names import show_type
from mcm.program.types import PointerType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mcm.program.instruction import Expression
    from mcm.program.resolve.context import ThreadContext
    from mcm.syntax import ast

    Value = Callable[[ast.Expression, ThreadContext], Expression]


def member_address(node: ast.Call, value: Value, context: ThreadContext) -> Expression:
    """`#member head path(pointer, null, length)`: where so many elements of the type that null points to are."""
    pointer, null, length = node.arguments
    operand, typed = value(pointer, context), value(null, context).type
    assert isinstance(typed, PointerType)
    if not isinstance(operand.type, PointerType):
        message = f"'{pointer.span.text}' has type '{show_type(operand.type)}', expected a pointer"
        context.complaints.fail("E121", pointer.span, message)
    head, _, path = node.function.text.removeprefix(MEMBER).partition(" ")
    places = tuple(_places(head, path, written_integer(length) or 1, context))
    if not places and any(one.name.endswith(f".{head}") for one in context.memory.objects):
        message = f"'{node.span.text}', a member of a union in a structure to which memory holds pointers"
        context.complaints.fail("E100", node.span, f"not yet supported: {message}")
    # A member is where its structure is; what pointers in memory point to, memory says.
    type_ = context.memory.pointer_to(places[0].object) if places else typed
    return MemberAddress(operand, places, replace(type_, region=operand.type.region), span=node.span)


def _places(head: str, path: str, length: int, context: ThreadContext) -> Iterator[HeldMembers]:
    """Where this member is of all the structures with such a head."""
    memory = context.memory
    for number, item in enumerate(memory.objects):
        around, dot, name = item.name.rpartition(".")
        there = memory.numbers.get((f"{around}.{path}", item.group))
        if dot and name == head and there is not None:
            yield HeldMembers(number, there, length * memory.objects[there].units)
