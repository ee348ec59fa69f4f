"""Host accessors that are no variables: `b.get_host_access()[0]` waits, and its element is accessed at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.sycl import tree
from mcm.syntax import ast
from mcm.syntax.mapped import mapped
from mcm.syntax.walk import parts_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcm.syntax.ast import Node


def temporary(node: Node) -> list[tree.MemberCall]:
    """The host accessors that a statement makes for itself, but those of the statements in it."""
    match node:
        case ast.ExpressionStatement() | ast.Declaration() | ast.Return() | tree.ReferenceDeclaration():
            return list(_made(node))
        case ast.If(condition) | ast.Switch(condition):
            return list(_made(condition))
        case _:
            return []


def in_condition(node: Node) -> tree.MemberCall | None:
    """A host accessor that the condition of a loop makes anew each time."""
    match node:
        case ast.While(condition, _) | ast.DoWhile(_, condition):
            return next(_made(condition), None)
        case ast.For(condition=condition, step=step):
            return next((one for part in (condition, step) if part is not None for one in _made(part)), None)
        case _:
            return None


def _made(node: Node) -> Iterator[tree.MemberCall]:
    if isinstance(node, tree.Lambda):
        return
    if isinstance(node, ast.Index):
        base: Node = node
        while isinstance(base, ast.Index):
            base = base.base
        if isinstance(base, tree.MemberCall) and base.name.text == "get_host_access":
            yield base
    for part in parts_of(node):
        yield from _made(part)


def with_names(node: Node, names: Mapping[int, ast.Name]) -> Node:
    """A statement with names in place of the accessors with these beginnings."""

    def named(part: Node) -> Node:
        is_made = isinstance(part, tree.MemberCall) and part.name.text == "get_host_access"
        return names.get(part.span.start, part) if is_made else part

    return mapped(node, named)
