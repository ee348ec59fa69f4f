"""Comments: where they are, and the text without them.

`(* *)` (nested), `/* */` and `//` may stand wherever white space may. They are replaced by blanks, so that the grammar
needs no rule for them and every offset stays what it was.

In the body of a thread `(*` can also begin an expression: `if (*y == 1)`. There it opens a comment if a `*)` closes it
and the text could not be C: either the closing `)` is the partner of the opening parenthesis, which no expression that
begins with `*` and ends with `*` can be, or words stand side by side, or behind a `)`, as they do in prose.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Final

from mcm.base.diagnostic import Diagnostic
from mcm.base.source import Span
from mcm.syntax.ast import Comment

if TYPE_CHECKING:
    from mcm.base.source import Source

_STRING: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_MARK: Final = re.compile(r'/\*|//|\(\*|["{}]')
_BEGINNINGS: Final = ("//", "/*", "(*", '"')
_NESTING: Final = re.compile(r"\(\*|\*\)")
_PARENTHESIS: Final = re.compile(r"[()]")
_SIDE_BY_SIDE: Final = re.compile(r"([A-Za-z_]\w*)\s+(?=[A-Za-z_])")
_WORD_FOLLOWS: Final = re.compile(r"\s*\w")
_CONTROL: Final = re.compile(r"\b(?:if|while|for|switch)\s*\Z")
_CONTROL_WIDTH: Final = 40
# Prose shows early; reading on would take quadratic time where nothing is ever closed.
_LONGEST_GLANCE: Final = 400
_TYPE_PREFIX: Final = re.compile(
    r"(?:__)?(?:global|local|constant|generic|private|const|volatile|restrict)|_Atomic|(?:un)?signed"
    r"|long|short|int|char"
)


class UnterminatedError(Exception):
    """A comment or a string has no end; nothing behind its beginning can be understood."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


def blank(text: str) -> str:
    """White space of the same shape: as many characters, and the same lines."""
    return "\n".join([" " * len(line) for line in text.split("\n")])


class CommentFinder:
    """Finds the comments of one source."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._text = source.text

    def at(self, offset: int) -> Comment | None:
        """The comment that begins at `offset` outside a thread's body, or None."""
        text = self._text
        if text.startswith("//", offset):
            end = text.find("\n", offset)
            return self._comment(offset, len(text) if end < 0 else end)
        if text.startswith("/*", offset):
            end = text.find("*/", offset + 2)
            if end < 0:
                raise self._unterminated(offset, "a comment that begins with '/*' has no closing '*/'")
            return self._comment(offset, end + 2)
        if text.startswith("(*", offset):
            closing = self._partner(offset)
            if closing is None:
                raise self._unterminated(offset, "a comment that begins with '(*' has no closing '*)'")
            return self._comment(offset, closing + 2)
        return None

    def string_at(self, offset: int) -> Span:
        """The string that begins at `offset`, quotes included."""
        found = _STRING.match(self._text, offset)
        if found is None:
            line_end = self._text.find("\n", offset)
            span = Span(self._source, offset, len(self._text) if line_end < 0 else line_end)
            raise UnterminatedError(Diagnostic("E021", "a string has no closing '\"' on its line", span))
        return Span(self._source, offset, found.end())

    def strip(self, start: int) -> tuple[str, tuple[Comment, ...]]:
        """The text from `start` on with comments and the insides of strings made blank, and those comments.

        The characters before `start` are made blank too.
        """
        text = self._text
        if max([text.find(mark, start) for mark in _BEGINNINGS]) < 0:
            return blank(text[:start]) + text[start:], ()
        pieces = [blank(text[:start])]
        comments: list[Comment] = []
        position, depth = start, 0
        in_body = not text.startswith("{", start)
        while found := _MARK.search(text, position):
            mark, offset = found.group(), found.start()
            pieces.append(text[position:offset])
            position = found.end()
            if mark in "{}":
                depth, in_body = self._after_brace(mark, depth, in_body=in_body)
                pieces.append(mark)
            elif mark == '"':
                position = self.string_at(offset).end
                pieces.append(f'"{"_" * (position - offset - 2)}"')
            elif mark == "(*" and in_body and depth and self._is_dereference(offset):
                pieces.append(mark)
            else:
                comment = self._must_be_at(offset)
                comments.append(comment)
                position = comment.span.end
                pieces.append(blank(comment.text))
        pieces.append(text[position:])
        return "".join(pieces), tuple(comments)

    @staticmethod
    def _after_brace(mark: str, depth: int, *, in_body: bool) -> tuple[int, bool]:
        depth = depth + 1 if mark == "{" else max(0, depth - 1)
        # The first group of braces is the initial state; all later ones are bodies.
        return depth, in_body or depth == 0

    def _must_be_at(self, offset: int) -> Comment:
        comment = self.at(offset)
        assert comment is not None
        return comment

    def _comment(self, start: int, end: int) -> Comment:
        return Comment(self._text[start:end], span=Span(self._source, start, end))

    def _unterminated(self, offset: int, message: str) -> UnterminatedError:
        return UnterminatedError(Diagnostic("E020", message, Span(self._source, offset, offset + 2)))

    def _is_dereference(self, offset: int) -> bool:
        close, group_end = self._partner(offset), self._groups.get(offset)
        if close is None:
            line_end = self._text.find("\n", offset)
            close = line_end if line_end >= 0 else len(self._text)
        elif group_end == close + 1 or self._is_followed_by_word(offset, group_end):
            return False
        end = close if group_end is None else min(close, group_end)
        return not _is_prose(self._text[offset + 2 : min(end, offset + _LONGEST_GLANCE)])

    def _is_followed_by_word(self, offset: int, group_end: int | None) -> bool:
        """Whether a word follows `(…)`, which in C happens only behind the parentheses of `if`, `while` and `for`."""
        if group_end is None or not _WORD_FOLLOWS.match(self._text, group_end + 1):
            return False
        return _CONTROL.search(self._text, max(0, offset - _CONTROL_WIDTH), offset) is None

    def _partner(self, offset: int) -> int | None:
        """The offset of the `*)` that closes the `(*` at `offset`."""
        end = self._text.find("*)", offset + 2)
        if end < 0:
            return None
        # Most comments have none inside.
        is_nested = self._text.find("(*", offset + 2, end + 1) >= 0
        return self._partners.get(offset) if is_nested else end

    @cached_property
    def _partners(self) -> dict[int, int]:
        """For each `(*` the offset of the `*)` that closes it, comments nested."""
        return _match_up(_NESTING, "(*", self._text)

    @cached_property
    def _groups(self) -> dict[int, int]:
        """For each `(` the offset of the `)` that closes it in C."""
        return _match_up(_PARENTHESIS, "(", self._text)


def _match_up(pattern: re.Pattern[str], opening: str, text: str) -> dict[int, int]:
    partners: dict[int, int] = {}
    waiting: list[int] = []
    for found in pattern.finditer(text):
        if found.group() == opening:
            waiting.append(found.start())
        elif waiting:
            partners[waiting.pop()] = found.start()
    return partners


def _is_prose(text: str) -> bool:
    return any(not _TYPE_PREFIX.fullmatch(found.group(1)) for found in _SIDE_BY_SIDE.finditer(text))
