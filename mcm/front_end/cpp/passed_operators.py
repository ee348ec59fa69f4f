"""Function objects of operators that are passed, `fold(p, sycl::plus<int>{})`, or have names, `plus<int> op;`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.called_operators import type_of_operator
from mcm.front_end.cpp.definitions import calls, definitions
from mcm.front_end.cpp.elements import OPERATORS, code
from mcm.front_end.cpp.words import (
    begins_statement,
    closing_angle,
    end_of_block,
    is_name,
    listed,
    substituted,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.definitions import Definition
    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_FUNCTIONS: Final = {"minimum": "sycl :: min", "maximum": "sycl :: max"}


def with_lambdas_passed(words: Sequence[Piece]) -> Words:
    """The words with lambdas in place of operators that templates of functions are passed, and only call."""
    found = list(words)
    functions = [one for one in definitions(words)[0].values() if one.templates]
    for one in functions:
        for _, opening, last in reversed(calls(found, one.name.text)):
            parts = listed(found, opening + 1, last)
            if len(parts) != len(one.parameters) or not any(map(type_of_operator, parts)):
                continue
            changed = [
                (_lambda(part) or part) if _only_calls(one, parameter.name) else part
                for part, parameter in zip(parts, one.parameters, strict=True)
            ]
            given = [word for part in changed for word in (*code(found[opening], ","), *part)][1:]
            found[opening + 1 : last] = given
    return found


def with_operators_in_place(words: Sequence[Piece]) -> Words:
    """The words with `std::plus<int>{}` in place of `op` behind `std::plus<int> op;`."""
    found = list(words)
    for number in reversed(range(len(found))):
        first = number + 2 * (texts(found, number, 2) in {("std", "::"), ("sycl", "::")})
        name = texts(found, first, 1)
        if not name or name[0] not in {*OPERATORS, *_FUNCTIONS} or not begins_statement(found, number):
            continue
        angle = closing_angle(found, first + 1) if texts(found, first + 1, 1) == ("<",) else None
        if angle is None or not texts(found, angle + 1, 1) or not is_name(found[angle + 1]):
            continue
        behind = angle + 2 + 2 * (texts(found, angle + 2, 2) in {("{", "}"), ("(", ")")})
        if texts(found, behind, 1) != (";",):
            continue
        last = end_of_block(found, behind)
        object_ = [*found[number : angle + 1], *code(found[number], "{ }")]
        found[number:last] = substituted(found[behind + 1 : last], {found[angle + 1].text: object_}, in_place=True)
    return found


def _only_calls(function: Definition, name: str) -> bool:
    """Whether nothing but calls names a parameter."""
    places = [n for n, word in enumerate(function.body) if word.text == name]
    return all(texts(function.body, n + 1, 1) == ("(",) for n in places)


def _lambda(argument: Words) -> Words | None:
    """`[](int a, int b) { return a + b; }` for `std::plus<int>()`."""
    type_ = type_of_operator(argument)
    if not type_:
        return None
    opening = next(n for n, word in enumerate(type_) if word.text == "<")
    of = list(type_[opening + 1 : closing_angle(type_, opening)]) or code(argument[0], "auto")
    name = type_[opening - 1].text
    value = f"one {OPERATORS[name]} other" if name in OPERATORS else f"{_FUNCTIONS[name]} ( one , other )"
    return code(argument[0], f"[ ] ( {{of}} one , {{of}} other ) {{ return {value} ; }}", of=of)
