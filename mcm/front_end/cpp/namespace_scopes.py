"""Namespaces of a program: where they are open, and what they declare."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.front_end.cpp.classes import KEYS
from mcm.front_end.cpp.own_names import declared_names, parameters_of_lambdas
from mcm.front_end.cpp.words import (
    behind_arguments,
    closing,
    closing_head,
    is_name,
    listed,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcm.front_end.pieces import Piece

Path = tuple[str, ...]

_CLASS_KEYS: Final = KEYS | {"union"}
_BEHIND_PARAMETERS: Final = frozenset({"{", "const", "noexcept", "->", ":", "mutable"})
_BEFORE_NAME: Final = frozenset({"*", "&", ">", "&&"})
_NO_DECLARATIONS: Final = frozenset({"friend", "static_assert", "extern", "public", "private", "protected"})
_BEHIND_NAME: Final = frozenset({"(", "=", "{", "[", ";", ","})


class Opened(Struct, frozen=True):
    """A namespace, or one that is opened again: its path, and the positions of its braces."""

    path: Path
    start: int
    end: int


def opened_namespaces(words: Sequence[Piece]) -> list[Opened]:
    """The namespaces of a program, each time that they are opened, inner ones behind those around them."""
    found: list[Opened] = []
    for number, word in enumerate(words):
        if word.text != "namespace" or (number and words[number - 1].text == "using"):
            continue
        position = number + 1
        while position < len(words) and (is_name(words[position]) or words[position].text == "::"):
            position += 1
        if texts(words, position, 1) == ("{",):
            around = path_at(found, number)
            own = tuple(one.text for one in words[number + 1 : position] if is_name(one) and one.text != "inline")
            found.append(Opened((*around, *own), position, closing(words, position)))
    return found


def path_at(opened: Sequence[Opened], number: int) -> Path:
    """The path of the innermost namespace around a position; that of the file is empty."""
    return next((one.path for one in reversed(opened) if one.start < number < one.end), ())


def declared_in(words: Sequence[Piece], start: int, end: int) -> Iterator[tuple[str, int]]:
    """The names that are declared between two positions outside functions, classes and inner namespaces, and where."""
    number = start
    while number < end:
        text = words[number].text
        if text == "namespace":
            brace = next((n for n in range(number, end) if words[n].text in {"{", ";"}), end)
            number = (closing(words, brace) if texts(words, brace, 1) == ("{",) else brace) + 1
            continue
        if text == "template" and texts(words, number + 1, 1) == ("<",):
            number = (closing_head(words, number + 1) or number) + 1
            continue
        last = _end_of_declaration(words, number, end)
        if text not in _NO_DECLARATIONS:
            yield from _declared(words, number, last)
        number = last + 1


def _end_of_declaration(words: Sequence[Piece], number: int, end: int) -> int:
    """The position of the semicolon, or of the brace behind a function, that ends a declaration."""
    position, has_parameters = number, False
    while position < end and words[position].text != ";":
        if words[position].text == "{" and has_parameters and words[position - 1].text != "=":
            return closing(words, position)
        has_parameters |= words[position].text == "("
        position = closing(words, position) + 1 if words[position].text in {"(", "[", "{"} else position + 1
    return min(position, end)


def _declared(words: Sequence[Piece], start: int, end: int) -> Iterator[tuple[str, int]]:
    """The names of one declaration."""
    first = words[start].text
    if first in {"using", "typedef"}:
        number = start + 1 if first == "using" else end - 1
        if first == "typedef" or texts(words, number + 1, 1) == ("=",):
            yield words[number].text, number
        return
    if first in _CLASS_KEYS or first == "enum":
        number = start + 1 + (first == "enum" and texts(words, start + 1, 1)[0] in _CLASS_KEYS)
        if is_name(words[number]) and texts(words, number + 1, 1) in {("{",), (";",), (":",), ("final",)}:
            yield words[number].text, number
        brace = next((n for n in range(start, end) if words[n].text == "{"), end)
        if first == "enum" and number == start + 1:
            for part in listed(words, brace + 1, closing(words, brace)):
                yield part[0].text, next(n for n in range(brace, end) if words[n] is part[0])
        return
    number = start + 1
    while number < end and words[number].text != "operator":
        number = behind_arguments(words, number)
        before, word, behind = words[number - 1], words[number], texts(words, number + 1, 1)
        is_declared = is_name(word) and (is_name(before) or before.text in _BEFORE_NAME)
        if is_declared and behind and behind[0] in _BEHIND_NAME:
            yield word.text, number
            return
        number += 1


def declared_inside(words: Sequence[Piece]) -> set[str]:
    """The names of variables, parameters and members that are declared in functions, lambdas and classes."""
    return {*_names_of_statements(words), *parameters_of_lambdas(words), *_parameters(words)}


def _names_of_statements(words: Sequence[Piece]) -> Iterator[str]:
    inside: list[Piece] = []
    opened = [one.start for one in opened_namespaces(words)]
    number = 0
    while number < len(words):
        if words[number].text == "{" and number not in opened:
            last = closing(words, number)
            inside += words[number : last + 1]
            number = last
        number += 1
    yield from declared_names(inside)


def _parameters(words: Sequence[Piece]) -> Iterator[str]:
    """The names of the parameters of functions and of templates."""
    for number, word in enumerate(words):
        last = None
        if word.text == "(" and texts(words, (end := closing(words, number)) + 1, 1) != ():
            last = end if words[end + 1].text in _BEHIND_PARAMETERS else None
        elif texts(words, number - 1, 1) == ("template",) and word.text == "<":
            last = closing_head(words, number)
        for part in listed(words, number + 1, last) if last is not None else []:
            end = next((n for n, one in enumerate(part) if one.text == "="), len(part)) - 1
            if end > 0 and is_name(part[end]) and (is_name(part[end - 1]) or part[end - 1].text in _BEFORE_NAME):
                yield part[end].text


def members_in(words: Sequence[Piece]) -> set[str]:
    """The names of the members of classes, and of what enumerations with a scope of their own list."""
    found: set[str] = set()
    for number, word in enumerate(words):
        if word.text not in _CLASS_KEYS:
            continue
        brace = next((n for n in range(number, len(words)) if words[n].text in {"{", ";", "(", ")"}), len(words))
        if texts(words, brace, 1) != ("{",):
            continue
        last = closing(words, brace)
        if texts(words, number - 1, 1) == ("enum",):
            found |= {part[0].text for part in listed(words, brace + 1, last)}
        else:
            found |= {name for name, _ in declared_in(words, brace + 1, last)} - {words[number + 1].text}
    return found
