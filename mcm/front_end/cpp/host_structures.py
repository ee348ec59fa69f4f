"""Structures of the host whose members get memory, `b.x = malloc_shared<int>(4, q);`, or say sizes, `range<1>(c.n)`.

They are a variable for each member.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.front_end.cpp.allocations import ALLOCATORS
from mcm.front_end.cpp.classes import class_at, end_of_member
from mcm.front_end.cpp.copied_structures import with_copied_members
from mcm.front_end.cpp.definitions import assigns, calls, definitions
from mcm.front_end.cpp.host_classes import data_members
from mcm.front_end.cpp.own_names import declared_names
from mcm.front_end.cpp.words import (
    CHANGING,
    STEPS,
    begins_statement,
    closing,
    end_of_block,
    end_of_statement,
    is_in_lambda,
    is_name,
    listed,
    made,
    outer,
    start_of_statement,
    substituted,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from mcm.front_end.cpp.host_classes import Data
    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_BETWEEN: Final = frozenset({";", "{", "}"})
_BEHIND_NAMES: Final = ((";",), ("{",), ("=",))
_DEVICE: Final = "malloc_device"
# What is made of sizes.
_SIZED: Final = ALLOCATORS | {"range", "nd_range", "parallel_for", "buffer", "vector", "local_accessor"}
# What takes the object of a kernel by its value.
_LAUNCHES: Final = frozenset({"parallel_for", "single_task", "host_task"})
_NO_OWN: Final = frozenset({".", "->", "::"})


class _Structure(Struct, frozen=True):
    """A structure: its members that are no functions, and the functions that change none of them."""

    data: tuple[Data, ...]
    asking: frozenset[str]


def with_members_alone(words: Sequence[Piece]) -> Words:
    """The words with variables in place of the members of structures that get memory one by one."""
    structures = _structures(words)
    data = {name: one.data for name, one in structures.items()}
    found, originals = with_copied_members(words, data, _says_sizes)
    number = 0
    while number < len(found):
        number += 1
        one = structures.get(found[number - 1].text)
        name = _declared(found, number - 1) if one else None
        if one is None or name is None:
            continue
        end = end_of_statement(found, number)
        values = _values(_in_braces(found[number + 1 : end], found[number - 1].text), one, name)
        if values is None:
            continue
        last = end_of_block(found, end)
        rest = found[end + 1 : last]
        members = {each.name.text: _variable(name, each) for each in one.data}
        known = {*members, *one.asking}
        taken = {word.text for word in found}
        gets_memory = _names_device(found, values) or (not values and _gets_memory(rest, name.text))
        gets_memory |= any(word.text in ALLOCATORS for value in values for word in value) or name.text in originals
        is_apart = (
            gets_memory
            or _says_sizes(rest, name.text)
            or _says_others(rest, name.text, found)
            or _is_passed_as_it_is(rest, name.text)
        )
        if not is_apart or taken & {*members.values()} or _refers(found, rest, name.text):
            continue
        if any(each.behind for each in one.data) and _names_whole(rest, name.text):
            # No object is made of arrays.
            continue
        if any(texts(rest, n, 2) == (name.text, "(") for n in range(len(rest))):
            # It is called.
            continue
        if any(texts(rest, n, 2) == (name.text, ".") and rest[n + 2].text not in known for n in range(len(rest) - 2)):
            continue
        rest = _with_variables(rest, name.text, found[number - 1], members)
        first = number - 2 if values and texts(found, number - 2, 1) == ("const",) else number - 1
        found[first:last] = _begun(one, name, values, rest)
    return found


def _variable(name: Piece, member: Data) -> str:
    """The name of the variable for a member of an object."""
    return f"{name.text}_{member.name.text}"


def _begun(one: _Structure, name: Piece, values: Sequence[Words], rest: Words) -> Words:
    """The variables for the members, and what is done with them."""
    variables = [[*each.before, made(_variable(name, each), name), *each.behind] for each in one.data]
    equal, end = made("=", name), made(";", name)
    if values:
        begins = [[equal, *value] if value else [] for value in values]
        return [*(word for each, begin in zip(variables, begins, strict=True) for word in (*each, *begin, end)), *rest]
    for variable in variables:
        place = _only_value(rest, variable[-1].text)
        if place is None or variable[-1].text == "]":
            rest[0:0] = [*variable, end]
        else:
            rest[place:place] = variable[:-1]
    return rest


def _structures(words: Sequence[Piece]) -> dict[str, _Structure]:
    """The members of the structures of a program that are numbers and pointers, made by no function."""
    found: dict[str, _Structure] = {}
    number = 0
    while number < len(words):
        one, behind = class_at(words, number)
        number += 1
        if one is None or one.templates:
            continue
        number = behind
        data: list[Data] = []
        asking: set[str] = set()
        place = 1
        is_plain = True
        while place < len(one.body) - 1:
            end = end_of_member(one.body, place)
            member = one.body[place:end]
            if any(word.text == "(" for word in member):
                # A function that kernels call; one that makes objects may do anything.
                is_plain &= not any(texts(member, n, 2) == (one.name.text, "(") for n in range(len(member)))
                opening = next(n for n, word in enumerate(member) if word.text == "(")
                if texts(member, closing(member, opening) + 1, 1) == ("const",):
                    asking.add(member[opening - 1].text)
            else:
                is_plain &= not any(word.text == "static" for word in member)
                data += data_members(member)
            place = end
        if is_plain and all(not each.initial or _value(each.initial) for each in data):
            found[one.name.text] = _Structure(tuple(data), frozenset(asking))
    return found


def _declared(words: Sequence[Piece], number: int) -> Piece | None:
    """The name of a structure that is declared at a position; None where something else stands."""
    follows = texts(words, number + 1, 2)[1:]
    before = words[number - 1].text if number else ""
    is_one = before in {*_BETWEEN, "const"} and follows in _BEHIND_NAMES and is_name(words[number + 1])
    return words[number + 1] if is_one else None


def _in_braces(words: Words, class_: str) -> Words:
    """What stands behind a name that is declared, with `{1, 2}` for `= S{1, 2}`."""
    opening = 1 + (texts(words, 1, 1) == ("struct",)) + 1
    is_whole = texts(words, opening - 1, 2) == (class_, "{") and closing(words, opening) == len(words) - 1
    return words[opening:] if texts(words, 0, 1) == ("=",) and is_whole else words


def _values(words: Words, one: _Structure, name: Piece) -> list[Words] | None:
    """The values of the members of a structure behind its name, none where it has none; None for anything else."""
    begins = [_value(each.initial) if each.initial else [] for each in one.data]
    start = 1 if texts(words, 0, 1) == ("=",) else 0
    if words and (texts(words, start, 1) != ("{",) or words[-1].text != "}"):
        return None
    given = listed(words, start + 1, len(words) - 1)
    names = [each.name.text for each in one.data]
    if given and all(texts(value, 0, 1) == (".",) and texts(value, 2, 1) == ("=",) for value in given):
        # C++ takes them in the order of the members.
        places = [names.index(value[1].text) for value in given if value[1].text in names]
        given = [value[3:] for value in given]
        if len(places) != len(given) or places != sorted({*places}):
            return None
    else:
        places = list(range(len(given)))
    if len(given) > len(names):
        return None
    if not words and not any(begins):
        return []
    zero, opening, behind = (made(text, name) for text in "0{}")
    zeros = [[opening, zero, behind] if each.behind else [zero] for each in one.data]
    values = [value or (none if words else []) for value, none in zip(begins, zeros, strict=True)]
    for place, value in zip(places, given, strict=True):
        values[place] = value
    own = {each.name.text: [made(_variable(name, each), name)] for each in one.data}
    return [value if n in places else substituted(value, own) for n, value in enumerate(values)]


def _names_whole(words: Sequence[Piece], name: str) -> bool:
    """Whether an object is named without a member behind it."""
    places = (n for n, word in enumerate(words) if word.text == name and words[n - 1].text not in _NO_OWN)
    return any(texts(words, n + 1, 1) != (".",) for n in places)


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


def _value(initial: Words) -> Words:
    """The value that a member begins with: `= 4`, `{4}`, `{}`."""
    if initial[0].text == "=":
        return [] if texts(initial, 1, 1) == ("{",) else initial[1:]
    return initial[1:-1] or [made("0", initial[0])]


def _says_sizes(words: Sequence[Piece], name: str) -> bool:
    """Whether memory, or what a command is about, is as large as a member of an object says."""
    return any(
        texts(words, n, 2) == (name, ".") and any(one.text in _SIZED for one in words[start_of_statement(words, n) : n])
        for n in range(len(words))
    )


def _says_others(words: Sequence[Piece], name: str, whole: Sequence[Piece]) -> bool:
    """Whether a variable that says sizes begins with a member of an object, `int n = s.n;`."""
    for number in range(3, len(words)):
        if texts(words, number, 2) == (name, ".") and texts(words, number - 1, 1) == ("=",):
            other = words[number - 2].text
            is_declared = start_of_statement(words, number) < number - 2
            places = (n for n, word in enumerate(whole) if is_declared and word.text == other)
            if any(word.text in _SIZED for n in places for word in whole[start_of_statement(whole, n) : n]):
                return True
    return False


def _is_passed_as_it_is(words: Sequence[Piece], name: str) -> bool:
    """Whether a kernel names an object that changes: it has what its members are when it is enqueued."""
    places = [n for n in range(len(words)) if texts(words, n, 2) == (name, ".")]
    changes = any(_is_changed(words, n) for n in places)
    return changes and any(is_in_lambda(words, n) for n in places)


def _is_changed(words: Sequence[Piece], number: int) -> bool:
    """Whether a member of the object that is named at a position, or an element of it, changes there."""
    behind = number + 3
    while texts(words, behind, 1) == ("[",):
        behind = closing(words, behind) + 1
    return words[number - 1].text in STEPS or any(text in CHANGING for text in texts(words, behind, 1))


def _refers(words: Sequence[Piece], rest: Sequence[Piece], name: str) -> bool:
    """Whether an object may be named by something else, or is assigned as a whole, or another thing has its name."""
    if name in declared_names(rest):
        return True
    for number, word in enumerate(rest):
        behind = texts(rest, number + 1, 1)
        if word.text == name and behind != (".",) and (rest[number - 1].text in {"&", "="} or behind == ("=",)):
            return True
    functions, _, _ = definitions(words)
    if any(word.text == name and _is_passed(rest, number, functions) for number, word in enumerate(rest)):
        return True
    return any(
        parameter.is_reference and [word.text for word in argument] == [name]
        for function in functions.values()
        for _, opening, last in calls(rest, function.name.text)
        for parameter, argument in zip(function.parameters, listed(rest, opening + 1, last), strict=False)
    )


def _is_passed(words: Sequence[Piece], number: int, functions: Collection[str]) -> bool:
    """Whether a name is an argument of what is no function of the file: a lambda may refer to it."""
    if texts(words, number + 1, 1) not in {(",",), (")",)}:
        return False
    opening = next((n for n in reversed(range(number)) if words[n].text == "(" and closing(words, n) > number), 0)
    called = words[opening - 1]
    return opening > 0 and is_name(called) and called.text not in functions and called.text not in _LAUNCHES


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
        elif texts(words, number + 1, 1) == (".",) and words[number + 2].text in members:
            found.append(made(members[words[number + 2].text], words[number + 2]))
            number += 3
        else:
            values = [made(text, word) for one in members.values() for text in (one, ",")][:-1]
            found += [made(class_.text, word), made("{", word), *values, made("}", word)]
            number += 1
    return found
