"""The lexical pass: from left to right once, comments and what no part of a file can hold become blanks.

Offsets stay what they were, so the grammar needs no rule for comments and every node has its span. `(* *)` (nested),
`/* */` and `//` may stand wherever white space may. The header is read line by line, because a name or a value may hold
any characters up to the end of its line.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Final, NoReturn

from msgspec import Struct

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.base.dialect import BY_WORD
from mcm.base.source import Span
from mcm.syntax.ast import Comment
from mcm.syntax.characters import blank, blank_unknown

if TYPE_CHECKING:
    from mcm.base.dialect import Dialect
    from mcm.base.source import Source
    from mcm.syntax.parentheses import Parentheses

_WHITE_SPACE: Final = re.compile(r"\s*")
_WORD: Final = re.compile(r"[^\s{}()\[\];,=\"]+")
# A comment ends a name or a value only behind white space, so that addresses (https://…) stay whole.
_REST_OF_LINE: Final = re.compile(r"(?:(?!\s(?://|/\*|\(\*))[^\n])*")
_BEGINS_BODY: Final = re.compile(r"\{|P\d+\s*[@({]|(?:kernel|__kernel|callback|launch)\b|~?\s*exists\b|forall\b")
# As text: they are compiled when there is a string, or a comment behind the header.
_STRING: Final = r'"(?:[^"\\\n]|\\.)*"'
_CHARACTER: Final = r"'(?:[^'\\\n]|\\(?:[0-7]{1,3}|x[0-9a-fA-F]+|[^\n]))'"
_MARK: Final = r'/\*|//|\(\*|["{}]|' + _CHARACTER
_BEGIN_COMMENTS: Final = ("//", "/*", "(*")
_BEGINNINGS: Final = (*_BEGIN_COMMENTS, '"', "'")


class Lexed(Struct, frozen=True):
    """A text as the grammar reads it, and the comments and unknown characters that it was freed of.

    Strings of the header are kept, others have lost their characters. The header ends at the offset `body`. A comment
    in it is as many line ends, because it ends the name or the value before it.
    """

    source: Source
    text: str
    body: int
    comments: tuple[Comment, ...]
    problems: tuple[Diagnostic, ...]


def lex(source: Source) -> Lexed:
    """Read a text; InputError where nothing behind a place can be understood, or nothing says what test this is."""
    body = _body_of_plain(source.text)
    if body is not None:
        plain, problems = blank_unknown(source, source.text, body)
        return Lexed(source, plain, body, (), tuple(problems))
    scanner = _Scanner(source)
    scanner.read_header()
    body = scanner.offset
    header = scanner.take()
    scanner.read_body()
    text, problems = blank_unknown(source, header + scanner.take(), body)
    return Lexed(source, text, body, tuple(scanner.comments), tuple(problems))


def _body_of_plain(text: str) -> int | None:
    """Where the body of a text begins that needs to be freed of nothing; None where something may be wrong.

    Most texts have not even a comment, and the scanner has nothing to do with them.
    """
    if not text.isascii() or "\0" in text or "//" in text or "/*" in text or "(*" in text:
        return None
    word = _WORD.match(text)
    line_end = text.find("\n")
    if word is None or word[0] not in BY_WORD or not text[word.end() : max(line_end, 0)].strip():
        return None
    offset, end = _behind_blanks(text, line_end), len(text)
    while offset < end and not _BEGINS_BODY.match(text, offset):
        line_end = text.find("\n", offset)
        last = text.find('"', offset + 1) if text[offset] == '"' else line_end
        if not 0 < last <= line_end:
            return None
        offset = _behind_blanks(text, last + 1)
    # Strings with marks of their own, and those in the body.
    return None if "\\" in text[:offset] or '"' in text[offset:] or "'" in text[offset:] else offset


def _behind_blanks(text: str, offset: int) -> int:
    blanks = _WHITE_SPACE.match(text, offset)
    assert blanks is not None
    return blanks.end()


def dialect_of(source: Source) -> Dialect:
    """The dialect that the first word of a text names; InputError if it names none."""
    return BY_WORD[_Scanner(source).first_word().text]


class _Scanner:
    """Goes through a text; `offset` is where it is."""

    def __init__(self, source: Source) -> None:
        if "\0" in source.text:
            at = source.text.index("\0")
            message = "binary data (a zero byte), expected text"
            raise InputError(Diagnostic("E003", message, Span(source, at, at + 1)))
        self._source = source
        self._text = source.text
        self._pieces: list[str] = []
        self._taken = 0
        self.offset = 0
        self.comments: list[Comment] = []

    @cached_property
    def _parentheses(self) -> Parentheses:
        # Imported here: many tests have no comment of this kind.
        from mcm.syntax.parentheses import Parentheses  # noqa: PLC0415

        return Parentheses(self._text)

    def take(self) -> str:
        """What the text between the last call and `offset` has become."""
        self._replace(self.offset, self.offset, "")
        taken = "".join(self._pieces)
        self._pieces = []
        return taken

    # --- header ---

    def first_word(self) -> Span:
        """The first word, which must name a dialect."""
        self._skip_blanks()
        if self.offset == len(self._text):
            # Imported here, as below: most texts begin as they should.
            from mcm.syntax.opening import no_test  # noqa: PLC0415

            raise InputError(no_test(self._source, has_comments=bool(self.comments)))
        found = _WORD.match(self._text, self.offset)
        word = Span(self._source, self.offset, found.end() if found else self.offset + 1)
        if word.text not in BY_WORD:
            from mcm.syntax.opening import unknown_dialect  # noqa: PLC0415

            raise InputError(unknown_dialect(word))
        self.offset = word.end
        return word

    def read_header(self) -> None:
        """Go to the initial state, or to what stands in its place."""
        word = self.first_word()
        self.offset = self._line_end()
        if not self._text[word.end : self.offset].strip():
            from mcm.syntax.opening import no_name  # noqa: PLC0415

            raise InputError(no_name(word))
        self._skip_blanks()
        while self.offset < len(self._text) and not _BEGINS_BODY.match(self._text, self.offset):
            self.offset = self._string_end() if self._text[self.offset] == '"' else self._line_end()
            self._skip_blanks()

    def _line_end(self) -> int:
        """The end of the line, or of what stands before a comment on it."""
        rest = _REST_OF_LINE.match(self._text, self.offset)
        assert rest is not None
        return rest.end()

    def _skip_blanks(self) -> None:
        """Go behind white space and comments."""
        while True:
            blanks = _WHITE_SPACE.match(self._text, self.offset)
            assert blanks is not None
            if not blanks.group().isascii():
                self._replace(self.offset, blanks.end(), " " * len(blanks.group()))
            self.offset = blanks.end()
            end = self._comment_end()
            if end is None:
                return
            self._add_comment(end, "\n" * (end - self.offset))

    # --- the rest ---

    def read_body(self) -> None:
        """Go to the end of the text."""
        text = self._text
        if max([text.find(mark, self.offset) for mark in _BEGINNINGS]) >= 0:
            self._blank_body()
        self.offset = len(text)

    def _blank_body(self) -> None:
        depth = 0
        # The first group of braces is the initial state, in which `(*` is no expression; all later ones are bodies.
        in_body = not self._text.startswith("{", self.offset)
        marks = re.compile(_MARK)
        while found := marks.search(self._text, self.offset):
            mark, self.offset = found.group(), found.start()
            if mark in {"{", "}"}:
                depth = depth + 1 if mark == "{" else max(0, depth - 1)
                in_body = in_body or depth == 0
                self.offset += 1
            elif mark == '"':
                end = self._string_end()
                self._replace(self.offset + 1, end - 1, "_" * (end - self.offset - 2))
                self.offset = end
            elif mark[0] == "'":
                end = self.offset + len(mark)
                self._replace(self.offset + 1, end - 1, "_" * (len(mark) - 2))
                self.offset = end
            elif mark == "(*" and in_body and depth and self._parentheses.is_dereference(self.offset):
                self.offset += 2
            else:
                end = self._comment_end() or self.offset
                self._add_comment(end, blank(self._text[self.offset : end]))

    def _string_end(self) -> int:
        """The end of the string that begins here."""
        found = re.compile(_STRING).match(self._text, self.offset)
        if found is None:
            line_end = self._text.find("\n", self.offset)
            span = Span(self._source, self.offset, len(self._text) if line_end < 0 else line_end)
            raise InputError(Diagnostic("E021", "a string has no closing '\"' on its line", span))
        return found.end()

    def _comment_end(self) -> int | None:
        """The end of the comment that begins here, or None where none does."""
        text, offset = self._text, self.offset
        if not text.startswith(_BEGIN_COMMENTS, offset):
            return None
        if text.startswith("//", offset):
            end = text.find("\n", offset)
            return len(text) if end < 0 else end
        if text.startswith("/*", offset):
            end = text.find("*/", offset + 2)
            return end + 2 if end >= 0 else self._refuse_open("/*", "*/")
        if text.startswith("(*", offset):
            return self._parentheses.comment_end(offset) or self._refuse_open("(*", "*)")
        return None

    def _refuse_open(self, opening: str, closing: str) -> NoReturn:
        span = Span(self._source, self.offset, self.offset + 2)
        message = f"a comment that begins with '{opening}' has no closing '{closing}'"
        raise InputError(Diagnostic("E020", message, span))

    def _add_comment(self, end: int, blanks: str) -> None:
        """A comment from here to `end` becomes `blanks`."""
        span = Span(self._source, self.offset, end)
        self.comments.append(Comment(span.text, span=span))
        self._replace(self.offset, end, blanks)
        self.offset = end

    def _replace(self, start: int, end: int, by: str) -> None:
        """The characters `start` to `end` become other ones, those before it are kept."""
        self._pieces += (self._text[self._taken : start], by)
        self._taken = end
