"""Declarations in conditions, `if (int n = f(); n > 0)`, as statements before them, in a block of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.words import behind_statement, closing, is_name, made, outer, replaced, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_HEADS: Final = frozenset({"if", "switch"})


def with_declarations_before(words: Sequence[Piece]) -> Words:
    """The words with what the heads of `if` and `switch` declare before these."""
    return replaced(words, _before)


def _before(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
    """A block with the declaration and the statement, and the position behind; None where nothing is declared."""
    opening = number + 1 + (texts(words, number + 1, 1) == ("constexpr",))
    if words[number].text not in _HEADS or texts(words, opening, 1) != ("(",):
        return None
    last = closing(words, opening)
    split = _split(words[opening + 1 : last])
    if split is None:
        return None
    declared, condition = split
    at = words[number]
    behind = behind_statement(words, number)
    rest = with_declarations_before(words[last:behind])
    return [
        made("{", at),
        *declared,
        made(";", at),
        *words[number : opening + 1],
        *condition,
        *rest,
        made("}", at),
    ], behind


def _split(head: Sequence[Piece]) -> tuple[Words, Words] | None:
    """The declaration and the condition of `int n = f(); n > 0`, and of `int n = f()`; None for a condition alone."""
    places = outer(head, 0, len(head))
    semicolon = next((n for n in places if head[n].text == ";"), None)
    if semicolon is not None:
        return list(head[:semicolon]), list(head[semicolon + 1 :])
    sign = next((n for n in places if head[n].text == "="), None)
    if sign is None or sign < 2 or not is_name(head[sign - 1]):
        return None
    # `a * b = c` assigns nothing.
    is_type = all(is_name(word) or word.text in {"::", "*", "&", "<", ">", ","} for word in head[: sign - 1])
    return (list(head), [head[sign - 1]]) if is_type else None
