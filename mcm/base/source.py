"""Source text and spans: every later value can point back at the characters it came from."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from itertools import accumulate

from msgspec import Struct

from mcm.base.visible import visible


class Source(Struct, frozen=True, dict=True):
    """A named text; `name` is what diagnostics print before the line number."""

    name: str
    text: str

    def __repr__(self) -> str:
        """The class and the name: texts are long, and everything that has a place has one."""
        return f"{type(self).__name__}({self.name!r})"

    @cached_property
    def line_starts(self) -> tuple[int, ...]:
        """Offsets at which the lines of the text begin; the first is always 0."""
        lengths = [len(line) + 1 for line in self.text.split("\n")]
        return (0, *accumulate(lengths[:-1]))

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both counted from 1."""
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of line `number` (from 1) without its line end."""
        start = self.line_starts[number - 1]
        end = self.line_starts[number] - 1 if number < len(self.line_starts) else len(self.text)
        return self.text[start:end].rstrip("\r")


class Span(Struct, frozen=True, gc=False):
    """The characters `start` (included) to `end` (excluded) of a source."""

    source: Source
    start: int
    end: int

    @property
    def line(self) -> int:
        """Line of the first character, from 1."""
        return self.source.position(self.start)[0]

    @property
    def column(self) -> int:
        """Column of the first character, from 1."""
        return self.source.position(self.start)[1]

    @property
    def text(self) -> str:
        """The characters themselves."""
        return self.source.text[self.start : self.end]

    def to(self, other: Span) -> Span:
        """The span from the beginning of this one to the end of the other."""
        return Span(self.source, self.start, max(self.end, other.end))

    def __str__(self) -> str:
        """`file:line:column`, as diagnostics print it; what a terminal does not show is escaped in it."""
        return f"{visible(self.source.name)}:{self.line}:{self.column}"
