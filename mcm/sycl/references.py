"""References, `int& y = a[0];`: another name for an object."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from mcm.sycl.accessors import check_written
from mcm.sycl.entities import Accessor, AtomicReference, Group, Ids, Item, Opaque, Reference, Variable
from mcm.sycl.stable import is_stable
from mcm.sycl.types import region_of, scalar_of, show, type_of, written_type
from mcm.syntax import ast

if TYPE_CHECKING:
    from mcm.sycl.context import Context
    from mcm.sycl.tree import ReferenceDeclaration
    from mcm.syntax.ast import Node, Statement, TypeName


def declare(node: ReferenceDeclaration, context: Context) -> list[Statement]:
    """What a declaration of a reference is: nothing, or that of a pointer or (for a value) a variable."""
    name, value = node.name, node.initializer
    entity = context.entity(value)
    if isinstance(entity, Item | Group | Ids | AtomicReference | Opaque) or (
        isinstance(entity, Accessor) and not entity.is_single
    ):
        context.scopes.declare(name.text, entity)
        return []
    type_ = _type(node, context)
    if not is_place(value, context):
        return _variable(node, type_, context)
    if "const" not in type_.qualifiers and node.type.base != "auto":
        check_written(value, context)
    target, region = context.place(value), region_of(value, context)
    if isinstance(target, ast.Name) or is_stable(value, context):
        context.scopes.declare(name.text, Reference(target, type_, region))
        return []
    # What the reference is bound to now, whatever happens to the variables in the expression.
    address = ast.Prefix("&", target, span=target.span)
    pointer = ast.Declarator(ast.Name(name.text, span=name.span), (*type_.pointers, ()), None, address, span=value.span)
    context.scopes.declare(name.text, Reference(ast.Prefix("*", pointer.name, span=target.span), type_, region))
    return [ast.Declaration(replace(type_, pointers=()), (pointer,), span=node.span)]


def _type(node: ReferenceDeclaration, context: Context) -> TypeName:
    """The type of the object, which the declaration has to name."""
    value = node.initializer
    found, written = type_of(value, context), written_type(node.type)
    if written.base != "auto":
        differs = found is not None and (found.pointers or scalar_of(found) is not scalar_of(written))
        if differs and is_place(value, context):
            assert found is not None
            hint = f"; did you mean '*{value.span.text}'?" if found.pointers else ""
            message = f"'{value.span.text}' has type '{show(found)}', but the reference is to '{show(written)}'{hint}"
            context.complaints.fail("E204", value.span, message)
        return written
    if found is None:
        message = f"the type of '{value.span.text}' is not evident here: write it in place of 'auto'"
        context.complaints.fail("E204", node.name.span, message)
    words = tuple(word for word in written.qualifiers if word not in found.qualifiers)
    return replace(found, qualifiers=(*words, *found.qualifiers), span=written.span)


def _variable(node: ReferenceDeclaration, type_: TypeName, context: Context) -> list[Statement]:
    """A reference to a value, which must be one to const, keeps the value."""
    # What is no expression of the language is told as that.
    value = context.value(node.initializer)
    if "const" not in type_.qualifiers:
        message = f"'{node.initializer.span.text}' is a value: only a reference to const may name it"
        context.complaints.fail("E204", node.initializer.span, message)
    declarator = ast.Declarator(node.name, type_.pointers, None, value, span=node.initializer.span)
    context.scopes.declare(node.name.text, Variable(type_, is_fixed=True))
    return [ast.Declaration(replace(type_, pointers=()), (declarator,), span=node.span)]


def is_place(node: Node, context: Context) -> bool:
    """Whether an expression names an object."""
    match node:
        case ast.Prefix("*") | ast.Member():
            return True
        case ast.Index(base) if not context.functions.has_classes or context.body.returns_object(node) is None:
            return not isinstance(context.entity(base), Ids | Item)
        case ast.Name():
            entity = context.entity(node)
            is_captured = entity is None and node.text in context.memory
            return is_captured or isinstance(entity, Variable | Reference | Accessor)
        case ast.Conditional(_, one, other):
            # Of objects of two types it is a value (expr.cond).
            types = (type_of(one, context), type_of(other, context))
            is_same = None not in types and len({scalar_of(each) for each in types if each is not None}) == 1
            return is_same and is_place(one, context) and is_place(other, context)
        case _:
            return bool(context.body.returns_object(node))
