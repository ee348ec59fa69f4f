"""Functions of the host that return several events, `auto [a, b] = f(q);`: the caller's events are passed to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.front_end.cpp.elements import code
from mcm.front_end.cpp.words import (
    begins_statement,
    closing,
    closing_angle,
    end_of_statement,
    is_name,
    listed,
    made,
    texts,
    with_commas,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_CLASSES: Final = frozenset({"pair", "tuple"})
_MAKERS: Final = frozenset({"make_pair", "make_tuple"})


class _Function(Struct, frozen=True):
    """A function: its name, how many events it returns, where its definition begins, and where its return does."""

    name: Piece
    count: int
    start: int
    returns: int


def with_events_passed(words: Sequence[Piece]) -> Words:
    """The words with parameters in place of several events that functions return at their end."""
    found = list(words)
    number = 0
    while number < len(found):
        one = _function(found, number)
        calls = [] if one is None else _calls(found, one)
        if one is not None and calls:
            for place in reversed(calls):
                end = end_of_statement(found, place)
                found[place:end] = _called(found[place:end], one)
            # Calls stand behind the definition.
            _define(found, one)
        number += 1
    return found


def _function(words: Sequence[Piece], number: int) -> _Function | None:
    """The function that is defined at a position, and returns events with its last statement and nowhere else."""
    first = number + 2 * (texts(words, number, 2) == ("std", "::"))
    angle = closing_angle(words, first + 1) if texts(words, first + 1, 1) == ("<",) else None
    if angle is None or words[first].text not in _CLASSES or texts(words, angle + 2, 1) != ("(",):
        return None
    listed_types = listed(words, first + 2, angle)
    types = [[word.text for word in part if word.text not in {"sycl", "::"}] for part in listed_types]
    brace = closing(words, angle + 2) + 1
    if not types or any(one != ["event"] for one in types) or texts(words, brace, 1) != ("{",):
        return None
    last = closing(words, brace)
    places = [n for n in range(brace, last) if words[n].text == "return" and words[n - 1].text in {";", "{", "}"}]
    ends = [n for n in places if end_of_statement(words, n) == last - 1]
    if len(ends) != 1 or len(places) != 1 or len(_values(list(words[ends[0] + 1 : last - 1]))) != len(types):
        return None
    return _Function(words[angle + 1], len(types), number, ends[0])


def _values(returned: Words) -> list[Words]:
    """The events that are returned: those in `{a, b}`, `std::make_pair(a, b)`, `std::pair<…>{a, b}`."""
    first = 2 * (texts(returned, 0, 2) == ("std", "::"))
    name = texts(returned, first, 1)[:1]
    opening = 0
    if name and name[0] in _CLASSES | _MAKERS:
        angle = closing_angle(returned, first + 1) if texts(returned, first + 1, 1) == ("<",) else first
        opening = (angle or first) + 1
    is_list = texts(returned, opening, 1) in {("{",), ("(",)} and closing(returned, opening) == len(returned) - 1
    values = listed(returned, opening + 1, len(returned) - 1) if is_list else []
    # A command that is enqueued here would be enqueued in another order.
    return values if all(len(one) == 1 and is_name(one[0]) for one in values) else []


def _calls(words: Words, one: _Function) -> list[int]:
    """Where statements declare names for what each call of a function returns; none where one does not."""
    named = [n for n, word in enumerate(words) if word.text == one.name.text and word is not one.name]
    found: list[int] = []
    for number in named:
        bracket = number - 2
        opening = next((n for n in range(bracket, max(bracket - 4 * one.count, 0), -1) if words[n].text == "["), 0)
        names = listed(words, opening + 1, bracket)
        is_bound = texts(words, bracket, 2) == ("]", "=") and texts(words, opening - 1, 1) == ("auto",)
        last = closing(words, number + 1) if texts(words, number + 1, 1) == ("(",) else len(words)
        is_whole = begins_statement(words, opening - 1) and texts(words, last + 1, 1) == (";",)
        if not is_bound or not is_whole or len(names) != one.count or any(len(part) != 1 for part in names):
            return []
        found.append(opening - 1)
    return found


def _called(statement: Words, one: _Function) -> Words:
    """`event a, b; f(q, a, b)` for `auto [a, b] = f(q)`."""
    bracket = closing(statement, 1)
    names = listed(statement, 2, bracket)
    at = statement[bracket + 2]
    given = [*listed(statement, bracket + 4, len(statement) - 1), *names]
    declared = [word for name in names for word in code(at, "sycl :: event {name} ;", name=name)]
    return [*declared, *code(at, "{function} ( {given} )", function=[at], given=with_commas(given, one.name))]


def _define(words: Words, one: _Function) -> None:
    """Give a function parameters for its events, which it assigns at its end."""
    at = one.name
    names = [[made(f"{at.text}_event_{place}", at)] for place in range(one.count)]
    last = end_of_statement(words, one.returns)
    values = _values(words[one.returns + 1 : last])
    assigned = [
        word
        for name, value in zip(names, values, strict=True)
        for word in code(at, "{name} = {value} ;", name=name, value=value)
    ]
    words[one.returns : last + 1] = assigned
    place = next(n for n in range(one.start, len(words)) if words[n] is one.name)
    end = closing(words, place + 1)
    parameters = [code(at, "sycl :: event & {name}", name=name) for name in names]
    given = [part for part in listed(words, place + 2, end) if [word.text for word in part] != ["void"]]
    words[place + 2 : end] = with_commas([*given, *parameters], at)
    words[one.start : place] = [made("void", at)]
