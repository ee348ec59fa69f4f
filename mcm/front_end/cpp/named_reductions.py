"""Reductions with names outside of command groups, `auto sum = reduction(x, plus<>());`: each where it is passed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.words import (
    ASSIGNING,
    begins_statement,
    closing,
    end_of_block,
    end_of_statement,
    is_in_lambda,
    is_name,
    substituted,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_REDUCTION: Final = "reduction"
_CONSTANT: Final = frozenset({"const", "constexpr"})


def with_reductions_passed(words: Sequence[Piece]) -> Words:
    """The words without such names; what a command group names stays, as does what is made of variables that change."""
    found = list(words)
    for number in reversed(range(len(found))):
        start, name, sign = number, number + 1, number + 2
        if found[number].text in _CONSTANT and texts(found, number + 1, 1) == ("auto",):
            name, sign = number + 2, number + 3
        elif found[number].text != "auto" or (number and found[number - 1].text in _CONSTANT):
            continue
        first = sign + 1 + 2 * (texts(found, sign + 1, 2) == ("sycl", "::"))
        is_one = texts(found, sign, 1) == ("=",) and texts(found, first, 2) == (_REDUCTION, "(")
        if not is_one or not begins_statement(found, start) or is_in_lambda(found, start):
            continue
        end = end_of_statement(found, start)
        last = end_of_block(found, end)
        value, rest = found[sign + 1 : end], found[end + 1 : last]
        if closing(found, first + 1) != end - 1 or _change(rest, value):
            continue
        found[start:last] = substituted(rest, {found[name].text: value})
    return found


def _change(words: Sequence[Piece], value: Sequence[Piece]) -> bool:
    """Whether a pointer that a reduction is made of gets another value."""
    named = {word.text for word in value if is_name(word)}
    return any(
        word.text in named
        and texts(words, n + 1, 1) != ()
        and words[n + 1].text in ASSIGNING
        # What it points to may change.
        and texts(words, n - 1, 1) != ("*",)
        for n, word in enumerate(words)
    )
