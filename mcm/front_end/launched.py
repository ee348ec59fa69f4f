"""The part of a kernel file that its launches are about: other kernels may use what mcm does not know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from mcm.front_end.pieces import Piece

_DEEPER: Final = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
_ATTRIBUTES: Final = frozenset({"__attribute__", "__attribute"})


class _Unit(Struct, frozen=True):
    """A declaration, or the definition of the function of this name."""

    pieces: Sequence[Piece]
    name: str | None


def without_others(pieces: Sequence[Piece], launched: Collection[str]) -> Sequence[Piece]:
    """The words of a file without functions and kernels that no launched one mentions, directly or through others.

    All words where a launched kernel is not defined: what is wrong then is said of the whole file.
    """
    units = list(_units(pieces))
    waiting = set(launched)
    if not waiting or not waiting <= {unit.name for unit in units}:
        return pieces
    known: set[str] = set()
    kept = [unit.name is None for unit in units]
    waiting.update(piece.text for unit in units if unit.name is None for piece in unit.pieces)
    while waiting:
        known |= waiting
        found: set[str] = set()
        for number, unit in enumerate(units):
            if unit.name in waiting:
                kept[number] = True
                found.update(piece.text for piece in unit.pieces)
        waiting = found - known
    return [piece for unit, is_kept in zip(units, kept, strict=True) if is_kept for piece in unit.pieces]


def _units(pieces: Sequence[Piece]) -> Iterator[_Unit]:
    """The units of a file, in order; the last one is what no end follows."""
    depth = start = 0
    name: str | None = None
    for number, piece in enumerate(pieces):
        if piece.text == "{" and depth == 0:
            name = _function(pieces, number)
        depth += _DEEPER.get(piece.text, 0)
        if depth == 0 and (piece.text == ";" or (piece.text == "}" and name is not None)):
            yield _Unit(pieces[start : number + 1], name)
            start, name = number + 1, None
    yield _Unit(pieces[start:], None)


def _function(pieces: Sequence[Piece], opening: int) -> str | None:
    """The name of the function whose body begins here; None for anything else in braces."""
    position = _before(pieces, opening)
    while position >= 0 and pieces[position].text == ")":
        position = _before(pieces, _partner(pieces, position))
        if position >= 0 and pieces[position].text not in _ATTRIBUTES:
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
