"""Containers and buffers that functions of the host return: their callers declare them, and pass them by reference.

`std::vector<int> made(int n) { std::vector<int> v(n); …; return v; }`, `auto w = made(4);` become
`void made(int n, std::vector<int>& v) { …; }`, `std::vector<int> w(4); made(4, w);`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.front_end.cpp.definitions import assigns, calls, definitions
from mcm.front_end.cpp.own_names import declared_names
from mcm.front_end.cpp.words import (
    CHANGING,
    closing,
    closing_angle,
    end_of_statement,
    is_name,
    listed,
    made,
    start_of_statement,
    substituted,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.definitions import Definition
    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_CLASSES: Final = frozenset({"vector", "array", "buffer"})


class _Returned(Struct, frozen=True):
    """What a function returns: its type, its name there, what it is made of, and the body without both statements."""

    type: Words
    name: Piece
    made_of: Words
    body: Words


class _Call(Struct, frozen=True):
    """A statement that declares a variable with the value of a call, from `start` to the semicolon at `end`."""

    start: int
    end: int
    name: Piece
    arguments: list[Words]


def with_passed_objects(words: Sequence[Piece]) -> Words:
    """The words with a parameter more where functions return an object that they declare, and that callers name."""
    found = list(words)
    for name in definitions(words)[0]:
        # Its body may call one that was before it.
        definition = definitions(found)[0][name]
        returned = None if definition.templates else _returned(definition)
        if returned is None:
            continue
        places = _calls(found, definition)
        if places:
            found = _passed(found, definition, returned, places)
    return found


def _returned(definition: Definition) -> _Returned | None:
    """The object that a function declares, and returns at its end alone; None where it returns something else."""
    body = definition.body
    returns = [n for n, word in enumerate(body) if word.text == "return"]
    outer_ends = len(returns) == 1 and end_of_statement(body, returns[0]) == len(body) - 2
    name = body[returns[0] + 1] if outer_ends else None
    if name is None or returns[0] + 2 != len(body) - 2 or not is_name(name):
        return None
    # `std::array<int, 4> array;` has the name of its class.
    named = (n for n in range(1, len(body)) if body[n].text == name.text and texts(body, n + 1, 1) != ("<",))
    declared = next(named, returns[0])
    start = start_of_statement(body, declared)
    end = end_of_statement(body, declared)
    type_, made_of = body[start:declared], body[declared + 1 : end]
    inner = {word.text for word in made_of if is_name(word)}
    before = body[1:start]
    is_known = not inner & set(declared_names(body)) and not any(assigns(before, one) for one in inner)
    is_outer = all(closing(body, n) < start for n in range(1, start) if body[n].text == "{")
    if not _is_class(type_) or not is_known or not is_outer or len(listed(body, start, end)) != 1:
        return None
    return _Returned(type_, name, made_of, [*body[:start], *body[end + 1 : returns[0]], body[-1]])


def _is_class(type_: Words) -> bool:
    first = 2 if texts(type_, 1, 1) == ("::",) else 0
    if not texts(type_, first, 1) or type_[first].text not in _CLASSES:
        return False
    return len(type_) == first + 1 or closing_angle(type_, first + 1) == len(type_) - 1


def _calls(words: Sequence[Piece], definition: Definition) -> list[_Call]:
    """The statements that call a function, where each of them declares a variable with its value; else none."""
    found: list[_Call] = []
    for number, opening, last in calls(words, definition.name.text):
        if words[number] is definition.name:
            continue
        start = start_of_statement(words, number)
        arguments = listed(words, opening + 1, last)
        arguments += [one.default for one in definition.parameters[len(arguments) :]]
        is_plain = len(arguments) == len(definition.parameters) and all(map(_is_plain, arguments))
        is_declared = start < number - 2 and words[number - 1].text == "=" and texts(words, last + 1, 1) == (";",)
        type_ = words[start : number - 2]
        is_type = texts(type_, 0, 1) == ("auto",) or _is_class(list(type_))
        if not is_plain or not is_declared or not is_type or any(word.text == "&" for word in type_):
            return []
        found.append(_Call(start, last + 1, words[number - 2], arguments))
    return found


def _is_plain(argument: Words) -> bool:
    """Whether an argument may be evaluated twice: nothing changes, and nothing is called."""
    return bool(argument) and not any(word.text in CHANGING or word.text in {"(", "["} for word in argument)


def _passed(words: Words, definition: Definition, returned: _Returned, places: Sequence[_Call]) -> Words:
    """The words with the function, and what calls it, in the other form."""
    at = definition.name
    others: list[tuple[int, int, Words]] = []
    for one in places:
        meant = {
            parameter.name: argument if len(argument) == 1 else [made("(", at), *argument, made(")", at)]
            for parameter, argument in zip(definition.parameters, one.arguments, strict=True)
        }
        here = one.name
        declared = [*returned.type, here, *substituted(returned.made_of, meant), made(";", here)]
        passed = [word for argument in (*one.arguments, [here]) for word in (made(",", here), *argument)][1:]
        called = [made(at.text, words[one.end - 1]), made("(", here), *passed, made(")", here), made(";", here)]
        others.append((one.start, one.end + 1, [*declared, *called]))
    name = next(n for n, word in enumerate(words) if word is at)
    last = closing(words, name + 1)
    comma = [made(",", at)] if definition.parameters else []
    parameter = [*returned.type, made("&", at), returned.name]
    head = [*(word for word in definition.head if word.text in {"static", "inline"}), made("void", at), at]
    signature = [*words[name + 1 : last], *comma, *parameter, words[last]]
    behind = closing(words, last + 1) + 1
    others.append((name - len(definition.head), behind, [*head, *signature, *returned.body]))
    for start, end, instead in sorted(others, key=lambda one: -one[0]):
        words = [*words[:start], *instead, *words[end:]]
    return words
