"""`#define` of constants in litmus tests: `#define N 4`, and what it stands for in place of the name behind it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.base.source import Source, Span
from mcm.front_end.pieces import Piece, Pieces

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# A line `#define NAME words`; with a parenthesis directly behind the name it would be a macro with parameters.
_DEFINE: Final = r"(?m:^[ \t]*\#[ \t]*define[ \t]+(?P<name>[A-Za-z_]\w*)(?P<open>\(?)(?P<value>(?:\\\n|[^\n])*)$)"
_COMMENT: Final = r"//[^\n]*|/\*.*?\*/|\(\*(?=[ \t\n]).*?\*\)"
_TEXT: Final = re.compile(rf"(?P<define>{_DEFINE})|(?P<kept>{_COMMENT}|\"[^\"\n]*\")|(?P<word>[A-Za-z_]\w*)", re.DOTALL)
_WORDS: Final = re.compile(r"[A-Za-z_]\w*|[^A-Za-z_]+")
_BEHIND: Final = re.compile(r"\s*(?://.*|/\*.*)?$", re.DOTALL)
_LONGEST: Final = 10_000
# Characters that may be joined to a longer operator, or begin a comment.
_OPERATORS: Final = frozenset("+-*/%&|^<>=!~")


def definitions(source: Source) -> Iterator[Span]:
    """The lines that define something."""
    for found in _TEXT.finditer(source.text):
        if found["define"] is not None:
            yield Span(source, found.start(), found.end())


def expanded(source: Source) -> Pieces:
    """The test with what the names stand for in their places; InputError for a macro with parameters."""
    pieces = Pieces(Span(source, 0, 0))
    known: dict[str, str] = {}
    position = 0
    for found in _TEXT.finditer(source.text):
        if found["define"] is None and (found["word"] is None or found["word"] not in known):
            continue
        pieces.add(_verbatim(source, position, found.start()))
        position = found.end()
        if found["define"] is not None:
            _define(found, source, known)
        else:
            text = "".join(_replaced(found["word"], known, frozenset()))
            span = Span(source, found.start(), found.end())
            if len(text) > _LONGEST:
                message = f"'{found['word']}' stands for more than {_LONGEST} characters"
                raise InputError(Diagnostic("E180", message, span))
            pieces.add(Piece(_apart(text), span, is_verbatim=False))
    pieces.add(_verbatim(source, position, len(source.text)))
    return pieces


def _apart(text: str) -> str:
    """The text, such that it is no part of a longer word with what is beside it: `-N` is no `--`, if N is -1."""
    before = " " if text[:1] in _OPERATORS else ""
    return f"{before}{text} " if text[-1:] in _OPERATORS else before + text


def _verbatim(source: Source, start: int, end: int) -> Piece:
    return Piece(source.text[start:end], Span(source, start, end))


def _define(found: re.Match[str], source: Source, known: dict[str, str]) -> None:
    if found["open"]:
        message = "a macro with parameters is not supported in a litmus test; `#define` names a constant"
        raise InputError(Diagnostic("E050", message, Span(source, found.start("name"), found.end("name"))))
    known[found["name"]] = _BEHIND.sub("", found["value"]).strip()


def _replaced(name: str, known: Mapping[str, str], around: frozenset[str]) -> Iterator[str]:
    """What a name stands for; a name in what it stands for itself stays."""
    length = 0
    for word in _WORDS.findall(known[name]):
        is_macro = word in known and word not in around | {name}
        parts = (_apart("".join(_replaced(word, known, around | {name}))),) if is_macro else (word,)
        for part in parts:
            length += len(part)
            yield part
            if length > _LONGEST:
                return
