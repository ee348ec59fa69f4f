"""A text that is put together from pieces of others, and where each of its characters comes from.

What is found in such a text is told at the place that its author knows: a file as it is, an option of the command line.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, Any, Final, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from mcm.base.diagnostic import Diagnostic, InputError, Note
from mcm.base.source import Source, Span
from mcm.syntax.ast import Node
from mcm.syntax.depth import check_chains

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcm.syntax.ast import Litmus

_FOUND: Final = re.compile(r"\b(?:found|before) '([^']*)'")
# What follows a file of kernels is told where something before it is wrong.
_BEFORE_LAUNCH: Final = "before 'launch'"
Tree = TypeVar("Tree")


class Piece(Struct, frozen=True):
    """Characters of a text, and where they come from; None for what nobody wrote.

    `is_verbatim`: they stand there as they are. Otherwise they stand for all of it: a macro.
    """

    text: str
    span: Span | None
    is_verbatim: bool = True


class Pieces(Struct):
    """The pieces of one text, in order; `whole` is what is blamed where nobody wrote anything."""

    whole: Span
    _pieces: list[Piece] = field(default_factory=list)
    _starts: list[int] = field(default_factory=list)
    _length: int = 0

    def add(self, piece: Piece) -> None:
        """Append a piece."""
        if piece.text:
            self._pieces.append(piece)
            self._starts.append(self._length)
            self._length += len(piece.text)

    def extend(self, pieces: Iterable[Piece]) -> None:
        """Append several."""
        for piece in pieces:
            self.add(piece)

    def made_up(self, text: str) -> None:
        """Append what nobody wrote."""
        self.add(Piece(text, None))

    @property
    def every(self) -> tuple[Piece, ...]:
        """All pieces, in order."""
        return tuple(self._pieces)

    @property
    def text(self) -> str:
        """The text."""
        return "".join(piece.text for piece in self._pieces)

    def origin(self, span: Span) -> Span:
        """Where the characters of a span come from."""
        first, begin = self._at(span.start)
        last, end = self._at(max(span.start, span.end - 1))
        if first is None:
            return self.whole if last is None else self._ends(last, end, last)
        begin = first.start if begin is None else begin
        if last is None or last.source is not first.source or span.end <= span.start:
            return Span(first.source, begin, first.end if span.end > span.start else begin)
        return self._ends(Span(first.source, begin, first.end), end, last)

    def _ends(self, first: Span, end: int | None, last: Span) -> Span:
        """From where a span begins to behind its last character, or the macro that it belongs to."""
        behind = last.end if end is None else end + 1
        return Span(first.source, first.start, max(first.start, min(behind, len(first.source.text))))

    def _at(self, offset: int) -> tuple[Span | None, int | None]:
        """The span that a character comes from, and the offset there; None for what stands for all of it: a macro."""
        if not self._pieces:
            return None, None
        number = max(0, bisect_right(self._starts, offset) - 1)
        piece = self._pieces[number]
        if piece.span is None:
            # Something is missing at the end of what somebody wrote before.
            for before in reversed(self._pieces[:number]):
                if before.span is not None:
                    end = before.span.end
                    return Span(before.span.source, end, end), end
            return None, None
        if not piece.is_verbatim:
            return piece.span, None
        return piece.span, min(piece.span.end, piece.span.start + offset - self._starts[number])

    # --- what was made of the text ---

    def relocated(self, tree: Tree) -> Tree:
        """A tree whose nodes know where they come from."""
        found: Any = self._relocated(tree)
        return found  # type: ignore[no-any-return]

    def relocated_test(self, tree: Litmus, source: Source) -> Litmus:
        """The tree of a whole test, which is about this source, and keeps the text that it was read from."""
        if (too_long := check_chains(tree, self.text)) is not None:
            raise InputError(self.complaint(too_long))
        return replace(self.relocated(tree), span=Span(source, 0, len(source.text)), parsed=self.text)

    def _relocated(self, value: Any) -> Any:
        match value:
            case Span():
                return self.origin(value)
            case Node():
                names = value.__struct_fields__
                return replace(value, **{name: self._relocated(getattr(value, name)) for name in names})
            case tuple():
                return tuple(map(self._relocated, value))
            case _:
                return value

    def complaint(self, diagnostic: Diagnostic) -> Diagnostic:
        """A diagnostic at the place that it is about."""
        notes = tuple(Note(note.message, note.span and self.origin(note.span)) for note in diagnostic.notes)
        message = diagnostic.message
        found = _FOUND.search(message)
        if found is not None and (found[0] == _BEFORE_LAUNCH or self._is_made_up(diagnostic.span, found[1])):
            # Nobody wrote what was found there: it stands behind the end of what somebody wrote.
            instead = "found its end" if found[0].startswith("found") else "before the end of the file"
            message = message.replace(found[0], instead, 1)
        return replace(diagnostic, message=message, span=self.origin(diagnostic.span), notes=notes)

    def _is_made_up(self, span: Span, word: str) -> bool:
        """Whether a word at a place is one that nobody wrote."""
        number = bisect_right(self._starts, span.start) - 1
        if number < 0 or self._pieces[number].span is not None:
            return False
        return self._pieces[number].text[span.start - self._starts[number] :].startswith(word)

    def error(self, error: InputError) -> InputError:
        """The same error, told at the places that it is about."""
        return InputError(*map(self.complaint, error.diagnostics))


def line_of(source: Source, number: int) -> Span:
    """A whole line of a text, from 1; its end where the text has fewer."""
    if number > len(source.line_starts):
        return Span(source, len(source.text), len(source.text))
    start = source.line_starts[max(1, number) - 1]
    line = source.line(max(1, number))
    return Span(source, start + len(line) - len(line.lstrip()), start + len(line))
