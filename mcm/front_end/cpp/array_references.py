"""Parameters that refer to arrays of the host, `float (&m)[n][n]`, as pointers to what the arrays begin with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.front_end.cpp.words import closing, is_member, is_name, made, opening_around, replaced, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_BEHIND: Final = frozenset({",", ")"})
# What asks for the size of an array, which a pointer does not know.
_ASKING: Final = frozenset({"sizeof", "size", "ssize", "begin", "end", "cbegin", "cend"})


def with_pointers_to_arrays(words: Sequence[Piece]) -> Words:
    """The words with `float m[n]` in place of `float (&m)[n]`, and `float (*m)[n]` in place of `float (&m)[n][n]`."""
    return replaced(words, _parameter)


def _parameter(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
    if texts(words, number, 2) != ("(", "&") or texts(words, number + 3, 2) != (")", "[") or not number:
        return None
    name = words[number + 2]
    first = closing(words, number + 4)
    behind = first + 1
    rows = texts(words, behind, 1) == ("[",)
    if rows:
        behind = closing(words, behind) + 1
    opening = opening_around(words, number)
    is_type = is_name(words[number - 1]) or words[number - 1].text == ">"
    if opening is None or not is_type or not is_name(name) or texts(words, behind, 1) not in {(",",), (")",)}:
        return None
    start = closing(words, opening) + 1
    brace = next((n for n in range(start, len(words)) if words[n].text in {"{", ";", "}"}), len(words))
    if texts(words, brace, 1) == ("{",):
        _look_at_uses(words, name, brace, closing(words, brace))
    if not rows:
        return [name, *words[number + 4 : behind]], behind
    return [words[number], made("*", words[number + 1]), name, words[number + 3], *words[first + 1 : behind]], behind


def _look_at_uses(words: Sequence[Piece], name: Piece, start: int, end: int) -> None:
    """Refuse what means something else of a pointer than of the array: its size, and copies in lambdas."""
    for number in range(start, end):
        word = words[number]
        if word.text != name.text or is_member(words, number):
            continue
        before, behind = texts(words, number - 2, 2), texts(words, number + 1, 1)
        is_argument = before[1:] in {("(",), (",",)} and before[:1][0] not in _ASKING and behind[0] in _BEHIND
        if not (behind == ("[",) or is_argument) or _is_asked(words, number) or _is_copied(words, number, start):
            message = (
                f"'{name.text}' refers to an array: its elements, '{name.text}[0]', and calls that it is passed to are "
                f"part of the litmus language, and neither its size nor a copy of it in a lambda"
            )
            assert word.span is not None
            raise InputError(Diagnostic("E207", message, word.span))


def _is_asked(words: Sequence[Piece], number: int) -> bool:
    """Whether a name stands in `sizeof`, also with an index: a row has a size, too."""
    return texts(words, number - 2, 2) == ("sizeof", "(") or texts(words, number - 1, 1) == ("sizeof",)


def _is_copied(words: Sequence[Piece], number: int, start: int) -> bool:
    """Whether a name stands in a lambda that copies what it names: any but `[&]`."""
    for opening in range(start, number):
        is_lambda = words[opening].text == "[" and not (
            is_name(words[opening - 1]) or words[opening - 1].text in {"]", ")", "["}
        )
        bracket = closing(words, opening) if is_lambda else opening
        if not is_lambda or texts(words, opening, 3) == ("[", "&", "]"):
            continue
        brace = next((n for n in range(bracket, len(words)) if words[n].text in {"{", ";"}), len(words))
        if number <= bracket or (texts(words, brace, 1) == ("{",) and brace < number < closing(words, brace)):
            return True
    return False
