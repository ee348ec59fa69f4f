"""`std::array` in kernels: an array of the C family, with its functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.sycl import members, tree
from mcm.sycl.classes import array_class
from mcm.sycl.constants import constant
from mcm.sycl.context import number
from mcm.sycl.entities import Reference, Variable
from mcm.syntax import ast

if TYPE_CHECKING:
    from mcm.sycl.context import Context
    from mcm.syntax.ast import Expression, Node

_FUNCTIONS: Final = ("size", "data", "begin", "end", "at", "front", "back", "empty", "fill")


def declaration(node: tree.ObjectDeclaration, one: tree.ObjectDeclarator, context: Context) -> ast.Declaration | None:
    """The declaration of an array that one of a `std::array` is; None for other classes."""
    element, length = array_class(node.type)
    if element is None or length is None:
        return None
    size = constant(length, context)
    if size is None or size < 1:
        context.complaints.fail("E212", length.span, f"expected a constant size, found '{length.span.text}'")
    listed = _values(one)
    if one.form == "=" and listed is None:
        message = f"'{one.name.text}' begins with values in braces, '= {{1, 2}}', found '{one.arguments[0].span.text}'"
        context.complaints.fail("E207", one.span, message)
    words = ("const",) if set(node.qualifiers) & {"const", "constexpr"} else ()
    type_ = replace(element, qualifiers=(*words, *element.qualifiers), pointers=())
    declarator = ast.Declarator(one.name, element.pointers, number(size, length), listed, span=one.span)
    return ast.Declaration(type_, (declarator,), span=node.span)


def _values(one: tree.ObjectDeclarator) -> ast.InitializerList | None:
    """The values between one or two pairs of braces."""
    if not one.form:
        return None
    found = one.arguments
    while len(found) == 1 and isinstance(found[0], ast.InitializerList):
        listed = found[0]
        found = (*listed.rows, *listed.items)
    if one.form == "=" and found is one.arguments:
        return None
    zero = ast.NumberLiteral("0", span=one.span)
    return ast.InitializerList(found or (zero,), span=one.span)  # type: ignore[arg-type]  # see `mcm.sycl.tree`


def length_of(node: Node, context: Context) -> int | None:
    """The number of elements of an array; None for anything else, and where it is not known."""
    match context.entity(node):
        case Variable(is_array=True, length=length) | Reference(is_array=True, length=length):
            return length or None
        case _:
            pass
    if not isinstance(node, ast.Member) or not context.functions.has_classes:
        return None
    receiver = members.receiver_of(node.base, node.operator, context)
    data = () if receiver is None else receiver.class_.data
    return next((one.length for one in data if one.name == node.name.text and one.is_array), None)


def member(node: tree.MemberCall, context: Context) -> Expression | None:
    """`a.size()`, `a.at(i)`, `a.fill(0)`; None for functions of anything but an array."""
    length = length_of(node.base, context)
    if length is None:
        return None
    base = node.base
    place: Node
    match node.name.text, node.arguments:
        case "size", ():
            return number(length, node)
        case "empty", ():
            return number(0, node)
        case (("data" | "begin" | "cbegin"), ()):
            return context.value(base)
        case (("end" | "cend"), ()):
            return ast.Infix("+", context.value(base), number(length, node), span=node.span)
        case "at", (place,):
            return context.value(ast.Index(base, place, span=node.span))  # type: ignore[arg-type]  # see `mcm.sycl.tree`
        case "front", ():
            return context.value(ast.Index(base, number(0, node), span=node.span))
        case "back", ():
            return context.value(ast.Index(base, number(length - 1, node), span=node.span))
        case name, _:
            listed = ", ".join(f"'{one}'" for one in _FUNCTIONS)
            message = f"'{name}' of an array is not part of the litmus language here; {listed} are"
            return context.complaints.fail("E203", node.name.span, message)


def filled(node: Node, context: Context) -> list[ast.ExpressionStatement] | None:
    """`a.fill(v);`, which is a statement; None for any other."""
    match node:
        case tree.MemberCall(base, _, ast.Name("fill"), None, (value,)) if length := length_of(base, context):
            found: list[ast.ExpressionStatement] = []
            assigned = context.value(value)
            for part, is_known in (
                (value, isinstance(assigned, ast.NumberLiteral | ast.Name)),
                (base, _is_known(base)),
            ):
                if not is_known:
                    message = f"'{part.span.text}' is evaluated for each element here: give it a variable of its own"
                    context.complaints.fail("E207", part.span, message)
            for place in range(length):
                element = ast.Index(base, number(place, node), span=node.span)
                one = ast.Assignment("=", context.place(element), assigned, span=node.span)
                found.append(ast.ExpressionStatement(one, span=node.span))
            return found
        case _:
            return None


def _is_known(node: Node) -> bool:
    """Whether an expression names an object, and does nothing else."""
    match node:
        case ast.Name():
            return True
        case ast.Member(base):
            return _is_known(base)
        case ast.Index(base, index):
            return _is_known(base) and isinstance(index, ast.Name | ast.NumberLiteral)
        case _:
            return False
