"""Reductions of spans, `reduction(span<int, 4>(bins, 4), plus<>())`: of the memory, which so many elements are of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.front_end.cpp.elements import code
from mcm.front_end.cpp.words import closing, closing_angle, listed, replaced, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece


def with_lengths_of_reductions(words: Sequence[Piece]) -> Words:
    """The words with `reduction(bins, plus<>(), span_of(4))` in place of such reductions."""

    def at(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
        if texts(words, number, 2) != ("reduction", "("):
            return None
        last = closing(words, number + 1)
        parts = listed(words, number + 2, last)
        span = _span(parts[0]) if len(parts) > 1 else None
        if span is None:
            return None
        memory, length = span
        rest = [word for part in parts[1:] for word in (*code(words[number], ","), *part)]
        pattern = "reduction ( {memory} {rest} , span_of ( {length} ) )"
        return code(words[number], pattern, memory=memory, rest=rest, length=length), last + 1

    return replaced(words, at)


def _span(argument: Words) -> tuple[Words, Words] | None:
    """The memory of a span and its length; None for another argument."""
    start = 2 if texts(argument, 0, 2) in {("sycl", "::"), ("std", "::")} else 0
    if texts(argument, start, 1) != ("span",):
        return None
    opening = start + 1
    if texts(argument, opening, 1) == ("<",):
        opening = (closing_angle(argument, opening) or opening) + 1
    if texts(argument, opening, 1) not in {("(",), ("{",)} or closing(argument, opening) != len(argument) - 1:
        return None
    parts = listed(argument, opening + 1, len(argument) - 1)
    return (parts[0], parts[1]) if len(parts) == 2 else None
