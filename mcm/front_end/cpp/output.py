"""Output, assertions and exceptions of a program: what they read, without what they would do with it.

No command fails in an execution that is looked at, so no handler of an exception is ever reached.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.words import closing, end_of_statement, is_name, listed, made, texts

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_STREAMS: Final = frozenset({"cout", "cerr", "clog"})
_ASSERTIONS: Final = frozenset({"assert", "REQUIRE", "CHECK"})
# Queries of devices: what they say is no memory.
_QUERIES: Final = frozenset({"get_info", "get_device", "get_profiling_info", "what"})


def without_output(words: Sequence[Piece]) -> Words:
    """The words with the values that are put out, or asserted, as statements: each is evaluated."""
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
            found += _evaluated(_put_out(words, begin, end), words[number], words[min(end, len(words) - 1)])
            number = end + 1
        elif is_first and (opening := _printing(words, number)) is not None:
            last = closing(words, opening)
            parts = listed(words, opening + 1, last)[1:]
            found += _evaluated([part for part in parts if part], words[number], words[min(last, len(words) - 1)])
            number = last + 2
        elif is_first and texts(words, number, 2)[1:] == ("(",) and words[number].text in _ASSERTIONS:
            last = closing(words, number + 1)
            found += [made("+", words[number]), *words[number + 1 : last + 1]]
            number = last + 1
        elif words[number].text == "try" and texts(words, number + 1, 1) == ("{",):
            last = closing(words, number + 1)
            found += without_output(words[number + 1 : last + 1])
            number = _behind_handlers(words, last + 1)
        else:
            found.append(words[number])
            number += 1
    return found


def _declares_stream(words: Sequence[Piece], number: int) -> bool:
    """Whether the stream of a kernel is declared, `stream out(1024, 256, h);`."""
    follows = texts(words, number, 3)
    is_one = follows[:1] == ("stream",) and follows[2:] in {("(",), ("{",)}
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


def _printing(words: Sequence[Piece], number: int) -> int | None:
    """The position of the bracket behind `printf`; None where something else stands."""
    match texts(words, number, 4):
        case ("std", "::", "printf", "("):
            return number + 3
        case ("printf", "(", *_):
            return number + 1
        case _:
            return None


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


def _evaluated(parts: list[Words], first: Piece, semicolon: Piece) -> Words:
    """Statements that evaluate some values; literals and what no memory is read for are left out."""
    kept = [part for part in parts if part and not _says_nothing(part)]
    listed: Words = [made(";", semicolon)]
    for part in kept:
        shown = [made("0", word) if word.text.startswith('"') else word for word in part]
        listed += [made("+", first), made("(", part[0]), *shown, made(")", part[-1]), made(";", part[-1])]
    if len(kept) < 1:
        return listed
    return [made("{", first), *listed[1:], made("}", semicolon)]


def _says_nothing(part: Words) -> bool:
    words = [word.text for word in part]
    if any(word in _QUERIES for word in words):
        return True
    is_manipulator = words in (["std", "::", "endl"], ["endl"], ["std", "::", "flush"], ["sycl", "::", "endl"])
    names = [word for word in part if is_name(word)]
    return is_manipulator or words[:2] == ["std", "::"] or not names


def _behind_handlers(words: Sequence[Piece], number: int) -> int:
    """The position behind the handlers of exceptions."""
    while texts(words, number, 2) == ("catch", "("):
        number = closing(words, closing(words, number + 1) + 1) + 1
    return number
