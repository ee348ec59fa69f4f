"""Names of their own for what functions of the host declare, where the program has others of these names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.words import closing_angle, end_of_statement, is_name, listed, made, substituted, texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_BEFORE: Final = frozenset({";", "{", "}", "(", ")"})
_QUALIFIERS: Final = frozenset({"const", "constexpr", "static", "volatile", "unsigned", "signed", "long", "short"})
_SIGNS: Final = frozenset({"*", "&", "const"})
_BEHIND: Final = frozenset({"=", ";", "(", "{", "[", ","})
_NO_TYPES: Final = frozenset({"return", "else", "case", "delete", "new", "using", "typedef", "goto", "throw"})


class OwnNames:
    """Knows the names that a program declares; what is declared again gets another one."""

    def __init__(self, words: Sequence[Piece]) -> None:
        self._known: Final = set(_declared(words))

    def apart(self, body: Words) -> Words:
        """The body of a function with other names for what is known outside of it."""
        own = dict.fromkeys(_declared(body))
        meant: dict[str, Words] = {}
        for name in own:
            if name in self._known:
                number = 2
                while f"{name}_{number}" in self._known:
                    number += 1
                self._known.add(f"{name}_{number}")
                at = next(word for word in body if word.text == name)
                meant[name] = [made(f"{name}_{number}", at)]
        self._known.update(own)
        return substituted(body, meant, in_place=True) if meant else body


def _declared(words: Sequence[Piece]) -> Iterator[str]:
    """The names of the variables and objects that are declared in statements and in the heads of loops."""
    for number in range(1, len(words)):
        if words[number - 1].text not in _BEFORE or not is_name(words[number]) or words[number].text in _NO_TYPES:
            continue
        first = _behind_type(words, number)
        if first is None:
            continue
        for part in listed(words, first, min(end_of_statement(words, first), len(words))):
            place = 0
            while texts(part, place, 1) and part[place].text in _SIGNS:
                place += 1
            if texts(part, place, 1) and is_name(part[place]):
                yield part[place].text


def _behind_type(words: Sequence[Piece], number: int) -> int | None:
    """The position of the first declarator behind a type; None where no declaration begins."""
    position = number
    while texts(words, position, 1) and words[position].text in _QUALIFIERS:
        position += 1
    has_base = position == number or words[position - 1].text in {"const", "constexpr", "static", "volatile"}
    if has_base or (is_name(words[position]) and is_name(words[position + 1])):
        if not is_name(words[position]):
            return None
        position += 1
        while texts(words, position, 1) == ("::",):
            position += 2
        if texts(words, position, 1) == ("<",):
            angle = closing_angle(words, position)
            if angle is None:
                return None
            position = angle + 1
    name = position
    while texts(words, name, 1) and words[name].text in _SIGNS:
        name += 1
    is_declarator = texts(words, name, 1) != () and is_name(words[name]) and texts(words, name + 1, 1) != ()
    return position if is_declarator and words[name + 1].text in _BEHIND else None
