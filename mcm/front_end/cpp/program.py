"""A C++ program as the units of a SYCL test: `main` is its host program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.base.source import Span
from mcm.front_end.cpp.algorithm_values import with_values
from mcm.front_end.cpp.algorithms import with_loops
from mcm.front_end.cpp.classes import with_instances, with_structures
from mcm.front_end.cpp.functions import reached
from mcm.front_end.cpp.names import with_constants, with_own_names, with_types
from mcm.front_end.cpp.objects import with_allocations, with_lists, with_objects, with_queues
from mcm.front_end.cpp.output import without_output
from mcm.front_end.cpp.silent import with_modes, with_references, without_silent
from mcm.front_end.cpp.traits import with_traits
from mcm.front_end.cpp.words import (
    closing,
    closing_angle,
    end_of_statement,
    is_in_lambda,
    made,
    qualified,
    split,
    split_again,
    texts,
)
from mcm.front_end.tokens import without_attributes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_MAIN: Final = "main"
_LAUNCHES: Final = frozenset({"parallel_for", "single_task"})


def units_of_program(pieces: Iterable[Piece], whole: Span) -> Iterator[Piece]:
    """The words of the test that a program is, behind the preprocessor."""
    words = with_constants(with_types(with_own_names(without_silent(split(pieces, whole)))))
    words = with_structures(with_references(with_modes(words)))
    words = with_traits(with_instances(reached(with_queues(with_lists(words)), whole)))
    words = split_again(without_attributes(words, of_cpp=True))
    words = with_objects(with_allocations(with_loops(with_values(without_output(words)))))
    yield from qualified(_with_host(_without_names(words)))


def _without_names(words: Sequence[Piece]) -> Words:
    """The words without names of kernels that are templates: `parallel_for<class add<T>>(…)`."""
    found: Words = []
    number = 0
    while number < len(words):
        found.append(words[number])
        number += 1
        if found[-1].text in _LAUNCHES and texts(words, number, 1) == ("<",):
            angle = closing_angle(words, number)
            if angle is not None and "<" in texts(words, number + 1, angle - number - 1):
                number = angle + 1
    return found


def _with_host(words: Sequence[Piece]) -> Words:
    """The words with `host { … }` in place of `int main(…) { … }`."""
    for number, word in enumerate(words):
        if word.text == _MAIN and texts(words, number + 1, 1) == ("(",) and number:
            opening = closing(words, number + 1) + 1
            if texts(words, opening, 1) != ("{",):
                continue
            end = closing(words, opening)
            body = _with_returns(words[opening : end + 1])
            return [*words[: number - 1], made("host", word), *body, *words[end + 1 :]]
    return list(words)


def _without_semicolon(words: Sequence[Piece], start: int) -> Diagnostic:
    """That a statement which ends with a block has no semicolon, which is missing behind its last word."""
    last = start
    while words[last + 1].text != "}":
        last = closing(words, last + 1) if words[last + 1].text in {"(", "[", "{"} else last + 1
    span = words[last].span
    assert span is not None
    message = f"expected ';' after '{words[last].text}', found '{words[last + 1].text}'"
    return Diagnostic("E041", message, Span(span.source, span.end, span.end))


def _with_returns(words: Sequence[Piece]) -> Words:
    """The body of `main` without the values that it returns; what is read for one is read."""
    found: Words = []
    number = 0
    while number < len(words):
        word = words[number]
        if word.text != "return" or is_in_lambda(words, number):
            found.append(word)
            number += 1
            continue
        end = end_of_statement(words, number)
        if end == len(words):
            raise InputError(_without_semicolon(words, number))
        value = words[number + 1 : end]
        at = words[min(end, len(words) - 1)]
        read = [made("+", word), made("(", word), *value, made(")", word), made(";", word)]
        is_literal = all(not one.text[0].isalpha() or one.text.startswith("EXIT_") for one in value)
        found += [made("{", word), *([] if is_literal else read), word, at, made("}", at)]
        number = end + 1
    return found
