"""Names of enumerations behind `using enum Op;`: `Op::add` in place of `add`, up to the end of the block."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.front_end.cpp.classes import KEYS
from mcm.front_end.cpp.own_names import declared_names
from mcm.front_end.cpp.words import closing, end_of_block, end_of_statement, has_owner, is_name, listed, made, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece


def with_names_of_enumerations(words: Sequence[Piece]) -> Words:
    """The words without `using enum`; where a block declares a name of the enumeration, too, as they are."""
    found = list(words)
    for number in range(len(words) - 1, -1, -1):
        if texts(found, number, 2) != ("using", "enum"):
            continue
        end = end_of_statement(found, number)
        named = found[number + 2 : end]
        last = end_of_block(found, end)
        block = found[end + 1 : last]
        names = _names(found, named[-1].text) if named and is_name(named[-1]) else set()
        if not names or not names.isdisjoint(declared_names(block)):
            continue
        behind: Words = []
        for place, word in enumerate(block):
            if word.text in names and not has_owner(block, place):
                behind += [made(each.text, word) for each in named] + [made("::", word)]
            behind.append(word)
        found[number:last] = behind
    return found


def _names(words: Sequence[Piece], name: str) -> set[str]:
    """The names that an enumeration lists."""
    for number in range(len(words)):
        start = number + 1 + (not KEYS.isdisjoint(texts(words, number + 1, 1)))
        if words[number].text == "enum" and texts(words, start, 1) == (name,):
            brace = next((n for n in range(start, end_of_statement(words, start)) if words[n].text == "{"), None)
            if brace is not None:
                return {part[0].text for part in listed(words, brace + 1, closing(words, brace)) if part}
    return set()
