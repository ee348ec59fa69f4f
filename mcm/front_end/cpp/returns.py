"""Functions of the host that return before their end: what is behind becomes the other branch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.front_end.cpp.words import behind_statement, closing, end_of_statement, is_in_lambda, made, texts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece


def with_ends(body: Sequence[Piece], name: str, ends: Callable[[Words], Words]) -> Words:
    """The body of a function with what `ends` makes of a value in place of `return value;`, and nothing behind that.

    `if (a) return b; c` is `if (a) { b } else { c }`. InputError where it returns from a loop, or from a branch that
    may go on.
    """
    places = [n for n, word in enumerate(body) if word.text == "return" and not is_in_lambda(body, n)]
    if not places:
        return list(body)
    return [body[0], *_Ending({id(body[n]) for n in places}, name, ends).ended(body[1:-1]), body[-1]]


class _Ending:
    """Takes statements apart; `returns` are the words that return."""

    def __init__(self, returns: set[int], name: str, ends: Callable[[Words], Words]) -> None:
        self._returns = returns
        self._name = name
        self._ends = ends

    def ended(self, words: Sequence[Piece]) -> Words:
        """Statements, the last ones of which return where those of the function do."""
        found: Words = []
        number = 0
        while number < len(words):
            end = behind_statement(words, number)
            if id(words[number]) in self._returns:
                return [*found, *self._ends(list(words[number + 1 : end_of_statement(words, number)]))]
            if not self._has(words[number:end]):
                found += words[number:end]
                number = end
                continue
            if texts(words, number, 2) != ("if", "("):
                raise self._refused(words[number:end])
            return [*found, *self._branches(words, number, end)]
        return found

    def _branches(self, words: Sequence[Piece], number: int, end: int) -> Words:
        """`if (a) return b;` and all behind it."""
        last = closing(words, number + 1)
        middle = behind_statement(words, last + 1)
        then, otherwise = _inner(words[last + 1 : middle]), []
        if texts(words, middle, 1) == ("else",):
            otherwise = _inner(words[middle + 1 : end])
        rest = list(words[end:])
        if not self._leaves(then):
            if not self._leaves(otherwise):
                raise self._refused(words[number:end])
            then += rest
        else:
            otherwise += rest
        at = words[number]
        opening, closes = made("{", at), made("}", at)
        found = [*words[number : last + 1], opening, *self.ended(then), closes]
        return [*found, made("else", at), opening, *self.ended(otherwise), closes]

    def _leaves(self, words: Sequence[Piece]) -> bool:
        """Whether the last of some statements returns in any case."""
        number = 0
        while number < len(words):
            end = behind_statement(words, number)
            if id(words[number]) in self._returns:
                return True
            if texts(words, number, 2) == ("if", "("):
                middle = behind_statement(words, closing(words, number + 1) + 1)
                then = _inner(words[closing(words, number + 1) + 1 : middle])
                has_else = texts(words, middle, 1) == ("else",)
                if has_else and self._leaves(then) and self._leaves(_inner(words[middle + 1 : end])):
                    return True
            number = end
        return False

    def _has(self, words: Sequence[Piece]) -> bool:
        return any(id(word) in self._returns for word in words)

    def _refused(self, words: Sequence[Piece]) -> InputError:
        at = next(word for word in words if id(word) in self._returns)
        assert at.span is not None
        message = (
            f"'{self._name}', a function of the host, returns from the middle, and not from a branch, "
            "'if (a) return b;': 'if' and 'else' are"
        )
        return InputError(Diagnostic("E207", message, at.span))


def _inner(words: Sequence[Piece]) -> Words:
    """The statements of a branch."""
    is_block = texts(words, 0, 1) == ("{",) and closing(words, 0) == len(words) - 1
    return list(words[1:-1] if is_block else words)
