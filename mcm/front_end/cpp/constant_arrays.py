"""Arrays of a file that are constant: each function that names one has it as a variable that never changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.words import (
    behind_definition,
    closing,
    closing_angle,
    end_of_statement,
    is_name,
    listed,
    made,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_BEFORE_TYPES: Final = frozenset({"static", "inline", "const", "constexpr"})
_CONSTANT: Final = frozenset({"const", "constexpr"})
_HEADS: Final = frozenset({"if", "for", "while", "switch", "catch"})
# What may stand between the parameters of a function and its body.
_BEHIND_PARAMETERS: Final = frozenset({"const", "noexcept", "override", "final"})


def with_arrays_of_file(words: Sequence[Piece]) -> Words:
    """The words with `constexpr int c[2] = {1, 2};` at the beginning of each function that names it."""
    found: Words = []
    arrays: dict[str, Words] = {}
    number = 0
    while number < len(words):
        end = end_of_statement(words, number)
        name = _array(words, number, end)
        if name is not None:
            arrays[name] = [word for word in words[number : end + 1] if word.text not in {"static", "inline"}]
            number = end + 1
            continue
        behind = behind_definition(words, number, end)
        found += words[number:behind]
        number = behind
    return _with_arrays(found, arrays) if arrays else found


def _array(words: Sequence[Piece], start: int, end: int) -> str | None:
    """The name of a constant array that is declared with its values; None where something else stands."""
    number = start
    while number < end and words[number].text in _BEFORE_TYPES:
        number += 1
    sign = next((n for n in range(number, end) if words[n].text in {"=", "{", "("}), end)
    is_constant = any(word.text in _CONSTANT for word in words[start:number])
    if not is_constant or sign == end or words[sign].text == "(" or len(listed(words, number, end)) != 1:
        return None
    bracket = next((n for n in range(number, sign) if words[n].text == "["), None)
    if bracket is not None:
        return words[bracket - 1].text if is_name(words[bracket - 1]) else None
    following = number + 2 * (texts(words, number, 2) == ("std", "::"))
    angle = closing_angle(words, following + 1) if texts(words, following, 2) == ("array", "<") else None
    return words[sign - 1].text if angle is not None and angle + 2 == sign else None


def _with_arrays(words: Sequence[Piece], arrays: dict[str, Words]) -> Words:
    """The words with arrays at the beginning of the functions that name them, and of lambdas in them with copies."""
    found: Words = []
    number = 0
    while number < len(words):
        found.append(words[number])
        if words[number].text == "{" and (opening := _head_of_body(words, number)) is not None:
            last = closing(words, number)
            body = _with_arrays(words[number + 1 : last], arrays)
            own = {word.text for word in words[opening:number]}
            found += [made(word.text, words[number]) for one in _named(body, arrays, own) for word in arrays[one]]
            found += body
            number = last
            continue
        number += 1
    return found


def _named(body: Sequence[Piece], arrays: dict[str, Words], own: set[str]) -> list[str]:
    """The arrays that a body names but for lambdas in it, and those that they name, in the order of the file."""
    named: set[str] = set()
    waiting = {word.text for word in _without_bodies(body)}
    while fresh := {name for name in arrays if name in waiting} - named - own:
        named |= fresh
        waiting = {word.text for name in fresh for word in arrays[name]}
    return [name for name in arrays if name in named]


def _without_bodies(words: Sequence[Piece]) -> Words:
    """The words but for those of lambdas with copies."""
    found: Words = []
    number = 0
    while number < len(words):
        if words[number].text == "{" and _head_of_body(words, number) is not None:
            number = closing(words, number)
        else:
            found.append(words[number])
        number += 1
    return found


def _head_of_body(words: Sequence[Piece], brace: int) -> int | None:
    """Where the parameters of the function begin, or the lambda, whose body a brace begins; None for other braces.

    A lambda that refers to what is around it is a part of that.
    """
    last = brace - 1
    while last > 0 and words[last].text in _BEHIND_PARAMETERS:
        last -= 1
    start = _opening(words, last)
    if start is None or start == 0:
        return None
    if words[last].text == ")" and words[start - 1].text == "]":
        start = _opening(words, start - 1) or 0
    if words[start].text == "[":
        return start if texts(words, start + 1, 1) == ("=",) else None
    is_operator = "operator" in texts(words, max(start - 3, 0), min(start, 3))
    is_function = is_name(words[start - 1]) and words[start - 1].text not in _HEADS
    return start if is_function or is_operator else None


def _opening(words: Sequence[Piece], last: int) -> int | None:
    """The position of the bracket that the one at a position closes; None where none does."""
    pair = {")": "(", "]": "["}.get(words[last].text)
    depth = 0
    for number in range(last if pair is not None else -1, -1, -1):
        depth += (words[number].text == words[last].text) - (words[number].text == pair)
        if depth == 0:
            return number
    return None
