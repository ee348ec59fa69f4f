"""Names of their own for what functions of the host and blocks declare, where the program has others of these names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.definitions import NUMBERS
from mcm.front_end.cpp.words import (
    behind_statement,
    closing,
    closing_angle,
    end_of_block,
    end_of_statement,
    is_in_lambda,
    is_name,
    listed,
    made,
    other_name,
    substituted,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_BEFORE: Final = frozenset({";", "{", "}", "(", ")"})
_QUALIFIERS: Final = frozenset({"const", "constexpr", "static", "volatile", "unsigned", "signed", "long", "short"})
_SIGNS: Final = frozenset({"*", "&", "const"})
_BEHIND: Final = frozenset({"=", ";", "(", "{", "[", ","})
# What makes memory where a variable is declared.
_MAKING: Final = frozenset(
    {
        *("vector", "array", "buffer", "new", "malloc", "malloc_shared", "malloc_device", "malloc_host"),
        *("aligned_alloc_shared", "aligned_alloc_device", "aligned_alloc_host"),
    }
)
_OPENING: Final = frozenset({"(", ",", "{"})
_NO_TYPES: Final = frozenset(
    {"return", "if", "else", "do", "case", "delete", "new", "using", "typedef", "goto", "throw"}
)


class OwnNames:
    """Knows the names that a program declares; what is declared again gets another one.

    `words` are those whose declarations are known, `whole` are all of the program, among which no other name is.
    """

    def __init__(self, words: Sequence[Piece], whole: Sequence[Piece]) -> None:
        self._known: Final = set(declared_names(words))
        self._taken: Final = {word.text for word in whole}

    def other(self, name: str, number: int = 1) -> str:
        """A name like this one, that nothing else has."""
        while f"{name}_{number}" in self._taken:
            number += 1
        self._taken.add(f"{name}_{number}")
        return f"{name}_{number}"

    def are_known(self, body: Words) -> bool:
        """Whether the body of a function declares what is known outside of it, or in another call."""
        return not self._known.isdisjoint(declared_names(body))

    def without(self, words: Words, names: Collection[str]) -> Words:
        """The words with other names for what they declare by some names in blocks and lambdas."""
        return without_names(words, names, self._taken)

    def apart(self, body: Words) -> Words:
        """The body of a function with other names for what is known outside of it."""
        own = dict.fromkeys(declared_names(body))
        meant: dict[str, Words] = {}
        for name in own:
            if name in self._known:
                at = next(word for word in body if word.text == name)
                meant[name] = [made(self.other(name, 2), at)]
        self._known.update(own)
        return substituted(body, meant, in_place=True) if meant else body


def with_blocks_apart(body: Words) -> Words:
    """The body of a function of the host with other names for memory that has the name of other memory before it."""
    found = list(body)
    known: set[str] = set()
    taken = {word.text for word in body}
    number = 0
    while (declared := _memory_behind(found, number)) is not None:
        number = declared
        name = found[number].text
        if name in known:
            count = 2
            while f"{name}_{count}" in taken:
                count += 1
            taken.add(f"{name}_{count}")
            end = end_of_block(found, number)
            other = made(f"{name}_{count}", found[number])
            found[number:end] = substituted(found[number:end], {name: [other]}, in_place=True)
        known.add(found[number].text)
        number += 1
    return found


def _memory_behind(words: Words, start: int) -> int | None:
    """The position of the next name of memory that host code declares; None where there is no more."""
    for number in range(max(start, 1), len(words)):
        if words[number - 1].text not in _BEFORE or not is_name(words[number]) or words[number].text in _NO_TYPES:
            continue
        first = _behind_type(words, number)
        if first is None or is_in_lambda(words, number):
            continue
        while words[first].text in _SIGNS:
            first += 1
        end = end_of_statement(words, first)
        if first >= start and _is_memory(words, number, first, end):
            return first
    return None


def _is_memory(words: Words, number: int, name: int, end: int) -> bool:
    """Whether a declaration makes memory: a container, an array, one that calls for it, or whose address is taken."""
    behind = texts(words, name + 1, 1)
    made_by = {word.text for word in words[number:end]}
    text = words[name].text
    if behind == ("[",) or made_by & _MAKING:
        return True
    last = end_of_block(words, name)
    return any(texts(words, n, 2) == ("&", text) and words[n - 1].text in _OPENING for n in range(end, last))


def declared_names(words: Sequence[Piece]) -> Iterator[str]:
    """The names of the variables and objects that are declared in statements and in the heads of loops."""
    for number in range(1, len(words)):
        yield from (word.text for word in _declared_at(words, number))


def _declared_at(words: Sequence[Piece], number: int) -> Iterator[Piece]:
    """The names that are declared in the declaration that begins at a position."""
    if words[number - 1].text not in _BEFORE or not is_name(words[number]) or words[number].text in _NO_TYPES:
        return
    # `f(a * b, c)` declares nothing, and parameters of lambdas are no variables of a statement.
    is_argument = words[number - 1].text == "(" and texts(words, number - 2, 1) != ("for",)
    first = None if is_argument else _behind_type(words, number)
    if first is None:
        return
    for part in listed(words, first, min(end_of_statement(words, first), len(words))):
        place = 0
        while texts(part, place, 1) and part[place].text in _SIGNS:
            place += 1
        if texts(part, place, 1) and is_name(part[place]):
            yield part[place]


def parameters_of_lambdas(words: Sequence[Piece]) -> Iterator[str]:
    """The names of the parameters of lambdas."""
    for number in range(len(words)):
        yield from (word.text for word in _parameters_at(words, number))


def _parameters_at(words: Sequence[Piece], number: int) -> Iterator[Piece]:
    """The names of the parameters of a lambda whose captures end at a position."""
    if words[number].text == "]" and texts(words, number + 1, 1) == ("(",):
        for part in listed(words, number + 2, closing(words, number + 1)):
            last = next((n for n, word in enumerate(part) if word.text == "="), len(part)) - 1
            # One without a name ends with its type.
            if last > 0 and is_name(part[last]) and part[last].text not in NUMBERS and part[last - 1].text != "::":
                yield part[last]


def without_names(words: Sequence[Piece], names: Collection[str], taken: set[str]) -> Words:
    """The words with names that are not taken for what they declare with one of some names, in blocks and lambdas."""
    found = list(words)
    for number in range(len(found)):
        of_lambda = [word.text for word in _parameters_at(found, number)]
        declared = [word.text for word in _declared_at(found, number)] if number else []
        for name in dict.fromkeys(one for one in (*of_lambda, *declared) if one in names):
            other = other_name(f"{name}_2", taken)
            is_head = texts(found, number - 1, 1) == ("(",) and texts(found, number - 2, 1) == ("for",)
            end = behind_statement(found, number - 2) if is_head else end_of_block(found, number)
            if name in of_lambda:
                brace = next((n for n in range(number, len(found)) if found[n].text == "{"), len(found))
                end = closing(found, brace)
            meant = {name: [made(other, found[number])]}
            found[number:end] = substituted(found[number:end], meant, in_place=True)
    return found


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
