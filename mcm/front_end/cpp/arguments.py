"""The arguments of a program: what `argc` and `argv` say in the run that is checked, of which `--args` tells.

Without it a program is run without any, `argc` is 1. What they decide is decided before the program is read further:
branches, loops over them, and the numbers that are made of them, so that these may be sizes.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.base.diagnostic import Diagnostic, Severity
from mcm.base.source import Source, Span
from mcm.front_end.cpp.argument_statements import ArgumentStatements
from mcm.front_end.cpp.argument_texts import RunTexts
from mcm.front_end.cpp.argument_values import Names, about, is_alone
from mcm.front_end.cpp.definitions import definitions
from mcm.front_end.cpp.ends import EXITS
from mcm.front_end.cpp.words import closing, is_name, listed, made, replaced, start_of_statement, texts

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_MAIN: Final = "main"
# What a program that does something on a device has.
_WORK: Final = frozenset(
    {"queue", "submit", "parallel_for", "single_task", "memcpy", "copy", "fill", "memset", "malloc_shared", "handler"}
)
# Names of what is only put out: whether the number of arguments is known does not matter there.
_OUTPUT: Final = frozenset({"cout", "cerr", "clog", "printf", "fprintf"})


def run_of(name: str, arguments: Sequence[str]) -> RunTexts:
    """What the program of a file is run with."""
    return RunTexts((PurePath(name).stem, *arguments))


def with_arguments(words: Sequence[Piece], run: RunTexts) -> Words:
    """The words with what the arguments of the program decide: `int n = argc > 1 ? atoi(argv[1]) : 4;` is 4.

    InputError where the program ends because of them before it has done anything, and where they are not followed.
    """
    functions = list(_functions(words))
    if not any(one.name.text == _MAIN for one in functions):
        return list(words)
    passed = {one.name.text: one.place for one in functions}
    working = _working(words)
    found: Words = []
    behind = 0
    for one in functions:
        found += words[behind : one.opening]
        if one.name.text != _MAIN:
            found = [*found[: len(found) - (one.opening - one.bracket)], *_without(words, one.bracket, one.place)]
            found += words[closing(words, one.bracket) + 1 : one.opening]
        behind = closing(words, one.opening) + 1
        body = _without_passed(words[one.opening : behind], one, passed)
        check = _Ends(body, run, working, is_main=one.name.text == _MAIN).check
        found += ArgumentStatements(run, Names(one.count, one.vector, {}, {}, set()), check).body(body)
    return [*found, *words[behind:]]


def supposed_arguments(words: Sequence[Piece], run: RunTexts) -> tuple[Diagnostic, ...]:
    """What is told of a program that asks for arguments where none are said, and of one that asks for none."""
    main = next((one for one in _functions(words) if one.name.text == _MAIN), None)
    if main is None and run.count > 1:
        text = " ".join(run.all[1:])
        message = "the program asks for no arguments: its 'main' has no names for them"
        return (Diagnostic("W155", message, Span(Source("--args", text), 0, len(text)), Severity.WARNING),)
    if main is None or run.count > 1:
        return ()
    for number in range(main.opening, closing(words, main.opening)):
        word = words[number]
        if word.text not in {main.count, main.vector} or not is_alone(words, number) or word.span is None:
            continue
        is_name_of_program = word.text == main.vector and texts(words, number + 1, 3) == ("[", "0", "]")
        if not is_name_of_program and not _is_put_out(words, number):
            message = (
                f"the program is run without arguments here, '{main.count}' is 1: the verdict for others, which "
                "--args '…' states, may differ"
            )
            return (Diagnostic("W155", message, word.span, Severity.WARNING),)
    return ()


class _Function(Struct, frozen=True):
    """A function that has the arguments of the program, `main` or one that passes them on, and what it calls them.

    `place` is which of its parameters is their number, `bracket` where these begin, and `opening` its body.
    """

    name: Piece
    place: int
    count: str
    vector: str
    bracket: int
    opening: int


def _functions(words: Sequence[Piece]) -> Iterator[_Function]:
    """The functions that have the arguments of the program, in order."""
    for number, word in enumerate(words):
        if texts(words, number + 1, 1) != ("(",) or not is_name(word) or not number or not is_name(words[number - 1]):
            continue
        last = closing(words, number + 1)
        opening = next((n for n in range(last, len(words)) if words[n].text in {"{", ";"}), len(words))
        named = _named(listed(words, number + 2, last))
        if named is not None and texts(words, opening, 1) == ("{",):
            yield _Function(word, *named, number + 1, opening)


def _named(parameters: Sequence[Words]) -> tuple[int, str, str] | None:
    """Which parameter is the number of arguments, and what it and the texts behind it are called; None without them."""
    for number, (first, second) in enumerate(pairwise(parameters)):
        inner = [word.text for word in second if word.text not in {"const", "*", "[", "]"}]
        depth = sum(word.text in {"*", "["} for word in second)
        is_count = len(first) > 1 and first[-2].text in {"int", "const"} and is_name(first[-1])
        if is_count and inner[:1] == ["char"] and len(inner) == 2 and depth == 2:
            return number, first[-1].text, inner[1]
    return None


def _without(words: Sequence[Piece], bracket: int, place: int) -> Words:
    """A list of parameters, or arguments, in brackets, without the two from a place on."""
    last = closing(words, bracket)
    parts = listed(words, bracket + 1, last)
    found: Words = []
    for part in (*parts[:place], *parts[place + 2 :]):
        found += [*([made(",", words[bracket])] if found else []), *part]
    return [words[bracket], *found, words[last]]


def _without_passed(body: Sequence[Piece], caller: _Function, passed: Mapping[str, int]) -> Words:
    """The body of a function without what it passes on to others that have the arguments of the program."""

    def at(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
        place = passed.get(words[number].text)
        if place is None or texts(words, number + 1, 1) != ("(",) or not is_alone(words, number):
            return None
        last = closing(words, number + 1)
        given = [[word.text for word in part] for part in listed(words, number + 2, last)[place : place + 2]]
        if given != [[caller.count], [caller.vector]]:
            message = f"'{words[number].text}' is passed other arguments than those of the program: write them there"
            raise about(words[number], message)
        return [words[number], *_without(words, number + 1, place)], last + 1

    return replaced(body, at)


class _Ends:
    """Finds a branch that ends the program, because of its arguments, before it has done anything."""

    def __init__(self, body: Sequence[Piece], run: RunTexts, working: Collection[str], *, is_main: bool) -> None:
        self._body: Final = body
        self._run: Final = run
        self._working: Final = working
        self._is_main: Final = is_main

    def check(self, at: Piece, chosen: Sequence[Piece]) -> None:
        """InputError where a branch is one; `at` is the word that its condition begins with."""
        start = next((n for n, word in enumerate(self._body) if word is at), 0)
        ends = self._is_main or any(word.text in EXITS for word in chosen)
        if ends and not any(word.text in self._working for word in (*self._body[:start], *chosen)):
            message = (
                f"the program is run {self._run.told}, and ends here before it does anything: --args '…' states others"
            )
            raise about(at, message)


def _working(words: Sequence[Piece]) -> frozenset[str]:
    """Names of what does something on a device: words of SYCL, and functions of the program that name some."""
    functions, _, _ = definitions(words)
    inside = {name: {word.text for word in one.words} - {name} for name, one in functions.items()}
    found = set(_WORK)
    while added := {name for name, names in inside.items() if name not in found and not found.isdisjoint(names)}:
        found |= added
    return frozenset(found - {_MAIN})


def _is_put_out(words: Sequence[Piece], number: int) -> bool:
    """Whether the statement around a position puts out what it is about."""
    return any(word.text in _OUTPUT for word in words[start_of_statement(words, number) : number])
