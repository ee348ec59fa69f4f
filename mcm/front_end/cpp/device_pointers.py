"""Pointers of the host to memory of the device that never change, `int* p = d;`, as the names of that memory.

So are those to objects of a class in memory that host and devices share, which kernels are passed by these names alone,
and those to a place in it, `int* p = d + n;`, as expressions, where nothing in them changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.definitions import assigns
from mcm.front_end.cpp.own_names import declared_names
from mcm.front_end.cpp.words import (
    begins_statement,
    closing,
    end_of_block,
    end_of_statement,
    is_name,
    made,
    substituted,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_MAKES: Final = "malloc_device"
_SHARED: Final = frozenset({"malloc_shared", "malloc_host"})
_SIGNS: Final = frozenset({"+", "*", "(", ")"})


def with_device_pointers(words: Sequence[Piece]) -> Words:
    """The words with names of memory of the device in place of other pointers to it."""
    signs = [n for n in range(1, len(words)) if words[n].text == "="]
    memory = {words[n - 1].text for n in signs if _is_made(words, n + 1) or _are_objects(words, n + 1)}
    found = list(words)
    number = 0
    while memory and number < len(found):
        number += 1
        name = _declared(found, number - 1, memory)
        if name is None:
            continue
        end = end_of_statement(found, number)
        last = end_of_block(found, end)
        pointer, value = found[name].text, found[name + 2 : end]
        rest = found[end + 1 : last]
        names = [word.text for word in value if is_name(word)]
        if not any(_changes(rest, one) for one in (pointer, *names)) and not _are_hidden(rest, names[1:]):
            at = found[name]
            meant = value if len(value) == 1 else [made("(", at), *value, made(")", at)]
            found[number - 1 : last] = substituted(rest, {pointer: meant}, in_place=True)
            number -= 1
    return found


def _is_made(words: Sequence[Piece], number: int) -> bool:
    """Whether memory of the device is made at a position."""
    return _MAKES in (texts(words, number, 1) + texts(words, number + 2, 1))


def _are_objects(words: Sequence[Piece], number: int) -> bool:
    """Whether memory of objects that host and devices share is made at a position."""
    made_here = (texts(words, number, 3), texts(words, number + 2, 3))
    return any(len(one) == 3 and one[0] in _SHARED and one[1:] == ("<", "struct") for one in made_here)


def _declared(words: Sequence[Piece], number: int, memory: set[str]) -> int | None:
    """The position of the name of a pointer that is declared with such memory; None where something else stands."""
    if not number or not begins_statement(words, number):
        return None
    end = end_of_statement(words, number)
    sign = next((n for n in range(number, end) if words[n].text == "="), end)
    if sign - number < 2 or not _is_place(words[sign + 1 : end], memory):
        return None
    type_ = words[number : sign - 1]
    is_pointer = type_[-1].text == "*" or any(word.text == "auto" for word in type_)
    is_type = all(is_name(word) or word.text in {"*", "::"} for word in type_) and type_[0].text != "return"
    return sign - 1 if is_pointer and is_type and is_name(words[sign - 1]) else None


def _is_place(value: Sequence[Piece], memory: set[str]) -> bool:
    """Whether a value is memory of the device, or a place so many elements behind its first one: `d + 2 * n`."""
    if not value or value[0].text not in memory:
        return False
    rest = value[2:]
    is_number = bool(rest) and all(is_name(word) or word.text.isdecimal() or word.text in _SIGNS for word in rest)
    is_behind = texts(value, 1, 1) == ("+",) and is_number and not any(word.text in memory for word in rest)
    return len(value) == 1 or is_behind


def _are_hidden(words: Sequence[Piece], names: Sequence[str]) -> bool:
    """Whether one of some names may be that of something else in the words: what stands before it may be a type."""
    places = (n for n, word in enumerate(words) if n and word.text in names)
    return any(is_name(words[n - 1]) or words[n - 1].text in {">", "&"} for n in places)


def _changes(words: Sequence[Piece], name: str) -> bool:
    """Whether a name may stand for something else later: it is assigned, exchanged, or declared again."""
    # `*p = v;` changes what `p` points at.
    kept = [
        word
        for n, word in enumerate(words)
        if word.text != name or n < 2 or words[n - 1].text != "*" or not begins_statement(words, n - 1)
    ]
    if assigns(kept, name) or name in declared_names(words):
        return True
    swaps = [n for n, word in enumerate(words) if word.text == "swap" and texts(words, n + 1, 1) == ("(",)]
    return any(word.text == name for n in swaps for word in words[n : closing(words, n + 1)])
