"""Declarations of atomic references and pointers with an address space."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from mcm.sycl import atomics, pointers
from mcm.sycl.entities import AtomicReference, Variable
from mcm.sycl.stable import is_stable
from mcm.sycl.types import pointer_to
from mcm.syntax import ast

if TYPE_CHECKING:
    from mcm.sycl import tree
    from mcm.sycl.body import Body
    from mcm.syntax.ast import Statement


def atomic_reference(node: tree.ObjectDeclaration, one: tree.ObjectDeclarator, body: Body) -> list[Statement]:
    """`atomic_ref<…> a(*x);`: nothing, or a pointer to what it is bound to now."""
    if one.form == "=" and len(one.arguments) == 1:
        copied = body.entity(one.arguments[0])
        if isinstance(copied, AtomicReference):
            body.declare(one.name, copied)
            return []
    if one.form not in {"(", "{"}:
        message = f"an atomic_ref is made with the object that it refers to: '{one.name.text}(object)'"
        body.complaints.fail("E204", one.span, message)
    found = atomics.reference(node.type, one.arguments, one, body.context)
    if is_stable(one.arguments[0], body.context) or isinstance(found.target, ast.Name):
        body.declare(one.name, found)
        return []
    # What the reference is bound to now, whatever happens to the variables in the expression.
    address = ast.Prefix("&", found.target, span=found.target.span)
    name = ast.Name(one.name.text, span=one.name.span)
    declared = ast.Declarator(name, ((),), None, address, span=one.span)
    target = ast.Prefix("*", name, span=found.target.span)
    body.declare(one.name, replace(found, target=target))
    return [ast.Declaration(found.type, (declared,), span=node.span)]


def pointer(node: tree.ObjectDeclaration, one: tree.ObjectDeclarator, body: Body) -> list[Statement]:
    """`multi_ptr<…> p = …;`."""
    wanted = pointers.pointer_class(node.type, body.context)
    value = None
    if one.form:
        if len(one.arguments) != 1:
            body.complaints.fail("E104", one.span, f"'{one.name.text}' takes one pointer")
        value = pointers.converted_to(wanted, one.arguments[0], body.context)
    type_ = wanted.type if not body.context.is_host else pointer_to(wanted.target)
    body.declare(one.name, Variable(type_, "const" in node.qualifiers, wanted.region))
    declared = ast.Declarator(one.name, type_.pointers, None, value, span=one.span)
    return [ast.Declaration(replace(type_, pointers=()), (declared,), span=node.span)]
