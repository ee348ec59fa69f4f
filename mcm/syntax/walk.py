"""Traversal of syntax trees."""

from __future__ import annotations

from types import NoneType
from typing import TYPE_CHECKING, Any, Final

from mcm.base.source import Span
from mcm.syntax.ast import Assignment, Name, Node, Postfix, Prefix

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


_NO_NODES: Final = (str, Span, NoneType)


def walk(roots: Iterable[Node]) -> Iterator[Node]:
    """All nodes of some trees, outer before inner, in the order written."""
    waiting = list(roots)[::-1]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += parts_of(node)[::-1]


def parts_of(node: Node) -> list[Node]:
    """The nodes that a node is made of directly, in the order written."""
    found: list[Node] = []
    for name in node.__struct_fields__:
        part = getattr(node, name)
        # Words and spans are told at once.
        if type(part) not in _NO_NODES:
            found += _nodes(part)
    return found


def changed_variable(node: Node) -> str | None:
    """The variable that a node itself writes, or takes the address of; None if it does neither."""
    match node:
        case Assignment(_, Name(text)) | Postfix(_, Name(text)) | Prefix("++" | "--" | "&", Name(text)):
            return text
        case _:
            return None


def _nodes(value: Any) -> list[Node]:
    if isinstance(value, Node):
        return [value]
    if isinstance(value, tuple):
        return [node for item in value for node in _nodes(item)]
    return []
