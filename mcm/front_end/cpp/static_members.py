"""Static members of classes that are whole numbers, `Tile::width`: the numbers, which may then be sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.classes import KEYS, class_at, end_of_member
from mcm.front_end.cpp.numbers import SUFFIXES, number_of
from mcm.front_end.cpp.words import is_name, made, replaced, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.classes import Class
    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_CONSTANT: Final = frozenset({"constexpr", "const"})
_BEFORE_TYPES: Final = frozenset({"static", "inline", "std", "::"}) | _CONSTANT


def with_static_members(words: Sequence[Piece]) -> Words:
    """The words with numbers in place of static members that are named by their class."""
    known: dict[tuple[str, str], tuple[int, str]] = {}
    number = 0
    while number < len(words):
        one, behind = class_at(words, number) if words[number].text in KEYS else (None, number + 1)
        if one is not None and not one.templates:
            known |= {(one.name.text, name): value for name, value in _numbers(one).items()}
        number = max(behind, number + 1)

    def at(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
        match texts(words, number, 3):
            case (class_, "::", name) if (class_, name) in known:
                value, suffix = known[class_, name]
                return [made(f"{value}{suffix}", words[number])], number + 3
            case _:
                return None

    return replaced(words, at) if known else list(words)


def _numbers(one: Class) -> dict[str, tuple[int, str]]:
    """The numbers among the static members of a class, and what numbers of their types end in."""
    found: dict[str, tuple[int, str]] = {}
    number = 1
    while number < len(one.body) - 1:
        end = end_of_member(one.body, number)
        member = one.body[number:end]
        number = end
        sign = next((n for n, word in enumerate(member) if word.text in {"=", "{", "("}), 0)
        before = [word.text for word in member[: max(sign - 1, 0)]]
        is_constant = "static" in before and not _CONSTANT.isdisjoint(before) and is_name(member[sign - 1])
        type_ = " ".join(word for word in before if word not in _BEFORE_TYPES)
        if not is_constant or type_ not in SUFFIXES or member[sign].text == "(":
            continue
        value = member[sign + 1 : -1] if member[sign].text == "=" else member[sign + 1 : -2]
        known = number_of(value, lambda name: found[name][0] if name in found else None)
        if known is not None:
            found[member[sign - 1].text] = known, SUFFIXES[type_]
    return found
