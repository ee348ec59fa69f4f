"""Lists of buffers, `std::vector<buffer<int>> all;`, as buffers of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.arrays_of_pointers import Elements, alone, name_of, times, written_out
from mcm.front_end.cpp.words import (
    begins_statement,
    behind_statement,
    closing,
    closing_angle,
    end_of_block,
    is_name,
    made,
    substituted,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_ADDS: Final = frozenset({"push_back", "emplace_back"})


def with_buffers_alone(words: Sequence[Piece]) -> Words:
    """The words with a buffer for each element of a list, which statements behind its declaration add one by one."""
    found = list(words)
    number = 0
    while number < len(found):
        one = _declared(found, number)
        if one is not None:
            last = end_of_block(found, one.end)
            rest = found[one.end + 1 : last]
            added, behind = _added(rest, one, found[:number])
            array = Elements(one.type, one.name, len(added), one.end)
            others = {word.text for word in found}
            used = None if not added else alone(_ranged(written_out(rest[behind:], array, found), array), array, found)
            if used is not None and not any(name_of(array, place) in others for place in range(array.size)):
                found[number:last] = _with_buffers(added, used, array)
        number += 1
    return found


def _declared(words: Sequence[Piece], number: int) -> Elements | None:
    """The list of buffers that is declared at a position; None where something else stands."""
    if not begins_statement(words, number):
        return None
    start = number + 2 * (texts(words, number, 2) == ("std", "::"))
    angle = closing_angle(words, start + 1) if texts(words, start, 2) == ("vector", "<") else None
    if angle is None or texts(words, angle + 2, 1) != (";",) or not is_name(words[angle + 1]):
        return None
    type_ = [*words[start + 2 : angle], *([made(">", words[angle])] if words[angle].text == ">>" else [])]
    first = 2 * (texts(type_, 0, 2) == ("sycl", "::"))
    is_buffer = texts(type_, first, 2) == ("buffer", "<")
    return Elements(type_, words[angle + 1], 0, angle + 2) if is_buffer else None


def _added(words: Words, one: Elements, before: Sequence[Piece]) -> tuple[list[Words], int]:
    """What the buffers of a list are made of, or the names of others, and the position behind what adds them."""
    name = one.name.text
    found: list[Words] = []
    rest = list(words)
    number = 0
    while texts(rest, number, 1) in {(name,), ("for",)}:
        follows = texts(rest, number, 4)
        end = behind_statement(rest, number)
        if follows[0] == "for":
            is_adding = any(texts(rest, n, 2) == (name, ".") and rest[n + 2].text in _ADDS for n in range(number, end))
            body = times(rest[number:end], one, before) if is_adding else None
            if body is None:
                break
            rest[number:end] = body
            continue
        if follows[1:] == (".", "reserve", "("):
            number = end
            continue
        if len(follows) < 4 or follows[2] not in _ADDS:
            break
        argument = rest[number + 4 : closing(rest, number + 3)]
        found.append(_made_of(argument, is_value=follows[2] == "push_back"))
        number = end
    return found, len(words) - (len(rest) - number)


def _made_of(argument: Words, *, is_value: bool) -> Words:
    """What a buffer is made of, in brackets; a name is that of another one."""
    if not is_value:
        return [made("(", argument[0]), *argument, made(")", argument[0])] if argument else []
    opening = next((n for n, word in enumerate(argument) if word.text in {"(", "{"}), None)
    return argument if opening is None else argument[opening:]


def _ranged(words: Words, array: Elements) -> Words:
    """The words with loops over the list, `for (auto& b : all)`, written out."""
    found: Words = []
    number = 0
    while number < len(words):
        last = closing(words, number + 1) if texts(words, number, 2) == ("for", "(") else number
        if texts(words, last - 2, 3) != (":", array.name.text, ")") or last == number:
            found.append(words[number])
            number += 1
            continue
        end = behind_statement(words, number)
        name, at = words[last - 3].text, words[number]
        for place in range(array.size):
            element = [made(name_of(array, place), at)]
            body = substituted(_ranged(words[last + 1 : end], array), {name: element}, in_place=True)
            found += [made("{", at), *body, made("}", at)]
        number = end
    return found


def _with_buffers(added: list[Words], used: Words, array: Elements) -> Words:
    """The declarations of the buffers, and what is done with them."""
    declared: Words = []
    same: dict[str, Words] = {}
    for place, made_of in enumerate(added):
        name = name_of(array, place)
        if len(made_of) == 1:
            same[name] = made_of
        else:
            declared += [*array.type, made(name, array.name), *made_of, made(";", array.name)]
    return [*declared, *substituted(used, same)]
