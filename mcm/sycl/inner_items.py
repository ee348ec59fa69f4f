"""The members of an `h_item`, in those of an `nd_item`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.sycl import tree
from mcm.syntax import ast
from mcm.syntax.mapped import mapped

if TYPE_CHECKING:
    from mcm.sycl.context import Context
    from mcm.syntax.ast import Node
    from mcm.syntax.mapped import NodeT

# What an item of a part of the iteration space is about.
_ITEMS: Final = {
    "get_global": "global",
    "get_local": "local",
    "get_logical_local": "local",
    "get_physical_local": "local",
}
_MEMBERS: Final = {
    "get_id": "get_{}_id",
    "get": "get_{}_id",
    "get_range": "get_{}_range",
    "get_linear_id": "get_{}_linear_id",
}
_SAME: Final = {
    "get_logical_local_id": "get_local_id",
    "get_physical_local_id": "get_local_id",
    "get_logical_local_range": "get_local_range",
    "get_physical_local_range": "get_local_range",
    **{name: f"get_{which}_id" for name, which in _ITEMS.items()},
}
_OF_RANGE: Final = frozenset({"get_local_range", "get_local_linear_id"})


def with_names_of_items(body: NodeT, item: str, context: Context, *, is_all: bool) -> NodeT:
    """A body in which `item` is an nd_item; `is_all` is said where its local range is that of the group."""
    found = mapped(mapped(body, partial(_of_item, item=item)), partial(_renamed, item=item))
    if not is_all:
        mapped(found, partial(_checked, item=item, context=context))
    return found


def _of_item(node: Node, item: str) -> Node:
    """`it.get_global().get_linear_id()`."""
    match node:
        case tree.MemberCall(
            tree.MemberCall(ast.Name(text) as base, _, ast.Name(part), None, ()), ".", ast.Name(member) as name
        ) if text == item and part in _ITEMS and member in _MEMBERS:
            named = replace(name, text=_MEMBERS[member].format(_ITEMS[part]))
            return replace(node, base=base, name=named)
        case _:
            return node


def _renamed(node: Node, item: str) -> Node:
    match node:
        case tree.MemberCall(ast.Name(text), _, ast.Name(member) as name) if text == item and member in _SAME:
            return replace(node, name=replace(name, text=_SAME[member]))
        case _:
            return node


def _checked(node: Node, item: str, context: Context) -> Node:
    match node:
        case tree.MemberCall(ast.Name(text), _, ast.Name(member)) if text == item and member in _OF_RANGE:
            message = f"'{node.span.text}' is about a range other than that of the group: write its numbers here"
            return context.complaints.fail("E207", node.span, message)
        case _:
            return node
