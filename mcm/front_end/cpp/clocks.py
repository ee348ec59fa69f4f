"""Clocks of a program: no time passes in an execution of a memory model, so that what they tell is 0.

`auto begin = std::chrono::steady_clock::now();`, `std::chrono::duration_cast<…>(end - begin).count()`, `clock()`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.definitions import definitions
from mcm.front_end.cpp.words import closing, closing_angle, end_of_statement, has_owner, is_name, made, replaced, texts

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_CHRONO: Final = "chrono"
_CLOCKS: Final = frozenset({"steady_clock", "system_clock", "high_resolution_clock"})
_UNITS: Final = frozenset({"nanoseconds", "microseconds", "milliseconds", "seconds", "minutes", "hours"})
_CASTS: Final = frozenset({"duration_cast", "time_point_cast"})
_NAMESPACES: Final = frozenset({"std", _CHRONO})
# What a point in time and a duration say of themselves.
_COUNTS: Final = frozenset({"count", "time_since_epoch"})
# Functions of C that tell the time, the types of what they return, and how many of those a second has.
_FUNCTIONS: Final = {"omp_get_wtime": "0.0", "MPI_Wtime": "0.0", "clock": "0"}
_TYPES: Final = {"clock_t": "long", "time_t": "long", "CLOCKS_PER_SEC": "1000000"}
_NOTHING: Final = frozenset({"NULL", "nullptr", "0"})
# What waits for a time, and for nothing else.
_SLEEPS: Final = frozenset({"sleep_for", "sleep_until", "usleep", "sleep"})


def with_clocks(words: Sequence[Piece]) -> Words:
    """The words with numbers in place of points in time and durations."""
    own = definitions(words)[0]
    clocks, times = _named(words)
    pass_ = _Clocks(own, _CLOCKS | clocks, times, uses_chrono=any(word.text == _CHRONO for word in words))
    return pass_.without_times(words)


def _named(words: Sequence[Piece]) -> tuple[set[str], set[str]]:
    """The names that a program gives to clocks, `using Clock = std::chrono::steady_clock;`, and to types of times."""
    clocks: set[str] = set()
    times: set[str] = set()
    for number in range(len(words)):
        if (named := _alias(words, number)) is not None:
            name, first, end = named
            is_clock = end == first + 1 and words[first].text in _CLOCKS
            (clocks if is_clock else times).add(name)
    return clocks, times


def _alias(words: Sequence[Piece], number: int) -> tuple[str, int, int] | None:
    """A name for something of the library's clocks, and where that stands; None where something else does."""
    if words[number].text not in {"typedef", "using"}:
        return None
    end = end_of_statement(words, number)
    if texts(words, number, 1) == ("typedef",):
        first = _behind_namespaces(words, number + 1)
        name, end = words[end - 1].text, end - 1
    elif texts(words, number, 1) == ("using",) and texts(words, number + 2, 1) == ("=",):
        first = _behind_namespaces(words, number + 3)
        name = words[number + 1].text
    else:
        return None
    return (name, first, end) if texts(words, first - 2, 1) == (_CHRONO,) else None


def _behind_namespaces(words: Sequence[Piece], number: int) -> int:
    while len(following := texts(words, number, 2)) == 2 and following[0] in _NAMESPACES and following[1] == "::":
        number += 2
    return number


class _Clocks:
    """Puts numbers in place of times; `clocks` and `times` are names of classes, `own` functions of the program."""

    def __init__(
        self, own: Collection[str], clocks: Collection[str], times: Collection[str], *, uses_chrono: bool
    ) -> None:
        self._own: Final = own
        self._clocks: Final = clocks
        self._times: Final = times
        self._uses_chrono: Final = uses_chrono

    def without_times(self, words: Sequence[Piece]) -> Words:
        """The words with numbers in place of times."""
        return replaced(words, self._replaced)

    def _replaced(self, words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
        """What stands for a time that begins at a position, and the position behind that; None for anything else."""
        word = words[number]
        is_first = not number or words[number - 1].text in {";", "{", "}", ")", "else"}
        if _alias(words, number) is not None or (is_first and self._sleeps(words, number)):
            return [], end_of_statement(words, number) + 1
        if word.text == "." and self._uses_chrono and texts(words, number + 2, 2) == ("(", ")"):
            return ([], number + 4) if words[number + 1].text in _COUNTS else None
        if not is_name(word) or has_owner(words, number):
            return None
        return self._of_chrono(words, number) or self._of_c(words, number)

    def _of_chrono(self, words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
        """What `std::chrono` has."""
        at = words[number]
        first = _behind_namespaces(words, number)
        is_qualified = texts(words, first - 2, 1) == (_CHRONO,) and first > number
        match texts(words, first, 5):
            case (clock, "::", "now", "(", ")") if clock in self._clocks:
                return [made("0.0", at)], first + 5
            case (clock, "::", "time_point" | "duration", *_) if clock in self._clocks:
                return [made("double", at)], first + 3
            case (unit, "::", "rep", *_) if unit in self._times or unit in _UNITS:
                return [made("double", at)], first + 3
            case (cast, "<", *_) if cast in _CASTS and (angle := closing_angle(words, first + 1)) is not None:
                return [], angle + 1
            case (type_, *_) if type_ in self._times or (is_qualified and type_ in {"duration", "time_point", *_UNITS}):
                angle = closing_angle(words, first + 1) if texts(words, first + 1, 1) == ("<",) else first
                return None if angle is None else self._made(words, angle + 1, at)
            case _:
                return None

    def _made(self, words: Sequence[Piece], behind: int, at: Piece) -> tuple[Words, int]:
        """A duration as the number that it is made of; its type where a variable is declared."""
        if texts(words, behind, 1) not in {("(",), ("{",)}:
            return [made("double", at)], behind
        last = closing(words, behind)
        inner = self.without_times(words[behind + 1 : last])
        number = [made("double", at), made("(", at), *(inner or [made("0.0", at)]), made(")", at)]
        return number, last + 1

    def _of_c(self, words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
        """What C and OpenMP have."""
        at = words[number]
        first = number + 2 * (texts(words, number, 2) == ("std", "::"))
        match texts(words, first, 4):
            case (name, "(", ")", *_) if name in _FUNCTIONS and name not in self._own:
                return [made(_FUNCTIONS[name], at)], first + 3
            case ("time", "(", nothing, ")") if nothing in _NOTHING and "time" not in self._own:
                return [made("0", at)], first + 4
            case (name, *_) if name in _TYPES:
                return [made(_TYPES[name], at)], first + 1
            case _:
                return None

    def _sleeps(self, words: Sequence[Piece], number: int) -> bool:
        """Whether a statement waits for a time."""
        while texts(words, number + 1, 1) == ("::",):
            number += 2
        follows = texts(words, number, 2)
        return follows[1:] == ("(",) and follows[0] in _SLEEPS and follows[0] not in self._own
