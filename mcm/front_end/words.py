"""The words of a litmus test in which names stand for types and numbers: `typedef`, `enum`, and `using` in SYCL."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.base.source import Source, Span
from mcm.front_end.naming import NAMING, NAMING_OF_CPP, names_types
from mcm.front_end.pieces import Piece, Pieces
from mcm.front_end.tokens import without_attributes
from mcm.syntax.parse import IncompleteError, parse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.syntax.ast import Litmus
    from mcm.syntax.language import Language

_COMMENT: Final = r"//[^\n]*|/\*.*?\*/|\(\*(?=[ \t\n]).*?\*\)"
_WORD: Final = re.compile(
    rf"{_COMMENT}|\s+|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|(?P<name>[A-Za-z_]\w*)|\.?\d[\w.]*|->|::|.", re.DOTALL
)
_BEGINS: Final = ("//", "/*", "(*")


def parsed(source: Source, expanded: Pieces | None, language: Language, *, of_cpp: bool = False) -> Litmus:
    """The tree of a test with what its names mean in their places; each node is told at its place in the text.

    `expanded` is the test with what macros stand for, None where it has none.
    """
    pieces = expanded or _alone(source)
    if names_types(source.text, of_cpp=of_cpp):
        pieces = _with_meanings(pieces, source, of_cpp=of_cpp)
    try:
        tree = parse(Source(source.name, pieces.text), language)
    except IncompleteError as error:
        raise IncompleteError(pieces.relocated(error.rest), *pieces.error(error).diagnostics) from None
    except InputError as error:
        raise pieces.error(error) from None
    return pieces.relocated_test(tree, source)


def check_layout(source: Source, *, of_cpp: bool = False) -> None:
    """Refuse to lay out a test that names types or numbers."""
    names = {found.start() for found in _WORD.finditer(source.text) if found["name"]}
    for found in re.finditer(NAMING_OF_CPP if of_cpp else NAMING, source.text):
        if found.start() in names:
            message = "a test that names types or numbers has no standard layout: the names would be lost"
            raise InputError(Diagnostic("E050", message, Span(source, *found.span())))


def _alone(source: Source) -> Pieces:
    pieces = Pieces(Span(source, 0, 0))
    pieces.add(Piece(source.text, Span(source, 0, len(source.text))))
    return pieces


def _with_meanings(pieces: Pieces, source: Source, *, of_cpp: bool) -> Pieces:
    """The test with what each such name means in its place; the header stays as it is."""
    found = Pieces(Span(source, 0, 0))
    words = [word for piece in pieces.every for word in _words(piece)]
    body = next((number for number, word in enumerate(words) if word.text == "{"), len(words))
    found.extend(words[:body])
    blanked = [_blank(word) if word.text.startswith(_BEGINS) else word for word in words[body:]]
    found.extend(without_attributes(blanked, of_cpp=of_cpp))
    return found


def _blank(comment: Piece) -> Piece:
    return replace(comment, text=re.sub(r"[^\n]", " ", comment.text))


def _words(piece: Piece) -> Iterator[Piece]:
    """The words of a piece."""
    for found in _WORD.finditer(piece.text):
        if piece.is_verbatim and piece.span is not None:
            start = piece.span.start + found.start()
            yield Piece(found.group(), Span(piece.span.source, start, start + len(found.group())))
        else:
            yield Piece(found.group(), piece.span, is_verbatim=False)
