"""Lambdas that only the host calls, `auto check = [&](int n) { … };`: functions of the host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.front_end.cpp.allocations import ALLOCATORS
from mcm.front_end.cpp.definitions import Definition, assigns, calls, declared_type, parameter_of
from mcm.front_end.cpp.own_names import declared_names, parameters_of_lambdas
from mcm.front_end.cpp.words import (
    closing,
    closing_angle,
    end_of_block,
    end_of_statement,
    is_in_lambda,
    is_name,
    listed,
    made,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_BEFORE: Final = frozenset({";", "{", "}"})
_COMMANDS: Final = frozenset({"submit", "parallel_for", "single_task", "memcpy", "copy", "fill", "memset"})
# What computes with numbers, and what asks about them.
_ARITHMETIC: Final = frozenset({"+", "-", "*", "/", "%", "(", ")", "++", "--"})
_ASKING: Final = frozenset({"<", ">", "<=", ">=", "==", "!=", "&&", "||", "!"})
# The types that such expressions have, the lowest first.
_BY_RANK: Final = ("int", "unsigned", "long", "size_t", "float", "double")
_RANKS: Final = {
    **{name: rank for rank, name in enumerate(_BY_RANK)},
    **dict.fromkeys(("bool", "char", "short", "int32_t", "uint8_t"), 0),
    "uint32_t": 1,
    "int64_t": 2,
    "uint64_t": 3,
}


class Held(Struct, frozen=True):
    """A lambda in a variable: where its declaration begins, and the next statement, and where its block ends.

    `named` is what it names that stands around it.
    """

    definition: Definition
    start: int
    end: int
    last: int
    named: frozenset[str]


def next_held(words: Sequence[Piece], start: int) -> Held | None:
    """The first lambda behind a position that the host alone calls, in its block."""
    for number in range(start, len(words)):
        if texts(words, number, 1) == ("auto",) and (not number or words[number - 1].text in _BEFORE):
            found = _held(words, number)
            if found is not None and _is_called_by_host(words, found):
                return found
    return None


def _held(words: Sequence[Piece], number: int) -> Held | None:
    if texts(words, number + 2, 2) != ("=", "[") or not is_name(words[number + 1]) or is_in_lambda(words, number):
        return None
    bracket = closing(words, number + 3)
    has_parameters = texts(words, bracket + 1, 1) == ("(",)
    last = closing(words, bracket + 1) if has_parameters else bracket
    brace = next((n for n in range(last, len(words)) if words[n].text in {"{", ";"}), len(words))
    end = closing(words, brace)
    if texts(words, brace, 1) != ("{",) or texts(words, end + 1, 1) != (";",):
        return None
    body = list(words[brace : end + 1])
    head = [word for word in words[last + 1 : brace] if word.text not in {"->", "mutable", "noexcept"}]
    parts = [part for part in listed(words, bracket + 2, last) if part] if has_parameters else []
    result = head or _result(body, parts, words[:number])
    if result is None:
        return None
    at = words[number + 1]
    signature = list(words[bracket + 1 : last + 1]) if has_parameters else [made("(", at), made(")", at)]
    if any(word.text == "auto" for word in signature):
        return None
    definition = Definition(at, (), result, tuple(map(parameter_of, parts)), signature, body)
    own = {*declared_names(body), *parameters_of_lambdas(body), *(one.name for one in definition.parameters)}
    named = frozenset(word.text for word in body if is_name(word)) - own
    return Held(definition, number, end + 2, end_of_block(words, number), named)


def _result(body: Words, parameters: list[Words], before: Sequence[Piece]) -> Words | None:
    """The type of what a lambda returns that does not say it; None where that is not evident."""
    places = [number for number, word in enumerate(body) if word.text == "return" and not is_in_lambda(body, number)]
    if not any(texts(body, place + 1, 1) != (";",) for place in places):
        return [made("void", body[0])]
    values = [texts(body, place + 1, 2) for place in places]
    declared = [word for part in parameters for word in (*part, made(";", part[0]))]
    if all(value[1:] == (";",) for value in values):
        # One word, which says its type, or was declared with one.
        types = [_of_word([*declared, *body], value[0]) for value in values]
        if types[0] is not None and all(one == types[0] for one in types):
            return [made(word, body[0]) for word in types[0]]
    known = [*declared, *body], _visible(before)
    computed = {_of_expression(body[place + 1 : end_of_statement(body, place)], *known) for place in places}
    if len(computed) == 1 and (one := next(iter(computed))) is not None:
        return [made(one, body[0])]
    allocated = {" ".join(one.text for one in _allocated(body[place + 1 :])) for place in places}
    if len(allocated) == 1 and (type_ := allocated.pop()):
        return [made(word, body[0]) for word in type_.split()]
    is_command = all(texts(body, place + 2, 1) == (".",) and body[place + 3].text in _COMMANDS for place in places)
    return [made("event", body[0])] if is_command else None


def _of_word(body: Words, text: str) -> tuple[str, ...] | None:
    """The type of a name or a number."""
    if text in {"true", "false"}:
        return ("bool",)
    if text.isdecimal():
        return ("int",)
    found = tuple(word.text for word in declared_type(body, text))
    return found if found and "return" not in found else None


def _allocated(words: Words) -> Words:
    """The type of the pointer to memory that is made, `malloc_shared<int>(n, q)`; nothing of other values."""
    first = 2 * (texts(words, 0, 2) == ("sycl", "::"))
    angle = closing_angle(words, first + 1) if texts(words, first + 1, 1) == ("<",) else None
    if angle is None or words[first].text not in ALLOCATORS or texts(words, closing(words, angle + 1) + 1, 1) != (";",):
        return []
    return [*words[first + 2 : angle], made("*", words[first])]


def _visible(words: Sequence[Piece]) -> Words:
    """The words without blocks that end among them."""
    found: Words = []
    number = 0
    while number < len(words):
        end = closing(words, number) if words[number].text == "{" else number
        found += [words[number]] if end in {number, len(words)} else [made(";", words[number])]
        number = number + 1 if end == len(words) else end + 1
    return found


def _of_expression(words: Sequence[Piece], inside: Words, around: Words) -> str | None:
    """The type of what signs make of numbers and variables; None where that is not evident."""
    if (converted := _converted(words)) is not None:
        return converted
    signs = {word.text for word in words if not (is_name(word) or word.text[0].isdigit())}
    names = [number for number, word in enumerate(words) if is_name(word) and word.text not in {"true", "false"}]
    if not signs <= _ARITHMETIC | _ASKING or any(texts(words, number + 1, 1) == ("(",) for number in names):
        return None
    if signs & _ASKING:
        return "bool"
    types = [_of_word(inside, words[n].text) or _of_word(around, words[n].text) for n in names]
    types += [_of_number(word.text) for word in words if word.text[0].isdigit()]
    ranks = [_RANKS.get(" ".join(one)) if one is not None else None for one in types]
    return None if not ranks or None in ranks else _BY_RANK[max(one for one in ranks if one is not None)]


def _converted(words: Sequence[Piece]) -> str | None:
    """The type of what is nothing but a conversion, `(float)(x)`, `float(x)`; None for others."""
    while texts(words, 0, 1) == ("(",) and closing(words, 0) == len(words) - 1:
        words = words[1:-1]
    is_cast = texts(words, 0, 1) == ("(",)
    behind = closing(words, 0) + 1 if is_cast else 1
    type_ = texts(words, 1, behind - 2) if is_cast else texts(words, 0, 1)
    is_all = texts(words, behind, 1) == ("(",) and closing(words, behind) == len(words) - 1
    return type_[0] if is_all and len(type_) == 1 and type_[0] in _RANKS else None


def _of_number(text: str) -> tuple[str, ...] | None:
    if text.isdecimal():
        return ("int",)
    is_float = not text.lower().startswith("0x") and ("." in text or "e" in text.lower())
    return (("float",) if text[-1] in "fF" else ("double",)) if is_float else None


def _is_called_by_host(words: Sequence[Piece], held: Held) -> bool:
    """Whether nothing but calls by the host names a lambda, which may see what it captures as it is there."""
    name = held.definition.name.text
    behind = list(words[held.end : held.last])
    places = [number for number, word in enumerate(behind) if word.text == name]
    called = {number for number, _, _ in calls(behind, name)}
    if not places or set(places) != called or any(is_in_lambda(words, held.end + place) for place in places):
        return False
    copied = _copied(words, held)
    return not any(
        assigns(behind, one) or _changes_part(behind, one, is_array=_is_array(words[: held.start], one))
        for one in copied
    )


def _copied(words: Sequence[Piece], held: Held) -> set[str]:
    """The names that a lambda captures by value; a member of an object may have a name of its own by now."""
    opening = held.start + 3
    parts = listed(words, opening + 1, closing(words, opening))
    items = [[word.text for word in part] for part in parts if part]
    referred = {item[1] for item in items if item[0] == "&" and len(item) > 1}
    return {item[0] for item in items if len(item) == 1} if ["&"] in items else set(held.named) - referred


def _changes_part(words: Sequence[Piece], name: str, *, is_array: bool) -> bool:
    """Whether a member of an object is assigned, `p.n = 2`, or an element of an array."""
    for number, word in enumerate(words):
        if word.text != name:
            continue
        follows = texts(words, number + 1, 2)
        if follows[:1] == (".",) and assigns(words[number + 2 : number + 4], follows[1]):
            return True
        if is_array and follows[:1] == ("[",):
            last = closing(words, number + 1)
            if assigns([*words[max(number - 1, 0) : number + 1], *words[last + 1 : last + 3]], name):
                return True
    return False


def _is_array(words: Sequence[Piece], name: str) -> bool:
    """Whether a variable is declared as an array, `int a[2]`, `std::array<int, 2> a`."""
    return any(
        word.text == name
        and ((is_name(words[number - 1]) and texts(words, number + 1, 1) == ("[",)) or words[number - 1].text == ">")
        and "vector" not in texts(words, max(number - 6, 0), 6)
        for number, word in enumerate(words)
        if number
    )
