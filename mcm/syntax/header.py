"""The header of a litmus file: dialect and name, doc strings, `Key=Value` lines.

It is scanned line by line, because a name or a value may hold any characters up to the end of its line.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field

from mcm.base.diagnostic import Diagnostic, InputError, Note
from mcm.base.dialect import BY_WORD
from mcm.base.source import Span
from mcm.base.suggest import did_you_mean
from mcm.syntax.ast import KeyLine
from mcm.syntax.comments import CommentFinder, UnterminatedError

if TYPE_CHECKING:
    from mcm.base.dialect import Dialect
    from mcm.base.source import Source
    from mcm.syntax.ast import Comment

_WHITE_SPACE: Final = re.compile(r"\s*")
_WORD: Final = re.compile(r"[^\s{}()\[\];,=\"]+")
# A comment ends a name or a value only behind white space, so that addresses (https://…) stay whole.
_REST_OF_LINE: Final = re.compile(r"(?:(?!\s(?://|/\*|\(\*))[^\n])*")
_KEY: Final = re.compile(r"(?P<key>[^\s={}()\"\[\];]+)[ \t]*=[ \t]*")
_BEGINS_BODY: Final = re.compile(r"\{|P\d+\s*[@({]|(?:kernel|__kernel|callback|launch)\b|~?\s*exists\b|forall\b")
_ELSEWHERE: Final = frozenset(
    "AArch64 ARM ASL BPF Bell CPP JAVA LISA MIPS PPC PTX RISCV VULKAN X86 X86_64 AARCH64".split()  # noqa: SIM905
)


class Header(Struct):
    """What stands before the initial state; `end` is the offset of the first character behind it."""

    word: str
    name: str
    name_span: Span
    end: int
    documentation: list[str] = field(default_factory=list)
    documentation_spans: list[Span] = field(default_factory=list)
    keys: list[KeyLine] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    problems: list[Diagnostic] = field(default_factory=list)


def dialect_of(source: Source) -> Dialect:
    """The dialect that the first word of a text names; InputError if it names none."""
    try:
        return BY_WORD[_first_word(source, CommentFinder(source), []).text]
    except UnterminatedError as error:
        raise InputError(error.diagnostic) from None


def scan_header(source: Source, finder: CommentFinder) -> Header:
    """Read the header of `source`; a header without a known dialect and a name is an InputError at once."""
    comments: list[Comment] = []
    header = _first_line(source, _first_word(source, finder, comments))
    header.comments += comments
    while _scan_line(source, header, finder):
        pass
    return header


def _first_word(source: Source, finder: CommentFinder, comments: list[Comment]) -> Span:
    """The first word, which names a known dialect; the comments before it are collected."""
    start = _skip(source.text, 0, finder, comments)
    if start == len(source.text):
        raise InputError(_empty(source, has_comments=bool(comments)))
    found = _WORD.match(source.text, start)
    word = Span(source, start, found.end() if found else start + 1)
    if word.text not in BY_WORD:
        raise InputError(_unknown_dialect(word))
    return word


def _first_line(source: Source, word: Span) -> Header:
    rest = _REST_OF_LINE.match(source.text, word.end)
    assert rest is not None
    name = rest.group().strip()
    if not name:
        raise InputError(Diagnostic("E012", f"expected the name of the test after '{word.text}', found nothing", word))
    begin = source.text.index(name, word.end)
    return Header(word.text, name, Span(source, begin, begin + len(name)), rest.end())


def _scan_line(source: Source, header: Header, finder: CommentFinder) -> bool:
    """Read one item of the header; False when the header is over."""
    text = source.text
    header.end = _skip(text, header.end, finder, header.comments)
    if header.end == len(text) or _BEGINS_BODY.match(text, header.end):
        return False
    if text[header.end] == '"':
        span = finder.string_at(header.end)
        header.documentation.append(span.text[1:-1])
        header.documentation_spans.append(span)
        header.end = span.end
        return True
    rest = _REST_OF_LINE.match(text, header.end)
    assert rest is not None
    key = _KEY.match(text, header.end, rest.end())
    if key is not None:
        value = text[key.end() : rest.end()].strip()
        header.keys.append(KeyLine(key["key"], value, span=Span(source, key.start(), key.end() + len(value))))
    else:
        header.problems.append(_bad_line(Span(source, header.end, header.end + len(rest.group().rstrip()))))
    header.end = rest.end()
    return True


def _skip(text: str, offset: int, finder: CommentFinder, comments: list[Comment]) -> int:
    """The offset behind white space and comments, which are collected."""
    while True:
        blanks = _WHITE_SPACE.match(text, offset)
        assert blanks is not None
        offset = blanks.end()
        comment = finder.at(offset)
        if comment is None:
            return offset
        comments.append(comment)
        offset = comment.span.end


def _empty(source: Source, *, has_comments: bool) -> Diagnostic:
    found = "only comments" if has_comments else "the file is empty"
    return Diagnostic("E006", f"{found}: expected a litmus test, which begins with {_dialects()}", Span(source, 0, 0))


def _bad_line(span: Span) -> Diagnostic:
    shown = span.text if len(span.text) <= 40 else span.text[:40] + "…"
    return Diagnostic(
        "E013", f"expected a \"doc string\", a Key=Value line or '{{' of the initial state, found '{shown}'", span
    )


def _unknown_dialect(word: Span) -> Diagnostic:
    found = word.text
    if found == "SYCL":
        return Diagnostic("E011", f"not yet supported: the dialect 'SYCL'; supported are {_dialects()}", word)
    if found in _ELSEWHERE:
        note = Note("litmus tests for instruction sets and other languages are read by herd7")
        return Diagnostic(
            "E011", f"the dialect '{found}' is not supported; supported are {_dialects()}", word, notes=(note,)
        )
    hint = did_you_mean(found, BY_WORD)
    return Diagnostic("E010", f"unknown dialect '{found}'; expected {_dialects()} as the first word{hint}", word)


def _dialects() -> str:
    *others, last = BY_WORD
    return f"{', '.join(others)} or {last}"
