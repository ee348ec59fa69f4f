"""Names that `typedef` gives to types of arrays: the lengths stand where something is declared with such a name.

`typedef int row_t[3];` becomes `typedef int row_t;`, and `row_t a, b[2];` becomes `row_t a[3], b[2][3];`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.front_end.positions import behind_brackets, words_from

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.pieces import Piece

_OPENING: Final = frozenset("([{")
_CLOSING: Final = frozenset(")]}")
# What may stand between a type and what is declared with it.
_QUALIFIERS: Final = frozenset(
    {"const", "volatile", "restrict", "__restrict", *("global", "local", "private", "constant")}
)
_NO_TYPE_BEHIND: Final = frozenset({".", "->", "struct", "union", "enum"})


def with_arrays(pieces: Sequence[Piece]) -> Sequence[Piece]:
    """The words of a test in which no name means an array; InputError for what cannot be said without one."""
    if not any(piece.text == "typedef" for piece in pieces):
        return pieces
    return _Spelling(pieces).everything()


def names_of_arrays(pieces: Sequence[Piece]) -> frozenset[str]:
    """The names that mean arrays at the end of a test."""
    spelling = _Spelling(pieces)
    spelling.everything()
    return frozenset(spelling.lengths)


class _Spelling:
    """Writes the lengths of arrays where the names of their types are used; `lengths` are those of each name."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self._pieces: Final = pieces
        self.lengths: dict[str, list[Piece]] = {}
        self._found: list[Piece] = []
        # The names outside each brace that is open, and the brackets that are.
        self._around: Final[list[dict[str, list[Piece]]]] = []
        self._brackets: Final[list[str]] = []

    def everything(self) -> list[Piece]:
        """All words."""
        position, before = 0, ""
        while position < len(self._pieces):
            piece = self._pieces[position]
            if piece.text == "typedef" and (end := self._definition(position)) is not None:
                position, before = end, ";"
                continue
            self._follow(piece.text)
            self._found.append(piece)
            position += 1
            if piece.text in self.lengths and before not in _NO_TYPE_BEHIND:
                position = self._declared(position, self.lengths[piece.text])
            before = piece.text if piece.text.strip() else before
        return self._found

    def _follow(self, text: str) -> None:
        """Keep track of brackets: a name ends with its block."""
        if text in _OPENING:
            self._brackets.append(text)
        elif text in _CLOSING and self._brackets:
            self._brackets.pop()
        if text == "{":
            self._around.append(dict(self.lengths))
        elif text == "}" and self._around:
            self.lengths = self._around.pop()

    def _definition(self, position: int) -> int | None:
        """Note a name of arrays that is defined here, which stays as that of elements; the position behind it."""
        words = []
        for number in words_from(self._pieces, position):
            words.append(number)
            if self._pieces[number].text in {";", "{", "(", ","}:
                break
        texts = [self._pieces[number].text for number in words]
        if texts[-1:] != [";"] or len(words) < 3:
            return None
        bracket = texts.index("[") if "[" in texts else len(texts) - 1
        inner = next((self.lengths[text] for text in texts[1 : bracket - 1] if text in self.lengths), [])
        own = self._pieces[words[bracket] : words[-1]]
        self.lengths.pop(texts[bracket - 1], None)
        if own or inner:
            if any(text == "*" for text in texts[:bracket]) and inner:
                raise InputError(_no_pointer(self._pieces[words[bracket - 1]]))
            self.lengths[texts[bracket - 1]] = [*own, *inner]
        self._found.extend([*self._pieces[position : words[bracket - 1] + 1], self._pieces[words[-1]]])
        return words[-1] + 1

    def _declared(self, position: int, lengths: list[Piece]) -> int:
        """Write what is declared behind the name of a type, each with its lengths; the position behind that."""
        is_list = self._brackets[-1:] != ["("]
        while True:
            number = self._declarator(position, lengths)
            if number is None:
                return position
            position = self._initial_value(number)
            if not is_list or position >= len(self._pieces) or self._pieces[position].text != ",":
                return position
            self._found.append(self._pieces[position])
            position += 1

    def _declarator(self, position: int, lengths: list[Piece]) -> int | None:
        """Write one name, with its own lengths and those; the position behind it, None where there is none."""
        stars: list[Piece] = []
        for number in words_from(self._pieces, position):
            piece = self._pieces[number]
            if piece.text == "*":
                if stars:
                    raise InputError(_no_pointer(piece))
                stars = [piece]
                self._found.append(replace(piece, text=" ( *", is_verbatim=False))
            elif piece.text in _QUALIFIERS or piece.text.removeprefix("__") in _QUALIFIERS:
                self._found += [_space(piece), piece]
            elif piece.text.isidentifier():
                end = self._behind_lengths(number + 1)
                self._found += [_space(piece), *self._pieces[number:end]]
                self._found += [replace(one, text=")", is_verbatim=False) for one in stars]
                self._found += _at(lengths, piece)
                return end
            elif piece.text in {")", ","}:
                # `sizeof(row_t)`, or a parameter without a name.
                if stars:
                    self._found.append(replace(stars[0], text=")", is_verbatim=False))
                self._found += _at(lengths, piece)
                return None
            else:
                return None
        return None

    def _behind_lengths(self, position: int) -> int:
        """The position behind the lengths that stand here."""
        while (word := next(words_from(self._pieces, position), None)) is not None:
            if self._pieces[word].text != "[":
                break
            position = behind_brackets(self._pieces, word, "[]")
        return position

    def _initial_value(self, position: int) -> int:
        """Write an initial value; the position of what ends it."""
        depth = 0
        for number in range(position, len(self._pieces)):
            text = self._pieces[number].text
            if depth == 0 and text in {",", ";", ")"}:
                return number
            depth += (text in _OPENING) - (text in _CLOSING)
            if depth < 0:
                return number
            self._found.append(self._pieces[number])
        return len(self._pieces)


def _space(piece: Piece) -> Piece:
    return replace(piece, text=" ", is_verbatim=False)


def _at(lengths: list[Piece], place: Piece) -> list[Piece]:
    """Lengths that are written behind a name, and told at its place."""
    return [replace(place, text=one.text, is_verbatim=False) for one in lengths]


def _no_pointer(piece: Piece) -> Diagnostic:
    assert piece.span is not None, "it was written"
    message = "a pointer to pointers to arrays, or a name of one to arrays that have a name, is not supported"
    return Diagnostic("E050", message, piece.span)
