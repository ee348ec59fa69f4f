"""What a class of the host has once, `static queue& q() { … }`, `static int* x;`: it stands in the file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.classes import KEYS, class_at, end_of_member
from mcm.front_end.cpp.words import (
    begins_statement,
    closing,
    end_of_statement,
    has_owner,
    is_name,
    made,
    replaced,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from mcm.front_end.cpp.classes import Class
    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_STATIC: Final = "static"
_CONSTANT: Final = frozenset({"const", "constexpr"})
_OF_HOST: Final = frozenset({"queue", "static", "malloc_shared", "malloc_device", "malloc_host"})
_BEHIND_NAMES: Final = frozenset({"=", "{", "(", ";"})


def with_statics_of_classes(words: Sequence[Piece]) -> Words:
    """The words with functions and variables of the file in place of those that classes have once for all."""
    found = list(words)
    number = 0
    while number < len(found):
        one, behind = class_at(found, number) if found[number].text in KEYS else (None, number + 1)
        if one is None or one.templates:
            number += 1
            continue
        lifted, body = _apart(one)
        if lifted:
            opening, end = behind - len(one.body), behind + (texts(found, behind, 1) == (";",))
            names, class_ = set(lifted), one.name.text
            kept = _named(body, class_, names, is_inside=True)
            rest = _named(_without_definitions(found[end:], class_, lifted), class_, names)
            members = [_qualified(_named(one, class_, names, is_inside=True), class_, kept) for one in lifted.values()]
            declared = [word for member in members for word in member]
            before = [*_named(found[:number], class_, names), *found[number:opening], *kept, *found[behind:end]]
            found = [*before, *declared, *rest]
            behind = len(before)
        number = behind
    return found


def _apart(one: Class) -> tuple[dict[str, Words], Words]:
    """The members of a class that stand outside now, without `static`, by their names, and the class without them."""
    members = list(_members(one.body))
    names: dict[str, Words] = {}
    while True:
        found = {
            name: member
            for member in members
            if (name := _name(member, names.keys())) is not None and name not in names
        }
        if not found:
            break
        names |= found
    kept = [member for member in members if not any(member is one for one in names.values())]
    lifted = {
        name: [word for n, word in enumerate(member) if n > 1 or word.text not in {_STATIC, "inline"}]
        for name, member in names.items()
    }
    return lifted, [one.body[0], *(word for member in kept for word in member), one.body[-1]]


def _members(body: Words) -> Iterator[Words]:
    """The members of a class, and what says who may name them."""
    number = 1
    while number < len(body) - 1:
        end = number + 2 if texts(body, number + 1, 1) == (":",) else end_of_member(body, number)
        yield body[number:end]
        number = end


def _qualified(member: Words, class_: str, kept: Words) -> Words:
    """A member that stands outside now, with the class before what stays in it."""
    static = {name for one in _members(kept) if (name := _name_of_static(one)) is not None}

    def at(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
        word = words[number]
        if word.text not in static or has_owner(words, number):
            return None
        return [made(class_, word), made("::", word), word], number + 1

    return replaced(member, at)


def _name_of_static(member: Words) -> str | None:
    """The name of a static member."""
    head = next((n for n, word in enumerate(member) if word.text in _BEHIND_NAMES), 0)
    is_static = head > 1 and _STATIC in texts(member, 0, 2) and is_name(member[head - 1])
    return member[head - 1].text if is_static else None


def _name(member: Words, lifted: Collection[str]) -> str | None:
    """The name of a variable, or of a function of the host, that a class has once; None for other members."""
    name = _name_of_static(member)
    head = next((n for n, word in enumerate(member) if word.text in _BEHIND_NAMES), 0)
    if name is None or name == "operator":
        return None
    inside = {word.text for word in member[1:]}
    if member[head].text == "(":
        return name if not inside.isdisjoint(_OF_HOST | {*lifted} - {name}) else None
    return name if _CONSTANT.isdisjoint(word.text for word in member[:head]) else None


def _named(words: Sequence[Piece], class_: str, names: Collection[str], *, is_inside: bool = False) -> Words:
    """The words with names of the file in place of those of members, which the class itself knows without its own."""
    found: Words = []
    number = 0
    while number < len(words):
        follows = texts(words, number, 3)
        if follows[:2] == (class_, "::") and follows[2:] and follows[2] in names:
            found.append(made(f"{class_}_{follows[2]}", words[number + 2]))
            number += 3
            continue
        word = words[number]
        is_own = is_inside and word.text in names and not has_owner(words, number)
        found.append(made(f"{class_}_{word.text}", word) if is_own else word)
        number += 1
    return found


def _without_definitions(words: Sequence[Piece], class_: str, lifted: dict[str, Words]) -> Words:
    """The words without `int* Ctx::x = nullptr;`, which says what a member begins with."""
    found = list(words)
    for number in range(len(words) - 1, 1, -1):
        if texts(found, number, 2) != (class_, "::") or found[number + 2].text not in lifted:
            continue
        start = number
        while start and not begins_statement(found, start):
            start -= 1
        end = end_of_statement(found, number)
        # A type stands before it, and no brackets around it.
        is_type = start < number and all(is_name(one) or one.text in "::*&<>" for one in found[start:number])
        if not is_type or found[start].text in {"return", "delete"} or _depth(found, start):
            continue
        member = lifted[found[number + 2].text]
        lifted[found[number + 2].text] = [*member[: _end_of_name(member)], *found[number + 3 : end + 1]]
        del found[start : end + 1]
    return found


def _end_of_name(member: Words) -> int:
    return next(n for n, word in enumerate(member) if word.text in _BEHIND_NAMES)


def _depth(words: Sequence[Piece], number: int) -> bool:
    """Whether a position stands in braces."""
    start = 0
    while start < number:
        behind = closing(words, start) + 1 if words[start].text == "{" else start + 1
        if behind > number:
            return True
        start = behind
    return False
