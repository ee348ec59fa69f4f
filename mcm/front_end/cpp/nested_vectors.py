"""Vectors of vectors of one length, `std::vector<std::vector<int>> m(2, std::vector<int>(3));`, as one vector each.

An index of a row that is outside of it, and not outside of the whole, is not told.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from mcm.front_end.cpp.elements import code
from mcm.front_end.cpp.own_names import declared_names
from mcm.front_end.cpp.words import (
    begins_statement,
    behind_statement,
    closing,
    end_of_block,
    is_name,
    listed,
    made,
    replaced,
    substituted,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece


class _Rows(Struct, frozen=True):
    """A vector of vectors: its name, how many rows it has, how long each is, its declaration, and where that ends."""

    name: Piece
    count: Words
    length: Words
    declared: Words
    end: int


def with_flat_vectors(words: Sequence[Piece]) -> Words:
    """The words with one vector in place of such vectors of vectors whose rows are used one by one."""
    found = list(words)
    number = 0
    while number < len(found):
        one = _declared(found, number)
        if one is not None:
            last = end_of_block(found, one.end)
            rest = replaced(_with_rows(found[one.end + 1 : last], one), _uses(one))
            if one.name.text not in declared_names(rest) and not _is_whole(rest, one.name.text):
                found[number:last] = [*one.declared, *rest]
        number += 1
    return found


def _declared(words: Sequence[Piece], number: int) -> _Rows | None:
    """The vector of vectors that a statement declares with the lengths of both; None where something else stands."""
    if not begins_statement(words, number):
        return None
    start = number
    inner = _vector(words, start)
    outer = None if inner is None else _vector(words, inner)
    if inner is None or outer is None:
        return None
    close = next((n for n in range(outer, len(words)) if words[n].text in {">", ">>", ";"}), len(words))
    type_ = list(words[outer:close])
    close += 1 if texts(words, close, 1) == (">>",) else 2
    if close >= len(words) or not is_name(words[close]) or texts(words, close + 1, 1) != ("(",):
        return None
    last = closing(words, close + 1)
    parts = listed(words, close + 2, last)
    row = _vector(parts[1], 0) if len(parts) == 2 else None
    if row is None or texts(words, last + 1, 1) != (";",):
        return None
    row_type, behind = [word.text for word in parts[1][row : row + len(type_)]], row + len(type_)
    is_same = row_type == [word.text for word in type_] and texts(parts[1], behind, 2) == (">", "(")
    if not is_same or closing(parts[1], behind + 1) != len(parts[1]) - 1:
        return None
    length, *value = listed(parts[1], behind + 2, len(parts[1]) - 1) or [[]]
    if not length:
        return None
    at = words[close]
    rest = [word for part in value for word in (made(",", at), *part)]
    pattern = "std :: vector < {type} > {name} ( ( {count} ) * ( {length} ) {rest} ) ;"
    declared = code(at, pattern, type=type_, name=[at], count=parts[0], length=length, rest=rest)
    return _Rows(at, parts[0], length, declared, last + 1)


def _vector(words: Sequence[Piece], number: int) -> int | None:
    """The position behind `std::vector<`; None where something else stands."""
    number += 2 * (texts(words, number, 2) == ("std", "::"))
    return number + 2 if texts(words, number, 2) == ("vector", "<") else None


def _with_rows(words: Sequence[Piece], one: _Rows) -> Words:
    """The words with loops that count in place of those over rows, `for (auto& row : m)`, and over their elements."""

    def at(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
        if texts(words, number, 2) != ("for", "("):
            return None
        last = closing(words, number + 1)
        colon = next((n for n in range(number, last) if words[n].text == ":"), last)
        value, name = words[colon + 1 : last], words[colon - 1]
        end = behind_statement(words, last + 1)
        counter = [made(f"{name.text}_of_{one.name.text}", name)]
        head = words[number + 2 : colon - 1]
        is_reference = any(word.text == "&" for word in head)
        if [word.text for word in value] == [one.name.text] and is_reference:
            row = code(name, "{rows} [ {counter} ]", rows=[one.name], counter=counter)
            body = replaced(substituted(words[last + 1 : end], {name.text: row}, in_place=True), at)
            pattern = "for ( int {counter} = 0 ; {counter} < {count} ; {counter} ++ ) { {body} }"
            return code(name, pattern, counter=counter, count=one.count, body=body), end
        if texts(value, 0, 2) == (one.name.text, "[") and closing(value, 1) == len(value) - 1:
            element = code(name, "{row} [ {counter} ]", row=list(value), counter=counter)
            body = list(words[last + 1 : end])
            if is_reference:
                body = substituted(body, {name.text: element}, in_place=True)
            else:
                body = [*head, name, made("=", name), *element, made(";", name), *body]
            pattern = "for ( int {counter} = 0 ; {counter} < {length} ; {counter} ++ ) { {body} }"
            return code(name, pattern, counter=counter, length=one.length, body=body), end
        return None

    return replaced(words, at)


def _uses(one: _Rows) -> Callable[[Sequence[Piece], int], tuple[Words, int] | None]:
    """What stands in place of elements and rows."""

    def at(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
        name = words[number]
        if name.text != one.name.text or texts(words, number - 1, 1)[:1] in {(".",), ("->",)}:
            return None
        if texts(words, number + 1, 4) == (".", "size", "(", ")"):
            return code(name, "( {count} )", count=one.count), number + 5
        if texts(words, number + 1, 1) != ("[",):
            return None
        last = closing(words, number + 1)
        row = replaced(words[number + 2 : last], at)
        parts = {"name": [name], "row": row, "length": one.length}
        if texts(words, last + 1, 4) == (".", "size", "(", ")"):
            return code(name, "( {length} )", length=one.length), last + 5
        if texts(words, last + 1, 4) in {(".", "data", "(", ")"), (".", "begin", "(", ")")}:
            return code(name, "( {name} . data ( ) + ( {row} ) * ( {length} ) )", **parts), last + 5
        if texts(words, last + 1, 1) != ("[",):
            return None
        behind = closing(words, last + 1)
        inner = replaced(words[last + 2 : behind], at)
        return code(name, "{name} [ ( {row} ) * ( {length} ) + ( {inner} ) ]", **parts, inner=inner), behind + 1

    return at


def _is_whole(words: Sequence[Piece], name: str) -> bool:
    """Whether a vector is used in another way than by one of its elements, or by where a row begins."""
    return any(
        word.text == name and texts(words, number + 1, 1) != ("[",) and texts(words, number + 1, 2) != (".", "data")
        for number, word in enumerate(words)
    )
