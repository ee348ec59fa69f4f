"""What a list of initial values is for: numbers, vectors, unions, structures and arrays, with what is in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from mcm.program.resolve.constants import known_integer
from mcm.program.resolve.parted_unions import parts_of_union
from mcm.program.resolve.spelling import base_of
from mcm.program.resolve.typed_walk import VECTOR
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Number(Struct, frozen=True):
    """A number or an address."""

    width = 1


class Vector(Struct, frozen=True):
    """A vector of so many components, and its type."""

    type: ast.TypeName
    width: int


class Union(Struct, frozen=True):
    """A union, which takes the place of one number; of several numbers where it is an array of them."""

    type: ast.TypeName
    width: int = 1


class Record(Struct, frozen=True):
    """A structure: the names of its members, what each is, and where it begins among all that is in the structure."""

    name: str
    members: tuple[str, ...]
    kinds: tuple[Kind, ...]
    places: tuple[int, ...]
    width: int


class Row(Struct, frozen=True):
    """An array; `length` is None where its values say how many there are."""

    of: Kind
    length: int | None

    @property
    def is_of_numbers(self) -> bool:
        """Whether its elements are numbers, in however many dimensions."""
        return self.of.is_of_numbers if isinstance(self.of, Row) else isinstance(self.of, Number)

    @property
    def width(self) -> int:
        """How many numbers are in it."""
        return self.of.width * (self.length or 0)


Kind = Number | Vector | Union | Record | Row


def kind_of(
    type_: ast.TypeName, lengths: Sequence[ast.Expression | None], structures: Mapping[str, ast.Structure]
) -> Kind | None:
    """What a variable of a type, or an array of such, is; None where a length is not known yet."""
    base = base_of(type_)
    vector = VECTOR.fullmatch(base)
    unit = structures.get(base)
    found: Kind | None = Number()
    if not type_.pointers and vector is not None:
        found = Vector(ast.TypeName((), base, span=type_.span), int(vector["size"]))
    elif not type_.pointers and unit is not None:
        found = _union(base, unit, structures) if unit.is_union else _record(base, unit, structures)
    for number, length in reversed(list(enumerate(lengths))):
        count = None if length is None else known_integer(length)
        if found is None or (count is None and number > 0):
            return None
        found = Row(found, count)
    return found


def _union(name: str, unit: ast.Structure, structures: Mapping[str, ast.Structure]) -> Union:
    parts = parts_of_union(unit, structures)
    return Union(ast.TypeName((), name, span=unit.span), 1 if parts is None else parts.count)


def _record(name: str, unit: ast.Structure, structures: Mapping[str, ast.Structure]) -> Record | None:
    members: list[str] = []
    kinds: list[Kind] = []
    for declaration in unit.members:
        for one in declaration.declarators:
            lengths = () if one.length is None else (one.length, *one.inner)
            type_ = ast.TypeName(
                declaration.type.qualifiers,
                declaration.type.base,
                (*declaration.type.pointers, *one.pointers),
                span=declaration.type.span,
            )
            kind = kind_of(type_, lengths, structures)
            if kind is None or (isinstance(kind, Row) and not kind.width):
                return None
            members.append(one.name.text)
            kinds.append(kind)
    widths = [kind.width for kind in kinds]
    places = tuple(sum(widths[:number]) for number in range(len(widths)))
    return Record(name, tuple(members), tuple(kinds), places, sum(widths))
