"""Classes that functions define: they stand beside the functions, as they know none of the variables there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.words import closing, end_of_statement, is_name, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_KEYS: Final = frozenset({"struct", "class"})
_BEFORE: Final = frozenset({";", "{", "}"})


def without_local_classes(words: Sequence[Piece]) -> Words:
    """The words with classes of functions before these; one whose name another class has stays where it is."""
    known = {words[number + 1].text for number in range(len(words) - 1) if words[number].text in _KEYS}
    counts = dict.fromkeys(known, 0)
    for number in range(len(words) - 1):
        if words[number].text in _KEYS and _opening(words, number) is not None:
            counts[words[number + 1].text] += 1
    found: Words = []
    number = begin = 0
    while number < len(words):
        text = words[number].text
        if text == "{":
            last = closing(words, number)
            # What is in braces behind parameters is the body of a function.
            is_body = bool(number) and words[number - 1].text in {")", "const", "noexcept", "override"}
            moved, rest = _taken(words[number : last + 1], counts) if is_body else ([], list(words[number : last + 1]))
            found += [*moved, *words[begin:number], *rest]
            number = begin = last + 1
            continue
        if text == ";":
            found += words[begin : number + 1]
            begin = number + 1
        number += 1
    return [*found, *words[begin:]]


def _taken(body: Sequence[Piece], counts: dict[str, int]) -> tuple[Words, Words]:
    """The classes that a body defines, and the body without them."""
    moved: Words = []
    rest: Words = []
    number = 0
    while number < len(body):
        is_first = bool(number) and body[number - 1].text in _BEFORE and body[number].text in _KEYS
        opening = _opening(body, number) if is_first else None
        if opening is None or counts[body[number + 1].text] > 1:
            rest.append(body[number])
            number += 1
            continue
        end = end_of_statement(body, opening)
        if end != closing(body, opening) + 1:
            # It is the type of a variable at once.
            rest.append(body[number])
            number += 1
            continue
        moved += body[number : end + 1]
        number = end + 1
    return moved, rest


def _opening(words: Sequence[Piece], number: int) -> int | None:
    """The position of the bracket of a class that is defined at a position; None where none is."""
    name = number + 1
    if not texts(words, name, 1) or not is_name(words[name]):
        return None
    behind = name + 1 + (texts(words, name + 1, 1) == ("final",))
    return behind if texts(words, behind, 1) == ("{",) else None
