"""Values with parts: `sycl::vec`, and structures that are plain aggregates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from mcm.sycl import frames, members, objects, tree, vectors
from mcm.sycl.entities import Opaque, Variable
from mcm.sycl.types import is_record, members_of, type_of, vector_size, written_type
from mcm.sycl.words import plain
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.sycl.context import Context
    from mcm.syntax.ast import Expression, Node


def initial(node: ast.Declarator, type_: ast.TypeName, context: Context) -> Expression | ast.InitializerList | None:
    """What a variable of such a type begins with."""
    value: Node | None = node.initializer
    class_ = members.class_of(type_, context)
    if class_ is not None and not class_.is_plain:
        return objects.value(class_, objects.of_variable(node, class_), context)
    if value is None:
        return None
    if vector_size(type_) is not None:
        return vectors.made(type_, value.items if isinstance(value, ast.InitializerList) else (value,), value, context)
    form = node.form if isinstance(node, tree.InitialisedDeclarator) else "="
    if isinstance(value, ast.InitializerList):
        return list_values(value, context.value)
    if form.startswith("{") and not is_record(type_of(value, context)):
        return ast.InitializerList((context.value(value),), span=value.span)
    return context.value(value)


def list_values(node: ast.InitializerList, value: Callable[[Node], Expression]) -> ast.InitializerList:
    """A list with what its values are in C, and those of the lists in it."""
    rows = tuple(list_values(row, value) for row in node.rows)
    return replace(node, items=tuple(map(value, node.items)), rows=rows)


def listed(node: ast.InitializerList, target: Node, context: Context) -> Expression:
    """What a list is that is assigned, `p[0] = {1, 2}`: an object of the class of the target, or a number."""
    type_ = type_of(target, context)
    items = node.rows or node.items
    if type_ is not None and is_record(type_):
        class_ = tree.ClassType(type_.base, span=node.span)
        # Constructions stand among expressions (see `mcm.sycl.tree`).
        return tree.Construction(class_, "{", items, span=node.span)  # type: ignore[return-value]
    if type_ is None or len(items) != 1 or isinstance(items[0], ast.InitializerList):
        message = f"what the list '{node.span.text}' makes is not evident: write the class before it, 'S{{1, 2}}'"
        context.complaints.fail("E207", node.span, message)
    return items[0]


def construction(node: tree.Construction, context: Context) -> Expression | None:
    """`int4(1, 2, 3, 4)`, `Pair{1, 2}`; None for other classes."""
    name = " ".join(plain(node.type.name).split())
    type_ = written_type(ast.TypeName((), name, span=node.type.span))
    if not is_record(type_):
        return None
    if vector_size(type_) is not None:
        return vectors.made(type_, node.arguments, node, context)
    class_ = members.class_of(type_, context)
    if class_ is None:
        message = f"'{node.type.span.text}' is no structure of the test"
        context.complaints.fail("E207", node.span, message)
    if frames.ends(class_, context):
        message = f"an object of '{class_.name}', whose end does something, is a variable here: '{class_.name} a(…);'"
        context.complaints.fail("E207", node.span, message)
    return objects.value(class_, objects.Making(node.arguments, node.form, node), context)


def returned_list(node: Node | None, type_: ast.TypeName | None, context: Context) -> Expression | None:
    """What `return {…};` returns; None where something else stands there."""
    if not isinstance(node, ast.InitializerList):
        return None
    if type_ is None or not is_record(type_):
        message = "a list is returned by a function that says which structure or vector it makes, 'Pair f() { … }'"
        context.complaints.fail("E207", node.span, message)
    if vector_size(type_) is not None:
        return vectors.made(type_, node.items, node, context)
    class_ = members.class_of(type_, context)
    if class_ is not None and not class_.is_plain:
        return objects.value(class_, objects.Making((*node.rows, *node.items), "{", node), context)
    values = list_values(node, context.value)
    return ast.CompoundLiteral(replace(type_, qualifiers=()), values, span=node.span)


def member(node: ast.Member, context: Context) -> Expression:
    """`p.lo`, `p->lo`."""
    type_ = type_of(node.base, context)
    whole = node.base
    while isinstance(whole, ast.Member | ast.Index):
        whole = whole.base
    if isinstance(entity := context.entity(whole), Opaque) and ":" in entity.class_:
        context.complaints.fail("E119", whole.span, f"'{whole.span.text}' is a {entity.class_}")
    if members_of(type_, node.operator, context) is None:
        # Imported here: only wrong input needs its patterns.
        from mcm.syntax.foreign import about_foreign  # noqa: PLC0415

        if told := about_foreign(node.base.span.text, has_places=False):
            context.complaints.fail("E101", node.base.span, f"unknown name '{node.base.span.text}'{told}")
        message = (
            f"'{node.base.span.text}' has no members that are part of the litmus language, found '{node.name.text}'"
        )
        context.complaints.fail("E203", node.span, message)
    receiver = members.receiver_of(node.base, node.operator, context)
    known = None if receiver is None else receiver.class_.constants.get(node.name.text)
    if receiver is not None and isinstance(known, Variable) and known.constant is not None:
        return replace(known.constant, span=node.span)
    base = context.place(node.base) if node.operator == "." else context.value(node.base)
    if node.operator == "->" and isinstance(base, ast.Prefix) and base.operator == "&":
        return replace(node, base=base.operand, operator=".")
    return replace(node, base=base)
