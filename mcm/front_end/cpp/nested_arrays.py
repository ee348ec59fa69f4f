"""`std::array<std::array<int, 3>, 2> m{};` of which only elements are named, as `int m[2][3]`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from mcm.front_end.cpp.elements import code
from mcm.front_end.cpp.words import (
    begins_statement,
    closing,
    closing_angle,
    end_of_block,
    end_of_statement,
    is_member,
    is_name,
    listed,
    made,
    replaced,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece


class _Array(Struct, frozen=True):
    """An array of arrays: its name, the type of an element, the numbers of rows and of elements in one."""

    name: Piece
    element: Words
    rows: Words
    row: Words


def with_arrays_of_rows(words: Sequence[Piece]) -> Words:
    """The words with arrays of two dimensions in place of arrays of arrays."""
    found = list(words)
    for number in reversed(range(len(found))):
        one = _declared(found, number) if begins_statement(found, number) else None
        if one is None:
            continue
        end = end_of_statement(found, number)
        last = end_of_block(found, end)
        name = next(n for n in range(number, end) if found[n] is one.name)
        begins = [word.text for word in found[name + 1 : end] if word.text != "="]
        rest = replaced(found[end + 1 : last], lambda inner, at, one=one: _asked(inner, at, one))  # type: ignore[misc]
        if set(begins) <= {"{", "}"} and _names_elements(rest, one.name.text):
            pattern = "{element} {name} [ {rows} ] [ {row} ] = { 0 } ;"
            pattern = pattern if begins else pattern.replace(" = { 0 }", "")
            declared = code(one.name, pattern, element=one.element, name=[one.name], rows=one.rows, row=one.row)
            found[number:last] = [*declared, *rest]
    return found


def _arguments(words: Sequence[Piece], number: int) -> tuple[list[Words], int] | None:
    """The arguments of `std::array<…>` at a position, and the position behind it."""
    first = number + 2 * (texts(words, number, 2) == ("std", "::"))
    angle = closing_angle(words, first + 1) if texts(words, first, 2) == ("array", "<") else None
    given = [] if angle is None else listed(words, first + 2, angle)
    return None if angle is None or len(given) != 2 else (given, angle + 1)


def _declared(words: Sequence[Piece], number: int) -> _Array | None:
    outer = _arguments(words, number)
    inner = None if outer is None else _arguments(outer[0][0], 0)
    if outer is None or inner is None or inner[1] != len(outer[0][0]):
        return None
    (_, rows), name = outer
    is_declared = (
        texts(words, name, 1) and is_name(words[name]) and texts(words, name + 1, 1) in {("{",), (";",), ("=",)}
    )
    return _Array(words[name], inner[0][0], rows, inner[0][1]) if is_declared else None


def _asked(words: Sequence[Piece], number: int, one: _Array) -> tuple[Words, int] | None:
    """The number of rows, or of the elements of one, where the array is asked for it."""
    if words[number].text != one.name.text or is_member(words, number):
        return None
    asks = (".", "size", "(", ")")
    if texts(words, number + 1, 4) == asks:
        return [made(word.text, words[number]) for word in one.rows], number + 5
    last = closing(words, number + 1) if texts(words, number + 1, 1) == ("[",) else None
    if last is not None and texts(words, last + 1, 4) == asks:
        return [made(word.text, words[number]) for word in one.row], last + 5
    return None


def _names_elements(words: Sequence[Piece], name: str) -> bool:
    """Whether nothing but elements is named, `m[i][j]`."""
    for number, word in enumerate(words):
        if word.text != name or is_member(words, number):
            continue
        if texts(words, number + 1, 1) != ("[",) or texts(words, closing(words, number + 1) + 1, 1) != ("[",):
            return False
    return True
