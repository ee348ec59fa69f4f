"""References whose type is written, `buffer<int>& b = c ? x : y;`, `int*& p = x;`, as those that say `auto`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.words import begins_statement, behind_arguments, is_name, made, replaced, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_CLASSES: Final = frozenset({"buffer", "queue"})
_NO_TYPES: Final = frozenset({"return", "else", "case", "goto", "delete"})


def with_auto_references(words: Sequence[Piece]) -> Words:
    """The words with `auto& b = …;` in place of `buffer<int>& b = …;`."""
    return replaced(words, _reference)


def _reference(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
    start = number + 2 * (texts(words, number, 2) == ("sycl", "::"))
    is_class = start < len(words) and words[start].text in _CLASSES
    before = number - (number > 0 and words[number - 1].text == "const")
    if not is_class or not begins_statement(words, before):
        return _to_pointer(words, number)
    behind = behind_arguments(words, start + 1)
    follows = texts(words, behind, 3)
    if len(follows) < 3 or follows[0] != "&" or not is_name(words[behind + 1]) or follows[2] != "=":
        return None
    return [made("auto", words[number]), words[behind], words[behind + 1]], behind + 2


def _to_pointer(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
    """`auto& p = …;` for `int*& p = …;`."""
    if not begins_statement(words, number) or words[number].text in _NO_TYPES:
        return None
    behind = number
    while behind < len(words) and (is_name(words[behind]) or words[behind].text == "::"):
        behind += 1
    stars = behind
    while texts(words, stars, 1) == ("*",):
        stars += 1
    follows = texts(words, stars, 3)
    is_reference = len(follows) == 3 and follows[0] == "&" and is_name(words[stars + 1]) and follows[2] == "="
    if behind in {number, stars} or not is_reference:
        return None
    return [made("auto", words[number]), words[stars], words[stars + 1]], stars + 2
