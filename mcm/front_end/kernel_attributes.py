"""The attributes of kernels that mean something: they stand before `kernel` in C, and behind it in a litmus test.

Of the attributes of functions `overloadable` does, which a test has as a word.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.front_end.positions import behind_brackets, words_from
from mcm.syntax.attribute import OVERLOADABLE, REQUIRED_SIZE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.pieces import Piece

KERNEL_WORDS: Final = frozenset({"kernel", "__kernel"})
_NAMES: Final = frozenset({REQUIRED_SIZE, f"__{REQUIRED_SIZE}__"})
_OVERLOADED: Final = frozenset({OVERLOADABLE, f"__{OVERLOADABLE}__"})
# A unit of a file ends, or its head.
_ENDS: Final = frozenset({";", "{", "}"})


class KernelAttributes:
    """The attributes that a file was read up to: those that wait for the kernel that they are of."""

    def __init__(self) -> None:
        self._waiting: list[Piece] = []
        self._is_in_head = False

    def met(self, attribute: Sequence[Piece], behind: str) -> list[Piece]:
        """Note `__attribute__((…))`, and the word `behind` it; what of it stands here."""
        if behind not in _ENDS and any(piece.text in _OVERLOADED for piece in attribute):
            return [replace(attribute[0], text=f" {OVERLOADABLE} ", is_verbatim=False)]
        found = _required_size(attribute)
        if self._is_in_head:
            return found
        self._waiting += found
        return []

    def behind(self, piece: Piece) -> list[Piece]:
        """What stands behind another word."""
        if piece.text in KERNEL_WORDS:
            self._is_in_head = True
            found, self._waiting = self._waiting, []
            return found
        self._is_in_head = self._is_in_head and piece.text != "("
        if piece.text in _ENDS:
            self._waiting.clear()
        return []


def _required_size(attribute: Sequence[Piece]) -> list[Piece]:
    """`__attribute__((reqd_work_group_size(4, 1, 1)))` without others; nothing where it does not stand there."""
    name = next((number for number, piece in enumerate(attribute) if piece.text in _NAMES), None)
    if name is None:
        return []
    opening = next(islice(words_from(attribute, name + 1), 1), None)
    if opening is None or attribute[opening].text != "(":
        return []
    word = attribute[0]
    end = behind_brackets(attribute, opening, "()")
    before, behind = (replace(word, text=text, is_verbatim=False) for text in (" __attribute__((", ")) "))
    return [before, *attribute[name:end], behind]
