"""Unions that are no single number: each is an array of the smallest numbers that are in it, `parts`.

A member is what these mean, seen through a pointer that is cast: `u.v` of `union { float4 v; float a[4]; }` is
`*(float4*)u.a`, and `u.a` is the array itself. So a union is a structure with one array (ADR 105).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.program.resolve.complaints import Complaints, UnresolvedError
from mcm.program.resolve.constants import constant_integer, known_integer
from mcm.program.resolve.record_layouts import layout_of
from mcm.program.resolve.spelling import SCALARS, base_of, scalar_name
from mcm.program.resolve.typed_walk import VECTOR, name_of
from mcm.program.resolve.units import may_be_divided
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcm.program.types import Scalar

_BYTE: Final = 8
# What the array is called where no member is one of such numbers.
_PARTS: Final = "parts"


class Parts(Struct, frozen=True):
    """The array that a union is: its name, its numbers, and how many there are."""

    name: str
    scalar: Scalar
    count: int


def parts_of_union(unit: ast.Structure, structures: Mapping[str, ast.Structure]) -> Parts | None:
    """The array that a union is; None where it is a single number, or has members that are nothing of the kind."""
    found = numbers_of(unit, structures)
    if found is None or found[1] == 1:
        return None
    scalar, count = found
    return Parts(_array(unit, scalar, count), scalar, count)


def numbers_of(unit: ast.Structure, structures: Mapping[str, ast.Structure]) -> tuple[Scalar, int] | None:
    """The smallest numbers in a union or structure, and how many of them it takes; None where it has anything else."""
    try:
        pairs = list(members_in(unit))
        leaves = [leaf for declaration, one in pairs for leaf in _leaves(declaration.type, one, structures)]
    except UnresolvedError:
        return None
    layout = layout_of(ast.TypeName((), name_of(unit), span=unit.span), structures, length_of)
    if layout is None or not leaves:
        return None
    scalar = min(leaves, key=lambda one: one.bits)
    return scalar, layout.size * _BYTE // scalar.bits


def member_of_union(
    array: ast.Expression, unit: ast.Structure, parts: Parts, space: tuple[str, ...], node: ast.Member
) -> ast.Expression | None:
    """The member of a union that a node names, where `array` is its array; None where there is none of that name.

    `space` are the words for its address space, as far as they are known.
    """
    for declaration, one in members_in(unit):
        if one.name.text != node.name.text:
            continue
        if one.name.text == parts.name:
            return array
        type_ = ast.TypeName(space, declaration.type.base, ((),), span=node.span)
        pointer = ast.Cast(type_, array, span=node.span)
        return pointer if one.length is not None else ast.Prefix("*", pointer, span=node.span)
    return None


def members_in(unit: ast.Structure) -> Iterator[tuple[ast.Declaration, ast.Declarator]]:
    """The members of a structure or union, each with its declaration."""
    return ((declaration, one) for declaration in unit.members for one in declaration.declarators)


def _leaves(type_: ast.TypeName, one: ast.Declarator, structures: Mapping[str, ast.Structure]) -> Iterator[Scalar]:
    """The numbers that are in a member; UnresolvedError where anything else is."""
    base = base_of(type_)
    unit = structures.get(base)
    if type_.pointers or one.pointers or one.inner or (unit is not None and unit.is_union):
        raise UnresolvedError
    if unit is not None:
        for declaration, member in members_in(unit):
            yield from _leaves(declaration.type, member, structures)
        return
    vector = VECTOR.fullmatch(base)
    scalar = SCALARS.get(scalar_name(type_.qualifiers, base) if vector is None else vector["scalar"])
    if scalar is None or not may_be_divided(scalar):
        raise UnresolvedError
    yield scalar


def _array(unit: ast.Structure, scalar: Scalar, count: int) -> str:
    """The name of the array: that of a member that is just this."""
    for declaration, one in members_in(unit):
        is_such = SCALARS.get(scalar_name(declaration.type.qualifiers, declaration.type.base)) is scalar
        if is_such and one.length is not None and length_of(one.length) == count:
            return one.name.text
    return _PARTS


def length_of(node: ast.Expression) -> int | None:
    """The length of an array; None where it is no constant."""
    try:
        return constant_integer(node, Complaints(), "the length of an array")
    except UnresolvedError:
        return None


def is_zero(written: ast.InitializerList) -> bool:
    """Whether a list of initial values has no value but 0."""
    values = (*written.items, *(item for row in written.rows for item in row.items))
    is_flat = not any(row.rows for row in written.rows)
    return is_flat and all(isinstance(one, ast.NumberLiteral) and known_integer(one) == 0 for one in values)


def refuse_values(written: ast.InitializerList, complaints: Complaints) -> None:
    """Refuse values for such a union in a list, but zeros."""
    if not is_zero(written):
        message = "not yet supported: an initial value of a union of several sizes in a list, but 0; assign its member"
        complaints.fail("E100", written.span, message)
