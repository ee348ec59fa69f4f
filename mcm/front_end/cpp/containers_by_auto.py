"""Containers that are declared by what they are made of: `auto v = std::vector<float>(4), w = …;`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.words import closing, closing_angle, end_of_statement, is_name, listed, replaced, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_CLASSES: Final = frozenset({"vector", "array"})
_QUALIFIERS: Final = frozenset({"const", "constexpr", "static"})


def with_declared_containers(words: Sequence[Piece]) -> Words:
    """The words with `std::vector<float> v(4);` in place of each such declaration."""
    return replaced(words, _declared)


def _declared(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
    """The declarations in place of a statement, and the position behind it; None where another one stands."""
    start = number
    while texts(words, number, 1) and words[number].text in _QUALIFIERS:
        number += 1
    is_first = start == 0 or words[start - 1].text in {";", "{", "}"}
    if not is_first or texts(words, number, 1) != ("auto",):
        return None
    end = end_of_statement(words, number)
    parts = [_part(part) for part in listed(words, number + 1, end)]
    if not parts or not all(parts):
        return None
    return [word for part in parts for word in (*words[start:number], *part, *words[end : end + 1])], end + 1


def _part(part: Words) -> Words:
    """`std::vector<float> v(4)` for `v = std::vector<float>(4)`; nothing for anything else."""
    if len(part) < 3 or not is_name(part[0]) or part[1].text != "=":
        return []
    class_ = 2 + 2 * (texts(part, 2, 2) == ("std", "::"))
    if texts(part, class_, 1) == () or part[class_].text not in _CLASSES or texts(part, class_ + 1, 1) != ("<",):
        return []
    angle = closing_angle(part, class_ + 1)
    is_whole = angle is not None and texts(part, angle + 1, 1) in {("(",), ("{",)}
    if angle is None or not is_whole or closing(part, angle + 1) != len(part) - 1:
        return []
    values = part[angle + 1 :]
    is_plain = texts(values, 0, 2) in {("(", ")"), ("{", "}")} and part[class_].text == "vector"
    return [*part[2 : angle + 1], part[0], *([] if is_plain else values)]
