"""Algorithms of the standard library that have values, `std::count(v.begin(), v.end(), 1)`: loops before statements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.front_end.cpp.elements import Elements, applied, code, element, elements, place
from mcm.front_end.cpp.words import closing, end_of_statement, is_name, listed, made, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_BEFORE: Final = frozenset({";", "{", "}"})
# What begins a statement before which no loop can stand, or which is evaluated again.
_NO_STATEMENT: Final = frozenset({"for", "while", "do", "else", "case", "default", "struct", "class", "template"})
# What stands between what is evaluated in any case and what is not.
_PERHAPS: Final = frozenset({"&&", "||", "?"})
# What a question begins with, and what one element makes it, which the lambda does not hold for, or holds for.
_QUESTIONS: Final = {"all_of": ("true", "! "), "none_of": ("true", ""), "any_of": ("false", "")}
_SUMS: Final = frozenset({"accumulate", "reduce"})
_EXTREMES: Final = {"max_element": "{best} < {one}", "min_element": "{one} < {best}"}


class _Found(Struct, frozen=True):
    """What stands before a statement for the value of an algorithm, and what has that value.

    Of an algorithm that finds an element, `number` is that of the element, and the value its address.
    """

    before: Words
    value: Words
    number: Words | None = None
    of: Elements | None = None


def is_algorithm(name: str) -> bool:
    """Whether a loop computes the value of an algorithm of this name."""
    return name in _QUESTIONS or name in _SUMS or name in _EXTREMES or name in _OTHERS


def with_values(words: Sequence[Piece]) -> Words:
    """The words with the values of algorithms in variables, which loops compute before the statement."""
    found: Words = []
    count = 0
    number = 0
    while number < len(words):
        is_first = not found or found[-1].text in _BEFORE
        end = _end(words, number) if is_first else number
        statement = list(words[number:end])
        while (call := _call(statement)) is not None:
            start, last = call
            count += 1
            made_of = _value(statement[start : last + 1], count)
            if made_of is None:
                break
            found += made_of.before
            statement = _with_value(statement, start, last, made_of)
        found += statement
        if end == number:
            found.append(words[number])
        number = max(end, number + 1)
    return found


def _end(words: Sequence[Piece], number: int) -> int:
    """The position behind what is evaluated first of a statement; that of the statement where nothing is."""
    follows = texts(words, number, 2)
    if follows == ("if", "("):
        return closing(words, number + 1) + 1
    if not follows or follows[0] in _NO_STATEMENT or follows[0] in {"{", "}", ";", "if"}:
        return number
    end = end_of_statement(words, number)
    return min(end + 1, len(words)) if _call(words[number:end]) is not None else number


def _call(words: Sequence[Piece]) -> tuple[int, int] | None:
    """The first algorithm that is called in any case, and where the call ends; None where there is none."""
    number = 0
    while number < len(words):
        text = words[number].text
        if text == "{":
            number = closing(words, number)
        elif text in _PERHAPS:
            return None
        follows = texts(words, number, 4)
        is_call = follows[:2] == ("std", "::") and follows[3:] == ("(",)
        if is_call and is_algorithm(follows[2]) and (number == 0 or words[number - 1].text not in {"::", "."}):
            return number, closing(words, number + 3)
        number += 1
    return None


def _with_value(words: Words, start: int, last: int, found: _Found) -> Words:
    """A statement with a value in place of a call."""
    before, behind = words[:start], words[last + 1 :]
    number, of = found.number, found.of
    if number is None or of is None:
        return [*before, *found.value, *behind]
    if before and before[-1].text == "*" and (len(before) < 2 or not _is_operand(before[-2])):
        return [*before[:-1], *of.at(number), *behind]
    origin = _origin(behind, 1) if texts(behind, 0, 1) == ("-",) else None
    if origin is not None and [one.text for one in origin[0]] == [one.text for one in of.base]:
        return [*before, *_from(of, number), *behind[origin[1] :]]
    return [*before, *code(words[start], "( & {found} )", found=of.at(number)), *behind]


def _is_operand(word: Piece) -> bool:
    """Whether an operator behind a word has it as its left operand."""
    return (is_name(word) and word.text != "return") or word.text in {")", "]"} or word.text[0].isdigit()


def _origin(words: Words, number: int) -> tuple[Words, int] | None:
    """The array that `v.begin()` at a position is the beginning of, and the position behind it."""
    for end in (number + 5, number + 1):
        at = place(list(words[number:end]))
        if at is not None and at[1] is None:
            return at[0], end
    return None


def _from(of: Elements, number: Words) -> Words:
    """The number of an element in the array."""
    if of.first is None:
        return number
    return code(number[0], "( ( {first} ) + {number} )", first=of.first, number=number)


def _value(call: Words, count: int) -> _Found | None:
    """What computes the value of a call; None where it is not one that is known."""
    at, name = call[0], call[2].text
    parts = listed(call, 4, len(call) - 1)
    of = elements(parts[0], parts[1]) if len(parts) > 1 and all(parts) else None
    if of is None:
        return None
    own = [made(f"found_{count}", at)], [made(f"place_{count}", at)]
    rest = parts[2:]
    if name in _QUESTIONS:
        return _question(name, of, rest, own)
    if name in _SUMS:
        return _sum(of, rest, own)
    if name in _EXTREMES:
        return _extreme(name, of, rest, own)
    return _OTHERS[name](of, rest, own)


_Own = tuple["Words", "Words"]


def _loop(of: Elements, own: _Own, begin: str, first: str, body: Words) -> _Found:
    """A variable, a loop over elements that changes it, and its value."""
    value, counter = own
    before = code(
        of.base[0],
        f"{begin} for ( size_t {{i}} = {first} ; {{i}} < {{count}} ; {{i}} ++ ) {{body}}",
        value=value,
        i=counter,
        count=of.count,
        body=body,
    )
    return _Found(before, value)


def _question(name: str, of: Elements, rest: list[Words], own: _Own) -> _Found | None:
    """`std::all_of(v.begin(), v.end(), [](int i) { return i == 3; })`."""
    function = applied(rest[0], 1) if len(rest) == 1 else None
    if function is None or not function.returned:
        return None
    begins, negated = _QUESTIONS[name]
    other = "false" if begins == "true" else "true"
    body = code(
        of.base[0],
        f"{{ {{declared}} if ( {negated}( {{holds}} ) ) {{value}} = {other} ; }}",
        declared=function.declared([of.at(own[1])]),
        holds=function.returned,
        value=own[0],
    )
    return _loop(of, own, f"bool {{value}} = {begins} ;", "0", body)


def _sum(of: Elements, rest: list[Words], own: _Own) -> _Found | None:
    """`std::accumulate(v.begin(), v.end(), 0, std::plus<>())`: the sum has the type of its first value."""
    at, one = of.base[0], of.at(own[1])
    if len(rest) == 1:
        body = code(at, "{value} += {one} ;", value=own[0], one=one)
    elif len(rest) == 2 and (function := applied(rest[1], 2)) is not None and (function.returned or function.operator):
        declared = [] if function.operator else function.declared([own[0], one])
        combined = function.value([own[0], one])
        body = code(at, "{ {declared} {value} = {new} ; }", declared=declared, value=own[0], new=combined)
    else:
        return None
    found = _loop(of, own, "", "0", body)
    begins = code(at, "auto {value} = {first} ;", value=own[0], first=rest[0])
    return _Found([*begins, *found.before], found.value)


def _extreme(name: str, of: Elements, rest: list[Words], own: _Own) -> _Found | None:
    """`std::max_element(v.begin(), v.end())`: the first of the elements that no other one exceeds."""
    if rest:
        return None
    pattern = f"if ( {_EXTREMES[name]} ) {{value}} = {{i}} ;"
    body = code(of.base[0], pattern, best=of.at(own[0]), one=of.at(own[1]), value=own[0], i=own[1])
    found = _loop(of, own, "size_t {value} = 0 ;", "1", body)
    return _Found(found.before, found.value, own[0], of)


def _count(of: Elements, rest: list[Words], own: _Own) -> _Found | None:
    """`std::count(v.begin(), v.end(), 1)`."""
    if len(rest) != 1:
        return None
    body = code(of.base[0], "{value} += {one} == ( {sought} ) ;", value=own[0], one=of.at(own[1]), sought=rest[0])
    return _loop(of, own, "size_t {value} = 0 ;", "0", body)


def _count_if(of: Elements, rest: list[Words], own: _Own) -> _Found | None:
    """`std::count_if(v.begin(), v.end(), [](int i) { return i == 3; })`."""
    function = applied(rest[0], 1) if len(rest) == 1 else None
    if function is None or not function.returned:
        return None
    pattern = "{ {declared} if ( {holds} ) {value} ++ ; }"
    declared = function.declared([of.at(own[1])])
    body = code(of.base[0], pattern, declared=declared, holds=function.returned, value=own[0])
    return _loop(of, own, "size_t {value} = 0 ;", "0", body)


def _equal(of: Elements, rest: list[Words], own: _Own) -> _Found | None:
    """`std::equal(v.begin(), v.end(), w.begin())`, or with an end: nothing is read of ranges of two sizes."""
    other = place(rest[0]) if rest else None
    if other is None or len(rest) > 2:
        return None
    if len(rest) == 2:
        return _equal_ranges(of, rest, own)
    pattern = "if ( {one} != {other} ) {value} = false ;"
    body = code(of.base[0], pattern, one=of.at(own[1]), other=element(*other, own[1]), value=own[0])
    return _loop(of, own, "bool {value} = true ;", "0", body)


def _equal_ranges(of: Elements, rest: list[Words], own: _Own) -> _Found | None:
    others = elements(rest[0], rest[1])
    if others is None:
        return None
    counts = code(of.base[0], "( {one} ) == ( {other} )", one=of.count, other=others.count)
    pattern = "if ( {counts} ) if ( {one} != {other} ) {value} = false ;"
    body = code(of.base[0], pattern, counts=counts, one=of.at(own[1]), other=others.at(own[1]), value=own[0])
    found = _loop(of, own, "", "0", body)
    return _Found([*code(of.base[0], "bool {value} = {counts} ;", value=own[0], counts=counts), *found.before], own[0])


def _inner_product(of: Elements, rest: list[Words], own: _Own) -> _Found | None:
    """`std::inner_product(v.begin(), v.end(), w.begin(), 0)`."""
    other = place(rest[0]) if len(rest) == 2 else None
    if other is None:
        return None
    at = of.base[0]
    body = code(at, "{value} += {one} * {other} ;", value=own[0], one=of.at(own[1]), other=element(*other, own[1]))
    found = _loop(of, own, "", "0", body)
    return _Found([*code(at, "auto {value} = {first} ;", value=own[0], first=rest[1]), *found.before], found.value)


def _is_sorted(of: Elements, rest: list[Words], own: _Own) -> _Found | None:
    """`std::is_sorted(v.begin(), v.end())`."""
    if rest:
        return None
    before = of.at(code(of.base[0], "{i} - 1", i=own[1]))
    body = code(of.base[0], "if ( {one} < {before} ) {value} = false ;", one=of.at(own[1]), before=before, value=own[0])
    return _loop(of, own, "bool {value} = true ;", "1", body)


_OTHERS: Final = {
    "count": _count,
    "count_if": _count_if,
    "equal": _equal,
    "inner_product": _inner_product,
    "is_sorted": _is_sorted,
}
