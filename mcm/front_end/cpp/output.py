"""Output, assertions and exceptions of a program: what they read, without what they would do with it.

No command fails in an execution that is looked at, so no handler of an exception is ever reached.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.algorithm_values import is_algorithm
from mcm.front_end.cpp.strings import without_strings
from mcm.front_end.cpp.words import closing, closing_angle, end_of_statement, is_name, listed, made, texts

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_STREAMS: Final = frozenset({"cout", "cerr", "clog"})
# What prints, and how many of its arguments say where and in which form.
_PRINTING: Final = {"printf": 1, "fprintf": 2, "puts": 0, "perror": 0, "fputs": 0, "putchar": 0}
# What changes how a stream shows values, or when; and with what numbers begin that are different in each run.
_SETTINGS: Final = frozenset({"flush", "precision", "width", "fill", "setf", "unsetf", "sync_with_stdio"})
_FLUSHING: Final = frozenset({"fflush", "setbuf", "setvbuf", "sync_with_stdio", "srand"})
_ASSERTIONS: Final = frozenset({"assert", "REQUIRE", "CHECK"})
# Queries of devices, and arguments of the program: what they say is no memory.
_QUERIES: Final = frozenset({"get_info", "get_device", "get_profiling_info", "what", "argv"})


def without_output(words: Sequence[Piece]) -> Words:
    """The words with the values that are put out, or asserted, as statements: each is evaluated."""
    words, strings = without_strings(words)
    return _without_output(words, strings)


def _without_output(words: Sequence[Piece], strings: frozenset[str]) -> Words:
    found: Words = []
    number = 0
    streams = _STREAMS | {words[n + 1].text for n in range(len(words)) if _declares_stream(words, n)}
    while number < len(words):
        is_first = not found or found[-1].text in {";", "{", "}", ")", "else", ":"}
        qualified = number + 2 * (texts(words, number, 2) == ("sycl", "::"))
        if is_first and _declares_stream(words, qualified):
            number = end_of_statement(words, number) + 1
        elif is_first and (begin := _stream(words, number, streams)) is not None:
            end = end_of_statement(words, number)
            found += _evaluated(_put_out(words, begin, end), strings, words[number], words[min(end, len(words) - 1)])
            number = end + 1
        elif is_first and (printed := _printing(words, number)) is not None:
            opening, count = printed
            last = closing(words, opening)
            parts = listed(words, opening + 1, last)[count:]
            shown = [part for part in parts if part]
            found += _evaluated(shown, strings, words[number], words[min(last, len(words) - 1)])
            number = last + 2
        elif is_first and _sets_up(words, number, streams):
            number = end_of_statement(words, number) + 1
        elif is_first and texts(words, number, 2)[1:] == ("(",) and words[number].text in _ASSERTIONS:
            last = closing(words, number + 1)
            # The text beside a condition, `&& "…"`, is as good as true.
            asserted = [made("1", one) if one.text.startswith('"') else one for one in words[number + 1 : last + 1]]
            found += [made("+", words[number]), *asserted]
            number = last + 1
        else:
            found.append(words[number])
            number += 1
    return found


def _declares_stream(words: Sequence[Piece], number: int) -> bool:
    """Whether the stream of a kernel is declared, `stream out(1024, 256, h);`, `auto out = stream(1024, 256, h);`."""
    follows = texts(words, number, 6)
    if follows[:1] == ("auto",) and follows[2:3] == ("=",) and is_name(words[number + 1]):
        return "stream" in follows[3:4] or follows[3:6] == ("sycl", "::", "stream")
    is_one = follows[:1] == ("stream",) and follows[2:3] in {("(",), ("{",)}
    return is_one and is_name(words[number + 1])


def _stream(words: Sequence[Piece], number: int, streams: Collection[str]) -> int | None:
    """The position of the first `<<` behind a stream; None where none stands."""
    match texts(words, number, 4):
        case ("std", "::", stream, "<<") if stream in _STREAMS:
            return number + 3
        case (stream, "<<", *_) if stream in streams:
            return number + 1
        case _:
            return None


def _printing(words: Sequence[Piece], number: int) -> tuple[int, int] | None:
    """The position of the bracket behind `printf` or the like, and how many arguments are no values that are shown.

    None where something else stands.
    """
    while texts(words, number + 1, 1) == ("::",):
        number += 2
    match texts(words, number, 2):
        case (name, "(") if name in _PRINTING:
            return number + 1, _PRINTING[name]
        case _:
            return None


def _sets_up(words: Sequence[Piece], number: int, streams: Collection[str]) -> bool:
    """Whether a statement says how or when a stream shows values, `std::cout.precision(3);`, `fflush(stdout);`."""
    while texts(words, number + 1, 1) == ("::",):
        number += 2
    match texts(words, number, 4):
        case (stream, ".", name, "("):
            return stream in streams and name in _SETTINGS
        case (name, "(", *_):
            return name in _FLUSHING
        case _:
            return False


def _put_out(words: Sequence[Piece], begin: int, end: int) -> list[Words]:
    """What `<<` puts out, one after the other."""
    found: list[Words] = []
    number = begin
    while number < end:
        if words[number].text == "<<":
            found.append([])
            number += 1
            continue
        last = closing(words, number) if words[number].text in {"(", "[", "{"} else number
        found[-1] += words[number : last + 1]
        number = last + 1
    return found


def _evaluated(parts: list[Words], strings: frozenset[str], first: Piece, semicolon: Piece) -> Words:
    """Statements that evaluate some values; literals and what no memory is read for are left out."""
    listed: Words = [made(";", semicolon)]
    for part in [each for one in parts for each in _read(one, strings)]:
        shown = [made("0", word) if word.text.startswith('"') else word for word in part]
        listed += [made("+", first), made("(", part[0]), *shown, made(")", part[-1]), made(";", part[-1])]
    if len(listed) == 1:
        return listed
    return [made("{", first), *listed[1:], made("}", semicolon)]


def _read(part: Words, strings: frozenset[str]) -> list[Words]:
    """What is evaluated for a value that is put out: what the library makes it of, as in `std::bitset<8>(*x)`."""
    if not part or _says_nothing(part) or part[0].text in strings:
        return []
    arguments = _arguments_of_library(part)
    return [part] if arguments is None else [one for argument in arguments for one in _read(argument, strings)]


def _says_nothing(part: Words) -> bool:
    is_manipulator = [word.text for word in part] in (["endl"], ["sycl", "::", "endl"])
    is_literal = not any(is_name(word) for word in part)
    return is_manipulator or is_literal or any(word.text in _QUERIES for word in part)


def _arguments_of_library(part: Words) -> list[Words] | None:
    """The arguments of a name of the library, of which there are none without a bracket; None of anything else."""
    if texts(part, 0, 2) != ("std", "::") or len(part) < 3:
        return None
    number = 2
    while texts(part, number + 1, 1) == ("::",):
        number += 2
    number += 1
    if texts(part, number, 1) == ("<",) and (angle := closing_angle(part, number)) is not None:
        number = angle + 1
    if texts(part, number, 1) == ("::",):
        # A constant of a class, `std::numeric_limits<int>::max()`.
        return [] if all(is_name(word) or word.text in {"::", "(", ")"} for word in part[number:]) else None
    if number == len(part):
        return []
    if part[number].text not in {"(", "{"} or is_algorithm(part[2].text):
        return None
    last = closing(part, number)
    behind = last + 1
    # What is made may be asked for another form of it, `std::bitset<8>(*x).to_string()`.
    while texts(part, behind, 1) == (".",) and texts(part, behind + 2, 1) == ("(",):
        behind = closing(part, behind + 2) + 1
    return listed(part, number + 1, last) if behind >= len(part) else None
