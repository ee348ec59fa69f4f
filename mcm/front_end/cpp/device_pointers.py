"""Pointers of the host to memory of the device that never change, `int* p = d;`, as the names of that memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.definitions import assigns
from mcm.front_end.cpp.own_names import declared_names
from mcm.front_end.cpp.words import closing, end_of_block, end_of_statement, is_name, substituted, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_BETWEEN: Final = frozenset({";", "{", "}"})
_MAKES: Final = "malloc_device"


def with_device_pointers(words: Sequence[Piece]) -> Words:
    """The words with names of memory of the device in place of other pointers to it."""
    memory = {words[n - 1].text for n in range(1, len(words)) if words[n].text == "=" and _is_made(words, n + 1)}
    found = list(words)
    number = 0
    while memory and number < len(found):
        number += 1
        name = _declared(found, number - 1, memory)
        if name is None:
            continue
        end = end_of_statement(found, number)
        last = end_of_block(found, end)
        pointer, of = found[name].text, found[name + 2]
        rest = found[end + 1 : last]
        if not any(_changes(rest, one) for one in (pointer, of.text)):
            found[number - 1 : last] = substituted(rest, {pointer: [of]}, in_place=True)
            number -= 1
    return found


def _is_made(words: Sequence[Piece], number: int) -> bool:
    """Whether memory of the device is made at a position."""
    return _MAKES in (texts(words, number, 1) + texts(words, number + 2, 1))


def _declared(words: Sequence[Piece], number: int, memory: set[str]) -> int | None:
    """The position of the name of a pointer that is declared with such memory; None where something else stands."""
    if not number or words[number - 1].text not in _BETWEEN:
        return None
    end = end_of_statement(words, number)
    if end - number < 4 or texts(words, end - 2, 1) != ("=",) or words[end - 1].text not in memory:
        return None
    type_ = words[number : end - 3]
    is_pointer = type_[-1].text == "*" or any(word.text == "auto" for word in type_)
    is_type = all(is_name(word) or word.text in {"*", "::"} for word in type_) and type_[0].text != "return"
    return end - 3 if is_pointer and is_type and is_name(words[end - 3]) else None


def _changes(words: Sequence[Piece], name: str) -> bool:
    """Whether a name may stand for something else later: it is assigned, exchanged, or declared again."""
    if assigns(words, name) or name in declared_names(words):
        return True
    swaps = [n for n, word in enumerate(words) if word.text == "swap" and texts(words, n + 1, 1) == ("(",)]
    return any(word.text == name for n in swaps for word in words[n : closing(words, n + 1)])
