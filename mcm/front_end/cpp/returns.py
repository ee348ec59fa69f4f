"""Functions of the host that return before their end: what is behind becomes the other branch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.front_end.cpp.elements import code
from mcm.front_end.cpp.words import behind_statement, closing, end_of_statement, is_in_lambda, made, texts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece
_LOOPS: Final = frozenset({"for", "while"})


def with_ends(body: Sequence[Piece], name: str, ends: Callable[[Words], Words]) -> Words:
    """The body of a function with what `ends` makes of a value in place of `return value;`, and nothing behind that.

    `if (a) return b; c` is `if (a) { b } else { c }`. A return from a loop leaves it, and what is behind a loop, a
    block or a branch that may go on is done where nothing returned. InputError where `do` or `switch` returns.
    """
    places = [n for n, word in enumerate(body) if word.text == "return" and not is_in_lambda(body, n)]
    if not places:
        return list(body)
    return [body[0], *_Ending({id(body[n]) for n in places}, name, ends, []).ended(body[1:-1]), body[-1]]


class _Ending:
    """Takes statements apart; `returns` are words, `flags` variables for whether one did."""

    def __init__(self, returns: set[int], name: str, ends: Callable[[Words], Words], flags: Words) -> None:
        self._returns = returns
        self._name = name
        self._ends = ends
        self._flags = flags

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
            if words[number].text in _LOOPS:
                return [*found, *self._loop(words[number:end], list(words[end:]))]
            if texts(words, number, 1) == ("{",):
                return [*found, *self._block(words[number:end], list(words[end:]))]
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
        head = words[number : last + 1]
        if self._leaves(then):
            return self.either(head, then, [*otherwise, *rest])
        if self._leaves(otherwise):
            return self.either(head, [*then, *rest], otherwise)
        flag = self._flag(words[number])
        return self._with_rest(flag, self._noting(flag).either(head, then, otherwise), rest)

    def either(self, head: Sequence[Piece], then: Words, otherwise: Words) -> Words:
        """`if (a) { … } else { … }`."""
        opening, closes = made("{", head[0]), made("}", head[0])
        found = [*head, opening, *self.ended(then), closes]
        return [*found, made("else", head[0]), opening, *self.ended(otherwise), closes]

    def _noting(self, flag: Piece) -> _Ending:
        """What takes statements apart, and notes that one returned."""
        noted = code(flag, "{flag} = true ;", flag=[flag])
        return _Ending(self._returns, self._name, lambda value: [*self._ends(value), *noted], self._flags)

    def _block(self, block: Sequence[Piece], rest: Words) -> Words:
        """A block that may return, at whose end its objects end, and what is behind it."""
        flag = self._flag(block[0])
        found = [block[0], *self._noting(flag).ended(block[1:-1]), block[-1]]
        return self._with_rest(flag, found, rest)

    def _flag(self, at: Piece) -> Piece:
        """A variable that says whether something returned."""
        self._flags.append(at)
        return made(f"returned_{len(self._flags)}", at)

    def _with_rest(self, flag: Piece, found: Words, rest: Words) -> Words:
        """What may return, and what is behind it."""
        whole = [*code(flag, "bool {flag} = false ;", flag=[flag]), *found]
        behind = self.ended(rest)
        return [*whole, *code(flag, "if ( ! {flag} ) { {behind} }", flag=[flag], behind=behind)] if behind else whole

    def _loop(self, loop: Sequence[Piece], rest: Words) -> Words:
        """A loop that may return, and what is behind it."""
        flag = self._flag(loop[0])
        return self._with_rest(flag, self._leaving(loop, flag, is_inner=False), rest)

    def _leaving(self, words: Sequence[Piece], flag: Piece, *, is_inner: bool = True) -> Words:
        """A statement of a loop, which leaves the loop where it returned."""
        if not self._has(words):
            return list(words)
        at = words[0]
        if id(at) in self._returns:
            value = self._ends(list(words[1 : end_of_statement(words, 0)]))
            return code(at, "{ {value} {flag} = true ; break ; }", value=value, flag=[flag])
        if at.text == "{":
            found = [at]
            number = 1
            while number < len(words) - 1:
                end = behind_statement(words, number)
                found += self._leaving(words[number:end], flag)
                number = end
            return [*found, words[-1]]
        if at.text not in {"if", "for", "while"}:
            raise self._refused(words)
        head = closing(words, 1) + 1
        middle = behind_statement(words, head)
        found = [*words[:head], *self._leaving(words[head:middle], flag)]
        if texts(words, middle, 1) == ("else",):
            found += [words[middle], *self._leaving(words[middle + 1 :], flag)]
        if at.text != "if" and is_inner:
            return code(at, "{ {loop} if ( {flag} ) break ; }", loop=found, flag=[flag])
        return found

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
            f"'{self._name}', a function of the host, returns from a statement of this kind: from 'if', 'for' and "
            "'while' it may"
        )
        return InputError(Diagnostic("E207", message, at.span))


def _inner(words: Sequence[Piece]) -> Words:
    """The statements of a branch."""
    is_block = texts(words, 0, 1) == ("{",) and closing(words, 0) == len(words) - 1
    return list(words[1:-1] if is_block else words)
