"""Classes of the file: what their members are, and the structure in terms of the C family that their objects are.

A class with a member that the C family has no values for (a reference, an `atomic_ref`, an accessor, an array of
structures) is apart: its objects are variables of bodies, and each of their members a variable of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from mcm.program.resolve.complaints import UnresolvedError
from mcm.sycl import members, tree
from mcm.sycl.constants import constant, typed
from mcm.sycl.context import number
from mcm.sycl.entities import DataMember, Members, Variable
from mcm.sycl.types import written_type
from mcm.sycl.words import plain
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.sycl.context import Context
    from mcm.sycl.entities import Entity
    from mcm.syntax.ast import Node, TypeName

_ARRAY = "array"


def structure(unit: ast.Structure, context: Context) -> tuple[ast.Structure | None, Members]:
    """A class in terms of the C family, where it is a structure, and what its members are."""
    complaints = context.complaints
    if unit.is_union:
        complaints.error(
            "E207", unit.name.span, f"a union, '{unit.name.text}', is not part of the litmus language in SYCL"
        )
    parts: tuple[Node, ...] = unit.parts if isinstance(unit, tree.ClassDefinition) else unit.members
    constants = _constants(unit.name.text, parts, context)
    data: list[DataMember] = []
    for part in parts:
        try:
            data += _data(part, context)
        except UnresolvedError:
            continue
    functions = [part for part in parts if isinstance(part, tree.MemberFunction)]
    by_name: dict[str, tuple[tree.MemberFunction, ...]] = {}
    for one in functions:
        if one.kind == "function":
            by_name[one.name.text] = (*by_name.get(one.name.text, ()), one)
    found = Members(
        {one.name: one.type for one in data if isinstance(one.type, ast.TypeName)},
        unit.name.text,
        tuple(data),
        by_name,
        tuple(one for one in functions if one.kind == "constructor" and not _is_copying(one, unit.name.text, context)),
        next((one for one in functions if one.kind == "destructor" and not one.is_default), None),
        constants,
        (not data and isinstance(unit, tree.ClassDefinition))
        or any(_is_apart(one, unit.name.text, is_active=bool(by_name), context=context) for one in data),
        any(_is_made(one, context) for one in data),
    )
    for one in functions:
        if one.kind == "friend":
            known = context.functions.operators.get(one.name.text, ())
            context.functions.operators[one.name.text] = (*known, one)
    if found.is_apart:
        return None, found
    span = unit.span
    return ast.Structure(unit.name, tuple(_declaration(one) for one in data), unit.is_union, span=span), found


def _constants(name: str, parts: tuple[Node, ...], context: Context) -> dict[str, Entity]:
    """The static members, which are constants; they are known by their names, and outside by that of the class too."""
    found: dict[str, Entity] = {}
    for part in parts:
        if not isinstance(part, ast.FileVariables):
            continue
        for one in part.declaration.declarators:
            value = one.initializer
            known = None
            if value is not None and not isinstance(value, ast.InitializerList) and one.length is None:
                known = constant(value, context)
            literal = _literal(value, known)
            if literal is None:
                shown = f"'{one.name.text}' is a static member, which is a constant with a number for its value here"
                context.complaints.error("E207", one.span, f"{shown}: 'static constexpr int n = 4;'")
                continue
            type_ = written_type(part.declaration.type)
            type_ = replace(type_, base="int") if type_.base == "auto" else type_
            literal = literal if known is None else typed(known, type_, literal)
            entity = Variable(type_, is_fixed=True, constant=literal)
            found[one.name.text] = entity
            context.scopes.declare(one.name.text, entity)
            context.functions.outside[f"{name}::{one.name.text}"] = entity
    return found


def _literal(value: Node | None, known: int | None) -> ast.Expression | None:
    """A constant in words: a number, or a truth."""
    if value is not None and known is not None:
        return number(known, value) if known >= 0 else ast.Prefix("-", number(-known, value), span=value.span)
    match value:
        case ast.NumberLiteral() | ast.Prefix("-", ast.NumberLiteral()) | ast.Name("true" | "false"):
            return value
        case _:
            return None


def _data(part: Node, context: Context) -> Iterator[DataMember]:
    """The members that a part of a class declares."""
    match part:
        case ast.Declaration(type_, declarators):
            for one in declarators:
                found = written_type(type_)
                words = tuple(word for word in found.qualifiers if word != "const" or one.pointers)
                full = replace(found, qualifiers=words, pointers=one.pointers)
                sized = _sized(one, context)
                is_array = sized.length is not None
                yield DataMember(one.name.text, full, sized, is_array, initial=one.initializer)
        case tree.ReferenceMember(of, name):
            referred = written_type(of) if isinstance(of, ast.TypeName) else of
            yield DataMember(name.text, referred, part, is_reference=True)
        case tree.ObjectDeclaration(_, class_, objects):
            for each in objects:
                yield _object(class_, each, context)
        case tree.MemberFunction() | ast.FileVariables() | ast.Empty():
            return
        case _:
            message = f"'{part.span.text}' is no member that is part of the litmus language"
            context.complaints.fail("E207", part.span, message)


def _object(class_: tree.ClassType, one: tree.ObjectDeclarator, context: Context) -> DataMember:
    """A member of a class of SYCL; an array of numbers is one of the C family."""
    element, length = array_class(class_)
    if element is None or length is None:
        return DataMember(one.name.text, class_, one, initial=one.arguments[0] if one.arguments else None)
    made = ast.Declarator(one.name, element.pointers, length, span=one.span)
    listed: Node | None = None
    if one.form:
        listed = one.arguments[0] if one.form == "=" else ast.InitializerList(one.arguments, span=one.span)  # type: ignore[arg-type]
    return DataMember(one.name.text, element, _sized(made, context), is_array=True, initial=listed)


def array_class(class_: tree.ClassType) -> tuple[TypeName | None, ast.Expression | None]:
    """The type and the number of the elements of a `std::array`; None for other classes."""
    if plain(class_.name) != _ARRAY or class_.arguments is None or len(class_.arguments) != 2:
        return None, None
    type_, length = class_.arguments
    if not isinstance(type_, ast.TypeName) or not isinstance(length, ast.Expression):
        return None, None
    return written_type(type_), length


def _sized(one: ast.Declarator, context: Context) -> ast.Declarator:
    """A declarator whose lengths are numbers."""
    return replace(
        one,
        length=None if one.length is None else _length(one.length, context),
        inner=tuple(_length(length, context) for length in one.inner),
        initializer=None,
    )


def _length(node: ast.Expression, context: Context) -> ast.Expression:
    size = constant(node, context)
    if size is None or size < 1:
        context.complaints.fail("E212", node.span, f"expected a constant size, found '{node.span.text}'")
    return number(size, node)


def _is_apart(one: DataMember, name: str, *, is_active: bool, context: Context) -> bool:
    """Whether the C family has no members such as this."""
    type_ = one.type
    if one.is_reference or isinstance(type_, tree.ClassType):
        return True
    if not type_.base.startswith("struct "):
        return False
    known = context.scopes.find(type_.base)
    is_parted = isinstance(known, Members) and known.is_apart
    if type_.pointers:
        return (is_active and type_.base != f"struct {name}") or is_parted
    return one.is_array or is_parted


def _is_made(one: DataMember, context: Context) -> bool:
    """Whether a member is an object that begins with what its class says."""
    is_object = isinstance(one.type, ast.TypeName) and not (one.type.pointers or one.is_reference)
    class_ = members.class_of(one.type, context) if is_object else None  # type: ignore[arg-type]
    return class_ is not None and not class_.is_plain


def _declaration(one: DataMember) -> ast.Declaration:
    assert isinstance(one.type, ast.TypeName)
    assert isinstance(one.node, ast.Declarator)
    declarator = ast.Declarator(
        one.node.name, one.node.pointers, one.node.length, None, one.node.inner, span=one.node.span
    )
    return ast.Declaration(replace(one.type, pointers=()), (declarator,), span=one.node.span)


def _is_copying(one: tree.MemberFunction, name: str, context: Context) -> bool:
    """Whether a constructor makes a copy, which is one of all members here; anything else is refused."""
    match one.parameters:
        case (tree.ReferenceParameter(ast.TypeName(base=base)),) if base == f"struct {name}":
            if not one.is_default:
                message = f"a constructor that says how '{name}' is copied is not part of the litmus language"
                context.complaints.error("E207", one.span, message)
            return True
        case _:
            return False
