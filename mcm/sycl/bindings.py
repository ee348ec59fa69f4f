"""Structured bindings, `auto [a, b] = p;`, as declarations of one name at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.sycl import arrays, members, tree
from mcm.sycl.containers import KIND
from mcm.sycl.context import number
from mcm.sycl.entities import Instance, Reference
from mcm.sycl.types import region_of, type_of
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.sycl.context import Context
    from mcm.sycl.entities import DataMember
    from mcm.syntax.ast import Expression, Node


def declared(node: tree.BindingDeclaration, context: Context) -> Iterator[Node]:
    """The declarations that a structured binding stands for: of the object, and of a name for each part of it.

    A name for a part of a copy is a variable, as nothing else names that part, but for an array, which is not copied.
    """
    value = node.initializer
    if (length := arrays.length_of(value, context) or _length_in_memory(value, context)) is not None:
        _check_count(node, length, context)
        for place, name in enumerate(node.names):
            element = ast.Index(value, number(place, name), span=value.span)
            yield _named(node, name, element, is_reference=node.is_reference)
        return
    data = _data(node, context)
    _check_count(node, len(data), context)
    if not isinstance(value, ast.Name) or not node.is_reference:
        context.closures += 1
        whole = ast.Name(f"bound#{context.closures}", span=value.span)
        yield _named(node, whole, value, is_reference=node.is_reference)
        value = whole
    for name, one in zip(node.names, data, strict=True):
        part = ast.Member(value, ".", ast.Name(one.name, span=name.span), span=node.initializer.span)
        if one.is_array and isinstance(one.type, ast.TypeName):
            array = Reference(context.place(part), one.type, region_of(part, context), is_array=True, length=one.length)
            context.scopes.declare(name.text, array)
        else:
            is_value = isinstance(one.type, ast.TypeName) and not one.is_reference
            yield _named(node, name, part, is_reference=node.is_reference or not is_value)


def _length_in_memory(value: Node, context: Context) -> int | None:
    """The number of elements of an array of the host that is an object of memory; None for anything else."""
    item = context.object_named(value.text) if isinstance(value, ast.Name) else None
    is_array = item is not None and item.kind == KIND and item.length is not None
    return item.count if is_array and item is not None else None


def _data(node: tree.BindingDeclaration, context: Context) -> tuple[DataMember, ...]:
    """The members of what is bound, in the order in which its class declares them."""
    value = node.initializer
    entity = context.entity(value)
    class_ = entity.class_ if isinstance(entity, Instance) else members.class_of(type_of(value, context), context)
    if class_ is None:
        message = (
            f"what '{value.span.text}' consists of is not evident here: expected an object of a class of the "
            "file, or an array"
        )
        context.complaints.fail("E204", value.span, message)
    return class_.data


def _check_count(node: tree.BindingDeclaration, count: int, context: Context) -> None:
    if len(node.names) != count:
        message = f"'{node.initializer.span.text}' has {count} parts, and {len(node.names)} names are given"
        context.complaints.fail("E104", node.span, message)


def _named(node: tree.BindingDeclaration, name: ast.Name, value: Expression, *, is_reference: bool) -> Node:
    if is_reference:
        return tree.ReferenceDeclaration(node.type, name, value, span=node.span)
    declarator = ast.Declarator(name, (), None, value, span=node.span)
    return ast.Declaration(node.type, (declarator,), span=node.span)
