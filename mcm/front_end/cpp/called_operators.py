"""Function objects of operators that are called where they are made, `std::plus<int>{}(a, b)`: the operators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.elements import OPERATORS, code
from mcm.front_end.cpp.words import closing, closing_angle, listed, replaced, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_FUNCTIONS: Final = {"minimum": "min", "maximum": "max"}


def with_called_operators(words: Sequence[Piece]) -> Words:
    """The words with operators in place of calls of their function objects."""
    return replaced(words, _called)


def _called(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
    first = number + 2 * (texts(words, number, 2) in {("std", "::"), ("sycl", "::")})
    name = texts(words, first, 1)
    if not name or (name[0] not in OPERATORS and name[0] not in _FUNCTIONS) or texts(words, first + 1, 1) != ("<",):
        return None
    angle = closing_angle(words, first + 1)
    if angle is None or texts(words, angle + 1, 3) not in {("{", "}", "("), ("(", ")", "(")}:
        return None
    last = closing(words, angle + 3)
    parts = listed(words, angle + 4, last)
    if len(parts) != 2:
        return None
    # What the arguments are may be such a call, too.
    one, other = (with_called_operators(part) for part in parts)
    operator = OPERATORS.get(name[0])
    pattern = (
        f"( ( {{one}} ) {operator} ( {{other}} ) )" if operator else f"{_FUNCTIONS[name[0]]} ( {{one}} , {{other}} )"
    )
    return code(words[number], pattern, one=one, other=other), last + 1


def type_of_operator(words: Words) -> Words:
    """The type of a function object of an operator that is made here, `std::plus<int>()`; nothing for anything else."""
    first = 2 * (texts(words, 0, 2) in {("std", "::"), ("sycl", "::")})
    name = texts(words, first, 1)
    if not name or (name[0] not in OPERATORS and name[0] not in _FUNCTIONS) or texts(words, first + 1, 1) != ("<",):
        return []
    angle = closing_angle(words, first + 1)
    is_made = angle is not None and texts(words, angle + 1, 3) in {("(", ")"), ("{", "}")}
    return words[: angle + 1] if angle is not None and is_made else []
