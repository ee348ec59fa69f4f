"""Lambdas that are called where they stand, `[&] { … }();`, as variables that are called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.words import closing, made, other_name, start_of_statement, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_BEFORE: Final = frozenset({";", "{", "}"})
# What a declaration before would not be the same with.
_NO_DECLARATIONS: Final = frozenset({"(", "{", ":", "?", "static", "else", "do", "case", "default", "return"})


def with_lambdas_called(words: Sequence[Piece]) -> Words:
    """The words with `auto f = [&] { … }; f();` in place of `[&] { … }();`; in `int n = [&] { … }();` likewise."""
    found = list(words)
    taken = {word.text for word in words}
    number = 1
    while number < len(found):
        last = _end_of_called(found, number)
        start = number if found[number - 1].text in _BEFORE else start_of_statement(found, number)
        begins = found[start:number]
        if last is None or found[start - 1].text not in _BEFORE or any(one.text in _NO_DECLARATIONS for one in begins):
            number += 1
            continue
        at = found[number]
        name = other_name("called", taken)
        held = [made("auto", at), made(name, at), made("=", at), *found[number : last + 1], made(";", at)]
        found[start : last + 1] = [*held, *begins, made(name, at)]
        # Lambdas within it are looked at, too.
        number = start + 4
    return found


def _end_of_called(words: Sequence[Piece], number: int) -> int | None:
    """The position of the brace that ends a lambda which is called, and nothing else; None where none begins."""
    if (
        words[number].text != "["
        or words[number - 1].text not in {*_BEFORE, "="}
        or texts(words, number + 1, 1) == ("[",)
    ):
        return None
    brace = closing(words, number) + 1
    if texts(words, brace, 1) == ("(",):
        brace = closing(words, brace) + 1
    brace = next((n for n in range(brace, len(words)) if words[n].text in {"{", ";", "}"}), len(words))
    if texts(words, brace, 1) != ("{",):
        return None
    last = closing(words, brace)
    if texts(words, last + 1, 1) != ("(",) or texts(words, closing(words, last + 1) + 1, 1) != (";",):
        return None
    return last
