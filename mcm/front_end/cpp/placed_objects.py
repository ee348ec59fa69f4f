"""Objects that are made in memory which is there, `new (p) Latch(2)`: assignments of what the constructor makes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.elements import code
from mcm.front_end.cpp.words import (
    behind_arguments,
    closing,
    end_of_block,
    end_of_statement,
    is_name,
    listed,
    start_of_statement,
    substituted,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_ALLOCATORS: Final = frozenset({"malloc_shared", "malloc_host"})


def with_placed_objects(words: Sequence[Piece]) -> Words:
    """The words with assignments in place of such objects; memory without a type is memory for one of them."""
    found = list(words)
    number = 0
    while number < len(found):
        placed = _placed(found, number)
        if placed is not None:
            memory, type_, value = placed
            start, end = start_of_statement(found, number), end_of_statement(found, number)
            at = found[number]
            assigned = code(at, "* {memory} = {value} ;", memory=[memory], value=value)
            if start == number:
                found[start : end + 1] = assigned
            elif texts(found, number - 1, 1) == ("=",) and is_name(found[number - 2]):
                name = found[number - 2].text
                last = end_of_block(found, end)
                rest = substituted(found[end + 1 : last], {name: [memory]}, in_place=True)
                found[start:last] = [*assigned, *rest]
                found = _with_type(found, start, memory.text, type_)
        number += 1
    return found


def _placed(words: Sequence[Piece], number: int) -> tuple[Piece, Words, Words] | None:
    """The memory, the class and the object that is made in it, at a position; None where something else stands."""
    match texts(words, number, 4):
        case ("new", "(", _, ")"):
            pass
        case _:
            return None
    start = number + 4
    name = start
    while texts(words, name + 1, 1) == ("::",):
        name += 2
    opening = behind_arguments(words, name + 1)
    if texts(words, opening, 1) not in {("(",), ("{",)}:
        return None
    last = closing(words, opening)
    is_statement = texts(words, last + 1, 1) == (";",)
    return (words[number + 2], list(words[start:opening]), list(words[start : last + 1])) if is_statement else None


def _with_type(words: Words, end: int, name: str, type_: Words) -> Words:
    """The words with memory for one object of a class: `Latch* p = malloc_shared<Latch>(1, q)`."""
    for number in range(end):
        if texts(words, number, 4) != ("void", "*", name, "="):
            continue
        last = end_of_statement(words, number)
        call = next((n for n in range(number, last) if words[n].text in _ALLOCATORS), last)
        parts = listed(words, call + 2, closing(words, call + 1)) if texts(words, call + 1, 1) == ("(",) else []
        if len(parts) > 1 and texts(parts[0], 0, 1) == ("sizeof",):
            rest = [word for part in parts[1:] for word in (*code(words[number], ","), *part)]
            pattern = f"{{type}} * {name} = {words[call].text} < {{type}} > ( 1 {{rest}} )"
            made_here = code(words[number], pattern, type=type_, rest=rest)
            return [*words[:number], *made_here, *words[last:]]
    return words
