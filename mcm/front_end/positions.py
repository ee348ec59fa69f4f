"""Where the words of a test stand among its pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcm.front_end.pieces import Piece

ATTRIBUTES: Final = frozenset({"__attribute__", "__attribute"})


def words_from(pieces: Sequence[Piece], position: int) -> Iterator[int]:
    """The positions of words from one on, without white space and attributes."""
    while position < len(pieces):
        if pieces[position].text in ATTRIBUTES:
            position = behind_brackets(pieces, position + 1, "()")
            continue
        if pieces[position].text.strip():
            yield position
        position += 1


def behind_brackets(pieces: Sequence[Piece], position: int, brackets: str) -> int:
    """The position behind the brackets that begin here, after white space; `brackets` are the opening and closing one.

    The end where they are not closed.
    """
    depth = 0
    for number in range(position, len(pieces)):
        text = pieces[number].text
        depth += (text == brackets[0]) - (text == brackets[1])
        if depth == 0 and text.strip():
            return number + 1
    return len(pieces)
