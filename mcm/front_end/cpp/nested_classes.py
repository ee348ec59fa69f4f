"""Classes that are the type of a member at once, and names of their own for classes in classes.

`struct A { struct { int lo; } in; };` is `struct A { struct A_in { int lo; }; A_in in; };`, and `A_P` stands in place
of `A::P` where another class has a class `P`, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.classes import KEYS, class_at, inherits
from mcm.front_end.cpp.words import (
    closing,
    end_of_statement,
    has_owner,
    is_name,
    made,
    other_name,
    replaced,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.classes import Class
    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_BEFORE: Final = frozenset({"{", "}", ";", ":"})


def with_classes_alone(words: Sequence[Piece]) -> Words:
    """The words in which each class in a class is defined by itself, by a name that no other class has."""
    taken = {word.text for word in words}
    apart = replaced(words, lambda all_, number: _with_members_behind(all_, number, taken))
    names: dict[tuple[str, str], str] = {}
    for number, word in enumerate(apart):
        if word.text in KEYS and (one := _class_at(apart, number)[0]) is not None and not one.templates:
            is_template = texts(apart, number - 1, 1) == (">",)
            for inner in [] if is_template else _defined(one.body):
                if _count(apart, inner) > 1:
                    names[one.name.text, inner] = other_name(f"{one.name.text}_{inner}", taken)
    return _renamed(apart, names) if names else apart


def _with_members_behind(words: Sequence[Piece], number: int, taken: set[str]) -> tuple[Words, int] | None:
    """A class and its members, `struct P { int v; } p;`, one behind the other, in a class that begins at a position."""
    outer, behind = _class_at(words, number)
    if outer is None or outer.templates:
        return None
    opening = behind - len(outer.body)
    body = [outer.body[0]]
    place = 1
    while place < len(outer.body):
        inner = _begun(outer.body, place)
        if inner is None:
            body.append(outer.body[place])
            place += 1
            continue
        brace, last, end = inner
        declared = outer.body[last + 1 : end]
        key, name = outer.body[place], outer.body[place + 1]
        if brace == place + 1:
            name = made(other_name(f"{outer.name.text}_{_first(declared).text}", taken), key)
        inside, _ = _with_members_behind([key, name, *outer.body[brace : last + 1]], 0, taken) or ([], 0)
        body += [*inside, made(";", key), made(name.text, key), *declared]
        place = end
    return [*words[number:opening], *body], behind


def _class_at(words: Sequence[Piece], number: int) -> tuple[Class | None, int]:
    """As `class_at`; no class that inherits, of which others say what becomes."""
    return (None, number) if inherits(words, number) else class_at(words, number)


def _begun(body: Sequence[Piece], place: int) -> tuple[int, int, int] | None:
    """The braces of a class that is the type of members at once, and the position of the semicolon behind these."""
    if body[place].text not in KEYS or body[place - 1].text not in _BEFORE:
        return None
    brace = place + 1 + (is_name(body[place + 1]) and texts(body, place + 2, 1) == ("{",))
    if texts(body, brace, 1) != ("{",):
        return None
    last = closing(body, brace)
    end = end_of_statement(body, last)
    return (brace, last, end) if end > last + 1 else None


def _first(declared: Sequence[Piece]) -> Piece:
    return next((word for word in declared if is_name(word) and word.text != "const"), declared[0])


def _defined(body: Sequence[Piece]) -> list[str]:
    """The names of the classes that a class defines."""
    found = []
    number = 1
    while number < len(body) - 1:
        one, behind = _class_at(body, number)
        if one is not None and not one.templates:
            found.append(one.name.text)
        number = behind if one is not None else closing(body, number) + 1 if body[number].text in "({[" else number + 1
    return found


def _count(words: Sequence[Piece], name: str) -> int:
    """How many classes have a name."""
    return sum(
        words[number].text in KEYS
        and texts(words, number + 1, 1) == (name,)
        and texts(words, number + 2, 1) in {("{",), ("final",)}
        for number in range(len(words))
    )


def _renamed(words: Sequence[Piece], names: dict[tuple[str, str], str]) -> Words:
    """The words with other names, in the classes, in functions of theirs that are defined outside, and behind `A::`."""
    found: dict[int, str] = {}
    for (outer, inner), other in names.items():
        for start, end in _regions(words, outer):
            found |= {n: other for n in range(start, end) if words[n].text == inner and not has_owner(words, n)}
    result: Words = []
    for number, word in enumerate(words):
        owner = words[number - 2].text if texts(words, number - 1, 1) == ("::",) and number > 1 else ""
        if (owner, word.text) in names:
            del result[-2:]
            result.append(made(names[owner, word.text], word))
        elif owner == word.text and (own := found.get(number - 2)):
            result.append(made(own, word))
        else:
            result.append(made(found[number], word) if number in found else word)
    return result


def _regions(words: Sequence[Piece], outer: str) -> list[tuple[int, int]]:
    """Where names are looked up in a class: its body, and its functions that are defined outside."""
    found = []
    for number, word in enumerate(words):
        if word.text != outer:
            continue
        opening = number + 1 + (texts(words, number + 1, 1) == ("final",))
        if texts(words, number - 1, 1)[0] in KEYS and texts(words, opening, 1) == ("{",):
            found.append((opening, closing(words, opening)))
        elif texts(words, number + 1, 1) == ("::",) and texts(words, number + 3, 1) == ("(",):
            end = end_of_statement(words, number)
            brace = next((n for n in range(closing(words, number + 3), end) if words[n].text == "{"), None)
            if brace is not None:
                found.append((number + 3, closing(words, brace)))
    return found
