"""`std::pair` and `std::tuple` as classes of the program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.front_end.cpp.definitions import evident_type
from mcm.front_end.cpp.elements import code
from mcm.front_end.cpp.words import (
    begins_statement,
    closing,
    closing_angle,
    end_of_statement,
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

_PAIR: Final = "pair_of_std"
_TUPLE: Final = "tuple_of_std"
_MAKERS: Final = {"make_pair": "pair", "make_tuple": "tuple"}
_CLASSES: Final = frozenset(_MAKERS.values())


def with_pairs(words: Sequence[Piece]) -> Words:
    """The words with classes of the program in place of pairs and tuples, and objects of them where they are made."""
    found = replaced(replaced(replaced(words, _tied), _declared_apart), _pair)
    found = replaced(found, _element) if any(word.text.startswith(_TUPLE) for word in found) else found
    used: dict[str, Piece] = {}
    for word in found:
        if word.text.startswith((_PAIR, _TUPLE)):
            used.setdefault(word.text, word)
    return [*(made(text, at) for name, at in used.items() for text in _definition(name)), *found]


def _definition(name: str) -> list[str]:
    """The class of pairs, or that of tuples of so many objects."""
    members = ["first", "second"] if name == _PAIR else [f"get_{n}" for n in range(int(name.rpartition("_")[2]))]
    numbers = range(len(members))
    types = " , ".join(f"typename T{n}" for n in numbers)
    declared = " ".join(f"T{n} {member} {{ }} ;" for n, member in enumerate(members))
    parameters = " , ".join(f"T{n} value_{n}" for n in numbers)
    given = " , ".join(f"{member} ( value_{n} )" for n, member in enumerate(members))
    made_of = f"{name} ( ) {{ }} {name} ( {parameters} ) : {given} {{ }}"
    return f"template < {types} > struct {name} {{ {declared} {made_of} }} ;".split()


def _declared_apart(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
    """`auto a = x; auto b = y;` for `auto [a, b] = std::tuple{x, y};`, where no value names a variable."""
    if texts(words, number, 2) != ("auto", "[") or not begins_statement(words, number):
        return None
    names, end = listed(words, number + 2, closing(words, number + 1)), end_of_statement(words, number)
    first = closing(words, number + 1) + 1
    follows = texts(words, first, 4)
    opening = first + 4
    if follows[:3] != ("=", "std", "::") or follows[3] not in {*_MAKERS, *_CLASSES} or opening >= end:
        return None
    if words[opening].text not in {"(", "{"} or closing(words, opening) != end - 1:
        return None
    values = listed(words, opening + 1, end - 1)
    declared = {name[0].text for name in names}
    if len(values) != len(names) or any(word.text in declared for value in values for word in value):
        return None
    at = words[number]
    parts = [code(at, "auto {name} = {value} ;", name=one, value=two) for one, two in zip(names, values, strict=True)]
    return [word for part in parts for word in part], end + 1


def _tied(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
    """`std::tie(a, b) = f();`: `{ auto [x, y] = f(); a = x; b = y; }`."""
    if texts(words, number, 4) != ("std", "::", "tie", "(") or not begins_statement(words, number):
        return None
    last, end = closing(words, number + 3), end_of_statement(words, number)
    places = listed(words, number + 4, last)
    if texts(words, last + 1, 1) != ("=",) or not all(places):
        return None
    at = words[number]
    names = [code(at, f"tied_{number}_{n}") for n in range(len(places))]
    given = [
        word for place, name in zip(places, names, strict=True) for word in code(at, "{p} = {n} ;", p=place, n=name)
    ]
    listed_names = [word for name in names for word in (made(",", at), *name)][1:]
    pattern = "{ auto [ {names} ] = {value} ; {given} }"
    return code(at, pattern, names=listed_names, value=list(words[last + 2 : end]), given=given), end + 1


def _element(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
    """`t.get_0` for `std::get<0>(t)`."""
    follows = texts(words, number, 7)
    if follows[:4] != ("std", "::", "get", "<") or follows[5:] != (">", "(") or not follows[4].isdecimal():
        return None
    last = closing(words, number + 6)
    inner = replaced(words[number + 7 : last], _element)
    at = words[number + 2]
    return code(at, f"( {{of}} ) . get_{follows[4]}", of=inner) if len(inner) > 1 else code(
        at, f"{{of}} . get_{follows[4]}", of=inner
    ), last + 1


def _pair(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
    follows = texts(words, number, 3)
    if follows[:2] != ("std", "::") or follows[2] not in {*_CLASSES, *_MAKERS}:
        return None
    if follows[2] in _CLASSES:
        return _class(words, number + 2)
    if texts(words, number + 3, 1) != ("(",):
        return None
    last = closing(words, number + 3)
    at = words[number + 2]
    inner = replaced(words[number + 4 : last], _pair)
    class_ = _of_types(words, at, number + 3)
    if class_ is None:
        return [made("{", at), *inner, made("}", at)], last + 1
    return [*class_, made("(", at), *inner, made(")", at)], last + 1


def _class(words: Sequence[Piece], number: int) -> tuple[Words, int]:
    """The class in place of `pair`, whose types follow from what it is made of where they are left out."""
    behind = number + 1
    has_name = texts(words, behind, 1) != () and is_name(words[behind])
    opening = behind + has_name
    at = words[number]
    if texts(words, behind, 1) == ("<",) or texts(words, opening, 1) not in {("(",), ("{",)}:
        angle = closing_angle(words, behind) if texts(words, behind, 1) == ("<",) else None
        count = 0 if angle is None else len(listed(words, behind + 1, angle))
        return [made(_PAIR if at.text == "pair" else f"{_TUPLE}_{count}", at)], behind
    return [*(_of_types(words, at, opening) or ()), *words[behind:opening]], opening


def _of_types(words: Sequence[Piece], at: Piece, opening: int) -> Words | None:
    """The class of what is made of what stands in brackets; None where a function returns it, which says the types."""
    values = listed(words, opening + 1, closing(words, opening))
    types = [evident_type(words[:opening], value, ()) for value in values]
    kind = _MAKERS.get(at.text, at.text)
    if all(types) and (kind == "tuple" or len(types) == 2):
        listed_types = [word for one in types for word in (made(",", at), *one)][1:]
        name = _PAIR if kind == "pair" else f"{_TUPLE}_{len(types)}"
        return [made(name, at), made("<", at), *listed_types, made(">", at)]
    if at.text in _MAKERS and opening > 3 and words[opening - 4].text == "return":
        return None
    message = f"the types of what this {kind} is made of are not evident: 'std::{kind}<int, int>(a, b)' says them"
    assert at.span is not None
    raise InputError(Diagnostic("E204", message, at.span))
