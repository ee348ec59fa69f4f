"""Numbers in braces, `T{0}`, `float{}`, as conversions, and arrays with values, `new int[4]{1, 2}`, as assignments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.definitions import NUMBERS
from mcm.front_end.cpp.elements import code
from mcm.front_end.cpp.words import begins_statement, closing, end_of_statement, is_name, listed, made, replaced, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

# What stands before a type that is no conversion: of a declaration, of a function as an argument of a template.
_BEFORE_TYPES: Final = frozenset({";", "{", "}", "<", "const", "::", "->", ":"})


def with_conversions(words: Sequence[Piece]) -> Words:
    """The words with `int(x)` in place of `int{x}`: braces refuse what narrows, and mean the same else."""
    return replaced(words, _converted)


def _converted(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
    at = words[number]
    if (cast := _of_several_words(words, number)) is not None:
        return cast
    if at.text not in NUMBERS or texts(words, number + 1, 1) != ("{",):
        return None
    first = number
    while first >= 2 and words[first - 1].text == "::":
        first -= 2
    before = texts(words, first - 1, 1) if first else ()
    is_of_enumeration = before == (":",) and any(word.text == "enum" for word in words[max(0, first - 4) : first])
    if before == ("->",) or is_of_enumeration or (first and words[first - 1].text in NUMBERS):
        # The body of a function or of an enumeration, or a type of several words.
        return None
    last = closing(words, number + 1)
    values = listed(words, number + 2, last)
    if len(values) > 1 or last >= len(words):
        return None
    inner = replaced(values[0], _converted) if values else [made("0", at)]
    return [at, made("(", at), *inner, made(")", at)], last + 1


def _of_several_words(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
    """`(long long)(x)` for `T(x)` and `T{x}` of a template, where `T` is `long long`; None for anything else."""
    before = words[number - 1].text if number else ";"
    last = number
    while words[last].text in NUMBERS and texts(words, last + 1, 1) and words[last + 1].text in NUMBERS:
        last += 1
    if last == number or before in NUMBERS or before in _BEFORE_TYPES:
        return None
    opening = last + 1
    if texts(words, opening, 1) not in {("{",), ("(",)} or texts(words, opening + 1, 1) in {("*",), ("&",)}:
        return None
    behind = closing(words, opening)
    at = words[number]
    if len(listed(words, opening + 1, behind)) > 1:
        return None
    inner = replaced(words[opening + 1 : behind], _converted) or [made("0", at)]
    type_ = [made("(", at), *words[number:opening], made(")", at)]
    return [made("(", at), *type_, made("(", at), *inner, made(")", at), made(")", at)], behind + 1


def with_filled_arrays(words: Sequence[Piece]) -> Words:
    """The words with assignments behind `int* p = new int[4]{1, 2};` and `new int[4]()`, whose other elements are 0."""
    return replaced(words, _filled)


def _filled(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
    """A pointer that is declared, or assigned, with an array that has values; None where something else stands."""
    if not begins_statement(words, number):
        return None
    end = end_of_statement(words, number)
    sign = next((n for n in range(number, end) if words[n].text in {"=", "(", "{", "["}), end)
    opening = next((n for n in range(sign, end) if words[n].text == "["), end)
    is_new = texts(words, sign, 2) == ("=", "new") and all(is_name(word) for word in words[sign + 2 : opening])
    if not is_new or opening == end or not is_name(words[sign - 1]):
        return None
    behind = closing(words, opening) + 1
    if texts(words, behind, 1) not in {("(",), ("{",)} or closing(words, behind) != end - 1:
        return None
    name, values = words[sign - 1], listed(words, behind + 1, end - 1)
    count = list(words[opening + 1 : behind - 1]) or [made(str(len(values)), name)]
    found = [*words[number : opening + 1], *count, *words[behind - 1 : behind], *words[end : end + 1]]
    for place, value in enumerate(values):
        found += code(name, "{p} [ {n} ] = {value} ;", p=[name], n=[made(str(place), name)], value=value)
    if [word.text for word in count] == [str(len(values))]:
        return found, end + 1
    if words[opening - 1].text not in NUMBERS:
        return None
    counter = made(f"{name.text}_rest", name)
    rest = "for ( size_t {i} = {first} ; {i} < {count} ; {i} ++ ) {p} [ {i} ] = 0 ;"
    first = [made(str(len(values)), name)]
    return [*found, *code(name, rest, i=[counter], first=first, count=count, p=[name])], end + 1
