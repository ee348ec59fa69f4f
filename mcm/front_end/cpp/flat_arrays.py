"""Arrays of two dimensions of the host that buffers and commands are about, as arrays of one.

An index of a row that is outside of it, and not outside of the array, is not told.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.front_end.cpp.elements import code
from mcm.front_end.cpp.own_names import declared_names
from mcm.front_end.cpp.words import (
    begins_statement,
    closing,
    end_of_block,
    end_of_statement,
    is_name,
    listed,
    made,
    opening_around,
    replaced,
    start_of_statement,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_BETWEEN: Final = frozenset({";", "{", "}"})


class _Array(Struct, frozen=True):
    """An array, or a pointer to rows: its name, the length of a row, what declares it, and where it is known."""

    name: Piece
    row: Words
    declared: Words
    start: int
    behind: int
    end: int


def with_flat_arrays(words: Sequence[Piece]) -> Words:
    """The words with arrays of one dimension in place of those of two whose memory is passed on."""
    found = replaced(words, _one_by_one)
    functions = _taking_rows(found)
    number = 0
    while number < len(found):
        one = _pointer(found, number) or _array(found, number, functions)
        rest = [] if one is None else found[one.behind : one.end]
        if one is not None and _means_numbers(rest, one.name.text):
            rest = replaced(rest, _uses(one))
            found[one.start : one.end] = [*one.declared, *rest]
        number += 1
    return found


def _one_by_one(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
    """`float a[m][n]; float b[n][m];` for `float a[m][n], b[n][m];`; None where another statement stands."""
    is_first = begins_statement(words, number)
    opening = next((n for n in range(number, len(words)) if not (is_name(words[n]) or words[n].text == "::")), number)
    if not is_first or opening < number + 2 or texts(words, closing(words, opening) + 1, 1) != ("[",):
        return None
    end = end_of_statement(words, number)
    type_, parts = words[number : opening - 1], listed(words, opening - 1, end)
    if words[opening].text != "[" or len(parts) < 2 or not all(part and is_name(part[0]) for part in parts):
        return None
    return [word for part in parts for word in (*type_, *part, *words[end : end + 1])], end + 1


def _pointer(words: Sequence[Piece], number: int) -> _Array | None:
    """`float (*a)[n]`, a parameter or a variable; None where something else stands."""
    if texts(words, number, 2) != ("(", "*") or texts(words, number + 3, 2) != (")", "[") or not number:
        return None
    name, opening = words[number + 2], number + 4
    last = closing(words, opening)
    if not is_name(words[number - 1]) or not is_name(name) or texts(words, last + 1, 1) == ("[",):
        return None
    declared = [made("*", name), name]
    if texts(words, last + 1, 1) == ("=",):
        end = end_of_statement(words, last)
        value = _made_array(list(words[last + 1 : end]))
        if value is None:
            return None
        return _Array(name, list(words[opening + 1 : last]), [*declared, *value], number, end, end_of_block(words, end))
    # The body of a function follows.
    brace = next((n for n in range(last, len(words)) if words[n].text in _BETWEEN), len(words))
    end = closing(words, brace) if texts(words, brace, 1) == ("{",) else brace
    return _Array(name, list(words[opening + 1 : last]), declared, number, last + 1, end)


def _made_array(value: Words) -> Words | None:
    """`= new float[m * n]` for `= new float[m][n]`; None for other values."""
    opening = next((n for n, word in enumerate(value) if word.text == "["), len(value))
    last = closing(value, opening)
    if texts(value, 1, 1) != ("new",) or texts(value, last + 1, 1) != ("[",):
        return None
    inner = closing(value, last + 1)
    if inner != len(value) - 1:
        return None
    size = _product(value[opening + 1 : last], value[last + 2 : inner], value[0])
    return [*value[:opening], value[opening], *size, value[last]]


def _product(one: Sequence[Piece], other: Sequence[Piece], at: Piece) -> Words:
    return code(at, "( {one} ) * ( {other} )", one=list(one), other=list(other))


def _taking_rows(words: Sequence[Piece]) -> frozenset[str]:
    """The names of functions with a parameter that points to rows, `float (*a)[n]`."""
    found: set[str] = set()
    for number in range(1, len(words)):
        if texts(words, number, 2) == ("(", "*") and texts(words, number + 3, 2) == (")", "["):
            opening = opening_around(words, number)
            found |= {words[opening - 1].text} if opening and words[opening].text == "(" else set()
    return frozenset(found)


def _array(words: Sequence[Piece], number: int, functions: Collection[str]) -> _Array | None:
    """`float a[m][n]`, whose memory is passed on; None where something else is declared."""
    if not number or not is_name(words[number]) or texts(words, number + 1, 1) != ("[",):
        return None
    if not is_name(words[number - 1]) or not _begins(words, number):
        return None
    first = closing(words, number + 1)
    if texts(words, first + 1, 1) != ("[",):
        return None
    second = closing(words, first + 1)
    end = end_of_statement(words, second)
    behind = end_of_block(words, end)
    name, row = words[number], words[first + 2 : second]
    value = _flat_values(words[second + 1 : end], row)
    if value is None or not _is_passed(words[end:behind], name.text, functions):
        return None
    size = _product(words[number + 2 : first], row, name)
    declared = [name, words[number + 1], *size, words[first], *value]
    return _Array(name, list(row), declared, number, end, behind)


def _begins(words: Sequence[Piece], number: int) -> bool:
    """Whether nothing but a type stands before a name in its statement."""
    start = start_of_statement(words, number - 1)
    return all(is_name(word) or word.text == "::" for word in words[start:number]) and words[start].text != "return"


def _flat_values(value: Sequence[Piece], row: Sequence[Piece]) -> Words | None:
    """The values of all rows one behind the other; None where some are left out, or something else is declared."""
    if not value:
        return []
    start = int(value[0].text == "=")
    if texts(value, start, 1) != ("{",) or closing(value, start) != len(value) - 1:
        return None
    rows = listed(value, start + 1, len(value) - 1)
    if len(rows) < 2 and not any(word.text == "{" for part in rows for word in part):
        # `{}`, `{0}`: zeros.
        return list(value)
    found: Words = []
    for part in rows:
        values = listed(part, 1, len(part) - 1) if texts(part, 0, 1) == ("{",) else []
        if len(row) != 1 or str(len(values)) != row[0].text:
            return None
        for one in values:
            found += [*one, made(",", part[0])]
    return [*value[: start + 1], *found[:-1], value[-1]]


def _is_passed(words: Sequence[Piece], name: str, functions: Collection[str]) -> bool:
    """Whether the memory of an array is passed on: as a pointer to its numbers, or to functions that take its rows."""
    for number, word in enumerate(words):
        if word.text != name:
            continue
        before, behind = texts(words, number - 2, 2), texts(words, number + 1, 7)
        is_first = before[1:] == ("&",) and behind[:6] == ("[", "0", "]", "[", "0", "]")
        is_row = (
            before[1:] in {("(",), ("{",), (",",)} and behind[:3] == ("[", "0", "]") and behind[3:4] in {(",",), (")",)}
        )
        is_cast = before in {("*", ")"), (">", "(")} and behind[:1] in {(",",), (")",), (";",), ("+",)}
        if is_first or is_row or is_cast:
            return True
        opening = opening_around(words, number) if behind[:1] in {(",",), (")",)} else None
        if opening and words[opening - 1].text in functions and before[1:] in {("(",), (",",)}:
            return True
    return False


def _means_numbers(words: Sequence[Piece], name: str) -> bool:
    """Whether each use of an array is one of its numbers, or of where they begin, and nothing else has its name."""
    if name in declared_names(words):
        return False
    return all(_is_known(words, n) for n, word in enumerate(words) if word.text == name and n)


def _is_known(words: Sequence[Piece], number: int) -> bool:
    """Whether what is done with an array at a position means the same of its numbers, one behind the other."""
    before, behind = texts(words, number - 2, 2), texts(words, number + 1, 1)
    if before[-1:] in {(".",), ("->",)}:
        return True
    if behind == ("[",):
        is_row = texts(words, closing(words, number + 1) + 1, 1) != ("[",)
        return not is_row or before != ("sizeof", "(")
    if before[-1:] == ("]",):
        return texts(words, number - 3, 2) == ("delete", "[")
    is_argument = before[-1:] in {("(",), (",",)} and before[:1] not in {("size",), ("begin",), ("end",)}
    is_cast = before == ("*", ")")
    return (is_argument or is_cast) and behind in {(",",), (")",), (";",), *([("+",)] if is_cast else [])}


def _uses(one: _Array) -> Callable[[Sequence[Piece], int], tuple[Words, int] | None]:
    """What stands in place of elements and rows of an array."""

    def at(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
        if texts(words, number, 8) == ("&", one.name.text, "[", "0", "]", "[", "0", "]"):
            return [words[number + 1]], number + 8
        name = words[number]
        is_one = name.text == one.name.text and texts(words, number - 1, 1)[:1] not in {(".",), ("->",)}
        if not is_one or texts(words, number + 1, 1) != ("[",):
            return None
        last = closing(words, number + 1)
        first = replaced(words[number + 2 : last], at)
        if texts(words, last + 1, 1) != ("[",):
            pattern = "{name}" if texts(first, 0, 2) == ("0",) else "( {name} + ( {first} ) * ( {row} ) )"
            return code(name, pattern, name=[name], first=first, row=list(one.row)), last + 1
        behind = closing(words, last + 1)
        second = replaced(words[last + 2 : behind], at)
        pattern = "{name} [ ( {first} ) * ( {row} ) + ( {second} ) ]"
        return code(name, pattern, name=[name], first=first, row=list(one.row), second=second), behind + 1

    return at
