"""Elements of accessors, in one dimension or several."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from mcm.program.resolve.command_words import INSIDE
from mcm.program.resolve.literals import written_integer
from mcm.sycl import groups, tree
from mcm.sycl.components import is_component
from mcm.sycl.context import call, number
from mcm.sycl.entities import Accessor, Ids, Item, Point, Reference, Variable
from mcm.sycl.types import vector_size
from mcm.syntax import ast

if TYPE_CHECKING:
    from mcm.sycl.context import Context
    from mcm.syntax.ast import Expression, Node


def single(entity: Accessor, node: Node, context: Context) -> Expression:
    """The object of an accessor without dimensions."""
    context.used[entity.location] = None
    name = ast.Name(entity.name, span=node.span)
    return name if entity.is_local else ast.Prefix("*", name, span=node.span)


def check_written(node: Node, context: Context) -> None:
    """Refuse to write an element of an accessor for reading only, or to refer to one as what may be written."""
    base = _whole(node)
    entity = context.entity(base) if isinstance(base, ast.Name | ast.Member) else None
    if base is node and isinstance(entity, Variable | Reference) and entity.is_passed:
        message = (
            f"'{node.span.text}' is a copy of a variable of the host here, and const: what a kernel writes for others "
            "is in USM, or in a buffer"
        )
        context.complaints.fail("E124", node.span, message)
    if isinstance(entity, Accessor) and entity.only_reads:
        message = (
            f"'{base.span.text}' is an accessor for reading only, of which '{node.span.text}' is const: expected one "
            "for writing, 'read_write' or 'write_only'"
        )
        context.complaints.fail("E124", node.span, message)


def check_read(node: Node, context: Context) -> None:
    """Warn where an element of an accessor for writing only is read: what that finds is not said (W154)."""
    base = _whole(node)
    entity = context.entity(base) if isinstance(base, ast.Name | ast.Member) else None
    if isinstance(entity, Accessor) and entity.only_writes and base is not node:
        message = (
            f"'{node.span.text}' is read through '{base.span.text}', an accessor for writing only: SYCL 2020 (4.7.6.2) "
            "does not say what that finds, as the runtime need not bring the data; it is taken for what the buffer "
            "holds, and 'read_write' says that"
        )
        context.complaints.warning("W154", node.span, message)


def _whole(node: Node) -> Node:
    """What `a[i].x` and `v[i].x()` are a part of."""
    while (
        isinstance(node, ast.Index)
        or (isinstance(node, ast.Member) and node.operator == ".")
        or (isinstance(node, tree.MemberCall) and node.operator == "." and is_component(node))
    ):
        node = node.base
    return node


def element(node: ast.Index, context: Context) -> Expression | None:
    """An element of an accessor, `t[1]`, `t[i][j]`; None where what is indexed is none."""
    indices: list[Node] = []
    base: Node = node
    while isinstance(base, ast.Index):
        indices.insert(0, base.index)
        base = base.base
    entity = context.entity(base)
    if not isinstance(entity, Accessor):
        return None
    shown = base.span.text
    if entity.is_single:
        message = f"'{shown}' has no elements: it is an accessor of one object"
        context.complaints.fail("E120", node.span, message)
    sizes = entity.sizes or (1,)
    if len(indices) == len(sizes) + 1 and vector_size(entity.type) is not None:
        # The last one is of a component.
        return None
    if len(sizes) > 1 and len(indices) == 1:
        values = _components(indices[0], len(sizes), context)
    else:
        values = [context.value(index) for index in indices]
    if len(values) != len(sizes):
        brackets = "".join(f"[{letter}]" for letter in "ijk"[: len(sizes)])
        dimensions = f"{len(sizes)} dimension{'s' * (len(sizes) > 1)}"
        message = f"'{shown}' has {dimensions}: expected '{shown}{brackets}', found '{node.span.text}'"
        context.complaints.fail("E120", node.span, message)
    context.used[entity.location] = None
    if entity.is_part or len(sizes) > 1:
        # Elsewhere the memory ends where the accessor does.
        values = [inside(value, size, shown) for size, value in zip(sizes, values, strict=True)]
    if entity.begins:
        values = [_moved(value, by) for value, by in zip(values, entity.begins, strict=True)]
    found = values[0]
    for size, value in zip((entity.around or sizes)[1:], values[1:], strict=True):
        scaled = ast.Infix("*", found, number(size, node), span=node.span)
        found = ast.Infix("+", scaled, value, span=node.span)
    return replace(node, base=ast.Name(entity.name, span=base.span), index=_moved(found, entity.start))


def inside(value: Expression, size: int, shown: str) -> Expression:
    """An index, of which it is asked whether there is such an element."""
    known = written_integer(value)
    is_known = known is not None and 0 <= known < size
    why = f"the index is outside '{shown}', which has {size} element{'s' * (size != 1)} there"
    return value if is_known else call(f"{INSIDE}{why}", (value, number(size, value)), value)


def _moved(value: Expression, by: int) -> Expression:
    return ast.Infix("+", number(by, value), value, span=value.span) if by else value


def _components(node: Node, dimensions: int, context: Context) -> list[Expression]:
    """The parts of an id of several dimensions; other indices by themselves."""
    entity = context.entity(node)
    match entity:
        case Point(parts) if len(parts) == dimensions:
            return list(parts)
        case Ids(_, found):
            ids = entity
        case Item(found, False):
            ids = groups.ids_of(entity)
        case _:
            return [context.value(node)]
    if found != dimensions:
        return [groups.as_number(ids, node, context)]
    return [groups.in_dimension(ids, number(one, node), node, context) for one in range(dimensions)]
