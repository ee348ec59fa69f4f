"""The arguments of a program in a vector of strings, `std::vector<std::string> args(argv + 1, argv + argc);`.

They are those of `argv` where all that is asked of the vector is an element, or how many there are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from mcm.front_end.cpp.argument_texts import CONVERSIONS
from mcm.front_end.cpp.words import closing, end_of_block, end_of_statement, has_owner, is_name, made, replaced, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece


class _List(Struct, frozen=True):
    """A vector: its name, what `argv` and `argc` are called, and how many of the first arguments it lacks."""

    name: str
    vector: str
    count: str
    first: int


def with_plain_arguments(words: Sequence[Piece]) -> Words:
    """The words with `argv[i + 1]` in place of `args[i]`, and `argc - 1` in place of `args.size()`."""
    found = list(words)
    if not any(word.text == "string" for word in found):
        return found
    number = 0
    while number < len(found):
        one = _declared(found, number)
        if one is not None:
            end = end_of_statement(found, number)
            last = end_of_block(found, end)
            rest = replaced(found[end + 1 : last], lambda inner, at, one=one: _asked(inner, at, one))  # type: ignore[misc]
            if not any(word.text == one.name for word in rest):
                found[number:last] = rest
        number += 1
    return found


def _declared(words: Sequence[Piece], number: int) -> _List | None:
    """The vector that is declared at a position; None where something else stands."""
    place = number + (texts(words, number, 1) == ("const",))
    place += 2 * (texts(words, place, 2) == ("std", "::"))
    inner = place + 2 + 2 * (texts(words, place + 2, 2) == ("std", "::"))
    name = inner + 2
    if texts(words, place, 2) != ("vector", "<") or texts(words, inner, 2) != ("string", ">"):
        return None
    if not texts(words, name, 1) or not is_name(words[name]) or texts(words, name + 1, 1) not in {("(",), ("{",)}:
        return None
    said = texts(words, name + 2, closing(words, name + 1) - name - 2)
    match said:
        case (vector, ",", again, "+", count) if vector == again:
            return _List(words[name].text, vector, count, 0)
        case (vector, "+", digits, ",", again, "+", count) if vector == again and digits.isdecimal():
            return _List(words[name].text, vector, count, int(digits))
        case ("&", vector, "[", digits, "]", ",", "&", again, "[", count, "]") if (
            vector == again and digits.isdecimal()
        ):
            return _List(words[name].text, vector, count, int(digits))
        case _:
            return None


def _asked(words: Sequence[Piece], number: int, one: _List) -> tuple[Words, int] | None:
    """What stands for something that is asked of the vector, and the position behind it."""
    if words[number].text != one.name or has_owner(words, number):
        return None
    at = words[number]
    match texts(words, number + 1, 4):
        case (".", "size", "(", ")"):
            return _made(at, "(", one.count, "-", str(one.first), ")"), number + 5
        case (".", "empty", "(", ")"):
            return _made(at, "(", one.count, "<=", str(one.first), ")"), number + 5
        case ("[", *_):
            opening = number + 1
        case (".", "at", "(", *_):
            opening = number + 3
        case _:
            return None
    last = closing(words, opening)
    index = replaced(words[opening + 1 : last], lambda inner, place: _asked(inner, place, one))
    element = [*_made(at, one.vector, "["), *index, *_made(at, *(("+", str(one.first)) if one.first else ()), "]")]
    if texts(words, last + 1, 4) == (".", "c_str", "(", ")"):
        return element, last + 5
    is_number = number > 1 and words[number - 1].text == "(" and words[number - 2].text in CONVERSIONS
    return (element if is_number else [*_made(at, "std", "::", "string", "("), *element, made(")", at)]), last + 1


def _made(at: Piece, *said: str) -> Words:
    return [made(text, at) for text in said]
