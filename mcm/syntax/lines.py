"""Lines of printed text with the part of the source that each comes from; comments are inserted by position."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.base.source import Source
    from mcm.syntax.ast import Comment

_INDENT: Final = "  "


class Line(Struct, frozen=True):
    """One printed line; `start` and `end` are the characters of the source that it came from.

    A line that begins a paragraph has a blank line before it. Comments before a closing line are indented as the block
    that it closes.
    """

    text: str
    start: int
    end: int
    indent: int = 0
    begins_paragraph: bool = False

    @property
    def closes(self) -> bool:
        """Whether the line ends a block."""
        return self.text.startswith("}")


def weave(lines: Sequence[Line], comments: Sequence[Comment], source: Source) -> str:
    """The text of `lines` with `comments` in order, each before the line it preceded or behind the one it trailed.

    Where lines stand in another order than in the source, comments keep their own order, and none is lost.
    """
    page = _Page(source)
    pending = deque(comments)
    for line, following in zip(lines, (*lines[1:], None), strict=True):
        paragraph = line.begins_paragraph
        while pending and pending[0].span.start < line.end:
            page.write_comment(pending.popleft(), line.indent + line.closes, begins_paragraph=paragraph)
            paragraph = False
        page.write(line, begins_paragraph=paragraph)
        while pending and _trails(pending[0], line, following, source):
            comment = pending.popleft()
            page.append(comment)
            if comment.text.startswith("//") or "\n" in comment.text:
                break
    for comment in pending:
        page.write_comment(comment, 0, begins_paragraph=False)
    return page.text()


def _trails(comment: Comment, line: Line, following: Line | None, source: Source) -> bool:
    """Whether the comment stood behind `line`, on the same line of the source, and before anything else."""
    start = comment.span.start
    if following is not None and line.end <= following.start <= start:
        return False
    return source.position(start)[0] == source.position(max(0, line.end - 1))[0]


class _Page:
    """Collects the printed text; single blank lines of the source are kept within paragraphs."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._rows: list[str] = []
        self._end = 0
        self._just_opened = False

    def write(self, line: Line, *, begins_paragraph: bool) -> None:
        """Add a line."""
        if begins_paragraph or not line.closes:
            self._separate(line.start, forced=begins_paragraph)
        self._rows.append(f"{_INDENT * line.indent}{line.text}")
        self._end = line.end
        self._just_opened = line.text.endswith("{")

    def write_comment(self, comment: Comment, indent: int, *, begins_paragraph: bool) -> None:
        """Add a comment that stands alone."""
        self._separate(comment.span.start, forced=begins_paragraph)
        self._rows.append(f"{_INDENT * indent}{comment.text}")
        self._end = comment.span.end
        self._just_opened = False

    def append(self, comment: Comment) -> None:
        """Add a comment behind the last line."""
        self._rows[-1] += f" {comment.text}"
        self._end = comment.span.end

    def _separate(self, start: int, *, forced: bool) -> None:
        """Add a blank line if one is due before what began at `start` in the source."""
        if not self._rows:
            return
        stood_apart = self._source.text.count("\n", self._end, start) > 1 and not self._just_opened
        if forced or stood_apart:
            self._rows.append("")

    def text(self) -> str:
        """Everything, with a line end behind the last line."""
        return "\n".join((*self._rows, ""))
