"""Which number a name stands for at a place of a program: that of a constant, by the rules of scopes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.front_end.cpp.numbers import number_of
from mcm.front_end.cpp.words import (
    behind_statement,
    closing,
    closing_angle,
    end_of_statement,
    is_name,
    listed,
    made,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mcm.front_end.cpp.numbers import Called
    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_CONSTANT: Final = frozenset({"constexpr", "const"})
# What stands before the names of constants that are whole numbers.
_BEFORE_NAMES: Final = _CONSTANT | frozenset(
    {
        *("static", "inline", "std", "::", "int", "unsigned", "long", "size_t", "auto", "uint"),
        *("int32_t", "uint32_t", "int64_t", "uint64_t", "bool"),
    }
)
# What may stand before a name that is no declaration of it.
NO_TYPES: Final = frozenset({"return", "else", "case", "goto", "throw", "sizeof"})
_HEADS: Final = frozenset({"for", "if", "while", "switch"})
_OPENING: Final = frozenset({"(", "[", "{"})
_CLOSING: Final = frozenset({")", "]", "}"})


class _Declared(Struct, frozen=True):
    """A declaration of a name: from where to where it is known, and what its value is, if it is a constant."""

    start: int
    end: int
    value: Words | None


class ConstantNames:
    """The constants of a program."""

    def __init__(self, words: Sequence[Piece], called: Called) -> None:
        self._words: Final = words
        self._called: Final = called
        self._values: Final = {place: value for n in range(len(words)) for place, value in _constants(words, n)}
        self._declared: Final[dict[str, list[_Declared]]] = {}

    def at(self, position: int) -> Callable[[str], int | None]:
        """What names stand for at a position."""

        def known(name: str) -> int | None:
            around = [one for one in self._declarations(name) if one.start < position < one.end]
            if not around or around[-1].value is None:
                return None
            return number_of(around[-1].value, self.at(around[-1].start), self._called)

        return known

    def _declarations(self, name: str) -> list[_Declared]:
        """The declarations of a name, in the order of the text: an inner one stands behind those around it."""
        if name not in self._declared:
            self._declared[name] = [
                _Declared(number, _end_of_scope(self._words, number), self._values.get(number))
                for number, word in enumerate(self._words)
                if word.text == name and (number in self._values or _declares(self._words, number))
            ]
        return self._declared[name]


def _constants(words: Sequence[Piece], start: int) -> Iterator[tuple[int, Words]]:
    """The positions of the names of the constants that a declaration at a position gives, and what their values are."""
    if words[start].text not in _CONSTANT or texts(words, start - 1, 1) == ("constexpr",):
        return
    number = start
    while number < len(words) and words[number].text in _BEFORE_NAMES:
        number += 1
    place = number
    for part in listed(words, number, end_of_statement(words, number)):
        opening = texts(part, 1, 1)
        last = len(part) if opening == ("=",) else closing(part, 1) if opening == ("{",) else 0
        value = part[2:last]
        if "bool" in texts(words, start, number - start):
            value = [*(made(sign, part[0]) for sign in "!!("), *value, made(")", part[0])]
        if last and is_name(part[0]):
            yield place, value
        place += len(part) + 1


def _declares(words: Sequence[Piece], number: int) -> bool:
    """Whether a name may be declared where it stands; what is no type before it cannot be told from one."""
    before = words[number - 1] if number else None
    if before is None or before.text in NO_TYPES:
        return False
    if is_name(before) or before.text == "&":
        return True
    opening = _around(words, number)
    if opening is not None and words[opening].text == "[":
        # Names of a structured binding.
        return texts(words, opening - 1, 1) == ("auto",) or texts(words, opening - 2, 1) == ("auto",)
    if before.text != "," or (opening is not None and words[opening].text != "{"):
        return False
    start = number
    while start and words[start - 1].text not in {";", "{", "}"}:
        start -= 1
        if words[start].text == "<" and (closing_angle(words, start) or 0) > number:
            # An argument of a template.
            return False
    follows = words[start + 1]
    return is_name(words[start]) and (is_name(follows) or follows.text in {"::", "<", "*", "&"})


def _around(words: Sequence[Piece], number: int) -> int | None:
    """The position of the bracket that opens around a position; None where none does."""
    depth = 0
    for place in range(number - 1, -1, -1):
        text = words[place].text
        depth += (text in _CLOSING) - (text in _OPENING)
        if depth < 0:
            return place
    return None


def _end_of_scope(words: Sequence[Piece], number: int) -> int:
    """The position up to which what is declared at a position is known."""
    if (angle := _end_of_parameters(words, number)) is not None:
        return _end_of_body(words, angle + 1)
    opening = _around(words, number)
    if opening is None:
        return len(words)
    if words[opening].text == "[":
        return _end_of_scope(words, opening)
    last = closing(words, opening)
    if words[opening].text == "{":
        return last
    if opening and words[opening - 1].text in _HEADS:
        return behind_statement(words, last + 1)
    return _end_of_body(words, last + 1)


def _end_of_parameters(words: Sequence[Piece], number: int) -> int | None:
    """The position of the `>` behind the parameters of a template that a position is among; None where it is not."""
    start = number
    while start and words[start].text not in {";", "{", "}", "(", "template"}:
        start -= 1
    if texts(words, start, 2) != ("template", "<"):
        return None
    angle = closing_angle(words, start + 1)
    return angle if angle is not None and angle > number else None


def _end_of_body(words: Sequence[Piece], number: int) -> int:
    """The position behind the body of a function, or of a class, whose head goes on at a position."""
    while number < len(words) and words[number].text not in {"{", ";"}:
        number = closing(words, number) + 1 if words[number].text == "(" else number + 1
    return closing(words, number) if texts(words, number, 1) == ("{",) else number
