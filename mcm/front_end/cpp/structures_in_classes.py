"""Structures in classes that only the host has, `Sizes s_;`: members of the classes, as the structures have them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.classes import class_at, end_of_member
from mcm.front_end.cpp.elements import code
from mcm.front_end.cpp.host_classes import data_members, host_classes
from mcm.front_end.cpp.words import closing, is_name, made, replaced, texts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcm.front_end.cpp.host_classes import Data
    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_OWN: Final = frozenset({".", "->", "::"})


def with_members_of_structures(words: Sequence[Piece]) -> Words:
    """The words with `int s__n;` in place of a member `Sizes s_;`, and `s__n` in place of `s_.n`."""
    structures = _structures(words)
    found = list(words)
    for one in reversed(list(host_classes(words)) if structures else []):
        body = found[one.start : one.end + 1]
        for each in one.data:
            type_ = [word.text for word in each.before]
            if len(type_) == 1 and type_[0] in structures and not each.behind:
                body = _flat(body, each, structures[type_[0]])
        found[one.start : one.end + 1] = body
    return found


def _structures(words: Sequence[Piece]) -> dict[str, list[Data]]:
    """The structures without functions and arrays."""
    found: dict[str, list[Data]] = {}
    number = 0
    while number < len(words):
        one, behind = class_at(words, number)
        number = max(behind, number + 1)
        if one is None or one.templates or any(word.text in {"(", "static", "["} for word in one.body):
            continue
        data: list[Data] = []
        place = 1
        while place < len(one.body) - 1:
            end = end_of_member(one.body, place)
            data += data_members(one.body[place:end])
            place = end
        found[one.name.text] = data
    return found


def _flat(body: Words, member: Data, data: Sequence[Data]) -> Words:
    """A class without a member that is a structure; as it is where that is named as a whole."""
    name = member.name.text
    flat = {each.name.text: f"{name}_{each.name.text}" for each in data}

    def changed(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
        at = words[number]
        if texts(words, number, 2) == (member.before[0].text, name) and texts(words, number + 2, 1) == (";",):
            declared = [_declared(each, made(flat[each.name.text], at)) for each in data]
            return [word for part in declared for word in part], number + 3
        if at.text != name or (number and words[number - 1].text in _OWN and words[number - 2].text != "this"):
            return None
        follows = texts(words, number + 1, 2)
        if follows[:1] == (".",) and follows[1] in flat:
            return [made(flat[follows[1]], words[number + 2])], number + 3
        return _initials(words, number, flat)

    found = replaced(body, changed)
    return body if any(word.text == name for word in found) else found


def _declared(each: Data, name: Piece) -> Words:
    return [*each.before, name, *each.initial, made(";", name)]


def _initials(words: Sequence[Piece], number: int, flat: Mapping[str, str]) -> tuple[Words, int] | None:
    """`s__n(s.n), s__k(s.k)` for `s_(s)` and `s_{s}` before the body of a constructor."""
    if texts(words, number + 1, 1) not in {("(",), ("{",)} or words[number - 1].text not in {":", ","}:
        return None
    last = closing(words, number + 1)
    given = words[number + 2 : last]
    if len(given) != 1 or not is_name(given[0]):
        return None
    parts = [code(words[number], f", {other} ( {{of}} . {one} )", of=list(given)) for one, other in flat.items()]
    return [word for part in parts for word in part][1:], last + 1
