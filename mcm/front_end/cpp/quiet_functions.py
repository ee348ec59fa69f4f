"""Functions of the host that change nothing but variables of their own: calls of them may come in any order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.definitions import NUMBERS
from mcm.front_end.cpp.words import ASSIGNING, STEPS, has_owner, is_name, texts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mcm.front_end.cpp.definitions import Definition
    from mcm.front_end.pieces import Piece

_HEADS: Final = frozenset({"if", "for", "while", "switch", "return"})


def is_quiet(one: Definition, is_quiet_name: Callable[[str], bool]) -> bool:
    """Whether a function has only variables that are numbers, changes nothing else, and calls only others of these."""
    body = one.body
    own = {body[n].text for n in range(1, len(body)) if is_name(body[n]) and body[n - 1].text in NUMBERS}
    own |= {each.name for each in one.parameters if all(word.text in NUMBERS | {"const"} for word in each.type)}
    for number, word in enumerate(body):
        if word.text in ASSIGNING | STEPS:
            beside = (body[number - 1], body[number + 1]) if word.text in STEPS else (body[number - 1],)
            names = [each for each in beside if is_name(each)]
            if len(names) != 1 or names[0].text not in own or _is_part(body, number):
                return False
        if texts(body, number, 1) == ("(",) and is_name(body[number - 1]):
            is_size = texts(body, number - 2, 4) == (".", "size", "(", ")")
            if body[number - 1].text not in _HEADS and not is_size and not is_quiet_name(body[number - 1].text):
                return False
    return all(
        word.text not in {"new", "delete", "queue", "static", "{", "["} or _is_plain(body, n)
        for n, word in enumerate(body)
    )


def _is_part(body: Sequence[Piece], number: int) -> bool:
    """Whether what is assigned may be a member, or what a pointer leads to."""
    first = number - 1 if is_name(body[number - 1]) else number + 1
    return has_owner(body, first) or (body[first - 1].text == "*" and body[number].text not in STEPS)


def _is_plain(body: Sequence[Piece], number: int) -> bool:
    """Whether a bracket is that of a block or an index, and not of a lambda or an object."""
    before = body[number - 1].text if number else ""
    if body[number].text == "{":
        return not number or before in {")", ";", "{", "}", "else", "do"}
    return body[number].text == "[" and number > 0 and (is_name(body[number - 1]) or before in {"]", ")"})


def is_independent(words: Sequence[Piece], number: int, is_quiet_name: Callable[[str], bool]) -> bool:
    """Whether evaluating what begins with a name changes nothing, so that it may come before or behind a quiet call."""
    behind = texts(words, number + 1, 3)
    if behind[:1] == ("(",):
        return is_quiet_name(words[number].text)
    if behind[:1] in {(".",), ("->",)}:
        return behind == (".", "size", "(")
    return words[number - 1].text not in STEPS and not STEPS.intersection(behind[:1])
