"""The arguments of a program: it is run without any, so that `argc` is 1, and what `argv` holds is not known."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Final

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.front_end.cpp.ends import EXITS
from mcm.front_end.cpp.words import behind_statement, closing, is_name, listed, made, texts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_COMPARISONS: Final[dict[str, Callable[[int, int], bool]]] = {
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
# How many arguments a program has, its own name among them.
_COUNT: Final = 1
# What may stand before a condition that chooses a value.
_BEFORE_VALUE: Final = frozenset({"=", "(", ",", "return", "{", "<<"})
_OPENING: Final = frozenset({"(", "[", "{"})


def with_arguments(words: Sequence[Piece]) -> Words:
    """The words with what a run without arguments chooses: `int n = argc > 1 ? atoi(argv[1]) : 4;` is 4.

    InputError where the program says that it needs arguments, and ends without them.
    """
    main = next((n for n in range(len(words)) if texts(words, n, 2) == ("main", "(")), None)
    parts = [] if main is None else listed(words, main + 2, closing(words, main + 1))
    if main is None or not parts or len(parts[0]) < 2 or not is_name(parts[0][-1]):
        return list(words)
    body = closing(words, main + 1) + 1
    return [*words[:body], *_chosen(words[body:], parts[0][-1].text)]


def check_arguments(body: Sequence[Piece], signature: Sequence[Piece]) -> None:
    """InputError where `main` uses its arguments, whose names are in its signature."""
    parts = listed(signature, 1, len(signature) - 1)
    if len(parts) < 2:
        return
    names = [word.text for word in parts[1] if is_name(word) and word.text not in {"char", "const"}]
    if not names:
        return
    name = names[-1]
    for number, word in enumerate(body):
        if word.text == name and (number == 0 or body[number - 1].text not in {".", "->", "::"}):
            message = (
                f"'{name}' holds the arguments of the program, which is run without any: a number in the place of what "
                "is made of it, or a macro and '-D N=4', is"
            )
            raise InputError(_at(word, message))


def _at(word: Piece, message: str) -> Diagnostic:
    assert word.span is not None
    return Diagnostic("E207", message, word.span)


def _chosen(words: Sequence[Piece], name: str) -> Words:
    """The words with one of two statements or values where the number of arguments, called `name`, decides."""
    found: Words = []
    number = 0
    while number < len(words):
        statement = _statement(words, number, name)
        value = None if statement is not None else _value(words, number, name)
        chosen = statement or value
        if chosen is not None:
            found += _chosen(chosen[0], name)
            number = chosen[1]
            continue
        is_count = words[number].text == name and (number == 0 or words[number - 1].text not in {".", "->", "::"})
        found.append(made(str(_COUNT), words[number]) if is_count else words[number])
        number += 1
    return found


def _statement(words: Sequence[Piece], number: int, name: str) -> tuple[Words, int] | None:
    """The statement that `if (argc > 1)` chooses, and the position behind both; None where something else stands."""
    if texts(words, number, 2) != ("if", "("):
        return None
    last = closing(words, number + 1)
    holds = _holds(words[number + 2 : last], name)
    if holds is None:
        return None
    end = behind_statement(words, last + 1)
    then, otherwise = list(words[last + 1 : end]), [made(";", words[last])]
    if texts(words, end, 1) == ("else",):
        start, end = end + 1, behind_statement(words, end + 1)
        otherwise = list(words[start:end])
    if holds and any(word.text == "return" or word.text in EXITS for word in then):
        message = (
            f"the program is run without arguments, '{name}' is {_COUNT}, and ends here: leave this out, and write "
            "numbers in place of its arguments"
        )
        raise InputError(_at(words[number], message))
    return (then if holds else otherwise), end


def _value(words: Sequence[Piece], number: int, name: str) -> tuple[Words, int] | None:
    """The value that `argc > 1 ? a : b` chooses, and the position behind both; None where something else stands."""
    if number and words[number - 1].text not in _BEFORE_VALUE:
        return None
    in_brackets = words[number].text == "("
    holds = _compared(words[number + in_brackets : number + in_brackets + 3], name)
    mark = number + 3 + 2 * in_brackets
    if holds is None or texts(words, mark, 1) != ("?",):
        return None
    depth, colon = 0, mark + 1
    while colon < len(words) and (words[colon].text != ":" or depth):
        depth += (words[colon].text == "?") - (words[colon].text == ":")
        colon = closing(words, colon) + 1 if words[colon].text in _OPENING else colon + 1
    end = colon + 1
    while end < len(words) and words[end].text not in {";", ",", ")", "}", "<<"}:
        end = closing(words, end) + 1 if words[end].text in _OPENING else end + 1
    chosen = words[mark + 1 : colon] if holds else words[colon + 1 : end]
    at = words[number]
    return [made("(", at), *chosen, made(")", at)], end


def _holds(condition: Sequence[Piece], name: str) -> bool | None:
    """Whether a condition holds; None where more than the number of arguments decides."""
    first = _compared(condition[:3], name)
    rest = texts(condition, 3, 1)
    inner = {word.text for word in condition[3:]}
    if first is None or not rest:
        return first
    is_decided = (rest == ("&&",) and not first and "||" not in inner) or (rest == ("||",) and first)
    return first if is_decided else None


def _compared(words: Sequence[Piece], name: str) -> bool | None:
    """Whether a comparison of the number of arguments with a number holds; None for anything else."""
    match [word.text for word in words]:
        case [one, comparison, number] if one == name and comparison in _COMPARISONS and number.isdigit():
            return _COMPARISONS[comparison](_COUNT, int(number))
        case [number, comparison, one] if one == name and comparison in _COMPARISONS and number.isdigit():
            return _COMPARISONS[comparison](int(number), _COUNT)
        case _:
            return None
