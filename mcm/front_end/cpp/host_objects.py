"""Objects of classes that only the host has, in `main` and other functions: a variable for each of their members.

A function of the object is a function of the host, which stands in place of its calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.front_end.cpp.captured_members import with_captured_members
from mcm.front_end.cpp.definitions import NUMBERS, OF_OBJECT, assigns
from mcm.front_end.cpp.host_classes import host_classes, instance
from mcm.front_end.cpp.own_names import declared_names, without_names
from mcm.front_end.cpp.words import (
    begins_statement,
    closing,
    closing_angle,
    end_of_block,
    end_of_statement,
    has_owner,
    is_in_lambda,
    is_name,
    listed,
    made,
    outer,
    substituted,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcm.front_end.cpp.host_classes import Data, Function, HostClass
    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_PURE: Final = frozenset({"[", "]", "(", ")", ".", "->", "::", "+", "-", "*"})
# What is asked of a container.
_ASKING: Final = frozenset({"size", "data", "begin", "end"})
_WHOLE: Final = [[".", name, "(", ")"] for name in sorted(_ASKING)]


class _Object(Struct, frozen=True):
    """An object: its class, its name, what its members and functions are called, and the arguments it is made of.

    `taken` are the names of the program.
    """

    class_: HostClass
    name: Piece
    names: dict[str, Words]
    arguments: list[Words]
    taken: set[str]

    @property
    def references(self) -> set[str]:
        """What its members that refer to something are called."""
        members = (one for one in self.class_.data if one.before[-1].text == "&")
        return {self.names[one.name.text][0].text for one in members}


def with_host_objects(words: Sequence[Piece]) -> Words:
    """The words with variables and functions of the host in place of objects of classes that only the host has."""
    classes = {one.name: one for one in host_classes(words)}
    if not classes:
        return list(words)
    taken = {word.text for word in words}
    found = list(words)
    functions: Words = []
    used: set[str] = set()
    number = 0
    while number < len(found):
        found = _one_by_one(found, number, classes)
        one = _declared(found, number, classes, taken)
        if one is None:
            number += 1
            continue
        used.add(one.class_.name)
        end = end_of_statement(found, number)
        last = end_of_block(found, end)
        begun = _begun(one, found[end:last])
        # What its members refer to is that also where something else has the name.
        rest = without_names(found[end + 1 : last], {one.name.text} | one.references, taken)
        rest = _with_members(rest, one)
        found[number:last] = [*begun, *_ended(rest, one)]
        functions += [word for function in one.class_.functions.values() for word in _function(function, one)]
        number += len(begun)
    kept = _without_classes(found, used)
    return [*kept, *functions]


def _without_classes(words: Words, used: set[str]) -> Words:
    """The words without the classes of which there are objects no more."""
    for one in reversed(list(host_classes(words))):
        named = {word.text for word in (*words[: one.start], *words[one.end + 1 :])}
        if one.name in used and one.name not in named:
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


def _declared(words: Sequence[Piece], number: int, classes: Mapping[str, HostClass], taken: set[str]) -> _Object | None:
    """The object that is declared at a position; None where something else stands."""
    class_ = classes.get(words[number].text)
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
    names = {one.name.text: [made(_other(f"{name.text}_{one.name.text}", taken), name)] for one in class_.data}
    names |= {one: [made(_other(f"{name.text}_{one}", taken), name)] for one in class_.functions}
    return _Object(class_, name, names, arguments, taken)


def _other(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    taken.add(name)
    return name


# --- how it begins and ends -------------------------------------------------------------------------------------------


def _begun(one: _Object, rest: Sequence[Piece]) -> Words:
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
        initial = _inside(initial, one, meant)
        if each.before[-1].text == "&" and len(initial) == 3:
            # It is another name for what it is made of.
            one.names[each.name.text] = [initial[1]]
            continue
        found += _member(each, initial, one)
    # What the constructor declares is known to nothing else.
    body = without_names(body, meant, one.taken)
    own = {name: [made(f"{one.name.text}_{name}_of_constructor", one.name)] for name in declared_names(body)}
    return [*found, *_inside(substituted(body, own), one, meant)[1:-1]]


def _only_value(each: Data, body: Words, one: _Object, rest: Sequence[Piece]) -> int | None:
    """Where a constructor assigns a number to a member that nothing else does: it is what the member begins with."""
    name = each.name.text
    place = next((n for n in outer(body, 1, len(body) - 1) if texts(body, n, 2) == (name, "=")), None)
    if place is None or texts(body, place + 3, 1) != (";",) or not begins_statement(body, place):
        return None
    others = [*body[:place], *body[place + 4 :], *rest]
    bodies = [function.body for function in one.class_.functions.values()]
    return None if any(assigns(words, name) for words in (others, *bodies)) else place


def _constructor(one: _Object) -> Function | None:
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
        _refuse(one.name, f"which constructor of '{one.class_.name}' makes this object of the host is not evident")
    return fitting[0]


def _parameters(constructor: Function, one: _Object) -> tuple[Words, dict[str, Words]]:
    """Declarations of variables for parameters of a constructor, and what all parameters stand for."""
    declared: Words = []
    meant: dict[str, Words] = {}
    references = [each.name.text for each in one.class_.data if each.before[-1].text == "&"]
    given = [*one.arguments, *(each.default for each in constructor.parameters[len(one.arguments) :])]
    for parameter, argument in zip(constructor.parameters, given, strict=True):
        if not argument:
            _refuse(one.name, f"nothing is passed for '{parameter.name}' here")
        is_kept = any(word.text == parameter.name for each in references for word in constructor.initials.get(each, ()))
        if len(argument) == 1 and not assigns(constructor.body, parameter.name):
            meant[parameter.name] = argument
            continue
        is_const = any(word.text == "const" for word in parameter.type)
        if parameter.is_reference and (is_kept or not is_const):
            _refuse(argument[0], f"'{parameter.name}' refers to what is passed here: give that a name of its own")
        name = made(f"{one.name.text}_{parameter.name}_of_constructor", argument[0])
        type_ = [word for word in parameter.type if word.text != "&"]
        declared += [*type_, name, made("=", name), *argument, made(";", name)]
        meant[parameter.name] = [name]
    return declared, meant


def _member(each: Data, initial: Words, one: _Object) -> Words:
    """The declaration of the variable that a member is."""
    (name,) = one.names[each.name.text]
    kinds = {word.text for word in each.before} - {"const", "std", "::", "sycl"}
    is_number = kinds <= NUMBERS or "*" in kinds
    if is_number and initial and initial[0].text in {"(", "{"} and not each.behind:
        initial = [made("=", name), *(initial[1:-1] or [made("0", name)])]
    return [*each.before, name, *each.behind, *initial, made(";", name)]


def _ended(words: Words, one: _Object) -> Words:
    """The rest of the block of an object, whose destructor is called where it is left."""
    if one.class_.destructor is None:
        return words
    body = _inside(one.class_.destructor.body, one, {})
    found: Words = []
    number = 0
    is_over = False
    while number < len(words):
        if words[number].text != "return" or is_in_lambda(words, number):
            found.append(words[number])
            number += 1
            continue
        end = end_of_statement(words, number)
        value = words[number + 1 : end]
        at = words[number]
        if not value or len(value) == 1:
            left = [*body, *words[number : end + 1]]
        else:
            name = made(f"{one.name.text}_returned", at)
            left = [made("auto", at), name, made("=", at), *value, made(";", at), *body, at, name, made(";", at)]
        found += [made("{", at), *left, made("}", at)]
        number = end + 1
        is_over = number == len(words)
    return found if is_over else [*found, *body]


# --- its members ------------------------------------------------------------------------------------------------------


def _function(function: Function, one: _Object) -> Words:
    """A function of the object as one of the host."""
    (name,) = one.names[function.name.text]
    shadowed = {parameter.name for parameter in function.parameters}
    others = {each: [made(_other(f"{each}_2", one.taken), name)] for each in sorted(shadowed & one.references)}
    signature = substituted(function.signature, others, in_place=True)
    body = _inside(substituted(function.body, others, in_place=True), one, {}, shadowed)
    return [made(OF_OBJECT, name), *function.before, name, *signature, *body]


def _inside(
    words: Words, one: _Object, meant: Mapping[str, Words], shadowed: frozenset[str] | set[str] = frozenset()
) -> Words:
    """Words of the class with what they mean for an object: its members, and parameters."""
    referred = one.references | {word.text for argument in meant.values() for word in argument}
    words = without_names(words, {*one.names, *meant, *referred} - shadowed, one.taken)
    own = shadowed | set(meant)
    names = {name: other for name, other in one.names.items() if name not in own}
    data = {each.name.text for each in one.class_.data}
    words = with_captured_members(words, data & set(names))
    found: Words = []
    number = 0
    while number < len(words):
        follows = texts(words, number, 3)
        if follows[:2] == ("this", "->") and follows[2] in one.names:
            found.append(one.names[follows[2]][0])
            number += 3
            continue
        if follows[:1] == ("this",):
            _refuse(
                words[number],
                f"'this' in a function of '{one.class_.name}', an object of the host, stands before its members",
            )
        found.append(words[number])
        number += 1
    # What is done with a member is done where a function of the class says so.
    return substituted(substituted(found, names, in_place=True), meant)


def _with_members(words: Words, one: _Object) -> Words:
    """The words with members and functions of an object in place of what names them by it."""
    found: Words = []
    number = 0
    while number < len(words):
        word = words[number]
        if word.text != one.name.text or has_owner(words, number):
            found.append(word)
            number += 1
            continue
        follows = texts(words, number + 1, 2)
        if follows[:1] in {("[",), ("(",)} and (element := _element(words, number + 1, one)):
            found += element
            number = closing(words, number + 1) + 1
            continue
        if len(follows) < 2 or follows[0] != "." or follows[1] not in one.names:
            message = (
                f"'{one.name.text}' is an object of '{one.class_.name}', which only the host has: its members and "
                f"functions are named, '{one.name.text}.f()'"
            )
            _refuse(word, message)
        value = _only_returned(one.class_.functions.get(follows[1]), 0)
        if value and texts(words, number + 3, 2) == ("(", ")"):
            at = words[number + 2]
            inside = [made(word.text, at) for word in _inside(value, one, {})]
            is_one = len(inside) == 1 or [word.text for word in inside[1:]] in _WHOLE
            found += inside if is_one else [made("(", at), *inside, made(")", at)]
            number += 5
            continue
        found.append(made(one.names[follows[1]][0].text, words[number + 2]))
        number += 3
    return found


def _element(words: Words, opening: int, one: _Object) -> Words:
    """What an operator of an object returns for what stands in brackets; nothing where it does anything else."""
    function = one.class_.elements.get(words[opening].text)
    given = listed(words, opening + 1, closing(words, opening))
    value = _only_returned(function, len(given))
    if function is None or not value:
        return []
    meant: dict[str, Words] = {}
    for parameter, each in zip(function.parameters, given, strict=True):
        argument = _with_members(each, one)
        if len(argument) > 1:
            # It is evaluated once.
            if sum(word.text == parameter.name for word in value) != 1:
                return []
            argument = [made("(", words[opening]), *argument, made(")", words[opening])]
        meant[parameter.name] = argument
    # It is accessed where the operator is called.
    given_words = {id(word) for argument in meant.values() for word in argument}
    called, last = words[opening - 1], words[closing(words, opening)]
    inside = [word if id(word) in given_words else made(word.text, called) for word in _inside(value, one, meant)]
    inside[-1] = inside[-1] if id(inside[-1]) in given_words else made(inside[-1].text, last)
    is_place = texts(value, 1, 1) == ("[",) and closing(value, 1) == len(value) - 1
    return inside if is_place else [made("(", words[opening]), *inside, made(")", words[opening])]


def _only_returned(function: Function | None, count: int) -> Words:
    """What a function with some parameters returns, and does nothing else; nothing of others."""
    if function is None or len(function.parameters) != count or texts(function.body, 1, 1) != ("return",):
        return []
    end = end_of_statement(function.body, 1)
    value = function.body[2:end]
    is_pure = all(is_name(word) or word.text.isdigit() or word.text in _PURE for word in value)
    called = [value[n - 1] for n in range(1, len(value)) if value[n].text == "("]
    asks = all(not is_name(word) or word.text in _ASKING for word in called)
    return value if end == len(function.body) - 2 and is_pure and asks else []


def _refuse(word: Piece, message: str) -> None:
    assert word.span is not None
    raise InputError(Diagnostic("E207", message, word.span))
