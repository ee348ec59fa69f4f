"""Asynchronous copies of work-groups, `g.async_work_group_copy(to, from, 4)`, and waits (SYCL 2020, 4.9.1.7).

They are those of OpenCL C, whose events are variables of the work-item (ASYNC-1).
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Final

from mcm.program.operators import Level
from mcm.program.types import Region
from mcm.sycl import pointers, tree
from mcm.sycl.context import call, counted, number
from mcm.sycl.entities import Group, Item, Variable
from mcm.sycl.joint import element_of
from mcm.sycl.types import named
from mcm.sycl.words import plain
from mcm.syntax import ast

if TYPE_CHECKING:
    from mcm.sycl.context import Context
    from mcm.syntax.ast import Expression, Node

COPY: Final = "async_work_group_copy"
_WAIT: Final = "wait_for"
# The class of an event of such a copy, and the type that it is in terms of the C family.
DEVICE_EVENT: Final = "device_event"
_TYPE: Final = "event_t"


def member(node: tree.MemberCall, context: Context) -> Expression | None:
    """What begins a copy, and what waits for some; None for other calls."""
    entity = context.entity(node.base)
    is_group = isinstance(entity, Item) and entity.has_groups
    is_group |= isinstance(entity, Group) and entity.level is Level.WORK_GROUP
    match node.name.text:
        case name if name == COPY and is_group:
            return _copy(node, context)
        case name if name == _WAIT and is_group and node.arguments:
            waits = [_waited(one, node, context) for one in node.arguments]
            return reduce(lambda one, other: ast.Infix(",", one, other, span=node.span), waits)
        case "wait" if not node.arguments and _is_event(entity):
            return _waited(node.base, node, context)
        case "wait" if not node.arguments and is_copy(node.base):
            # A statement of its own: its event has no other name.
            context.closures += 1
            copied = ast.Name(f"copied#{context.closures}", span=node.base.span)
            declarator = ast.Declarator(copied, (), None, context.value(node.base), span=node.base.span)
            context.pending.append(ast.Declaration(event_type(node), (declarator,), span=node.span))
            return call("wait_group_events", (number(1, node), ast.Prefix("&", copied, span=node.span)), node)
        case _:
            return None


def is_copy(node: Node) -> bool:
    """Whether an expression begins a copy, of which an event is the value."""
    return isinstance(node, tree.MemberCall) and node.name.text == COPY


def event_type(node: Node) -> ast.TypeName:
    """The type of the event of a copy."""
    return named(_TYPE, node)


def declaration(node: tree.ObjectDeclaration, one: tree.ObjectDeclarator, context: Context) -> ast.Declaration | None:
    """`device_event e = g.async_work_group_copy(…);` as a declaration of a variable; None for other objects."""
    if plain(node.type.name) != DEVICE_EVENT:
        return None
    if one.form != "=" or len(one.arguments) != 1:
        message = f"an event is that of a copy, 'device_event e = g.{COPY}(to, from, 4)', found '{one.span.text}'"
        context.complaints.fail("E161", one.span, message)
    (value,) = one.arguments
    declarator = ast.Declarator(one.name, (), None, value, span=one.span)  # type: ignore[arg-type]  # see `mcm.sycl.tree`
    return ast.Declaration(event_type(node), (declarator,), span=node.span)


def _is_event(entity: object) -> bool:
    return isinstance(entity, Variable) and entity.type is not None and entity.type.base == _TYPE


def _waited(event: Node, node: Node, context: Context) -> Expression:
    if not _is_event(context.entity(event)):
        message = f"expected the event of an asynchronous copy, found '{event.span.text}'"
        context.complaints.fail("E161", event.span, message)
    address = ast.Prefix("&", context.place(event), span=event.span)
    return call("wait_group_events", (number(1, node), address), node)


def _copy(node: tree.MemberCall, context: Context) -> Expression:
    if not 3 <= len(node.arguments) <= 4:
        found = counted(len(node.arguments))
        message = f"'{COPY}' takes where to, where from, how many elements, and perhaps a stride, found {found}"
        context.complaints.fail("E104", node.span, message)
    to, from_, count, *stride = node.arguments
    places = tuple(_address(one, context) for one in (to, from_))
    rest = tuple(map(context.value, (count, *stride)))
    function = "async_work_group_strided_copy" if stride else COPY
    return call(function, (*places, *rest, number(0, node)), node)


def _address(node: Node, context: Context) -> Expression:
    """An address with its address space, which the types of such pointers name."""
    region = pointers.region_of_type(node, context)
    target = element_of(node, context)
    if region not in {Region.GLOBAL, Region.LOCAL} or target is None:
        message = (
            f"expected a pointer into global or local memory, 'a.get_multi_ptr<access::decorated::yes>()', "
            f"found '{node.span.text}'"
        )
        context.complaints.fail("E202", node.span, message)
    return ast.Cast(pointers.PointerClass(target, region).type, context.value(node), span=node.span)
