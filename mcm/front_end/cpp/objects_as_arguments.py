"""Objects of classes that only the host has, where functions of the host are passed them by reference.

For each object that a function is passed there is one of its own, in which the parameter is that object.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NoReturn

from msgspec import Struct
from msgspec.structs import replace

from mcm.front_end.cpp.definitions import OF_OBJECT, bound, calls, definitions
from mcm.front_end.cpp.members_of_objects import HostObject, other_parameters, refuse, with_members
from mcm.front_end.cpp.own_names import without_names
from mcm.front_end.cpp.words import (
    closing,
    is_member,
    is_name,
    listed,
    made,
    opening_around,
    other_name,
    start_of_statement,
    substituted,
    texts,
    with_commas,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcm.front_end.cpp.definitions import Definition
    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

# How many functions a program may have for objects that are passed: one may pass another on.
_MOST: Final = 200


class _Passed(Struct, frozen=True):
    """An object that a call passes: where, to which function, for which of its parameters."""

    object: HostObject
    called: int
    opening: int
    place: int


def with_objects_passed(words: Words, objects: Mapping[str, HostObject]) -> Words:
    """The words with functions of their own for objects that are passed, by their names as wholes."""
    found = _with_members(words, objects)
    functions: dict[tuple[str, int, str], str] = {}
    while (passed := _next(found, objects)) is not None:
        name = found[passed.called]
        key = (name.text, passed.place, passed.object.whole)
        if key not in functions:
            definition = _function(found, passed)
            functions[key] = other_name(f"{name.text}_{passed.object.name.text}", passed.object.taken)
            if len(functions) > _MOST:
                refuse(name, f"objects of the host are passed to more than {_MOST} functions here")
            found += _with_members(_copy(definition, passed, functions[key]), objects)
        last = closing(found, passed.opening)
        arguments = listed(found, passed.opening + 1, last)
        del arguments[passed.place]
        inside = with_commas(arguments, found[passed.opening])
        found[passed.called : last] = [made(functions[key], name), found[passed.opening], *inside]
    found = _without_unreached(found, objects)
    for word in found:
        if word.text in objects:
            _refuse(word, objects[word.text])
    return found


def _with_members(words: Words, objects: Mapping[str, HostObject]) -> Words:
    """The words with members of objects that are named as wholes."""
    for name in dict.fromkeys(word.text for word in words):
        if name in objects:
            one = objects[name]
            words = with_members(words, replace(one, name=made(name, one.name)))
    return words


def _next(words: Words, objects: Mapping[str, HostObject]) -> _Passed | None:
    """The first object that is passed to a function by its name; None where none is."""
    for number, word in enumerate(words):
        opening = opening_around(words, number) if word.text in objects else None
        if opening is None or words[opening].text != "(" or not is_name(words[opening - 1]):
            continue
        # A function of what is passed to this one is none yet.
        if not is_member(words, opening - 1):
            parts = listed(words, opening + 1, closing(words, opening))
            place = next(n for n, part in enumerate(parts) if any(one is word for one in part))
            return _Passed(objects[word.text], opening - 1, opening, place)
    return None


def _refuse(word: Piece, one: HostObject) -> NoReturn:
    refuse(
        word,
        f"'{one.name.text}' is an object of '{one.class_.name}', which only the host has: its members and functions "
        f"are named, '{one.name.text}.f()', and functions of the host are passed it by reference, "
        f"'void f({one.class_.name}& {one.name.text})'",
    )


def _function(words: Words, passed: _Passed) -> Definition:
    """The function that a call names, which refers to the object that it is passed."""
    functions, _, several = definitions(words)
    name = words[passed.called].text
    at = words[passed.opening + 1]
    one = functions.get(name)
    if name in several:
        refuse(words[passed.called], f"there are several functions '{name}': give each a name of its own")
    if one is None or passed.place >= len(one.parameters) or one.defaults:
        _refuse(at, passed.object)
    parameter = one.parameters[passed.place]
    if not parameter.is_reference or bound(parameter.type, passed.object.type, one.templates) is None:
        _refuse(at, passed.object)
    return one


def _copy(one: Definition, passed: _Passed, name: str) -> Words:
    """A function in which a parameter is an object, by its name as a whole."""
    parameter = one.parameters[passed.place]
    given = bound(parameter.type, passed.object.type, one.templates) or {}
    at = one.name
    rest = [each for each in one.templates if each not in given]
    templates = with_commas([[made("typename", at), made(each, at)] for each in rest], at)
    before = [made("template", at), made("<", at), *templates, made(">", at)] if rest else []
    parts = listed(one.signature, 1, len(one.signature) - 1)
    del parts[passed.place]
    # What the members of the object refer to is that also where something else has the name.
    others = other_parameters([each.name for each in one.parameters], passed.object, at)
    signature = substituted([one.signature[0], *with_commas(parts, at), one.signature[-1]], others, in_place=True)
    caught = {parameter.name, *passed.object.references}
    body = without_names(substituted(one.body, others, in_place=True), caught, passed.object.taken)
    body = substituted(body, {parameter.name: [made(passed.object.whole, at)]}, in_place=True)
    whole = [*before, made(OF_OBJECT, at), *one.head, made(name, at), *signature, *one.behind, *body]
    return substituted(whole, given)


def _without_unreached(words: Words, objects: Mapping[str, HostObject]) -> Words:
    """The words without functions that `main` does not reach, of those that name objects of the host or classes."""
    if not objects:
        return words
    functions, _, several = definitions(words)
    if "main" not in functions:
        return words
    of_host = {one.class_.name for one in objects.values()} | set(objects)
    reached = {"main"}
    waiting = functions["main"].words
    while waiting:
        fresh = ({word.text for word in waiting} & set(functions)) - reached
        reached |= fresh
        waiting = [word for name in sorted(fresh) for word in functions[name].words]
    found = words
    for name, one in functions.items():
        if name not in reached | set(several) and any(word.text in of_host for word in one.words):
            found = _without(found, one)
    return found


def _without(words: Words, one: Definition) -> Words:
    """The words without a function, and its declarations."""
    number = next(n for n, word in enumerate(words) if word is one.name)
    start, end = number - len(one.head), number + len(one.signature) + len(one.behind) + len(one.body) + 1
    while start and words[start - 1].text not in {";", "}"}:
        # It is a template.
        start -= 1
    found = [*words[:start], *words[end:]]
    for number, opening, last in reversed(calls(found, one.name.text)):
        start = start_of_statement(found, number)
        is_outside = opening_around(found, number) is None
        is_value = any(word.text == "=" for word in found[start:number])
        if is_outside and not is_value and opening == number + 1 and texts(found, last + 1, 1) == (";",):
            del found[start : last + 2]
    return found
