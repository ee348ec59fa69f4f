"""Checks of plain accesses, and of calls: whether the unit has the function, and the number of arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from mcm.program.instruction import Binary, ElementPlace, MemoryPlace, Read, RegisterPlace
from mcm.program.resolve.signatures import Where
from mcm.program.types import PointerType, Region
from mcm.syntax import ast

if TYPE_CHECKING:
    from mcm.base.source import Span
    from mcm.program.instruction import Expression, Place
    from mcm.program.resolve.context import ThreadContext


def warn_plain_access(accessed: MemoryPlace, context: ThreadContext) -> None:
    """Warn about a plain access to an object that was declared atomic."""
    pointer = accessed.address.type
    text = accessed.address.span.text
    if isinstance(pointer, PointerType) and pointer.atomic and context.complaints.is_new("W108", text, pointer):
        meant = context.dialect.plain_access_to_atomic
        message = f"plain access to '{text}', which is declared atomic, is taken as non-atomic; {meant}"
        context.complaints.warning("W108", accessed.span, message)


def warn_assigned(condition: ast.Expression, context: ThreadContext) -> None:
    """Warn about a condition that assigns a number: `if (r0 = 1)`; in parentheses of its own it is meant."""
    text = condition.span.text
    if text.startswith("(") and text.endswith(")"):
        return
    match condition:
        case ast.Assignment("=", target, ast.NumberLiteral()) if context.complaints.is_new("W123", condition.span):
            message = f"'{text}' is a condition, and assigns"
            meant = f"{target.span.text} == {condition.value.span.text}"
            context.complaints.warning("W123", condition.span, f"{message}; did you mean '{meant}'?")


def check_writable(target: Place, context: ThreadContext) -> None:
    """Refuse writes to constant memory (AS-4) and to what is declared `const`."""
    match target:
        case RegisterPlace(register) | ElementPlace(register):
            if register in context.constants:
                message = f"'{target.span.text}' is declared const and cannot be written"
                context.complaints.fail("E124", target.span, message)
            context.reassigned.add(register)
        case MemoryPlace(address):
            warn_plain_access(target, context)
            check_target_writable(address, target.span, context)


def check_target_writable(address: Expression, span: Span, context: ThreadContext) -> None:
    """Refuse writes through an address to constant memory or to a const type."""
    pointer = address.type
    if isinstance(pointer, PointerType) and pointer.region is Region.CONSTANT:
        message = f"'{span.text}' is constant memory and cannot be written (AS-4)"
        context.complaints.fail("E124", span, message)
    if not context.read_only:
        return
    base = address
    while isinstance(base, Binary):
        base = base.left
    if isinstance(base, Read) and isinstance(base.place, RegisterPlace) and base.place.register in context.read_only:
        message = f"'{base.span.text}' points at a const type, which cannot be written"
        context.complaints.fail("E124", span, message)


def is_available(where: Where, context: ThreadContext) -> bool:
    """Whether this kind of unit has an operation that is for these kinds."""
    here = Where.HOST if context.is_host else Where.DEVICE if context.dialect.has_devices else Where.C
    return here in where


def check_available(name: str, where: Where, node: ast.Call, context: ThreadContext) -> None:
    """Refuse an operation that this kind of unit does not have."""
    if is_available(where, context):
        return
    unit = "a host thread" if context.is_host else context.dialect.standard
    fences = {"atomic_thread_fence": "atomic_work_item_fence", "atomic_work_item_fence": "atomic_thread_fence"}
    hint = f"; did you mean '{fences[name]}'?" if name in fences else ""
    if where is Where.HOST and context.dialect.has_devices:
        hint = "; that is for threads of the host, 'P0@host (…) { … }'"
    context.complaints.fail("E140", node.function.span, f"{unit} has no '{name}'{hint}")


def check_count(node: ast.Call, wanted: int, expected: str, context: ThreadContext) -> None:
    """Refuse a call with a wrong number of arguments; `expected` is the right one in words."""
    if len(node.arguments) != wanted:
        refuse_count(node, expected, context)


def refuse_count(node: ast.Call, expected: str, context: ThreadContext, hint: str = "") -> NoReturn:
    """Report a wrong number of arguments; `expected` is the right one in words."""
    message = f"'{node.function.text}' takes {expected}, found {len(node.arguments)}{hint}"
    context.complaints.fail("E104", node.span, message)
