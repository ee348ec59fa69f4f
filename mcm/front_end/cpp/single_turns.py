"""Loops that go round once, `do { … } while (0);`, as macros are written: blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.words import closing, replaced, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_NEVER: Final = frozenset({"0", "false"})
_LEAVING: Final = frozenset({"break", "continue"})


def with_blocks(words: Sequence[Piece]) -> Words:
    """The words with blocks in place of loops that go round once and are not left early."""
    return replaced(words, _block)


def _block(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
    if texts(words, number, 2) != ("do", "{"):
        return None
    last = closing(words, number + 1)
    follows = texts(words, last + 1, 5)
    is_single = len(follows) == 5 and follows[:2] == ("while", "(") and follows[2] in _NEVER and follows[3] == ")"
    body = words[number + 2 : last]
    if not is_single or follows[4] != ";" or any(word.text in _LEAVING for word in body):
        return None
    return [words[number + 1], *replaced(body, _block), words[last]], last + 6
