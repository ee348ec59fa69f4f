"""Ranges: what they consist of, by name or of a buffer, and the sizes that they say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.sycl import tree
from mcm.sycl.constants import constant
from mcm.sycl.entities import Accessor, Opaque, Point
from mcm.sycl.words import plain
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcm.sycl.context import Context
    from mcm.sycl.entities import Entity
    from mcm.syntax.ast import Node

_SIZES: Final = frozenset({"range", "nd_range", "id"})


def parts_of_range(node: Node, outer: Mapping[str, Entity]) -> tuple[str, tuple[Node, ...]]:
    """The class of a range (empty for a bare number) and what it consists of; `outer` has those with names."""
    match node:
        case ast.Name(text) if isinstance(entity := outer.get(plain(text)), Opaque) and entity.node is not None:
            return parts_of_range(entity.node, outer)
        case ast.Name(text) if isinstance(entity := outer.get(plain(text)), Point):
            return "id", entity.parts
        case tree.MemberCall(ast.Name(text), ".", ast.Name("get_range"), None, ()) if sizes := _known(text, outer):
            return "range", tuple(ast.NumberLiteral(str(size), span=node.span) for size in sizes)
        case tree.Construction(tree.ClassType(name), _, arguments) if plain(name) in _SIZES:
            return plain(name), arguments
        case ast.Call(ast.Name(name), arguments) if plain(name) in _SIZES:
            return plain(name), arguments
        case ast.InitializerList(items):
            return "", items
        case ast.Infix(operator, left, right) if names_range(node, outer):
            (_, one), (_, other) = parts_of_range(left, outer), parts_of_range(right, outer)
            one, other = one * (len(other) // len(one)), other * (len(one) // len(other))
            if len(one) != len(other):
                return "", (node,)
            made = (ast.Infix(operator, *pair, span=node.span) for pair in zip(one, other, strict=True))  # type: ignore[arg-type]
            return "range", tuple(made)
        case _:
            return "", (node,)


def _known(name: str, outer: Mapping[str, Entity]) -> tuple[int, ...]:
    """The sizes of a buffer or of what an accessor is of; none for other names."""
    match outer.get(name):
        case Opaque("buffer", sizes=sizes) | Accessor(sizes=sizes):
            return sizes
        case _:
            return ()


def is_range(node: Node) -> bool:
    """Whether an expression makes a range."""
    match node:
        case tree.Construction(tree.ClassType(name)) | ast.Call(ast.Name(name)):
            return plain(name) in {"range", "nd_range"}
        case _:
            return False


def is_range_of(node: Node) -> bool:
    """Whether an expression is the range of a buffer or an accessor with a name."""
    return isinstance(node, tree.MemberCall) and node.name.text == "get_range" and isinstance(node.base, ast.Name)


def names_range(node: Node, outer: Mapping[str, Entity]) -> bool:
    """Whether an expression is a range, or the name of one."""
    if isinstance(node, ast.Name):
        entity = outer.get(plain(node.text))
        return isinstance(entity, Opaque) and entity.class_ == "range"
    if isinstance(node, ast.Infix):
        return names_range(node.left, outer) or names_range(node.right, outer)
    if isinstance(node, tree.MemberCall) and is_range_of(node):
        return isinstance(node.base, ast.Name) and bool(_known(node.base.text, outer))
    return is_range(node) or isinstance(node, ast.InitializerList)


def range_object(class_: tree.ClassType, one: tree.ObjectDeclarator) -> Opaque:
    """A range that has a name, `range<1> r{4};`."""
    made = tree.Construction(class_, one.form, one.arguments, span=one.span)
    return Opaque("range", one.name.text, one.arguments[0] if one.form == "=" else made)


def range_sizes(node: Node, outer: Mapping[str, Entity], context: Context) -> tuple[int, ...]:
    """The sizes of memory that a range says, in the order of SYCL."""
    _, parts = parts_of_range(node, outer)
    return tuple(_constant_size(part, context) for part in parts)


def _constant_size(node: Node, context: Context) -> int:
    size = constant(node, context)
    if size is None or size < 1:
        context.complaints.fail("E212", node.span, f"expected a constant size, found '{node.span.text}'")
    return size
