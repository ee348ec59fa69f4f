"""How many bytes types have, and where in memory the arguments of commands point."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.program.resolve.literals import written_integer
from mcm.program.resolve.record_layouts import beginnings, is_laid_out, layout_of, layouts_of_members
from mcm.sycl import tree
from mcm.sycl.constants import constant
from mcm.sycl.types import component_of, target_of, written_type
from mcm.sycl.words import plain
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.sycl.context import Context
    from mcm.syntax.ast import Node, TypeName

_POINTER_CASTS: Final = frozenset({"static_cast", "reinterpret_cast", "const_cast"})
_BEGINNINGS: Final = frozenset({"data", "begin", "cbegin"})


class Pointed(Struct, frozen=True):
    """A place in memory: the object, the byte of it, and the type of what is there.

    `is_array`: an array of such is there, so that its name is an address.
    """

    name: ast.Name
    byte: int
    type: TypeName
    is_array: bool = False


def bytes_of_type(type_: TypeName, context: Context) -> int | None:
    """The bytes of a type; None where they are not known."""
    found = layout_of(type_, context.functions.structures, written_integer)
    return None if found is None else found.size


def pointed(node: Node, context: Context) -> Pointed | None:
    """What an address is that of; None where that is not evident."""
    match node:
        case ast.Name():
            return _named(node, context)
        case ast.Prefix("&", operand):
            return _object(operand, context)
        case ast.Infix("+" | "-" as operator, base, by):
            found, count = pointed(base, context), constant(by, context)
            return _moved(found, count if count is None or operator == "+" else -count, context)
        case tree.MemberCall(ast.Name() as name, ".", ast.Name(member), None, ()) if member in _BEGINNINGS:
            return _named(name, context)
        case ast.Cast(type_, operand):
            return _seen_as(pointed(operand, context), type_)
        case tree.Construction(tree.ClassType(name, (ast.TypeName() as type_,)), _, (operand,)) if (
            plain(name) in _POINTER_CASTS
        ):
            return _seen_as(pointed(operand, context), type_)
        case ast.Index() | ast.Member():
            found = _object(node, context)
            return found if found is not None and found.is_array else None
        case _:
            return None


def number_at(found: Pointed, context: Context) -> TypeName | None:
    """The type of the number, or the address, that lies at a place, whatever type its own address was converted to."""
    item = context.object_named(found.name.text)
    type_, byte = None if item is None else item.type, found.byte
    while type_ is not None:
        size = bytes_of_type(type_, context)
        if size is None:
            return None
        byte %= size
        if (component := component_of(type_)) is not None:
            return component
        unit = None if type_.pointers else context.functions.structures.get(type_.base)
        if unit is None:
            return type_
        inside = [one for one in _members(unit, context) if one.byte <= byte]
        if not inside:
            return None
        byte, type_ = byte - inside[-1].byte, inside[-1].type
    return None


def _named(name: ast.Name, context: Context) -> Pointed | None:
    item = context.object_named(name.text)
    return None if item is None else Pointed(name, 0, item.type)


def _seen_as(found: Pointed | None, type_: TypeName) -> Pointed | None:
    """A place by an address of another type."""
    seen = target_of(written_type(type_))
    if found is None or seen is None or seen.base in {"auto", "void"}:
        return found
    return replace(found, type=seen, is_array=False)


def _moved(found: Pointed | None, count: int | None, context: Context) -> Pointed | None:
    """A place so many elements further on."""
    size = None if found is None or found.type.base == "void" else bytes_of_type(found.type, context)
    if found is None or count is None or size is None:
        return None
    return replace(found, byte=found.byte + count * size, is_array=False)


def _object(node: Node, context: Context) -> Pointed | None:
    """Where an object is: a variable, an element, a member."""
    match node:
        case ast.Name():
            return _named(node, context)
        case ast.Prefix("*", operand):
            return pointed(operand, context)
        case ast.Index(base, index):
            return _moved(pointed(base, context), constant(index, context), context)
        case ast.Member(base, operator, name):
            around = _object(base, context) if operator == "." else pointed(base, context)
            return None if around is None else _member(around, name.text, context)
        case _:
            return None


def _member(around: Pointed, name: str, context: Context) -> Pointed | None:
    unit = None if around.type.pointers else context.functions.structures.get(around.type.base)
    for one in () if unit is None else _members(unit, context):
        if one.name.text == name:
            return replace(one, name=around.name, byte=around.byte + one.byte)
    return None


def _members(unit: ast.Structure, context: Context) -> Iterator[Pointed]:
    """The members of a structure by their names, where they begin in it; none where that is not known."""
    layouts = layouts_of_members(unit, context.functions.structures, written_integer)
    declared = [(declaration.type, one) for declaration in unit.members for one in declaration.declarators]
    if layouts is not None and not is_laid_out(unit):
        for (type_, one), begin in zip(declared, beginnings(layouts), strict=True):
            yield Pointed(one.name, begin, replace(type_, pointers=one.pointers), is_array=one.length is not None)
