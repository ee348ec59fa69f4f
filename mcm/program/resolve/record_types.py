"""The members of structures and vectors, each of which becomes a variable or a parameter of its own."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.program.resolve.complaints import UnresolvedError
from mcm.program.resolve.constants import constant_integer
from mcm.program.resolve.parted_unions import parts_of_union
from mcm.program.resolve.record_layouts import layout_of
from mcm.program.resolve.spelling import REGIONS, base_of
from mcm.program.resolve.typed_walk import name_of
from mcm.program.types import Region
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.program.resolve.complaints import Complaints
    from mcm.program.resolve.record_layouts import Layout

_VECTOR: Final = re.compile(r"(?P<scalar>u?(?:char|short|int|long)|half|float|double)(?P<size>[2348]|16)")
_TAGS: Final = ("struct ", "union ")
COMPONENTS: Final = "xyzw"
# Qualifiers of an object, which do not belong to what it points to.
_OF_OBJECTS: Final = frozenset({"const", "volatile"})


class Slot(Struct, frozen=True):
    """A member of a structure: its name, its type without address space, and its length if it is an array.

    `is_component`: of a vector. `array` is the member that is an array of structures or vectors, whose elements have
    this member; `inner` is its length in one of them, where it is an array there.
    """

    name: str
    type: ast.TypeName
    length: int | None
    is_component: bool = False
    array: str = ""
    inner: int | None = None

    def in_element(self) -> Slot:
        """The member of an element of the array that this one is a member of."""
        return Slot(self.name.removeprefix(f"{self.array}."), self.type, self.inner, self.is_component)


class Shape(Struct, frozen=True):
    """A variable of a structure type: its members, and whether it is a pointer or an array.

    `viewed` is the type of a pointer to numbers that are accessed as vectors or structures.
    """

    slots: tuple[Slot, ...]
    is_pointer: bool
    is_array: bool
    viewed: ast.TypeName | None = None


class RecordTypes:
    """The types of a test that are structures, by their names, with their members."""

    def __init__(self, complaints: Complaints) -> None:
        self.complaints: Final = complaints
        self.structures: dict[str, tuple[Slot, ...]] = {}
        self._units: Final[dict[str, ast.Structure]] = {}

    def add(self, unit: ast.Structure) -> None:
        """Learn a structure."""
        self._units[name_of(unit)] = unit
        parts = parts_of_union(unit, self._units) if unit.is_union else None
        if parts is None:
            self.structures[name_of(unit)] = tuple(self.members(unit))
            return
        type_ = ast.TypeName((), parts.scalar.spelling, span=unit.span)
        self.structures[name_of(unit)] = (Slot(parts.name, type_, parts.count),)

    def members(self, unit: ast.Structure) -> Iterator[Slot]:
        """The members of a structure; those of a structure in it have the names of both."""
        for declaration in unit.members:
            for declarator in declaration.declarators:
                type_ = replace(declaration.type, pointers=declarator.pointers)
                length = None
                if declarator.length is not None:
                    try:
                        length = constant_integer(declarator.length, self.complaints, "the length of an array")
                    except UnresolvedError:
                        length = 1
                if declarator.pointers and self._is_record(declaration.type):
                    message = "a member that points to structures or vectors; keep the number of the element"
                    self.complaints.fail("E100", declarator.span, f"not yet supported: {message}")
                inner = self.slots_of(declaration.type)
                if inner is None or declarator.pointers:
                    yield Slot(declarator.name.text, type_, length)
                    continue
                yield from self._inner(declarator, inner, length)

    def _inner(self, declarator: ast.Declarator, inner: tuple[Slot, ...], length: int | None) -> Iterator[Slot]:
        """The members of a structure or vector that is a member, or of the elements of an array of such."""
        name = declarator.name.text
        for slot in inner:
            found = replace(slot, name=f"{name}.{slot.name}", array=slot.array and f"{name}.{slot.array}")
            if length is not None and slot.array:
                message = "not yet supported: an array of structures that have arrays of structures or vectors in them"
                self.complaints.fail("E100", declarator.span, message)
            if length is not None:
                found = replace(found, length=length * (slot.length or 1), array=name, inner=slot.length)
            yield found

    def slots_of(self, written: ast.TypeName) -> tuple[Slot, ...] | None:
        """The members of a structure or vector type; None for any other type."""
        base = base_of(written)
        if base.startswith(_TAGS):
            if base not in self.structures:
                self.complaints.fail("E145", written.span, f"unknown type '{base}'")
            return self.structures[base]
        found = _VECTOR.fullmatch(base)
        if found is None:
            return None
        scalar = ast.TypeName((), found["scalar"], span=written.span)
        return tuple(Slot(name, scalar, None, is_component=True) for name in _components(int(found["size"])))

    def _is_record(self, written: ast.TypeName) -> bool:
        """Whether this is a structure, known by now or not, or a vector."""
        return written.base.startswith(_TAGS) or self.slots_of(written) is not None

    def layout(self, written: ast.TypeName) -> Layout | None:
        """Where the members of a structure or vector lie; None where that is not known, or they lie apart."""
        if any(slot.array for slot in self.slots_of(written) or ()):
            return None
        return layout_of(written, self._units, self._length)

    def _length(self, node: ast.Expression) -> int | None:
        try:
            return constant_integer(node, self.complaints, "the length of an array")
        except UnresolvedError:
            return None

    def size(self, written: ast.TypeName) -> int | None:
        """The number of components of a vector type."""
        slots = None if written.pointers else self.slots_of(written)
        return len(slots) if slots is not None and is_vector(slots) else None


def components_of(written: ast.TypeName) -> tuple[str, ...]:
    """The names of the components of a vector; none for other types."""
    found = None if written.pointers else _VECTOR.fullmatch(base_of(written))
    return () if found is None else _components(int(found["size"]))


def _components(size: int) -> tuple[str, ...]:
    return tuple(COMPONENTS[:size] if size <= len(COMPONENTS) else [f"s{number:x}" for number in range(size)])


def member_path(node: ast.Member) -> tuple[ast.Expression, str]:
    """What a member is one of, and its name in it; `p->a` is one of `*p`, and `s.inner.a` is `inner.a` of `s`."""
    path = [node.name.text]
    base = node.base
    while isinstance(base, ast.Member) and base.operator == "." and node.operator == ".":
        path.insert(0, base.name.text)
        base = base.base
    wanted = ".".join(path)
    if isinstance(base, ast.Member):
        # `p->inner.a`
        wanted, base = f"{base.name.text}.{wanted}", ast.Prefix("*", base.base, span=base.base.span)
    elif node.operator == "->":
        base = ast.Prefix("*", base, span=base.span)
    if isinstance(base, ast.Prefix) and base.operator == "*" and isinstance(base.operand, ast.Prefix):
        base = base.operand.operand if base.operand.operator == "&" else base
    return base, wanted


def typed(slot: Slot, around: ast.TypeName, stars: tuple[tuple[str, ...], ...]) -> ast.TypeName:
    """The type of a member, in the address space of the structure, or of a pointer to one with so many `stars`.

    What is said of the structure is said of the member: of a pointer in it, not of what that points to.
    """
    type_, words = slot.type, around.qualifiers
    if not type_.pointers:
        return replace(type_, qualifiers=(*words, *type_.qualifiers), pointers=stars)
    *inner, last = type_.pointers
    names_space = any(word in REGIONS for level in (type_.qualifiers, *type_.pointers) for word in level)
    outer = [word for word in words if word in REGIONS or word in _OF_OBJECTS]
    kept = [word for word in words if word not in _OF_OBJECTS and word not in REGIONS]
    if not names_space and any(word in REGIONS for word in words):
        # Wherever the structure is, the member leads anywhere.
        kept.append(Region.GENERIC.value)
    if names_space and stars and not any(word in REGIONS for word in words):
        # Else the space that the member names would be that of the structure, too.
        outer.append(Region.GENERIC.value)
    return replace(type_, qualifiers=(*kept, *type_.qualifiers), pointers=(*inner, (*last, *outer), *stars))


class PointerElement(ast.Name, frozen=True):
    """An element of an array of pointers to structures or vectors, which is a variable like any such pointer."""

    index: ast.Expression


def element_of(array: str) -> str:
    """The name that elements of an array of pointers go by."""
    return f"{array}[]"


def shapes_of(node: ast.Declarator, slots: tuple[Slot, ...]) -> dict[str, Shape]:
    """What is known of a variable that is declared, and of its elements where it is an array of pointers."""
    is_pointer, is_array = bool(node.pointers), node.length is not None
    found = {node.name.text: Shape(slots, is_pointer, is_array)}
    if is_pointer and is_array:
        found[element_of(node.name.text)] = Shape(slots, is_pointer, is_array=False)
    return found


def named(name: ast.Name, slot: Slot) -> ast.Name:
    """The name of a member of a variable."""
    return ast.Name(f"{name.text}.{slot.name}", span=name.span)


def member_of(name: ast.Name, slot: Slot) -> ast.Name | ast.Index:
    """A member of a variable; of one that is an element of an array of pointers, an element of that of this member."""
    if not isinstance(name, PointerElement):
        return named(name, slot)
    array = ast.Name(name.text.removesuffix(element_of("")), span=name.span)
    return ast.Index(named(array, slot), name.index, span=name.span)


def is_vector(slots: tuple[Slot, ...]) -> bool:
    """Whether these are the components of a vector, and not of one that is in a structure."""
    return all(slot.is_component and "." not in slot.name for slot in slots)


def is_inner_vector(node: ast.Member, slots: list[Slot]) -> bool:
    """Whether a member of a structure is a vector, of these components."""
    wanted = member_path(node)[1]
    are_components = all(slot.is_component and not slot.array for slot in slots)
    return bool(slots) and are_components and all(slot.name.rpartition(".")[0] == wanted for slot in slots)


def places_of(slots: tuple[Slot, ...]) -> list[tuple[int, ...]]:
    """Where the elements of each member stand among all the values of a structure, in the order of its text."""
    found: list[tuple[int, ...]] = []
    begin = 0
    for array, group in groupby(slots, lambda slot: slot.array):
        members = tuple(group)
        widths = [(slot.inner if array else slot.length) or 1 for slot in members]
        count = (members[0].length or 1) // widths[0]
        for number, width in enumerate(widths):
            first = begin + sum(widths[:number])
            rows = range(first, first + count * sum(widths), sum(widths))
            found.append(tuple(row + place for row in rows for place in range(width)))
        begin += count * sum(widths)
    return found


def slot_named(
    shape: Shape,
    wanted: str,
    node: ast.Member,
    name: ast.Name,
    complaints: Complaints,
    is_pointer: bool | None,  # noqa: FBT001 - one of three answers
) -> Slot:
    """The member of a variable, `name`, that is named; `is_pointer`: as one of what the variable points to."""
    shown = name.span.text if isinstance(name, PointerElement) else name.text
    if is_pointer is not None and is_pointer is not (shape.is_pointer or shape.is_array):
        right = f"{shown}->{wanted}" if shape.is_pointer else f"{shown}.{wanted}"
        complaints.fail("E119", node.span, f"'{node.span.text}' should be written '{right}'")
    alias = {f"s{number}": component for number, component in enumerate(COMPONENTS)}
    around, dot, last = wanted.rpartition(".")
    names = {wanted, f"{around}{dot}{last.lower()}", f"{around}{dot}{alias.get(last.lower(), last)}"}
    for slot in shape.slots:
        if slot.name in names:
            return slot
    known = ", ".join(f"'{slot.name}'" for slot in shape.slots)
    return complaints.fail("E183", node.name.span, f"'{shown}' has no member '{wanted}'; it has {known}")
