"""Numbers that stand in words: what they come to, among the arguments of templates and in `if constexpr`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from operator import add, and_, eq, floordiv, ge, gt, le, lt, mod, mul, ne, or_, sub, xor
from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.words import (
    behind_statement,
    closing,
    closing_angle,
    listed,
    made,
    replaced,
    texts,
)

if TYPE_CHECKING:
    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_WRITTEN: Final = re.compile(r"(0[xX][0-9a-fA-F]+|[1-9][0-9]*|0)[uUlL]*")
# From what binds least to what binds most.
_LEVELS: Final[tuple[dict[str, Callable[[int, int], int]], ...]] = (
    {"||": lambda one, other: int(bool(one or other))},
    {"&&": lambda one, other: int(bool(one and other))},
    {"|": or_},
    {"^": xor},
    {"&": and_},
    {"==": eq, "!=": ne},
    {"<": lt, ">": gt, "<=": le, ">=": ge},
    {"<<": lambda one, other: one << other, ">>": lambda one, other: one >> other},
    {"+": add, "-": sub},
    {"*": mul, "/": floordiv, "%": mod},
)
# All numbers on the way are among these, which `int` and all types that are not narrower have.
_MOST: Final = 2**31 - 1
_WIDEST_SHIFT: Final = 30
# Types that have all numbers which come up here, and what ends a number of each.
SUFFIXES: Final = {
    **dict.fromkeys(("int", "int32_t"), ""),
    **dict.fromkeys(("unsigned", "unsigned int", "uint", "uint32_t"), "u"),
    **dict.fromkeys(("long", "int64_t", "long long"), "l"),
    **dict.fromkeys(("size_t", "unsigned long", "uint64_t", "unsigned long long"), "ul"),
}


# What a call of a function comes to: its name, the arguments of its template, and those in brackets.
Called = Callable[[str, Sequence[int], Sequence[int]], int]
# What a name stands for; None for all but constants.
Known = Callable[[str], int | None]


class NoNumberError(Exception):
    """The words are no expression of numbers that are known."""


def no_functions(*_: object) -> int:
    """No function is known."""
    raise NoNumberError


def no_names(_: str) -> None:
    """No constant is known."""


def number_of(words: Sequence[Piece], known: Known, called: Called = no_functions) -> int | None:
    """What an expression of whole numbers comes to, where none on the way is below 0 or wide; None for any other."""
    reading = Reading(words, 0, known, called)
    try:
        found = reading.conditional()
    except NoNumberError:
        return None
    return found if reading.is_over else None


class Reading:
    """Reads an expression from the left; `next` is the position behind what was read.

    What is not evaluated, behind `?` and `&&`, has to come to a number as well, but for calls of functions.
    """

    def __init__(self, words: Sequence[Piece], start: int, known: Known, called: Called) -> None:
        self._words: Final = words
        self._known: Final = known
        self._called: Final = called
        self._is_skipped = False
        self.next = start

    @property
    def is_over(self) -> bool:
        """Whether all has been read."""
        return self.next == len(self._words)

    def conditional(self) -> int:
        """`a ? b : c`, or what binds more."""
        test = self._level(0)
        if not self._takes("?"):
            return test
        then = self._read(self.conditional, is_skipped=not test)
        self._expect(":")
        otherwise = self._read(self.conditional, is_skipped=bool(test))
        return then if test else otherwise

    def _read(self, part: Callable[[], int], *, is_skipped: bool) -> int:
        around, self._is_skipped = self._is_skipped, self._is_skipped or is_skipped
        try:
            return part()
        finally:
            self._is_skipped = around

    def _level(self, level: int) -> int:
        if level == len(_LEVELS):
            return self.operand()
        found = self._level(level + 1)
        while not self.is_over and (operator := _LEVELS[level].get(self._words[self.next].text)) is not None:
            sign = self._words[self.next].text
            self.next += 1
            decides = {"||": bool(found), "&&": not found}.get(sign, False)
            other = self._read(lambda: self._level(level + 1), is_skipped=decides)
            if (sign in {"/", "%"} and other == 0) or (sign in {"<<", ">>"} and other > _WIDEST_SHIFT):
                found = self._checked(-1)
            else:
                found = self._checked(int(operator(found, other)))
        return found

    def operand(self) -> int:
        """What operators stand between."""
        if self._takes("("):
            found = self.conditional()
            self._expect(")")
            return found
        if self._takes("!"):
            return int(not self.operand())
        if self.is_over:
            raise NoNumberError
        text = self._words[self.next].text
        self.next += 1
        written = _WRITTEN.fullmatch(text)
        number = int(written[1], 0) if written else self._known(text)
        number = {"true": 1, "false": 0}.get(text, number)
        return self._call(text) if number is None else self._checked(number)

    def _call(self, name: str) -> int:
        """A call of a function, with arguments for its template, `f<3>(n)`, or without."""
        templates: list[int] = []
        if texts(self._words, self.next, 1) == ("<",):
            templates = self._arguments(closing_angle(self._words, self.next))
        if texts(self._words, self.next, 1) != ("(",):
            raise NoNumberError
        arguments = self._arguments(closing(self._words, self.next))
        return 0 if self._is_skipped else self._checked(self._called(name, templates, arguments))

    def _arguments(self, last: int | None) -> list[int]:
        """The numbers between two brackets, of which the second one is at a position."""
        if last is None:
            raise NoNumberError
        parts = listed(self._words, self.next + 1, last)
        found = [number_of(part, self._known, self._called) for part in parts]
        self.next = last + 1
        if None in found and not self._is_skipped:
            raise NoNumberError
        return [one or 0 for one in found]

    def _checked(self, number: int) -> int:
        if 0 <= number <= _MOST:
            return number
        if not self._is_skipped:
            raise NoNumberError
        return 0

    def _takes(self, text: str) -> bool:
        is_there = not self.is_over and self._words[self.next].text == text
        self.next += is_there
        return is_there

    def _expect(self, text: str) -> None:
        if not self._takes(text):
            raise NoNumberError


# --- conditions -------------------------------------------------------------------------------------------------------


def with_chosen(words: Sequence[Piece]) -> Words:
    """The words with the statement that `if constexpr` chooses in place of it, where numbers decide."""

    def at(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
        if texts(words, number, 3) != ("if", "constexpr", "("):
            return None
        last = closing(words, number + 2)
        holds = number_of(words[number + 3 : last], no_names)
        if holds is None:
            return None
        behind = behind_statement(words, last + 1)
        has_other = texts(words, behind, 1) == ("else",)
        end = behind_statement(words, behind + 1) if has_other else behind
        chosen = words[last + 1 : behind] if holds else words[behind + 1 : end] if has_other else []
        # What it declares is its own.
        return [made("{", words[number]), *with_chosen(chosen), made("}", words[number])], end

    return replaced(words, at)
