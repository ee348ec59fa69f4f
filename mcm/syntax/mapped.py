"""A syntax tree with some of its nodes replaced."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

from msgspec.structs import replace

from mcm.syntax.ast import Node

if TYPE_CHECKING:
    from collections.abc import Callable

NodeT = TypeVar("NodeT", bound=Node)


def mapped(node: NodeT, change: Callable[[Node], Node]) -> NodeT:
    """A tree in which `change` has been applied to every node, from the innermost to the outermost."""
    return cast("NodeT", change(with_parts(node, partial(mapped, change=change))))


def with_parts(node: NodeT, change: Callable[[Any], Any]) -> NodeT:
    """A node in which `change` has been applied to the nodes that it is made of directly, in the order written.

    Trees may be so deep that a `change` which calls this again has few calls left: it should be no lambda.
    """
    found = {}
    for name in node.__struct_fields__:
        before = getattr(node, name)
        if isinstance(before, Node):
            after = change(before)
        elif isinstance(before, tuple):
            after = _changed(before, change)
        else:
            continue
        if after is not before:
            found[name] = after
    return replace(node, **found) if found else node


def _changed(parts: tuple[Any, ...], change: Callable[[Any], Any]) -> tuple[Any, ...]:
    found = []
    for part in parts:
        if isinstance(part, Node):
            found.append(change(part))
        else:
            found.append(_changed(part, change) if isinstance(part, tuple) else part)
    return tuple(found) if any(one is not other for one, other in zip(found, parts, strict=True)) else parts
