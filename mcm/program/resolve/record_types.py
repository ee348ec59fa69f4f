"""The members of structures and vectors, each of which becomes a variable or a parameter of its own."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from mcm.syntax import ast


class Slot(Struct, frozen=True):
    """A member of a structure: its name, its type without address space, and its length if it is an array.

    `is_component`: of a vector.
    """

    name: str
    type: ast.TypeName
    length: int | None
    is_component: bool = False


class Shape(Struct, frozen=True):
    """A variable of a structure type: its members, and whether it is a pointer or an array."""

    slots: tuple[Slot, ...]
    is_pointer: bool
    is_array: bool


def typed(slot: Slot, around: ast.TypeName, stars: tuple[tuple[str, ...], ...]) -> ast.TypeName:
    """The type of a member, in the address space of the structure."""
    return replace(
        slot.type, qualifiers=(*around.qualifiers, *slot.type.qualifiers), pointers=(*slot.type.pointers, *stars)
    )


def named(name: ast.Name, slot: Slot) -> ast.Name:
    """The name of a member of a variable."""
    return ast.Name(f"{name.text}.{slot.name}", span=name.span)


def is_vector(slots: tuple[Slot, ...]) -> bool:
    """Whether these are the components of a vector."""
    return all(slot.is_component for slot in slots)
