"""Memory that a condition chooses the kind of: `int* p = c ? malloc_shared<int>(4, q) : malloc_host<int>(4, q);`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.front_end.cpp.allocations import ALLOCATORS
from mcm.front_end.cpp.constant_names import ConstantNames
from mcm.front_end.cpp.definitions import assigns
from mcm.front_end.cpp.numbers import no_functions, number_of
from mcm.front_end.cpp.objects import behind_question
from mcm.front_end.cpp.words import end_of_statement, is_name, made, outer, replaced, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece


def with_chosen_memory(words: Sequence[Piece]) -> Words:
    """The words with the memory that constants, and questions for what a device offers, choose."""
    if not any(word.text in ALLOCATORS for word in words) or not any(word.text == "?" for word in words):
        return list(words)
    words = _with_constants(replaced(words, _answered))
    constants = ConstantNames(words, no_functions)

    def at(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
        if words[number].text != "=":
            return None
        end = end_of_statement(words, number)
        places = outer(words, number, end)
        sign, colon = (next((n for n in places if words[n].text == text), None) for text in ("?", ":"))
        if sign is None or colon is None or not any(word.text in ALLOCATORS for word in words[sign:end]):
            return None
        holds = number_of(words[number + 1 : sign], constants.at(number), no_functions)
        if holds is None:
            return None
        return [words[number], *(words[sign + 1 : colon] if holds else words[colon + 1 : end])], end

    return replaced(words, at)


def _answered(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
    """`true` in place of a question for an aspect, and the position behind it; None where something else stands."""
    behind = behind_question(words, number)
    return None if behind is None or words[behind - 1].text != ")" else ([made("true", words[number])], behind)


def _with_constants(words: Sequence[Piece]) -> Words:
    """The words with `const` before Booleans that never change."""

    def at(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
        follows = texts(words, number, 3)
        if len(follows) < 3 or follows[0] != "bool" or follows[2] != "=" or not is_name(words[number + 1]):
            return None
        others = [*words[: number + 1], *words[number + 3 :]]
        return None if assigns(others, follows[1]) else ([made("const", words[number]), words[number]], number + 1)

    return replaced(words, at)
