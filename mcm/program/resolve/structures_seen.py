"""Structures in memory that a program also sees as numbers: where their members lie among these."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.program.resolve.parted_unions import length_of, members_in, numbers_of
from mcm.program.resolve.record_layouts import layout_of
from mcm.program.resolve.spelling import SCALARS, base_of, scalar_name
from mcm.program.resolve.typed_walk import VECTOR

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcm.program.types import Scalar
    from mcm.syntax import ast

_BYTE: Final = 8


class Placed(Struct, frozen=True):
    """A member among the numbers of a structure: its name, its first number, and how many it has if it is an array."""

    name: str
    place: int
    length: int | None


class Numbers(Struct, frozen=True):
    """The numbers that a structure is: of which type, how many, and the members that are such; `is_all`: all are."""

    scalar: Scalar
    count: int
    members: tuple[Placed, ...]
    is_all: bool


def numbers_in(unit: ast.Structure, structures: Mapping[str, ast.Structure]) -> Numbers | None:
    """The numbers that a structure is in memory; None where it is none, or has members that are no numbers."""
    found = None if unit.is_union else numbers_of(unit, structures)
    if found is None:
        return None
    scalar, count = found
    members = tuple(_placed(unit, scalar, structures))
    return Numbers(scalar, count, members, sum(one.length or 1 for one in members) == count)


def _placed(unit: ast.Structure, scalar: Scalar, structures: Mapping[str, ast.Structure]) -> Iterator[Placed]:
    """The members that are numbers of this type, or arrays of them."""
    size, at = scalar.bits // _BYTE, 0
    for declaration, one in members_in(unit):
        layout = layout_of(declaration.type, structures, length_of)
        length = None if one.length is None else length_of(one.length)
        assert layout is not None, "the whole has one"
        at += -at % layout.alignment
        base = base_of(declaration.type)
        is_number = VECTOR.fullmatch(base) is None and base not in structures
        if is_number and SCALARS.get(scalar_name(declaration.type.qualifiers, base)) is scalar:
            yield Placed(one.name.text, at // size, length)
        at += layout.size * (1 if length is None else length)
