"""Where `main` ends: `return` and `exit`, which read the number that they are given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.base.source import Span
from mcm.front_end.cpp.words import closing, end_of_statement, is_in_lambda, made, replaced, texts
from mcm.sycl.held_buffers import EXIT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

# What ends a program from anywhere on the host. No destructor of a variable is called, as none does anything that is
# seen: what a buffer writes back, nobody reads.
EXITS: Final = frozenset({"exit", "_Exit", "quick_exit", "abort", "terminate"})
_OF_HOST: Final = frozenset({"queue", "buffer", "submit", "parallel_for", "single_task"})
_BEFORE: Final = frozenset({";", "{", "}", ")", "else"})


def with_whole_tries(words: Sequence[Piece]) -> Words:
    """The words with the bodies of functions without their handlers, to which nothing leads but `throw`.

    In a program that throws, the handlers of a whole body are those of a statement in it.
    """
    throws = any(word.text == "throw" for word in words)

    def inside(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
        if texts(words, number, 3) != (")", "try", "{"):
            return None
        end = closing(words, number + 2) + 1
        while texts(words, end, 2) == ("catch", "("):
            end = closing(words, closing(words, end + 1) + 1) + 1
        at = words[number + 1]
        body = words[number + 2 : closing(words, number + 2) + 1]
        if throws:
            return [words[number], made("{", at), *words[number + 1 : end], made("}", at)], end
        return [words[number], *body], end

    return replaced(words, inside)


def with_throws(words: Sequence[Piece]) -> Words:
    """The words with the end of the program in place of `throw x;`, where no handler goes on behind it.

    Functions of classes that are not of the host keep theirs: kernels may call them.
    """
    inside = _in_classes(words)
    throws = [number for number, word in enumerate(words) if word.text == "throw" and number not in inside]
    throws_of_sycl = any(texts(words, n + 1, 1) != ("std",) for n in throws)
    handlers = [n for n, word in enumerate(words) if word.text == "catch" and not _is_of_asynchronous(words, n)]
    if not throws_of_sycl:
        # What the standard library has is no exception of SYCL.
        handlers = [n for n in handlers if "sycl" not in texts(words, n + 2, closing(words, n + 1) - n - 2)]
    if any(not _ends(words, number) for number in handlers):
        return list(words)

    def thrown(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
        is_statement = not number or words[number - 1].text in _BEFORE
        if words[number].text != "throw" or not is_statement or number in inside:
            return None
        at = words[number]
        return [made("abort", at), made("(", at), made(")", at), made(";", at)], end_of_statement(words, number) + 1

    return replaced(words, thrown)


def without_handlers(words: Sequence[Piece]) -> Words:
    """The words without handlers of exceptions: no command fails, so that nothing leads there."""

    def block(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
        if texts(words, number, 2) != ("try", "{"):
            return None
        last = closing(words, number + 1)
        end = last + 1
        while texts(words, end, 2) == ("catch", "("):
            end = closing(words, closing(words, end + 1) + 1) + 1
        return without_handlers(words[number + 1 : last + 1]), end

    return replaced(words, block)


def _is_of_asynchronous(words: Sequence[Piece], number: int) -> bool:
    """Whether a handler is that of a statement which does nothing but to throw again what a queue tells of."""
    opening = next((n for n in reversed(range(number)) if texts(words, n, 2) == ("try", "{")), number)
    inside = [word.text for word in words[opening + 2 : number - 1]]
    again = [text for text in inside if text not in {"std", "::"}]
    return again[:2] == ["rethrow_exception", "("] and again[-2:] == [")", ";"] and again.count(";") == 1


def _in_classes(words: Sequence[Piece]) -> frozenset[int]:
    """The positions in the bodies of classes, but of those with queues, buffers or commands."""
    found: set[int] = set()
    for number, word in enumerate(words):
        if word.text in {"struct", "class"}:
            opening = next((n for n in range(number, len(words)) if words[n].text in {"{", ";", ")", ">"}), number)
            body = range(opening, closing(words, opening)) if words[opening].text == "{" else range(0)
            if not any(words[place].text in _OF_HOST for place in body):
                found.update(body)
    return frozenset(found)


def _ends(words: Sequence[Piece], number: int) -> bool:
    """Whether a handler of exceptions ends the program, or the function."""
    opening = closing(words, number + 1) + 1
    inside = {word.text for word in words[opening : closing(words, opening)]}
    return bool(inside & {*EXITS, "return", "throw"})


def with_returns(words: Sequence[Piece]) -> Words:
    """The body of `main` without the values that it returns; what is read for one is read."""
    found: Words = []
    number = 0
    while number < len(words):
        word = words[number]
        value = _value(words, number)
        if value is None or is_in_lambda(words, number):
            found.append(word)
            number += 1
            continue
        end = end_of_statement(words, number)
        if end == len(words):
            raise InputError(_without_semicolon(words, number))
        at = words[min(end, len(words) - 1)]
        read = [made("+", word), made("(", word), *value, made(")", word), made(";", word)]
        is_literal = all(not one.text[0].isalpha() or one.text.startswith("EXIT_") for one in value)
        ends = [made("return", word), *([] if word.text == "return" else [made(EXIT, word)]), at]
        found += [made("{", word), *([] if is_literal else read), *ends, made("}", at)]
        number = end + 1
    return found


def _value(words: Sequence[Piece], number: int) -> Words | None:
    """What a statement that ends the program gives back; None where another one stands."""
    if words[number].text == "return":
        return list(words[number + 1 : end_of_statement(words, number)])
    if number and words[number - 1].text not in _BEFORE:
        return None
    first = number + 2 * (texts(words, number, 2) == ("std", "::"))
    follows = texts(words, first, 2)
    if follows[1:] != ("(",) or follows[0] not in EXITS:
        return None
    return list(words[first + 2 : closing(words, first + 1)])


def _without_semicolon(words: Sequence[Piece], start: int) -> Diagnostic:
    """That a statement which ends with a block has no semicolon, which is missing behind its last word."""
    last = start
    while last + 1 < len(words) and words[last + 1].text != "}":
        last = closing(words, last + 1) if words[last + 1].text in {"(", "[", "{"} else last + 1
    last = min(last, len(words) - 1)
    span = words[last].span
    assert span is not None
    found = words[last + 1].text if last + 1 < len(words) else "the end"
    message = f"expected ';' after '{words[last].text}', found '{found}'"
    return Diagnostic("E041", message, Span(span.source, span.end, span.end))
