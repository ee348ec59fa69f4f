"""Functions of one name, `int sq(int x)` and `float sq(float x)`: each has a name of its own, which its calls tell.

A call is of the one function that takes so many arguments, and the types of those that are evident. Where that leaves
several, or none, all keep their name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.classes import KEYS
from mcm.front_end.cpp.definitions import bare_type, definitions, evident_type
from mcm.front_end.cpp.words import closing, has_owner, is_name, listed, made, outer, texts

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from mcm.front_end.cpp.definitions import Definition
    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_MAIN: Final = "main"


def with_names_of_their_own(words: Sequence[Piece]) -> Words:
    """The words with a name for each function of several that have one."""
    found = list(words)
    for name, functions in _several(words).items():
        if not any(one.templates for one in functions) and name != _MAIN:
            found = _renamed(found, name, functions)
    return found


def _several(words: Sequence[Piece]) -> dict[str, list[Definition]]:
    """The functions of each name that several have, in the order of the text."""
    found: dict[str, list[Definition]] = {}
    rest = list(words)
    while True:
        functions, _, several = definitions(rest)
        last = [one for name, one in functions.items() if name in several or name in found]
        if not last:
            return found
        for one in last:
            found.setdefault(one.name.text, []).insert(0, one)
        gone = {id(word) for one in last for word in one.words}
        rest = [word for word in rest if id(word) not in gone]


def _renamed(words: Words, name: str, functions: list[Definition]) -> Words:
    """The words with names of their own for the functions of one name; the same where a call does not tell which."""
    classes = {words[n + 1].text for n in range(len(words) - 1) if words[n].text in KEYS}
    others = {id(one.name): f"{name}_{number}" for number, one in enumerate(functions, 1)}
    taken = {word.text for word in words}
    if len(others) < len(functions) or not taken.isdisjoint(others.values()):
        return words
    found = list(words)
    of_members = _in_classes_with(words, name)
    for number, word in enumerate(words):
        if word.text != name or has_owner(words, number) or texts(words, number + 1, 1) != ("(",):
            continue
        if number in of_members:
            continue
        if id(word) in others:
            found[number] = made(others[id(word)], word)
            continue
        arguments = listed(words, number + 2, closing(words, number + 1))
        fitting = [one for one in functions if _takes(one, arguments, words[_unit(words, number) : number], classes)]
        if len(fitting) != 1:
            return words
        found[number] = made(others[id(fitting[0].name)], word)
    return found


def _in_classes_with(words: Words, name: str) -> frozenset[int]:
    """The positions in classes that have a function of a name, which is meant there."""
    found: set[int] = set()
    for number, word in enumerate(words):
        opening = next((n for n in range(number, len(words)) if words[n].text in {"{", ";", "(", ">"}), number)
        if word.text in KEYS and words[opening].text == "{":
            last = closing(words, opening)
            if any(texts(words, n, 2) == (name, "(") for n in outer(words, opening + 1, last)):
                found.update(range(opening, last))
    return frozenset(found)


def _unit(words: Sequence[Piece], place: int) -> int:
    """Where the function begins that is around a position."""
    depth = start = 0
    for number in range(place):
        depth += (words[number].text == "{") - (words[number].text == "}")
        if depth == 0 and words[number].text in {";", "}"}:
            start = number + 1
    return start


def _takes(one: Definition, arguments: list[Words], before: Sequence[Piece], classes: Collection[str]) -> bool:
    """Whether a function takes so many arguments, of these types as far as they are evident."""
    least = sum(not parameter.default for parameter in one.parameters)
    if not least <= len(arguments) <= len(one.parameters):
        return False
    for parameter, argument in zip(one.parameters, arguments, strict=False):
        type_ = [word.text for word in bare_type(evident_type(before, argument, classes))]
        wanted = [word.text for word in bare_type(parameter.type) if is_name(word) or word.text != "&"]
        if type_ and type_ != wanted:
            return False
    return True
