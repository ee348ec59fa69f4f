"""Objects of classes that only the host has, in `main` and other functions: a variable for each of their members.

A function of the object is a function of the host, which stands in place of its calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.classes import class_at
from mcm.front_end.cpp.definitions import NUMBERS, assigns
from mcm.front_end.cpp.ends_of_objects import end_of
from mcm.front_end.cpp.host_classes import host_classes, instance
from mcm.front_end.cpp.members_of_objects import HostObject, function_of, in_object, refuse, with_members
from mcm.front_end.cpp.objects_as_arguments import with_objects_passed
from mcm.front_end.cpp.own_names import declared_names, without_names
from mcm.front_end.cpp.words import (
    begins_statement,
    closing,
    closing_angle,
    end_of_block,
    end_of_statement,
    is_name,
    listed,
    made,
    other_name,
    outer,
    substituted,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcm.front_end.cpp.host_classes import Data, Function, HostClass
    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece


# How many objects a program may have: a function of one may declare others.
_MOST: Final = 200


def with_host_objects(words: Sequence[Piece]) -> Words:
    """The words with variables and functions of the host in place of objects of classes that only the host has."""
    classes = {one.name: one for one in host_classes(words)}
    if not classes:
        return list(words)
    written = {word.text for word in words}
    taken = set(written)
    found = list(words)
    objects: dict[str, HostObject] = {}
    number = 0
    while number < len(found):
        in_class, behind = class_at(found, number)
        if in_class is not None:
            # The members of a class are objects where there is one of it.
            number = behind
            continue
        found = _one_by_one(found, number, classes)
        one = _declared(found, number, classes, taken)
        if one is None:
            number += 1
            continue
        end = end_of_statement(found, number)
        last = end_of_block(found, end)
        begun = _begun(one, found[end:last])
        # What its members refer to is that also where something else has the name.
        rest = without_names(found[end + 1 : last], {one.name.text} | one.references, taken)
        rest = with_members(rest, one)
        found[number:last] = [*begun, *end_of(one), *rest]
        objects[one.whole] = one
        if one.name.text not in written:
            # It is a member of another object, whose functions name it.
            objects[one.name.text] = one
        if len(objects) > 2 * _MOST:
            refuse(one.name, f"more than {_MOST} objects of the host are declared here, in functions of others, too")
        # They may have objects of their own.
        found += [word for function in one.class_.functions.values() for word in function_of(function, one)]
    return _without_classes(with_objects_passed(found, objects))


def _without_classes(words: Words) -> Words:
    """The words without the classes of which there are objects no more, and that nothing else names."""
    for one in reversed(list(host_classes(words))):
        named = {word.text for word in (*words[: one.start], *words[one.end + 1 :])}
        if one.name not in named:
            del words[one.start : one.end + 1]
    return words


def _one_by_one(words: Words, number: int, classes: Mapping[str, HostClass]) -> Words:
    """The words with a declaration of its own for the first of several objects at a position, `V a(1), b(2);`."""
    if words[number].text not in classes or not number or not begins_statement(words, number):
        return words
    angle = closing_angle(words, number + 1) if texts(words, number + 1, 1) == ("<",) else None
    name = number + 1 if angle is None else angle + 1
    opens = texts(words, name + 1, 1) in {("(",), ("{",)}
    comma = closing(words, name + 1) + 1 if opens else name + 1
    if not is_name(words[name]) or texts(words, comma, 1) != (",",):
        return words
    return [*words[:comma], made(";", words[comma]), *words[number:name], *words[comma + 1 :]]


def _declared(
    words: Sequence[Piece], number: int, classes: Mapping[str, HostClass], taken: set[str]
) -> HostObject | None:
    """The object that is declared at a position; None where something else stands."""
    class_, start = classes.get(words[number].text), number
    if class_ is None or not number or not begins_statement(words, number):
        return None
    if class_.templates:
        angle = closing_angle(words, number + 1) if texts(words, number + 1, 1) == ("<",) else None
        given = [] if angle is None else listed(words, number + 2, angle)
        if angle is None or len(given) != len(class_.templates):
            return None
        class_, number = instance(class_, given), angle
    follows = texts(words, number + 1, 2)
    if len(follows) < 2 or not is_name(words[number + 1]) or follows[1] not in {"(", "{", ";"}:
        return None
    name = words[number + 1]
    last = number + 2 if follows[1] == ";" else closing(words, number + 2)
    if texts(words, last if follows[1] == ";" else last + 1, 1) != (";",):
        return None
    arguments = [] if follows[1] == ";" else listed(words, number + 3, last)
    names = {one.name.text: [made(other_name(f"{name.text}_{one.name.text}", taken), name)] for one in class_.data}
    names |= {one: [made(other_name(f"{name.text}_{one}", taken), name)] for one in class_.functions}
    whole = other_name(f"{name.text}_object", taken)
    return HostObject(class_, list(words[start : number + 1]), name, whole, names, arguments, taken)


# --- how it begins and ends -------------------------------------------------------------------------------------------


def _begun(one: HostObject, rest: Sequence[Piece]) -> Words:
    """The declarations of the members, and what the constructor does."""
    constructor = _constructor(one)
    first, meant = ([], {}) if constructor is None else _parameters(constructor, one)
    found = list(first)
    body = [] if constructor is None else constructor.body
    for each in one.class_.data:
        initial = each.initial if constructor is None else constructor.initials.get(each.name.text, each.initial)
        if not initial and (place := _only_value(each, body, one, rest)) is not None:
            initial = body[place + 1 : place + 3]
            body = [*body[:place], *body[place + 4 :]]
        initial = in_object(initial, one, meant)
        if each.before[-1].text == "&" and len(initial) == 3:
            # It is another name for what it is made of.
            one.names[each.name.text] = [initial[1]]
            continue
        found += _member(each, initial, one)
    # What the constructor declares is known to nothing else.
    body = without_names(body, meant, one.taken)
    own = {name: [made(f"{one.name.text}_{name}_of_constructor", one.name)] for name in declared_names(body)}
    return [*found, *in_object(substituted(body, own), one, meant)[1:-1]]


def _only_value(each: Data, body: Words, one: HostObject, rest: Sequence[Piece]) -> int | None:
    """Where a constructor assigns a number to a member that nothing else does: it is what the member begins with."""
    name = each.name.text
    place = next((n for n in outer(body, 1, len(body) - 1) if texts(body, n, 2) == (name, "=")), None)
    if place is None or texts(body, place + 3, 1) != (";",) or not begins_statement(body, place):
        return None
    others = [*body[:place], *body[place + 4 :], *rest]
    bodies = [function.body for function in one.class_.functions.values()]
    return None if any(assigns(words, name) for words in (others, *bodies)) else place


def _constructor(one: HostObject) -> Function | None:
    """The constructor that takes as many arguments as there are; None where the class has none, and needs none."""
    if not one.class_.constructors and not one.arguments:
        return None
    count = len(one.arguments)
    fitting = [
        each
        for each in one.class_.constructors
        if sum(not parameter.default for parameter in each.parameters) <= count <= len(each.parameters)
    ]
    if len(fitting) != 1:
        refuse(one.name, f"which constructor of '{one.class_.name}' makes this object of the host is not evident")
    return fitting[0]


def _parameters(constructor: Function, one: HostObject) -> tuple[Words, dict[str, Words]]:
    """Declarations of variables for parameters of a constructor, and what all parameters stand for."""
    declared: Words = []
    meant: dict[str, Words] = {}
    references = [each.name.text for each in one.class_.data if each.before[-1].text == "&"]
    given = [*one.arguments, *(each.default for each in constructor.parameters[len(one.arguments) :])]
    for parameter, argument in zip(constructor.parameters, given, strict=True):
        if not argument:
            refuse(one.name, f"nothing is passed for '{parameter.name}' here")
        is_kept = any(word.text == parameter.name for each in references for word in constructor.initials.get(each, ()))
        if len(argument) == 1 and not assigns(constructor.body, parameter.name):
            meant[parameter.name] = argument
            continue
        is_const = any(word.text == "const" for word in parameter.type)
        if parameter.is_reference and (is_kept or not is_const):
            refuse(argument[0], f"'{parameter.name}' refers to what is passed here: give that a name of its own")
        name = made(f"{one.name.text}_{parameter.name}_of_constructor", argument[0])
        type_ = [word for word in parameter.type if word.text != "&"]
        declared += [*type_, name, made("=", name), *argument, made(";", name)]
        meant[parameter.name] = [name]
    return declared, meant


def _member(each: Data, initial: Words, one: HostObject) -> Words:
    """The declaration of the variable that a member is."""
    (name,) = one.names[each.name.text]
    kinds = {word.text for word in each.before} - {"const", "std", "::", "sycl"}
    is_number = kinds <= NUMBERS or "*" in kinds
    if is_number and initial and initial[0].text in {"(", "{"} and not each.behind:
        initial = [made("=", name), *(initial[1:-1] or [made("0", name)])]
    return [*each.before, name, *each.behind, *initial, made(";", name)]
