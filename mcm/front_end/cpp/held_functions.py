"""`std::function` that holds one lambda for good, as what `auto` declares; parameters of it are of any type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.front_end.cpp.definitions import NUMBERS, assigns
from mcm.front_end.cpp.words import (
    begins_statement,
    closing,
    closing_angle,
    end_of_block,
    end_of_statement,
    is_name,
    made,
    replaced,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece


def with_lambdas_held(words: Sequence[Piece]) -> Words:
    """The words with `auto f = [=](int a) { … };` in place of `std::function<void(int)> f = …;`."""
    return replaced(words, _held) if any(word.text == "function" for word in words) else list(words)


def _with_result(
    words: Sequence[Piece], start: int, capture: int, signature: Words, at: Piece
) -> tuple[Words, int] | None:
    """The head of the declaration of a lambda, which says the number that it returns, and the position behind it."""
    opening = closing(words, capture) + 1
    last = closing(words, opening) if texts(words, opening, 1) == ("(",) else opening - 1
    result = signature[: next((n for n, word in enumerate(signature) if word.text == "("), 0)]
    says = bool(result) and {word.text for word in result} <= NUMBERS and texts(words, last + 1, 1) == ("{",)
    said = [made("->", at), *result] if says and last >= opening else []
    return [made("auto", at), *words[start : last + 1], *said], last + 1


def _held(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
    start = number
    number += words[number].text == "const"
    angle = closing_angle(words, number + 3) if texts(words, number, 4) == ("std", "::", "function", "<") else None
    if angle is None:
        return None
    at = words[number]
    name = angle + 1 + (texts(words, angle + 1, 1) == ("&",))
    name += texts(words, name, 1) == ("&",)
    follows = texts(words, name, 3)
    if not follows or not is_name(words[name]):
        return None
    if begins_statement(words, start) and follows[1:] == ("=", "["):
        end = end_of_statement(words, number)
        behind = words[end : end_of_block(words, end)]
        # A lambda that calls itself by this name is none that `auto` could declare.
        is_own = any(word.text == follows[0] for word in words[name + 1 : end])
        if is_own or assigns(behind, follows[0]):
            return None
        return _with_result(words, angle + 1, name + 2, list(words[number + 4 : angle]), at)
    is_parameter = words[start - 1].text in {"(", ","} and follows[1:2] in {(",",), (")",)}
    return ([*words[start:number], made("auto", at)], angle + 1) if is_parameter else None
