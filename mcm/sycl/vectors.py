"""`sycl::vec`: values, components, conversions, and vectors that are read from memory and written to it."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.program.resolve.literals import written_integer
from mcm.program.resolve.type_names import show_type
from mcm.sycl import accessors, pointers, tree
from mcm.sycl.components import converted_type, name_of, picked
from mcm.sycl.context import call, number
from mcm.sycl.references import is_place
from mcm.sycl.types import component_of, pointer_to, scalar_of, target_of, type_of, vector_size, written_type
from mcm.sycl.words import meant
from mcm.syntax import ast

if TYPE_CHECKING:
    from mcm.sycl.context import Context
    from mcm.syntax.ast import Expression, Node

_ROUNDING: Final = {
    "rounding_mode::automatic": "",
    **{f"rounding_mode::{mode}": f"_{mode}" for mode in ("rte", "rtz", "rtp", "rtn")},
}


def made(type_: ast.TypeName, values: tuple[Node, ...], node: Node, context: Context) -> Expression:
    """A vector of some values, each of which is one component, or several; one number is in all of them."""
    for value in values:
        check_components(value, type_, context)
    found = [context.value(value) for value in values] or [ast.NumberLiteral("0", span=node.span)]
    listed = reduce(lambda one, other: ast.Infix(",", one, other, span=node.span), found)
    bare = replace(type_, qualifiers=())
    return ast.Cast(bare, listed, span=node.span)


def check_components(value: Node, wanted: ast.TypeName | None, context: Context) -> None:
    """Refuse a vector in place of one with components of another type: only `convert` makes one (SYCL 2020, 4.14.2)."""
    found = type_of(value, context) if wanted is not None and vector_size(wanted) is not None else None
    if wanted is None or found is None or vector_size(found) is None:
        return
    one, other = scalar_of(component_of(found)), scalar_of(component_of(wanted))
    if one is not None and other is not None and one is not other:
        message = (
            f"'{value.span.text}' is a vector of {show_type(one)}, which no conversion makes one of "
            f"{show_type(other)}: name its components, '{wanted.base}({value.span.text}[0], …)'"
        )
        context.complaints.error("E204", value.span, message)


def member(node: tree.MemberCall, context: Context) -> Expression | None:
    """`v.x()`, `v.xyz()`, `p->lo()`, `v.convert<int>()`, `v.store(0, p)`; None of anything but a vector."""
    base: Node = node.base
    if node.operator == "->":
        base = ast.Index(node.base, number(0, node), span=node.base.span)
    type_ = type_of(base, context)
    size = vector_size(type_)
    if type_ is None or size is None:
        return None
    if (numbers := picked(node, size)) is not None:
        name = ast.Name(name_of(numbers), span=node.name.span)
        return ast.Member(context.place(base), ".", name, span=node.span)
    match node.name.text, node.arguments:
        case "size" | "get_count", ():
            return number(size, node)
        case "convert" | "as", () if (found := converted_type(node)) is not None:
            return _converted(base, written_type(found), node, context)
        case "load", (offset, pointer):
            accessors.check_written(base, context)
            _check_pointer(pointer, type_, context)
            loaded = call(f"vload{size}", (context.value(offset), context.value(pointer)), node)
            return ast.Assignment("=", context.place(base), loaded, span=node.span)
        case "store", (offset, pointer):
            _check_pointer(pointer, type_, context)
            values = (context.value(base), context.value(offset), context.value(pointer))
            return call(f"vstore{size}", values, node)
        case _:
            message = (
                f"'{node.span.text}' of a vector of {size} is not part of the litmus language: 'v.x()', 'v.s0()', "
                "'v.lo()', 'v.xyz()', 'v.swizzle<0, 1>()', 'v[0]', 'v.convert<int>()', 'v.as<int4>()', 'v.load(0, p)' "
                "and 'v.store(0, p)' are"
            )
            return context.complaints.fail("E203", node.span, message)


def _converted(base: Node, wanted: ast.TypeName, node: tree.MemberCall, context: Context) -> Expression:
    """A vector of other components, or of the same bits."""
    if node.name.text == "as":
        return call(f"as_{wanted.base}", (context.value(base),), node)
    scalar, size = scalar_of(wanted), vector_size(type_of(base, context))
    modes = tuple(_ROUNDING.get(meant(one)) for one in (node.templates or ())[1:])
    if scalar is None or len(modes) > 1 or None in modes:
        message = (
            "expected a type of numbers, and a rounding mode, 'v.convert<int, rounding_mode::rte>()', found "
            f"'{node.span.text}'"
        )
        context.complaints.fail("E204", node.span, message)
    mode = modes[0] if modes else ""
    return call(f"convert_{scalar.spelling}{size}{mode}", (context.value(base),), node)


def _check_pointer(node: Node, type_: ast.TypeName, context: Context) -> None:
    """A vector is read from, and written to, an array of what its components are."""
    found = pointers.type_of_value(node, context) or type_of(node, context)
    one, other = scalar_of(target_of(found)), scalar_of(component_of(type_))
    if other is not None and one is not other:
        message = (
            f"expected a pointer to {show_type(other)}, which the components of the vector are, found "
            f"'{node.span.text}'"
        )
        context.complaints.fail("E204", node.span, message)


def indexed(node: ast.Index, context: Context) -> Expression | None:
    """`v[0]`, `v[i]` of a vector; None where what is indexed is none."""
    type_ = type_of(node.base, context)
    size, component = vector_size(type_), None if type_ is None else component_of(type_)
    if size is None or component is None:
        return None
    index = context.value(node.index)
    known = written_integer(index)
    if known is None:
        return _at(node, component, index, context)
    if not 0 <= known < size:
        message = f"a vector of {size} has the components 0 to {size - 1}, found '{node.index.span.text}'"
        context.complaints.fail("E207", node.index.span, message)
    name = ast.Name(name_of((known,)), span=node.index.span)
    return ast.Member(context.place(node.base), ".", name, span=node.span)


def _at(node: ast.Index, component: ast.TypeName, index: Expression, context: Context) -> Expression:
    """A component whose number is computed: an element of the vector as an array."""
    if not is_place(node.base, context):
        message = (
            f"'{node.base.span.text}' is no object, of which a component could have a number that is "
            "computed: give it a variable"
        )
        context.complaints.fail("E207", node.span, message)
    first = ast.Prefix("&", context.place(node.base), span=node.base.span)
    array = ast.Cast(pointer_to(component), first, span=node.base.span)
    return ast.Index(array, index, span=node.span)
