"""What the options of the command line add to a file of kernels or a program, so that it is a test."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.base.source import Source, Span
from mcm.front_end.kernel_source import dialect_of, title_of
from mcm.front_end.pieces import Piece, Pieces

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcm.front_end.kernel_source import KernelRequest, KernelSource

_CLOSERS: Final = {"(": ")", "[": "]", "{": "}"}
# A size stands where the name of a kernel would: a kernel is never followed by a number.
_WITHOUT_NAME: Final = re.compile(r"\s*[A-Za-z_]\w*\s+\d")
# Not where a kernel has that name.
_KEYWORD: Final = re.compile(r"\s*(?P<word>launch)\s+(?P<rest>(?!(?:global|local)\b)[A-Za-z_].*)", re.DOTALL)
_QUANTIFIER: Final = re.compile(r"\s*(~?\s*exists|forall)\b")


def initial_items(request: KernelRequest) -> list[Piece]:
    """What the options say of the initial state."""
    found = [option("--init", item.rstrip().rstrip(";")) for item in request.initial]
    for one in found:
        _require_text(one, "what a buffer or a parameter begins with, such as 'x[4]' or 'n = 4'")
        require_closed(one)
    return found


def launches_of(request: KernelRequest) -> list[Piece]:
    """What the options say of launches; InputError where the parts of one are not joined as they have to be."""
    found = [option("--launch", launch.rstrip().rstrip(";")) for launch in request.launches]
    for one in found:
        _require_text(one, "a kernel and its sizes, such as 'K global 4, local 2'")
        keyword = _KEYWORD.match(one.text)
        if one.span is not None and keyword is not None:
            message = f"expected a kernel and its sizes, as in '{keyword['rest'].strip()}', found 'launch'"
            place = replace(one.span, start=keyword.start("word"), end=keyword.end("word"))
            raise InputError(Diagnostic("E040", message, place))
        if one.span is not None and ";" in one.text:
            place = replace(one.span, start=one.text.index(";"), end=one.text.index(";") + 1)
            message = "expected ',' between the parts of a launch, found ';'; each launch has an option of its own"
            raise InputError(Diagnostic("E040", message, place))
    return found


def is_unnamed(launch: Piece) -> bool:
    """Whether a launch begins with its sizes: it is of the only kernel of the file."""
    return _WITHOUT_NAME.match(launch.text) is not None


def begun(source: KernelSource, initial: Iterable[Iterable[Piece]] | None = None) -> Pieces:
    """The pieces in front of the file: header and initial state, in other words where some are given."""
    pieces = Pieces(Span(source, 0, 0))
    pieces.made_up(title_of(source))
    if source.request.expected:
        pieces.made_up(f"Expect.{dialect_of(source).default_model}=")
        for number, required in enumerate(source.request.expected):
            pieces.made_up(" " if number else "")
            one = option("--require", required.replace("\n", " "))
            _require_text(one, "what has to be so, such as 'no-race'")
            pieces.add(one)
        pieces.made_up("\n")
    pieces.made_up("{ ")
    for item in initial or ((one,) for one in initial_items(source.request)):
        pieces.extend(item)
        pieces.made_up("; ")
    pieces.made_up("}\n")
    return pieces


def questions_of(request: KernelRequest) -> list[tuple[str, Piece]]:
    """What the options ask, a quantifier and a proposition; InputError where that is nothing, or more than one."""
    found: list[tuple[str, Piece]] = []
    for question in request.questions:
        quantifier, _, proposition = question.partition(" ")
        asked = option("--forall" if quantifier == "forall" else "--exists", proposition)
        if asked.span is not None and found:
            raise InputError(Diagnostic("E044", "one question is asked at a time, found another one", asked.span))
        _require_text(asked, "a condition on what is left at the end, such as 'x[0]=1'")
        require_proposition(asked)
        found.append((quantifier, asked))
    return found


def add_questions(pieces: Pieces, questions: Iterable[tuple[str, Iterable[Piece]]]) -> None:
    """Append the questions that are asked, behind the file."""
    for quantifier, asked in questions:
        pieces.made_up(f"\n{quantifier} (")
        pieces.extend(asked)
        pieces.made_up(")")
    pieces.made_up("\n")


def _require_text(asked: Piece, wanted: str) -> None:
    """InputError for an option that says nothing."""
    if asked.span is not None and not asked.text.strip():
        raise InputError(Diagnostic("E040", f"expected {wanted}, found nothing", asked.span))


def require_closed(asked: Piece) -> None:
    """InputError where the brackets of an option do not match: it would be told where it is put together."""
    opened: list[int] = []
    for place, letter in enumerate(asked.text):
        if letter in _CLOSERS:
            opened.append(place)
        elif letter in _CLOSERS.values():
            if not opened or _CLOSERS[asked.text[opened[-1]]] != letter:
                opener = next(opener for opener, closer in _CLOSERS.items() if closer == letter)
                raise InputError(_at(asked, place, "E031", f"'{letter}' without '{opener}' before it"))
            opened.pop()
    if opened:
        raise InputError(_at(asked, opened[-1], "E030", f"this '{asked.text[opened[-1]]}' is never closed"))


def require_proposition(asked: Piece) -> None:
    """InputError where an option for a condition has a quantifier too, or its brackets do not match."""
    quantifier = _QUANTIFIER.match(asked.text)
    if quantifier is not None and asked.span is not None:
        name = asked.span.source.name
        message = f"expected a condition without quantifier, as in {name} 'x[0]=1', found '{quantifier[1]}'"
        place = replace(asked.span, start=quantifier.start(1), end=quantifier.end())
        raise InputError(Diagnostic("E040", message, place))
    require_closed(asked)


def _at(asked: Piece, place: int, code: str, message: str) -> Diagnostic:
    assert asked.span is not None, "it was given as an option"
    return Diagnostic(code, message, replace(asked.span, start=place, end=place + 1))


def option(name: str, text: str) -> Piece:
    """The text of an option of the command line."""
    return Piece(text, Span(Source(name, text), 0, len(text)))
