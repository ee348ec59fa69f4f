"""The part of a kernel file that its launches are about: the others may use what mcm does not know."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.front_end.kernel_attributes import KERNEL_WORDS
from mcm.front_end.positions import ATTRIBUTES, words_from

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from mcm.front_end.pieces import Piece

_DEEPER: Final = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
# They say nothing of what a function or a variable outside functions means, and may stand among the words of its type.
_OF_LINKAGE: Final = frozenset({"static", "inline", "__inline", "__inline__"})
_TAGGED: Final = frozenset({"struct", "union"})
_NAME: Final = re.compile(r"[A-Za-z_]\w*")


class _Unit(Struct, frozen=True):
    """The definition of a function, or a declaration; with the names that it declares.

    One of which no name is known, as of an `enum`, is always wanted.
    """

    pieces: Sequence[Piece]
    function: str | None
    names: frozenset[str]


def without_others(pieces: Sequence[Piece], launched: Collection[str], asked: Collection[str] = ()) -> Sequence[Piece]:
    """The words of a file without what no launched kernel mentions, directly or through others, nor a question.

    Not `static` and `inline` behind a type, nor a semicolon behind a function: they mean nothing.
    All units where a launched kernel is not defined: what is wrong then is said of the whole file.
    """
    units = list(_units(pieces))
    if not launched or not set(launched) <= {unit.function for unit in units}:
        return [piece for unit in units for piece in unit.pieces]
    kept = [not unit.names for unit in units]
    known: set[str] = set()
    waiting = {*launched, *asked, *(piece.text for unit in units if not unit.names for piece in unit.pieces)}
    while waiting:
        known |= waiting
        found: set[str] = set()
        for number, unit in enumerate(units):
            if not waiting.isdisjoint(unit.names):
                kept[number] = True
                found.update(piece.text for piece in unit.pieces)
        waiting = found - known
    return [piece for unit, is_kept in zip(units, kept, strict=True) if is_kept for piece in unit.pieces]


def kernels_in(pieces: Sequence[Piece]) -> list[str]:
    """The names of the kernels that a file defines, in order."""
    return [
        unit.function
        for unit in _units(pieces)
        if unit.function is not None and not KERNEL_WORDS.isdisjoint(piece.text for piece in unit.pieces)
    ]


def _units(pieces: Sequence[Piece]) -> Iterator[_Unit]:
    """The units of a file, in order; the last one is what no end follows."""
    depth = start = 0
    name: str | None = None
    for number, piece in enumerate(pieces):
        if piece.text == "{" and depth == 0:
            name = _function(pieces, number)
        depth += _DEEPER.get(piece.text, 0)
        if depth == 0 and (piece.text == ";" or (piece.text == "}" and name is not None)):
            yield _unit(pieces[start : number + 1], name)
            start, name = number + 1, None
    yield _unit(pieces[start:], None)


def _unit(pieces: Sequence[Piece], function: str | None) -> _Unit:
    """A unit of these words; a semicolon alone, or the declaration of a kernel without its body, is white space."""
    words = [pieces[number].text for number in words_from(pieces, 0)]
    is_declaration = "{" not in words and not KERNEL_WORDS.isdisjoint(words)
    if words[-1:] == [";"] and (len(words) == 1 or is_declaration):
        return _Unit([piece for piece in pieces if not piece.text.strip()], None, frozenset())
    kept: list[Piece] = []
    depth = 0
    is_first = True
    for piece in pieces:
        depth += _DEEPER.get(piece.text, 0)
        is_first = is_first and (not piece.text.strip() or piece.text in _OF_LINKAGE)
        if depth > 0 or is_first or piece.text not in _OF_LINKAGE:
            kept.append(piece)
    return _Unit(kept, function, frozenset(_declared(words)) if function is None else frozenset({function}))


def _declared(words: Sequence[str]) -> Iterator[str]:
    """The names that a declaration declares, `x` and `y` of `constant int x[2] = {1, 2}, y;`, and tags; of enumerations
    nothing.
    """
    depth = 0
    if "enum" in words:
        return
    for before, word in pairwise(words):
        is_name = _NAME.fullmatch(before) is not None
        if depth == 0 and word in {";", ",", "=", "[", "("} and is_name:
            yield before
        if depth == 0 and before in _TAGGED and _NAME.fullmatch(word):
            yield word
        depth += _DEEPER.get(word, 0)


def _function(pieces: Sequence[Piece], opening: int) -> str | None:
    """The name of the function whose body begins here; None for anything else in braces."""
    position = _before(pieces, opening)
    while position >= 0 and pieces[position].text == ")":
        position = _before(pieces, _partner(pieces, position))
        if position >= 0 and pieces[position].text not in ATTRIBUTES:
            return pieces[position].text
        position = _before(pieces, position)
    return None


def _before(pieces: Sequence[Piece], position: int) -> int:
    """The position of the word before this one; -1 where there is none."""
    return next((n for n in range(position - 1, -1, -1) if pieces[n].text.strip()), -1)


def _partner(pieces: Sequence[Piece], closing: int) -> int:
    """The position of the parenthesis that this one closes; -1 where there is none."""
    depth = 0
    for number in range(closing, -1, -1):
        depth += _DEEPER.get(pieces[number].text, 0)
        if depth == 0:
            return number
    return -1
