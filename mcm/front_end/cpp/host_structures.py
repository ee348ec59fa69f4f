"""Structures of the host whose members get memory, `b.x = malloc_shared<int>(4, q);`: a variable for each member."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.allocations import ALLOCATORS
from mcm.front_end.cpp.classes import class_at, end_of_member
from mcm.front_end.cpp.definitions import assigns, calls, definitions
from mcm.front_end.cpp.host_classes import data_members
from mcm.front_end.cpp.own_names import declared_names
from mcm.front_end.cpp.words import (
    begins_statement,
    end_of_block,
    end_of_statement,
    is_name,
    listed,
    made,
    outer,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.host_classes import Data
    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_BETWEEN: Final = frozenset({";", "{", "}"})
_BEHIND_NAMES: Final = ((";",), ("{",), ("=",))
_DEVICE: Final = "malloc_device"
_NO_OWN: Final = frozenset({".", "->", "::"})


def with_members_alone(words: Sequence[Piece]) -> Words:
    """The words with variables in place of the members of structures that get memory one by one."""
    structures = _structures(words)
    found = list(words)
    number = 0
    while number < len(found):
        number += 1
        data = structures.get(found[number - 1].text)
        name = _declared(found, number - 1) if data else None
        if data is None or name is None:
            continue
        end = end_of_statement(found, number)
        values = _values(found[number + 1 : end])
        if values is None or len(values) not in {0, len(data)}:
            continue
        last = end_of_block(found, end)
        rest = found[end + 1 : last]
        members = {one.name.text: f"{name.text}_{one.name.text}" for one in data}
        taken = {word.text for word in found}
        gets_memory = _names_device(found, values) or (not values and _gets_memory(rest, name.text))
        if not gets_memory or taken & {*members.values()} or _refers(found, rest, name.text):
            continue
        if any(texts(rest, n, 2) == (name.text, ".") and rest[n + 2].text not in members for n in range(len(rest) - 2)):
            continue
        rest = _with_variables(rest, name.text, found[number - 1], members)
        if values:
            variables = [[*one.before, made(members[one.name.text], name)] for one in data]
            equal, end_ = made("=", name), made(";", name)
            pairs = zip(variables, values, strict=True)
            first = number - 2 if texts(found, number - 2, 1) == ("const",) else number - 1
            found[first:last] = [*(word for one, value in pairs for word in (*one, equal, *value, end_)), *rest]
            continue
        for one in data:
            variable = made(members[one.name.text], name)
            place = _only_value(rest, variable.text)
            if place is None:
                rest[0:0] = [*one.before, variable, made(";", name)]
            else:
                rest[place:place] = one.before
        found[number - 1 : last] = rest
    return found


def _structures(words: Sequence[Piece]) -> dict[str, list[Data]]:
    """The members of the structures of a program that are numbers and pointers without values, made by no function."""
    found: dict[str, list[Data]] = {}
    number = 0
    while number < len(words):
        one, behind = class_at(words, number)
        number += 1
        if one is None or one.templates:
            continue
        number = behind
        data: list[Data] = []
        place = 1
        is_plain = True
        while place < len(one.body) - 1:
            end = end_of_member(one.body, place)
            member = one.body[place:end]
            if any(word.text == "(" for word in member):
                # A function that kernels call; one that makes objects may do anything.
                is_plain &= not any(texts(member, n, 2) == (one.name.text, "(") for n in range(len(member)))
            else:
                is_plain &= not any(word.text in {"[", "="} for word in member)
                data += data_members(member)
            place = end
        if is_plain and all(not each.initial for each in data):
            found[one.name.text] = data
    return found


def _declared(words: Sequence[Piece], number: int) -> Piece | None:
    """The name of a structure that is declared at a position; None where something else stands."""
    follows = texts(words, number + 1, 2)[1:]
    before = words[number - 1].text if number else ""
    is_one = before in {*_BETWEEN, "const"} and follows in _BEHIND_NAMES and is_name(words[number + 1])
    return words[number + 1] if is_one else None


def _values(words: Sequence[Piece]) -> list[Words] | None:
    """The values of the members of a structure behind its name; None where something else is there."""
    start = 1 if texts(words, 0, 1) == ("=",) else 0
    if not words:
        return []
    if texts(words, start, 1) != ("{",) or words[-1].text != "}":
        return None
    return listed(words, start + 1, len(words) - 1)


def _names_device(words: Sequence[Piece], values: Sequence[Sequence[Piece]]) -> bool:
    """Whether a value is the name of memory of the device, which the host has no pointer to."""
    names = {value[0].text for value in values if len(value) == 1}
    return any(
        word.text in names
        and texts(words, number + 1, 1) == ("=",)
        and _DEVICE in {one.text for one in words[number : end_of_statement(words, number)]}
        for number, word in enumerate(words)
    )


def _gets_memory(words: Sequence[Piece], name: str) -> bool:
    """Whether a member of an object gets memory that is made."""
    return any(
        texts(words, n, 2) == (name, ".")
        and texts(words, n + 3, 1) == ("=",)
        and any(word.text in ALLOCATORS for word in words[n : end_of_statement(words, n)])
        for n in range(len(words))
    )


def _refers(words: Sequence[Piece], rest: Sequence[Piece], name: str) -> bool:
    """Whether an object may be named by something else, or is assigned as a whole, or another thing has its name."""
    if name in declared_names(rest):
        return True
    for number, word in enumerate(rest):
        behind = texts(rest, number + 1, 1)
        if word.text == name and behind != (".",) and (rest[number - 1].text in {"&", "="} or behind == ("=",)):
            return True
    functions, _, _ = definitions(words)
    return any(
        parameter.is_reference and [word.text for word in argument] == [name]
        for function in functions.values()
        for _, opening, last in calls(rest, function.name.text)
        for parameter, argument in zip(function.parameters, listed(rest, opening + 1, last), strict=False)
    )


def _only_value(words: Sequence[Piece], name: str) -> int | None:
    """Where a variable gets the one value that it has, in any case, and may be declared; None where it has others."""
    place = next((n for n in range(len(words)) if words[n].text == name), None)
    if place is None or place not in outer(words, 0, place + 1) or texts(words, place + 1, 1) != ("=",):
        return None
    is_alone = not assigns([*words[:place], *words[place + 1 :]], name)
    return place if is_alone and begins_statement(words, place) else None


def _with_variables(words: Sequence[Piece], name: str, class_: Piece, members: dict[str, str]) -> Words:
    """The words with variables in place of members, and an object that is made of them in place of the object."""
    found: Words = []
    number = 0
    while number < len(words):
        word = words[number]
        before = words[number - 1].text if number else ""
        if word.text != name or before in _NO_OWN:
            found.append(word)
            number += 1
        elif texts(words, number + 1, 1) == (".",):
            found.append(made(members[words[number + 2].text], words[number + 2]))
            number += 3
        else:
            values = [made(text, word) for one in members.values() for text in (one, ",")][:-1]
            found += [made(class_.text, word), made("{", word), *values, made("}", word)]
            number += 1
    return found
