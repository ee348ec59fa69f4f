"""Classes of the file and heads of functions in the standard layout."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from mcm.sycl import tree
from mcm.sycl.build_classes import REFERENCE
from mcm.syntax import ast
from mcm.syntax.lines import Line
from mcm.syntax.print_expressions import show_declaration, show_type
from mcm.syntax.print_statements import Begun, Writer

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.syntax.ast import Node

    # The text of an expression, or of an argument.
    Show = Callable[[Node], str]
    # A declaration as one that prints as it.
    Shown = Callable[[Node], ast.Statement]


def class_lines(unit: tree.ClassDefinition, show: Show, shown: Shown, new: type[Writer]) -> list[Line]:
    """The lines of a class; `new` writes bodies."""
    head = Line(f"struct {unit.name.text} {{", unit.span.start, unit.span.start + 1, begins_paragraph=True)
    inner = [line for part in unit.parts for line in _part(part, show, shown, new)]
    return [head, *inner, Line("};", unit.span.end - 1, unit.span.end)]


def _part(part: Node, show: Show, shown: Shown, new: type[Writer]) -> list[Line]:
    match part:
        case tree.MemberFunction():
            return _function(part, show, new)
        case ast.FileVariables(words, declaration):
            text = " ".join((*words, _declared(shown(declaration))))
        case tree.ReferenceMember(type_, name):
            text = f"{show(type_)}& {name.text};"
        case ast.Empty():
            return []
        case _:
            text = _declared(shown(part))
    return [Line(text, part.span.start, part.span.end, 1)]


def _declared(node: ast.Statement) -> str:
    assert isinstance(node, ast.Declaration)
    return show_declaration(node)


def _function(one: tree.MemberFunction, show: Show, new: type[Writer]) -> list[Line]:
    attributes = "".join(f"[[{show(attribute)}]] " for attribute in one.attributes)
    initials = ", ".join(_initial(initial, show) for initial in one.initials)
    behind = " const" * one.is_const + f" : {initials}" * bool(initials)
    text = f"{attributes}{_named(one, show)}{parameters(one.parameters, show)}{behind}"
    if one.body is None:
        return [Line(f"{text}{' = default' * one.is_default};", one.span.start, one.span.end, 1)]
    writer = new()
    writer.finish(writer.body(one.body, 1, Begun(text, one.span.start, one.body.span.start)), 1)
    return writer.lines


def _named(one: tree.MemberFunction, show: Show) -> str:
    """All before the parameters."""
    words = "".join(f"{word} " for word in (*("friend" for _ in [0] if one.kind == "friend"), *one.words))
    match one.kind, one.type:
        case "constructor" | "destructor", _:
            return f"{words}{one.name.text}"
        case _, ast.TypeName() as type_:
            return f"{words}{result(type_)}{one.name.text}"
        case _, type_:
            return f"{words}{'' if type_ is None else show(type_)} {one.name.text}"


def result(type_: ast.TypeName) -> str:
    """The type of what a function returns, and the space behind it."""
    if type_.pointers[-1:] == (REFERENCE,):
        return f"{show_type(replace(type_, pointers=type_.pointers[:-1]))}& "
    shown = show_type(type_)
    return shown if shown.endswith("*") else f"{shown} "


def _initial(one: tree.MemberInitial, show: Show) -> str:
    closing = ")" if one.form == "(" else "}"
    name = one.name.text.removeprefix("struct ").strip()
    return f"{name}{one.form}{', '.join(map(show, one.arguments))}{closing}"


def parameters(nodes: tuple[Node, ...], show: Show) -> str:
    """The parameters of a function, with the values that some have by themselves."""
    return f"({', '.join(parameter(one, show) for one in nodes)})"


def parameter(node: Node, show: Show) -> str:
    """A parameter of a function."""
    match node:
        case tree.ObjectParameter(class_, is_reference, name):
            return f"{show(class_)}{'&' * is_reference} {'' if name.text.startswith('#') else name.text}".rstrip()
        case tree.ReferenceParameter(type_, name, default):
            return f"{show_type(type_)}& {name.text}".rstrip() + _default(default, show)
        case tree.DefaultedParameter(type_, name, default=default):
            return f"{result(type_)}{name.text}{_default(default, show)}"
        case ast.Parameter(type_, name, length):
            brackets = "" if length is None else f"[{show(length)}]"
            return f"{result(type_)}{name.text}{brackets}".rstrip()
        case _:
            return node.span.text


def _default(value: Node | None, show: Show) -> str:
    return "" if value is None else f" = {show(value)}"
