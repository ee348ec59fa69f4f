"""Calls of functions that compute a number of constants, `divided_up(n, 4)`, as the numbers that they come to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.constant_names import NO_TYPES, ConstantNames
from mcm.front_end.cpp.definitions import bare_type, definitions
from mcm.front_end.cpp.numbers import SUFFIXES, NoNumberError, Reading
from mcm.front_end.cpp.words import (
    behind_statement,
    closing,
    end_of_statement,
    is_name,
    made,
    replaced,
    substituted,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcm.front_end.cpp.definitions import Definition
    from mcm.front_end.cpp.numbers import Known
    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_BEFORE_TYPES: Final = frozenset({"constexpr", "consteval", "static", "inline", "const", "std", "::"})
# How deep functions may call each other, and how often they do in all for a call in the program.
_DEEPEST: Final = 15
_MOST_CALLS: Final = 2000


def with_constant_calls(words: Sequence[Piece]) -> Words:
    """The words with numbers in place of calls of functions whose arguments are constants of one meaning."""
    found, _, several = definitions(words)
    several |= _declared_inside(words)
    functions = {name: one for name, one in found.items() if name not in several and _suffix(one) is not None}
    if not functions:
        return list(words)
    evaluated = _Calls(functions)
    constants = ConstantNames(words, evaluated.called)

    def at(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
        if words[number].text not in functions or _is_other(words[number - 1]):
            return None
        reading = Reading(words, number, constants.at(number), evaluated.called)
        try:
            value = reading.operand()
        except NoNumberError:
            return None
        return [made(f"{value}{_suffix(functions[words[number].text])}", words[number])], reading.next

    return replaced(words, at)


def _declared_inside(words: Sequence[Piece]) -> dict[str, Piece]:
    """What may be declared with brackets behind its name in a class or a function, and hide a function of the file."""
    found: dict[str, Piece] = {}
    depth = 0
    for number, word in enumerate(words):
        depth += (word.text == "{") - (word.text == "}")
        before = words[number - 1]
        if depth and texts(words, number + 1, 1) == ("(",) and is_name(before) and before.text not in NO_TYPES:
            found[word.text] = word
    return found


def _is_other(before: Piece) -> bool:
    """Whether what stands before the name of a function makes it that of a member, or a declaration."""
    return before.text in {".", "->", "::"} or (is_name(before) and before.text not in NO_TYPES)


def _suffix(definition: Definition) -> str | None:
    """What numbers of the type that a function returns end in; None where it computes anything but such numbers."""
    types = [definition.head, *(one.type for one in definition.parameters)]
    spelled = [" ".join(word.text for word in bare_type(type_) if word.text not in _BEFORE_TYPES) for type_ in types]
    return SUFFIXES.get(spelled[0]) if all(one in SUFFIXES for one in spelled) else None


class _Calls:
    """Computes what functions return that consist of `return`, and of `if` around it."""

    def __init__(self, functions: Mapping[str, Definition]) -> None:
        self._functions: Final = functions
        self._depth = 0
        self._count = 0

    def called(self, name: str, templates: Sequence[int], arguments: Sequence[int]) -> int:
        """What a call returns."""
        one = self._functions.get(name)
        if one is None or len(one.templates) != len(templates) or len(one.parameters) != len(arguments):
            raise NoNumberError
        self._count = self._count + 1 if self._depth else 0
        if self._depth > _DEEPEST or self._count > _MOST_CALLS:
            raise NoNumberError
        meant = {name: [made(str(value), one.name)] for name, value in zip(one.templates, templates, strict=True)}
        known = {each.name: value for each, value in zip(one.parameters, arguments, strict=True)}
        self._depth += 1
        try:
            found = self._statements(substituted(one.body[1:-1], meant), known.get)
        finally:
            self._depth -= 1
        if found is None:
            raise NoNumberError
        return found

    def _statements(self, words: Sequence[Piece], known: Known) -> int | None:
        """What statements return; None where they return nothing."""
        number = 0
        while number < len(words):
            behind = behind_statement(words, number)
            found = self._statement(words[number:behind], known)
            if found is not None:
                return found
            number = behind
        return None

    def _statement(self, words: Sequence[Piece], known: Known) -> int | None:
        match texts(words, 0, 2):
            case ("{", *_):
                return self._statements(words[1:-1], known)
            case ("return", *_):
                return self._value(words[1 : end_of_statement(words, 0)], known)
            case ("if", follows):
                opening = 1 + (follows == "constexpr")
                last = closing(words, opening)
                behind = behind_statement(words, last + 1)
                holds = self._value(words[opening + 1 : last], known)
                return self._statements(words[last + 1 : behind] if holds else words[behind + 1 :], known)
            case _:
                raise NoNumberError

    def _value(self, words: Sequence[Piece], known: Known) -> int:
        reading = Reading(words, 0, known, self.called)
        found = reading.conditional()
        if not reading.is_over:
            raise NoNumberError
        return found
