"""What members and functions of an object of the host are called, where its class and the program name them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NoReturn

from msgspec import Struct

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.front_end.cpp.captured_members import with_captured_members
from mcm.front_end.cpp.definitions import OF_OBJECT
from mcm.front_end.cpp.own_names import without_names
from mcm.front_end.cpp.words import (
    closing,
    end_of_statement,
    has_owner,
    is_name,
    listed,
    made,
    other_name,
    substituted,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from mcm.front_end.cpp.host_classes import Function, HostClass
    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_PURE: Final = frozenset({"[", "]", "(", ")", ".", "->", "::", "+", "-", "*"})
# What is asked of a container.
_ASKING: Final = frozenset({"size", "data", "begin", "end"})
_WHOLE: Final = [[".", name, "(", ")"] for name in sorted(_ASKING)]


class HostObject(Struct, frozen=True):
    """An object: its class, type and name, what its members and functions are called, and what it is made of.

    `whole` is a name for it that nothing else has, where it is passed. `taken` are the names of the program.
    """

    class_: HostClass
    type: Words
    name: Piece
    whole: str
    names: dict[str, Words]
    arguments: list[Words]
    taken: set[str]

    @property
    def references(self) -> set[str]:
        """What its members that refer to something are called."""
        members = (one for one in self.class_.data if one.before[-1].text == "&")
        return {self.names[one.name.text][0].text for one in members}


def function_of(function: Function, one: HostObject) -> Words:
    """A function of the object as one of the host."""
    (name,) = one.names[function.name.text]
    shadowed = {parameter.name for parameter in function.parameters}
    others = other_parameters(shadowed, one, name)
    signature = substituted(function.signature, others, in_place=True)
    body = in_object(substituted(function.body, others, in_place=True), one, {}, shadowed)
    return [made(OF_OBJECT, name), *function.before, name, *signature, *body]


def other_parameters(parameters: Collection[str], one: HostObject, at: Piece) -> dict[str, Words]:
    """Other names for those parameters that are called as something that a member of the object refers to."""
    return {each: [made(other_name(f"{each}_2", one.taken), at)] for each in sorted(one.references & set(parameters))}


def in_object(
    words: Words, one: HostObject, meant: Mapping[str, Words], shadowed: frozenset[str] | set[str] = frozenset()
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
        if follows[:1] == ("this",) and texts(found, len(found) - 1, 1) == ("*",) and is_argument(words, number, 1):
            found[-1] = made(one.whole, words[number])
            number += 1
            continue
        if follows[:1] == ("this",):
            refuse(
                words[number],
                f"'this' in a function of '{one.class_.name}', an object of the host, stands before its members",
            )
        found.append(words[number])
        number += 1
    # What is done with a member is done where a function of the class says so.
    return substituted(substituted(found, names, in_place=True), meant)


def with_members(words: Words, one: HostObject) -> Words:
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
        if is_argument(words, number):
            found.append(made(one.whole, word))
            number += 1
            continue
        if len(follows) < 2 or follows[0] != "." or follows[1] not in one.names:
            message = (
                f"'{one.name.text}' is an object of '{one.class_.name}', which only the host has: its members and "
                f"functions are named, '{one.name.text}.f()', and functions are passed it by reference"
            )
            refuse(word, message)
        value = _only_returned(one.class_.functions.get(follows[1]), 0)
        if value and texts(words, number + 3, 2) == ("(", ")"):
            at = words[number + 2]
            inside = [made(word.text, at) for word in in_object(value, one, {})]
            is_one = len(inside) == 1 or [word.text for word in inside[1:]] in _WHOLE
            found += inside if is_one else [made("(", at), *inside, made(")", at)]
            number += 5
            continue
        found.append(made(one.names[follows[1]][0].text, words[number + 2]))
        number += 3
    return found


def _element(words: Words, opening: int, one: HostObject) -> Words:
    """What an operator of an object returns for what stands in brackets; nothing where it does anything else."""
    function = one.class_.elements.get(words[opening].text)
    given = listed(words, opening + 1, closing(words, opening))
    value = _only_returned(function, len(given))
    if function is None or not value:
        return []
    meant: dict[str, Words] = {}
    for parameter, each in zip(function.parameters, given, strict=True):
        argument = with_members(each, one)
        if len(argument) > 1:
            # It is evaluated once.
            if sum(word.text == parameter.name for word in value) != 1:
                return []
            argument = [made("(", words[opening]), *argument, made(")", words[opening])]
        meant[parameter.name] = argument
    # It is accessed where the operator is called.
    given_words = {id(word) for argument in meant.values() for word in argument}
    called, last = words[opening - 1], words[closing(words, opening)]
    inside = [word if id(word) in given_words else made(word.text, called) for word in in_object(value, one, meant)]
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


def is_argument(words: Sequence[Piece], number: int, before: int = 0) -> bool:
    """Whether a name at a position, with so many signs before it, is all that is passed for a parameter."""
    opens = texts(words, number - before - 1, 1) if number > before else ()
    return opens in {("(",), ("{",), (",",)} and texts(words, number + 1, 1) in {(")",), ("}",), (",",)}


def refuse(word: Piece, message: str) -> NoReturn:
    """Refuse what stands at a word."""
    assert word.span is not None
    raise InputError(Diagnostic("E207", message, word.span))
