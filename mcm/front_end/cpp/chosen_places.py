"""Assignments to one of two places, `(c ? x[i] : y[i]) = v;`, as the two branches of a statement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.elements import code
from mcm.front_end.cpp.words import (
    ASSIGNING,
    CHANGING,
    closing,
    end_of_statement,
    is_name,
    outer,
    replaced,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_IDS: Final = ("get_id", "get_global_", "get_local_", "get_linear_id", "get_group_")
_BEFORE: Final = frozenset({";", "{", "}", "else"})


def with_branches(words: Sequence[Piece]) -> Words:
    """The words with `if (c) { x[i] = v; } else { y[i] = v; }`, where neither `c` nor `v` changes anything."""
    return replaced(words, _branches)


def _branches(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
    if words[number].text != "(" or (number and words[number - 1].text not in _BEFORE):
        return None
    last, end = closing(words, number), end_of_statement(words, number)
    if not texts(words, last + 1, 1) or words[last + 1].text not in ASSIGNING:
        return None
    places = outer(words, number + 1, last)
    marks = [n for n in places if words[n].text in {"?", ":"}]
    value = words[last + 2 : end]
    if [words[n].text for n in marks] != ["?", ":"] or not value:
        return None
    condition = words[number + 1 : marks[0]]
    if _does_something(condition) or _does_something(value):
        return None
    pattern = "if ( {condition} ) { {one} {sign} {value} ; } else { {other} {sign} {value} ; }"
    return code(
        words[number],
        pattern,
        condition=list(condition),
        one=list(words[marks[0] + 1 : marks[1]]),
        other=list(words[marks[1] + 1 : last]),
        sign=[words[last + 1]],
        value=list(value),
    ), end + 1


def _does_something(words: Sequence[Piece]) -> bool:
    """Whether words may change something: they call a function, and none of a work-item, `it.get_global_id(0)`."""
    calls = (n for n in range(len(words)) if texts(words, n + 1, 1) == ("(",) and is_name(words[n]))
    return any(word.text in CHANGING for word in words) or any(not words[n].text.startswith(_IDS) for n in calls)
