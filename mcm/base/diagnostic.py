"""Complaints as data, and the one place that draws them."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.base.visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mcm.base.source import Span


class Severity(Enum):
    """How bad a diagnostic is: an error makes the input invalid, a warning does not."""

    ERROR = "error"
    WARNING = "warning"


class Note(Struct, frozen=True):
    """A second place, or a sentence, that helps to understand a diagnostic."""

    message: str
    span: Span | None = None


class Diagnostic(Struct, frozen=True):
    """A complaint about a text: `code` is listed in `mcm.base.codes`, `span` is where carets go."""

    code: str
    message: str
    span: Span
    severity: Severity = Severity.ERROR
    notes: tuple[Note, ...] = ()

    @property
    def is_error(self) -> bool:
        """Whether the input cannot be used."""
        return self.severity is Severity.ERROR


# Nobody reads more, and a text in another language has something wrong in every line.
MOST_DIAGNOSTICS: Final = 100

_NOT_LISTED: Final = Note("further problems are not listed")


class InputError(Exception):
    """The input is wrong; `diagnostics` says what is wrong with it, in order of position, as far as it is listed."""

    def __init__(self, *diagnostics: Diagnostic) -> None:
        self.diagnostics = listed(diagnostics)
        super().__init__(
            "\n".join(f"{d.span}: {d.severity.value}[{d.code}]: {visible(d.message)}" for d in self.diagnostics)
        )

    def __reduce__(self) -> tuple[Callable[..., InputError], tuple[type[InputError], str], dict[str, Any]]:
        """As it goes to another process: an exception would be made anew from its words alone."""
        return _sent, (type(self), str(self)), self.__dict__


def _sent(kind: type[InputError], words: str) -> InputError:
    """An error of some kind with these words; what it holds besides is put back by who unpickles it."""
    return kind.__new__(kind, words)


def listed(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Diagnostics in order of position; of very many the first errors, and a note with the last."""
    ordered = sorted(diagnostics, key=lambda d: (d.span.start, d.span.end))
    if len(ordered) <= MOST_DIAGNOSTICS:
        return tuple(ordered)
    # The sort is stable.
    chosen = sorted(range(len(ordered)), key=lambda n: not ordered[n].is_error)[:MOST_DIAGNOSTICS]
    *first, last = (ordered[n] for n in sorted(chosen))
    if _NOT_LISTED not in last.notes:
        last = replace(last, notes=(*last.notes, _NOT_LISTED))
    return (*first, last)


def render(diagnostic: Diagnostic) -> str:
    """Draw a diagnostic: position, message, source line, carets, then its notes in the same form."""
    head = f"{diagnostic.span}: {diagnostic.severity.value}[{diagnostic.code}]: {visible(diagnostic.message)}"
    parts = [head, _excerpt(diagnostic.span)]
    for note in diagnostic.notes:
        if note.span is None:
            parts.append(f"  note: {visible(note.message)}")
        else:
            parts += [f"{note.span}: note: {visible(note.message)}", _excerpt(note.span)]
    return "\n".join(part for part in parts if part)


_WIDEST_LINE = 160


def _excerpt(span: Span) -> str:
    line = span.source.line(span.line)
    if not line.strip():
        return ""
    # A very long line would hide the message: keep the neighbourhood of the carets only.
    begin = max(0, span.column - 1 - _WIDEST_LINE // 2) if len(line) > _WIDEST_LINE else 0
    line = line[begin : begin + _WIDEST_LINE]
    at = span.column - 1 - begin
    parts = (line, line[:at], line[at : at + span.end - span.start])
    line, before, marked = (visible(part, kept="\t") for part in parts)
    # Tabs are kept in the padding so that the carets stand under the text whatever the tab width.
    padding = "".join("\t" if character == "\t" else " " for character in before)
    return f"  {line}\n  {padding}{'^' * max(1, len(marked))}"
