"""Algorithms of the standard library that a host program fills memory with, and loops over ranges: as loops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.words import closing, end_of_statement, is_name, listed, made, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_FILLS: Final = frozenset({"fill", "iota"})


def with_loops(words: Sequence[Piece]) -> Words:
    """The words with loops in place of `std::fill`, `std::iota`, and loops over containers."""
    return _Loops().rewritten(words)


class _Loops:
    """Counts the loops, whose variables have names of their own."""

    def __init__(self) -> None:
        self._count = 0

    def rewritten(self, words: Sequence[Piece]) -> Words:
        found: Words = []
        number = 0
        while number < len(words):
            is_first = not found or found[-1].text in {";", "{", "}", ")", "else"}
            filled = _filled(words, number) if is_first else None
            ranged = _ranged(words, number) if words[number].text == "for" else None
            if filled is not None:
                elements, values, number = filled
                found += self._fill(elements, values)
            elif ranged is not None:
                declared, container, number = ranged
                found += self._range(declared, container, words, number)
                number = _behind_statement(words, number)
            else:
                found.append(words[number])
                number += 1
        return found

    def _counter(self, at: Piece) -> Piece:
        self._count += 1
        return made(f"element_{self._count}", at)

    def _head(self, bound: Words, counter: Piece) -> Words:
        """`for (size_t i = 0; i < bound; i++)`."""
        before = [made(text, counter) for text in ("for", "(", "size_t", counter.text, "=", "0", ";", counter.text)]
        behind = [made(text, counter) for text in (";", counter.text, "++", ")")]
        return [*before, made("<", counter), *bound, *behind]

    def _fill(self, elements: tuple[Words, Words], value: Words) -> Words:
        base, bound = elements
        counter = self._counter(base[0])
        kept = [*base, *(made(text, counter) for text in ("[", counter.text, "]", "="))]
        return [*self._head(bound, counter), *kept, *_with_step(value, counter), made(";", counter)]

    def _range(self, declared: Words, container: Words, words: Sequence[Piece], number: int) -> Words:
        """`for (auto& x : v) …`."""
        counter = self._counter(container[0])
        at = container[0]
        bound = [*container, made(".", at), made("size", at), made("(", at), made(")", at)]
        element = [*container, made("[", at), counter, made("]", at)]
        body = self.rewritten(words[number : _behind_statement(words, number)])
        opening = [made("{", at), *declared, made("=", at), *element, made(";", at)]
        return [*self._head(bound, counter), *opening, *body, made("}", at)]


def _with_step(value: Words, counter: Piece) -> Words:
    """A value in which a made `+` asks for the number of the element."""
    return [counter if word.text == "<element>" else word for word in value]


def _filled(words: Sequence[Piece], number: int) -> tuple[tuple[Words, Words], Words, int] | None:
    """The memory and the number of elements that are filled, the value of each, and the position behind it."""
    start = number + 2 if texts(words, number, 2) == ("std", "::") else number
    if texts(words, start + 1, 1) != ("(",) or words[start].text not in _FILLS:
        return None
    last = closing(words, start + 1)
    parts = listed(words, start + 2, last)
    if len(parts) != 3 or texts(words, last + 1, 1) != (";",):
        return None
    elements = _elements(parts[0], parts[1])
    if elements is None:
        return None
    value = parts[2]
    if words[start].text == "iota":
        at = value[0]
        value = [made("(", at), *value, made(")", at), made("+", at), made("<element>", at)]
    return elements, value, last + 2


def _elements(first: Words, last: Words) -> tuple[Words, Words] | None:
    """The memory and the number of elements between two places, `v.begin(), v.end()` or `p, p + n`."""
    one, other = [word.text for word in first], [word.text for word in last]
    if one[-4:] == [".", "begin", "(", ")"] and other[-4:] == [".", "end", "(", ")"] and one[:-4] == other[:-4]:
        return first[:-4], [*first[:-3], made("size", first[-3]), *first[-2:]]
    if other[: len(one)] == one and other[len(one) : len(one) + 1] == ["+"]:
        at = last[len(one)]
        return first, [made("(", at), *last[len(one) + 1 :], made(")", at)]
    return None


def _ranged(words: Sequence[Piece], number: int) -> tuple[Words, Words, int] | None:
    """The declaration and the container of a loop over a range, and the position of its statement."""
    if texts(words, number + 1, 1) != ("(",):
        return None
    last = closing(words, number + 1)
    colon = next((n for n in range(number + 2, last) if words[n].text in {":", ";", "?"}), last)
    if texts(words, colon, 1) != (":",) or not is_name(words[colon - 1]):
        return None
    return list(words[number + 2 : colon]), list(words[colon + 1 : last]), last + 1


def _behind_statement(words: Sequence[Piece], number: int) -> int:
    """The position behind the statement that begins at a position."""
    match texts(words, number, 1):
        case ("{",):
            return closing(words, number) + 1
        case ("for" | "while",):
            return _behind_statement(words, closing(words, number + 1) + 1)
        case ("if",):
            behind = _behind_statement(words, closing(words, number + 1) + 1)
            return _behind_statement(words, behind + 1) if texts(words, behind, 1) == ("else",) else behind
        case _:
            return end_of_statement(words, number) + 1
