"""Ids and ranges that kernels make of numbers and of other ids: `id{i, j}`, `it.get_global_id() + offset`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.program.operators import Level
from mcm.program.resolve.literals import written_integer
from mcm.sycl import accessors, groups, tree, vectors
from mcm.sycl.context import number
from mcm.sycl.entities import Group, Ids, Item, Opaque, Point
from mcm.sycl.stable import is_stable
from mcm.sycl.words import plain
from mcm.syntax import ast

if TYPE_CHECKING:
    from mcm.sycl.context import Context
    from mcm.syntax.ast import Expression, Node

_CLASSES: Final = frozenset({"id", "range"})
_OPERATORS: Final = frozenset({"+", "-", "*", "/", "%"})


def point(node: Node, context: Context) -> Point | None:
    """The id or the range that an expression makes; None where it is something else, or may change."""
    match node:
        case tree.Construction(tree.ClassType(name), _, parts) if plain(name) in _CLASSES:
            return made(parts, context)
        case ast.Call(ast.Name(name), parts) if plain(name) in _CLASSES:
            return made(parts, context)
        case ast.Infix(operator, left, right) if operator in _OPERATORS:
            one, other = _parts(left, context), _parts(right, context)
            if one is None and other is None:
                return None
            one = one or _everywhere(left, len(other or ()), context)
            other = other or _everywhere(right, len(one or ()), context)
            if one is None or other is None or len(one) != len(other) or len(one) == 1:
                return None
            pairs = zip(one, other, strict=True)
            return Point(tuple(ast.Infix(operator, *pair, span=node.span) for pair in pairs))
        case _:
            return None


def made(parts: tuple[Node, ...], context: Context) -> Point | None:
    """An id of some numbers, which do not change."""
    if not 1 <= len(parts) <= 3 or not all(is_stable(part, context) or _is_of_id(part, context) for part in parts):
        return None
    return Point(tuple(map(context.value, parts)))


def _is_of_id(node: Node, context: Context) -> bool:
    return isinstance(node, ast.Index) and isinstance(context.entity(node.base), Ids | Item | Point)


def _parts(node: Node, context: Context) -> tuple[Expression, ...] | None:
    """The numbers of an id, a range or an item; None for numbers."""
    match context.entity(node):
        case Point(parts):
            return parts
        case Opaque("range", node=ast.Node() as written):
            found = point(written, context) or context.entity(written)
            return found.parts if isinstance(found, Point) else None
        case Ids(_, dimensions) as ids if dimensions > 1:
            return tuple(groups.in_dimension(ids, number(one, node), node, context) for one in range(dimensions))
        case Item(dimensions, False) as item if dimensions > 1:
            ids = groups.ids_of(item)
            return tuple(groups.in_dimension(ids, number(one, node), node, context) for one in range(dimensions))
        case _:
            return None


def _everywhere(node: Node, dimensions: int, context: Context) -> tuple[Expression, ...] | None:
    """A number for each dimension; None where it may change."""
    return (context.value(node),) * dimensions if is_stable(node, context) else None


def component(one: Point, dimension: Node, node: Node, context: Context) -> Expression:
    """`p[0]`, `p.get(0)`."""
    known = written_integer(context.value(dimension))
    if known is None or not 0 <= known < len(one.parts):
        message = (
            f"expected a dimension of '{node.span.text}', 0 to {len(one.parts) - 1}, found '{dimension.span.text}'"
        )
        context.complaints.fail("E119", dimension.span, message)
    return one.parts[known]


def of_range(node: tree.MemberCall, context: Context) -> Expression | None:
    """`r.get(0)` and `r.size()` of a range with a name; None for other members."""
    parts = _parts(node.base, context)
    match node.name.text, node.arguments:
        case "get", (dimension,) if parts is not None:
            return component(Point(parts), dimension, node, context)
        case "size", () if parts is not None:
            product = parts[0]
            for part in parts[1:]:
                product = ast.Infix("*", product, part, span=node.span)
            return product
        case _:
            return None


def compared(node: ast.Infix, context: Context) -> Expression | None:
    """`i == id<2>(0, 1)`, of ids or ranges of several dimensions; None for other operators and operands."""
    if node.operator not in {"==", "!="}:
        return None
    one, other = _parts(node.left, context), _parts(node.right, context)
    if one is None or other is None or len(one) != len(other) or len(one) == 1:
        return None
    found: Expression | None = None
    for left, right in zip(one, other, strict=True):
        same = ast.Infix(node.operator, left, right, span=node.span)
        joins = "&&" if node.operator == "==" else "||"
        found = same if found is None else ast.Infix(joins, found, same, span=node.span)
    return found


def as_number(one: Point, node: Node, context: Context) -> Expression:
    """An id of one dimension where a number is expected."""
    if len(one.parts) > 1:
        message = f"'{node.span.text}' has {len(one.parts)} dimensions: name one, '{node.span.text}[0]'"
        context.complaints.fail("E119", node.span, message)
    return one.parts[0]


def indexed(node: ast.Index, context: Context) -> Expression:
    """What `x[0]` is of an id, an item, an accessor, a vector, or memory."""
    match context.entity(node.base):
        case Ids() as ids:
            return groups.in_dimension(ids, node.index, node, context)
        case Group(Level.WORK_GROUP, dimensions):
            return groups.in_dimension(Ids("get_group_id", dimensions), node.index, node, context)
        case Item(_, False) as item:
            return groups.in_dimension(groups.ids_of(item), node.index, node, context)
        case Point() as one:
            return component(one, node.index, node, context)
        case Opaque("range") if (parts := _parts(node.base, context)) is not None:
            return component(Point(parts), node.index, node, context)
        case _:
            found = accessors.element(node, context) or vectors.indexed(node, context)
            return found or replace(node, base=context.value(node.base), index=context.value(node.index))
