"""Where the members of structures and vectors lie in memory, in bytes: commands copy and fill bytes.

Scalars and vectors are aligned to their size, a vector of three is as large as one of four, and a structure has its
members one after the other with what their alignment asks for between them.
"""

from __future__ import annotations

import re
from math import prod
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.program.resolve.spelling import ATOMICS, SCALARS, base_of, scalar_name
from mcm.program.resolve.typed_walk import VECTOR
from mcm.program.types import PointerType, Scalar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from mcm.program.types import Type
    from mcm.syntax import ast

# Types that have no size that programs know.
OPAQUE: Final = frozenset({Scalar.EVENT, Scalar.RESERVATION})
ADDRESS: Final = 8
# What lays a structure out in another way: it stands at the structure or its members, or is what a macro means there.
_LAYOUTS: Final = re.compile(r"__attribute(?:__)?\s*\(\([^;{]*?(?:packed|aligned)")
_LAYOUT_WORDS: Final = re.compile(r"\b_*(?:packed|aligned)_*\b")
_FOR_ALL: Final = re.compile(r"#\s*pragma\s+pack\b")
_MACRO: Final = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)((?:[^\n\\]|\\[\s\S])*)", re.MULTILINE)
_WORD: Final = re.compile(r"\w+")
_HEAD: Final = re.compile(r"(?:struct|union)(?:\s+(?P<before>\w+)(?=\s+\w))?(?:\s+(?P<tag>(?!final\b)\w+))?\s*\{")
_TAIL: Final = re.compile(r"(?:\s*(?P<before>\w+)\s)?\s*(?P<name>\w+)\s*;")
_TYPEDEF: Final = re.compile(r"\btypedef\s*\Z")


class Layout(Struct, frozen=True):
    """The bytes that an object has, of what its address is a multiple, and where its members begin.

    `places` has one entry for each scalar member, those of inner structures among them; an array of scalars is one.
    """

    size: int
    alignment: int
    places: tuple[int, ...] = (0,)


def bytes_of(type_: Type) -> int | None:
    """The bytes of a scalar or an address; None where they are not known."""
    if isinstance(type_, PointerType):
        return ADDRESS
    return None if type_ in OPAQUE else max(1, type_.bits // 8)


def vector_layout(scalar: Scalar, count: int) -> Layout:
    """The layout of a vector."""
    each = scalar.bits // 8
    size = each * {3: 4}.get(count, count)
    return Layout(size, size, tuple(each * number for number in range(count)))


def together(members: Iterable[Layout], *, is_union: bool = False) -> Layout:
    """The layout of members one after the other, or, of a union, all at its beginning."""
    listed = tuple(members)
    size, alignment = 0, 1
    places: list[int] = []
    for member, begin in zip(listed, beginnings(listed, is_union=is_union), strict=True):
        places += (begin + place for place in member.places)
        size = max(size, begin + member.size)
        alignment = max(alignment, member.alignment)
    # A union is one array.
    return Layout(next_multiple(size, alignment), alignment, (0,) if is_union else tuple(places))


def beginnings(members: Iterable[Layout], *, is_union: bool = False) -> Iterator[int]:
    """Where members begin in what they are members of."""
    end = 0
    for member in members:
        begin = 0 if is_union else next_multiple(end, member.alignment)
        yield begin
        end = begin + member.size


def layout_of(
    type_: ast.TypeName,
    structures: Mapping[str, ast.Structure],
    constant: Callable[[ast.Expression], int | None],
) -> Layout | None:
    """The layout of a type, where `structures` are those of the file by their types; None where it is not known."""
    if type_.pointers:
        return Layout(ADDRESS, ADDRESS)
    base = base_of(type_)
    if (vector := VECTOR.fullmatch(base)) is not None:
        return vector_layout(SCALARS[vector["scalar"]], int(vector["size"]))
    if base in structures:
        if is_laid_out(structures[base]):
            return None
        members = layouts_of_members(structures[base], structures, constant)
        return together(members, is_union=structures[base].is_union) if members else None
    name = scalar_name(type_.qualifiers, base)
    scalar = ATOMICS.get(name) or SCALARS.get(name)
    size = None if scalar is None else bytes_of(scalar)
    return None if size is None else Layout(size, size)


def is_laid_out(unit: ast.Structure) -> bool:
    """Whether the file of a structure says how it is laid out, in another way than it is by itself."""
    text = unit.span.source.text
    if _FOR_ALL.search(text) or _has_foreign_word(unit):
        return True
    if not _LAYOUT_WORDS.search(text):
        return False
    # Attributes may stand before the first word, and behind the last brace.
    begin = max(text.rfind(end, 0, unit.span.start) for end in ";}{")
    end = text.find(";", _behind_members(text, unit.span.start))
    written = text[begin + 1 : end if end >= 0 else len(text)]
    return _LAYOUTS.search(written) is not None or not _layout_macros(text).isdisjoint(_WORD.findall(written))


def _has_foreign_word(unit: ast.Structure) -> bool:
    """Whether a word stands at a structure that neither names it nor is a macro of the file: an option may define it.

    `struct PACKED s { … };`, `typedef struct { … } PACKED s;`, `typedef struct PACKED { … } s;`
    """
    text, start = unit.span.source.text, unit.span.start
    head = _HEAD.match(text, start)
    if head is None:
        return False
    tail = _TAIL.match(text, _behind_members(text, start))
    before, tag = head["before"], head["tag"]
    behind, name = (None, None) if tail is None else (tail["before"], tail["name"])
    is_bare = before is None and tag is not None and name == unit.name.text != tag
    found = {tag if is_bare and _TYPEDEF.search(text, 0, start) else None, before, behind} - {None}
    return bool(found) and not found <= {macro[1] for macro in _MACRO.finditer(text)}


def _behind_members(text: str, start: int) -> int:
    """Where the members of a structure that begins at `start` have ended."""
    depth = 0
    for brace in re.finditer("[{}]", text[start:]):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return start + brace.end()
    return len(text)


def _layout_macros(text: str) -> set[str]:
    """The macros of a file that mean a layout, or another one that does."""
    macros = {macro[1]: macro[2] for macro in _MACRO.finditer(text)}
    found = {name for name, meant in macros.items() if _LAYOUT_WORDS.search(meant)}
    while more := {name for name in macros.keys() - found if not found.isdisjoint(_WORD.findall(macros[name]))}:
        found |= more
    return found


def layouts_of_members(
    unit: ast.Structure,
    structures: Mapping[str, ast.Structure],
    constant: Callable[[ast.Expression], int | None],
) -> list[Layout] | None:
    """The layouts of the members of a structure in the order of the text; None where one is not known."""
    found: list[Layout] = []
    for declaration in unit.members:
        for one in declaration.declarators:
            inner = Layout(ADDRESS, ADDRESS) if one.pointers else layout_of(declaration.type, structures, constant)
            lengths = [constant(each) for each in (one.length, *one.inner) if each is not None]
            if inner is None or None in lengths:
                return None
            size = inner.size * prod(length for length in lengths if length is not None)
            found.append(Layout(size, inner.alignment, inner.places))
    return found


def next_multiple(size: int, alignment: int) -> int:
    """The next multiple of an alignment."""
    return -(-size // alignment) * alignment
