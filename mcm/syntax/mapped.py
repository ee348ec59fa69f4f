"""A syntax tree with some of its nodes replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast

from msgspec.structs import replace

from mcm.syntax.ast import Node

if TYPE_CHECKING:
    from collections.abc import Callable

NodeT = TypeVar("NodeT", bound=Node)


def mapped(node: NodeT, change: Callable[[Node], Node]) -> NodeT:
    """A tree in which `change` has been applied to every node, from the innermost to the outermost."""
    return cast("NodeT", change(with_parts(node, lambda part: mapped(part, change))))


def with_parts(node: NodeT, change: Callable[[Node], Node]) -> NodeT:
    """A node in which `change` has been applied to the nodes that it is made of directly."""
    found = {}
    for name in node.__struct_fields__:
        before = getattr(node, name)
        after = _changed(before, change)
        if after is not before:
            found[name] = after
    return replace(node, **found) if found else node


def _changed(value: Any, change: Callable[[Node], Node]) -> Any:
    if isinstance(value, Node):
        return change(value)
    if isinstance(value, tuple):
        parts = tuple([_changed(part, change) for part in value])
        return parts if any(one is not other for one, other in zip(parts, value, strict=True)) else value
    return value
