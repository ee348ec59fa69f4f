"""Values in host code that only it has: pointers to memory that is made, sizes and elements of containers."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Final

from mcm.sycl.constants import constant
from mcm.sycl.context import number, size
from mcm.sycl.entities import Opaque
from mcm.sycl.host_events import EVENTS
from mcm.sycl.queue_lists import QUEUES
from mcm.sycl.words import plain
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcm.sycl import tree
    from mcm.sycl.context import Context, Object
    from mcm.sycl.entities import Entity
    from mcm.syntax.ast import Expression, Node

_NULL: Final = frozenset({"nullptr", "NULL"})
_LISTS: Final = frozenset({EVENTS, QUEUES})
_EXTREMES: Final = frozenset({"min", "max"})


def known_value(node: Node, memory: Mapping[str, Object], context: Context) -> Expression | None:
    """What a question for a pointer to memory that is made says, and an extreme of constants; None for others.

    No memory is missing in an execution that is looked at: `x == nullptr` is false, `assert(x)` holds.
    """
    match node:
        case ast.Infix("==" | "!=" as operator, left, right):
            pair = (left, right) if _is_null(right) else (right, left)
            if _is_null(pair[1]) and _is_made(pair[0], memory, context):
                return number(int(operator == "!="), node)
            return None
        case ast.Prefix("!" | "+" as operator, operand) if _is_made(operand, memory, context):
            return number(int(operator == "+"), node)
        case ast.Call(ast.Name(text)) if plain(text) in _EXTREMES and (found := constant(node, context)) is not None:
            return number(found, node)
        case _:
            return None


def _is_null(node: Node) -> bool:
    return isinstance(node, ast.Name) and node.text in _NULL


def _is_made(node: Node, memory: Mapping[str, Object], context: Context) -> bool:
    """Whether an expression is the name of a pointer to memory that the program makes."""
    if not isinstance(node, ast.Name) or context.scopes.find(node.text) is not None:
        return False
    return node.text in memory and memory[node.text].kind not in {"buffer", "private", "local_accessor"}


def of_container(node: tree.MemberCall, memory: Mapping[str, Object], context: Context) -> Expression | None:
    """`v.size()`, `v.data()`, `v.at(0)` of memory of the host, and the size of a list of events; None for others."""
    if isinstance(node.base, ast.Name) and (listed := context.scopes.find(node.base.text)) is not None:
        return _of_list(node, listed)
    item = memory.get(node.base.text) if isinstance(node.base, ast.Name) else None
    if item is None:
        return None
    match node.name.text, node.arguments:
        case "size", ():
            return size(item.count, node)
        case (("data" | "begin" | "cbegin"), ()):
            return context.value(node.base)
        case (("end" | "cend"), ()):
            return ast.Infix("+", context.value(node.base), number(item.count, node), span=node.span)
        case "at", (index,) if isinstance(index, ast.Expression):
            return context.value(ast.Index(node.base, index, span=node.span))
        case _:
            return None


def _of_list(node: tree.MemberCall, listed: Entity) -> Expression | None:
    """`all.size()` and `all.empty()` of events, or of queues, which the text says."""
    if not isinstance(listed, Opaque) or listed.class_ not in _LISTS or node.arguments:
        return None
    match node.name.text:
        case "size":
            return size(prod(listed.sizes), node)
        case "empty":
            return number(int(not prod(listed.sizes)), node)
        case _:
            return None
