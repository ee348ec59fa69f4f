"""What lambdas capture by an expression, `[=, k = n + 1]`: a constant of the body, of what is captured by value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.words import closing, is_name, listed, made, texts, with_commas

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_OPERATORS: Final = frozenset({"+", "-", "*", "/", "%"})


def with_constants_of_lambdas(words: Sequence[Piece]) -> Words:
    """The words with `[=] { const auto k = n + 1; … }` in place of `[=, k = n + 1] { … }`.

    What numbers and variables say does not change between the capture and the call, as the lambda has copies of them.
    """
    found = list(words)
    for number in reversed(range(len(found))):
        if not _begins_lambda(found, number):
            continue
        last = closing(found, number)
        parts = listed(found, number + 1, last)
        made_here = [part for part in parts if texts(part, 1, 1) == ("=",)]
        brace = _body(found, last)
        if not made_here or not all(parts) or brace is None or not all(map(_is_of_copies, made_here)):
            continue
        if any(part[0].text == "&" for part in parts):
            continue
        at = found[number]
        has_all = any(texts(part, 0, 2) == ("=",) for part in parts)
        kept = [part for part in parts if part not in made_here]
        named = [] if has_all else [[word] for part in made_here for word in part[2:] if is_name(word)]
        captures = with_commas([*kept, *named], at)
        constants = [
            word
            for part in made_here
            if [part[0].text] != [one.text for one in part[2:]]
            for word in (made("const", at), made("auto", at), *part, made(";", at))
        ]
        found = [*found[: number + 1], *captures, *found[last : brace + 1], *constants, *found[brace + 1 :]]
    return found


def _begins_lambda(words: Sequence[Piece], number: int) -> bool:
    is_index = number > 0 and (is_name(words[number - 1]) or words[number - 1].text in {"]", ")"})
    return words[number].text == "[" and not is_index and texts(words, number + 1, 1) != ("[",)


def _body(words: Sequence[Piece], last: int) -> int | None:
    """Where the body of a lambda begins, whose captures end at a position; None where it may change its copies."""
    number = last + 1
    if texts(words, number, 1) == ("(",):
        number = closing(words, number) + 1
    if texts(words, number, 1) == ("[",):
        number = closing(words, number) + 1
    return number if texts(words, number, 1) == ("{",) else None


def _is_of_copies(part: Sequence[Piece]) -> bool:
    """Whether a value is computed from variables and numbers alone, which are other ones or that of the same name."""
    value = part[2:]
    if len(value) > 1 and part[0].text in {word.text for word in value}:
        return False
    for place, word in enumerate(value):
        is_operator = word.text in _OPERATORS
        if is_operator != bool(place % 2) or not (is_operator or is_name(word) or word.text[:1].isdigit()):
            return False
    return len(value) % 2 == 1
