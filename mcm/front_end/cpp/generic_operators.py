"""Classes whose calls are templates, `template <typename T> T operator()(T a, T b) const`: the function has a name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.classes import KEYS, class_at, end_of_member
from mcm.front_end.cpp.definitions import declared_type
from mcm.front_end.cpp.words import made, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_NAME: Final = "called_by_operator"
_CALL: Final = ("operator", "(", ")")
_OWN: Final = frozenset({".", "->", "::"})


def with_named_calls(words: Sequence[Piece]) -> Words:
    """The words with a function of a name in place of such operators, and calls of it in place of those of objects."""
    found: Words = []
    classes: set[str] = set()
    number = 0
    while number < len(words):
        one, behind = class_at(words, number) if words[number].text in KEYS else (None, number)
        if one is None or one.templates:
            found.append(words[number])
            number += 1
            continue
        body = _with_names(one.body)
        classes |= {one.name.text} if len(body) < len(one.body) else set()
        found += [*words[number : behind - len(one.body)], *body]
        number = behind
    return _called(found, classes) if classes else found


def _with_names(body: Words) -> Words:
    """The body of a class with a name in place of operators that are templates."""
    found: Words = [body[0]]
    number = 1
    while number < len(body) - 1:
        end = end_of_member(body, number)
        member = list(body[number:end])
        place = next((n for n in range(len(member)) if texts(member, n, 3) == _CALL), None)
        if texts(member, 0, 1) == ("template",) and place is not None:
            member[place : place + 3] = [made(_NAME, member[place])]
        found += member
        number = end
    return [*found, body[-1]]


def _called(words: Words, classes: set[str]) -> Words:
    """The words with calls by name of objects of these classes."""
    found: Words = []
    start = depth = 0
    for number, word in enumerate(words):
        depth += (word.text == "{") - (word.text == "}")
        is_call = texts(words, number + 1, 1) == ("(",) and number > 0 and words[number - 1].text not in _OWN
        found.append(word)
        if is_call and {one.text for one in declared_type(words[start:number], word.text)} & classes:
            found += [made(".", word), made(_NAME, word)]
        if depth == 0 and word.text in {";", "}"}:
            start = number + 1
    return found
