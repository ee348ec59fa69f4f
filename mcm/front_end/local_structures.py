"""Structures and unions that are defined in a function, or in another one, are moved out of it.

A member without a name, `union { float4 v; float a[4]; };`, gets one, by which its own members are found
(`anonymous_members`).
A test has structures beside its functions only: neither `union { int i; float f; } u;` in one, nor one in the members
of another, nor one with variables of a file, `constant struct { int a; } s = {1};`. One without a tag gets one that no
other word of the test is.
"""

from __future__ import annotations

from itertools import count, islice
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.front_end.positions import behind_brackets, words_from
from mcm.program.resolve.spelling import ANONYMOUS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcm.front_end.pieces import Piece

TAGGED: Final = frozenset({"struct", "union"})


def moved_out(pieces: Sequence[Piece]) -> Sequence[Piece]:
    """The words of a test with what functions and structures define beside them; InputError where two have one name."""
    if not any(piece.text in TAGGED for piece in pieces):
        return pieces
    return _Moving(pieces).everything()


class _Moving:
    """Moves definitions out of the functions and structures of a test."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self._pieces: Final = pieces
        self._words: Final = {piece.text for piece in pieces}
        self._moved: Final[list[Piece]] = []

    def everything(self) -> list[Piece]:
        """All words, those of definitions behind the function, or before the structure, that they are in."""
        found: list[Piece] = []
        # Where the structure begins that a definition may be in, with the words before it.
        begun = 0
        position, before = 0, ""
        while position < len(self._pieces):
            piece = self._pieces[position]
            if (defined := self._head(position) if piece.text in TAGGED else None) is not None:
                end = behind_brackets(self._pieces, defined[1], "{}")
                if self._is_of_variables(found[begun:], end):
                    inner = [*self._without_definitions(position, end)]
                else:
                    inner = [*self._pieces[position : defined[1]], *self._without_definitions(defined[1], end)]
                found[begun:begun] = self._taken()
                found += inner
                position, before = end, "}"
                continue
            if piece.text == "{":
                end = behind_brackets(self._pieces, position, "{}")
                if before == ")":
                    found += [*self._without_definitions(position, end, is_structure=False), *self._taken()]
                    begun = len(found)
                else:
                    found += self._pieces[position:end]
                position, before = end, "}"
                continue
            found.append(piece)
            begun = len(found) if piece.text == ";" else begun
            before = piece.text if piece.text.strip() else before
            position += 1
        return found

    def _is_of_variables(self, before: Sequence[Piece], end: int) -> bool:
        """Whether a structure that ends here is that of variables outside functions, and names no type."""
        behind = next(words_from(self._pieces, end), None)
        is_named = any(piece.text == "typedef" for piece in before)
        return not is_named and behind is not None and self._pieces[behind].text != ";"

    def _taken(self) -> list[Piece]:
        """What was moved out since this was asked last."""
        taken, self._moved[:] = [*self._moved], ()
        return taken

    def _without_definitions(self, position: int, end: int, *, is_structure: bool = True) -> Iterator[Piece]:
        """The words from one position to another; definitions among them are kept apart, inner ones first."""
        while position < end:
            piece = self._pieces[position]
            defined = self._head(position) if piece.text in TAGGED else None
            if defined is None:
                yield piece
                position += 1
                continue
            tag, opening = defined
            closing = behind_brackets(self._pieces, opening, "{}")
            name = self._new_name(piece.text) if tag is None else self._checked(tag, position)
            head = replace(piece, text=f"{piece.text} {name} ", is_verbatim=False)
            members = [*self._without_definitions(opening, closing)]
            semicolon = replace(piece, text=";\n", is_verbatim=False)
            self._moved.extend([replace(head, text="\n" + head.text), *members, semicolon])
            position = closing
            behind = next(words_from(self._pieces, closing), None)
            is_alone = behind is not None and self._pieces[behind].text == ";"
            if is_alone and not is_structure:
                # A statement that only defines it: what is left is an empty one.
                continue
            yield head
            if tag is None and is_alone:
                yield replace(piece, text=self._new_name(ANONYMOUS), is_verbatim=False)

    def _head(self, position: int) -> tuple[str | None, int] | None:
        """The tag of what is defined here, if it has one, and where its members begin; None where nothing is."""
        words = list(islice(words_from(self._pieces, position + 1), 2))
        opening = next((number for number in words if self._pieces[number].text == "{"), None)
        if opening is None:
            return None
        return (None if opening == words[0] else self._pieces[words[0]].text), opening

    def _new_name(self, word: str) -> str:
        name = next(name for number in count(1) if (name := f"{word.rstrip('_')}_{number}") not in self._words)
        self._words.add(name)
        return name

    def _checked(self, tag: str, position: int) -> str:
        """The tag of a structure, which no other one has."""
        places = (number for number, piece in enumerate(self._pieces) if piece.text in TAGGED and number != position)
        for number in places:
            if (other := self._head(number)) is not None and other[0] == tag:
                message = (
                    f"another structure is called '{tag}'; of those that functions define each needs a name of its own"
                )
                span = self._pieces[position].span
                assert span is not None, "somebody wrote it"
                raise InputError(Diagnostic("E050", message, span))
        return tag
