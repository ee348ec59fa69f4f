"""Loops over values that are listed, `for (int n : {1, 2, 4}) …`: what is done with each, one behind the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.definitions import assigns
from mcm.front_end.cpp.words import behind_statement, closing, is_name, listed, made, replaced, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_LEAVING: Final = frozenset({"break", "continue", "goto"})
_OF_REFERENCES: Final = frozenset({"const", "&", "&&"})


def with_values_one_by_one(words: Sequence[Piece]) -> Words:
    """The words with `{ const int n = 1; … }` for each value of a list that a loop goes through."""
    return replaced(words, _written_out)


def _written_out(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
    if texts(words, number, 2) != ("for", "("):
        return None
    close = closing(words, number + 1)
    colon = next((n for n in range(number + 2, close) if words[n].text in {":", ";", "="}), close)
    is_list = texts(words, colon, 2) == (":", "{") and closing(words, colon + 1) == close - 1
    if not is_list or colon < number + 4 or not is_name(words[colon - 1]):
        return None
    end = behind_statement(words, close + 1)
    body = words[close + 1 : end]
    if any(word.text in _LEAVING for word in body):
        return None
    name, at = words[colon - 1], words[number]
    type_ = [word for word in words[number + 2 : colon - 1] if word.text not in _OF_REFERENCES]
    first = [] if assigns(body, name.text) else [made("const", at)]
    found: Words = []
    for value in listed(words, colon + 2, close - 1):
        declared = [*first, *type_, name, made("=", at), *value, made(";", at)]
        found += [made("{", at), *declared, *with_values_one_by_one(body), made("}", at)]
    return [made("{", at), *found, made("}", at)], end
