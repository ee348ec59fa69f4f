"""Texts that are the initial values of arrays: `constant char digits[] = "01";` has three characters, the last is 0."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.pieces import Piece

_CHARACTER: Final = re.compile(r"\\x[0-9a-fA-F]+|\\[0-7]{1,3}|\\.|.", re.DOTALL)
_OF_CHARACTERS: Final = frozenset({"char", "uchar"})
_OPENING: Final = frozenset("({[")
_CLOSING: Final = frozenset(")}]")


def with_texts_as_lists(pieces: Sequence[Piece]) -> list[Piece]:
    """The words, with a list of characters for each text that an array begins with: all others are for `printf`.

    What a list leaves out is 0, so that only an array whose length the text says needs the 0 behind it.
    """
    made: list[Piece] = []
    # What a variable is declared by, up to `=`; behind it the brackets that are open, else None.
    declared: list[str] = []
    opened: list[str] | None = None
    position = 0
    while position < len(pieces):
        piece = pieces[position]
        if opened is not None and piece.text.startswith('"') and _begins_array(declared, opened):
            behind = _behind_texts(pieces, position)
            written = [each.text for each in pieces[position:behind] if each.text.strip()]
            is_whole = not opened or _is_row(declared, opened)
            is_counted = is_whole and declared[-3:-1] == ["[", "]"]
            characters = ", ".join([*_characters(written), *["0"] * is_counted])
            text = characters if opened and is_whole else "{" + characters + "}"
            made.append(replace(piece, text=text, is_verbatim=False))
            position = behind
            continue
        if piece.text.strip():
            declared, opened = _behind_word(piece.text, declared, opened)
        made.append(piece)
        position += 1
    return made


def _begins_array(declared: Sequence[str], opened: Sequence[str]) -> bool:
    """Whether a text within these brackets is an array: one of pointers has its characters somewhere else.

    An assignment, `a[0] =`, declares nothing; behind `}` it may stand, or a variable of the structure that ends there.
    """
    is_bare = declared[2:3] == ["["] and not opened if declared[:1] == ["}"] else "[" in declared[:2]
    if "*" in declared or is_bare:
        return False
    return set(opened) == {"{"} if opened else declared[-2:] == ["]", "="]


def _behind_word(word: str, declared: list[str], opened: list[str] | None) -> tuple[list[str], list[str] | None]:
    """What is declared, and the brackets that are open in its value, behind one more word."""
    if opened is None:
        if word == "=":
            return [*declared, word], []
        begun = {";": [], "{": [], "}": [word]}
        return begun.get(word, [*declared, word]), None
    if word in _OPENING:
        return declared, [*opened, word]
    if opened:
        return declared, opened[:-1] if word in _CLOSING else opened
    # Behind `,` there may be another variable of the same type.
    return ([word] * (word == ","), None) if word in {";", ",", ")"} else (declared, opened)


def _behind_texts(pieces: Sequence[Piece], position: int) -> int:
    """The position behind a text and those that follow it at once, with which it is one."""
    behind = position + 1
    for number in range(position + 1, len(pieces)):
        if pieces[number].text.startswith('"'):
            behind = number + 1
        elif pieces[number].text.strip():
            break
    return behind


def _is_row(declared: Sequence[str], opened: Sequence[str]) -> bool:
    """Whether a text in braces is all of one array of characters, whose own braces these are: `char x[] = {"ab"}`."""
    return len(opened) == 1 and declared.count("[") == 1 and not _OF_CHARACTERS.isdisjoint(declared)


def _characters(texts: Sequence[str]) -> list[str]:
    """The characters of texts as constants."""
    return [each for text in texts for written in _CHARACTER.findall(text[1:-1]) for each in _constants(written)]


def _constants(written: str) -> list[str]:
    """A character as constants; one that is not ASCII is several bytes."""
    if written == "'":
        return [r"'\''"]
    if written.isascii():
        return [f"'{written}'"]
    return [rf"'\x{byte:02x}'" for byte in written.encode()]
