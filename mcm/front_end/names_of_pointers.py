"""Names that `typedef` gives to types of pointers, and several names in one definition.

`typedef struct s { int a; } s, *link;` becomes `typedef struct s { int a; } s; typedef s *link;`, and with it
`link p, q;` becomes `link p, *q;`: what a name means stands before the first of what is declared with it only.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.front_end.positions import words_from

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.pieces import Piece

_OPENING: Final = frozenset("([{")
_CLOSING: Final = frozenset(")]}")
# What may stand in a declarator before its name.
_BEFORE_NAME: Final = frozenset({"*", "const", "volatile", "restrict", "__restrict"})
_NO_TYPE_BEHIND: Final = frozenset({".", "->", "struct", "union", "enum"})


def with_pointers(pieces: Sequence[Piece]) -> Sequence[Piece]:
    """The words of a test in which a definition has one name, and all that is declared with that is what it means."""
    if not any(piece.text == "typedef" for piece in pieces):
        return pieces
    return _Spelling(pieces).everything()


class _Spelling:
    """Writes stars where names of pointers are used; `_stars` are those of each name."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self._pieces: Final = pieces
        self._stars: dict[str, list[str]] = {}
        self._around: Final[list[dict[str, list[str]]]] = []
        # What is written behind a word, by its position.
        self._behind: Final[dict[int, list[str]]] = {}

    def everything(self) -> list[Piece]:
        """All words."""
        found: list[Piece] = []
        position, before = 0, ""
        while position < len(self._pieces):
            piece = self._pieces[position]
            if piece.text == "typedef":
                end = self._end(position, {";"})
                found += self._definitions(position, end)
                position, before = end, ";"
                continue
            if piece.text == "{":
                self._around.append(dict(self._stars))
            elif piece.text == "}" and self._around:
                self._stars = self._around.pop()
            elif piece.text in self._stars and before not in _NO_TYPE_BEHIND:
                self._declared(position, self._stars[piece.text])
            found.append(piece)
            found += (replace(piece, text=star, is_verbatim=False) for star in self._behind.get(position, ()))
            before = piece.text if piece.text.strip() else before
            position += 1
        return found

    def _end(self, position: int, ends: set[str]) -> int:
        """The position of the first of these words outside brackets, or of the bracket that closes around it."""
        depth = 0
        for number in range(position, len(self._pieces)):
            text = self._pieces[number].text
            depth += (text in _OPENING) - (text in _CLOSING)
            if depth < 0 or (depth == 0 and text in ends):
                return number
        return len(self._pieces)

    def _declared(self, position: int, stars: list[str]) -> None:
        """Have stars behind the commas between what is declared here; where no `;` ends it, nothing is."""
        commas: list[int] = []
        number = self._end(position, {",", ";"})
        while number < len(self._pieces) and self._pieces[number].text == ",":
            commas.append(number)
            number = self._end(number + 1, {",", ";"})
        if number < len(self._pieces) and self._pieces[number].text == ";":
            self._behind.update(dict.fromkeys(commas, stars))

    def _definitions(self, position: int, end: int) -> list[Piece]:
        """The words of a definition, as one of each of its names; these are noted."""
        bounds = [position]
        while bounds[-1] < end:
            bounds.append(min(self._end(bounds[-1] + 1, {",", ";"}), end))
        texts = [self._pieces[number].text for number in words_from(self._pieces[:end], position)]
        declarator = self._declarator(position, bounds[1])
        if declarator is None:
            return list(self._pieces[position:end])
        first, name = declarator
        base = self._pieces[position + 1 : first]
        own = [one.text for one in self._pieces[first:name] if one.text.strip()]
        self._note(self._pieces[name].text, base, own)
        found = list(self._pieces[position : bounds[1]])
        if "{" in texts:
            # The structure is defined once, and has the first name.
            base = [] if own else [replace(self._pieces[name], is_verbatim=False)]
        for start, behind in pairwise(bounds[1:]):
            other = self._declarator(start, behind)
            if other is None or not base:
                return list(self._pieces[position:end])
            rest = self._pieces[start + 1 : behind]
            stars = [one.text for one in self._pieces[start + 1 : other[1]] if one.text.strip()]
            self._note(self._pieces[other[1]].text, base, stars)
            comma = self._pieces[start]
            found += (replace(comma, text=text, is_verbatim=False) for text in (";", " ", "typedef", " "))
            found += [*base, replace(comma, text=" ", is_verbatim=False), *rest]
        return found

    def _declarator(self, start: int, end: int) -> tuple[int, int] | None:
        """Where a declarator behind `start` begins, and where its name stands; None of one with other brackets."""
        words = list(words_from(self._pieces[:end], start + 1))
        while words and self._pieces[words[-1]].text == "]":
            opening = [number for number in words if self._pieces[number].text == "["]
            words = [number for number in words if opening and number < opening[0]]
        if not words or not self._pieces[words[-1]].text.isidentifier():
            return None
        name = first = words.pop()
        while words and self._pieces[words[-1]].text in _BEFORE_NAME and self._has_star(words):
            first = words.pop()
        return first, name

    def _has_star(self, words: list[int]) -> bool:
        """Whether what stands before a name says something of a pointer: behind the last word that is neither."""
        for number in reversed(words):
            text = self._pieces[number].text
            if text == "*" or text not in _BEFORE_NAME:
                return text == "*"
        return False

    def _note(self, name: str, base: Sequence[Piece], own: Sequence[str]) -> None:
        inherited = next((self._stars[one.text] for one in base if one.text in self._stars), [])
        stars = [*inherited, *(text for word in own for text in (word, " "))]
        self._stars.pop(name, None)
        if stars:
            self._stars[name] = stars
