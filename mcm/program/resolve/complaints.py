"""Collects the diagnostics of resolution, which reports all problems of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from mcm.base.diagnostic import Diagnostic, Severity

if TYPE_CHECKING:
    from collections.abc import Hashable
    from types import TracebackType

    from mcm.base.diagnostic import Note
    from mcm.base.source import Span


class UnresolvedError(Exception):
    """A construct cannot be resolved; the error has been reported."""


class Complaints:
    """The diagnostics that have been reported for one file."""

    def __init__(self) -> None:
        self._found: list[Diagnostic] = []
        self._said: set[Hashable] = set()

    def error(self, code: str, span: Span, message: str, *notes: Note) -> None:
        """Report an error and go on."""
        self._found.append(Diagnostic(code, message, span, Severity.ERROR, notes))

    def warning(self, code: str, span: Span, message: str, *notes: Note) -> None:
        """Report something that is accepted, but probably a mistake."""
        self._found.append(Diagnostic(code, message, span, Severity.WARNING, notes))

    def fail(self, code: str, span: Span, message: str, *notes: Note) -> NoReturn:
        """Report an error and raise UnresolvedError."""
        self.error(code, span, message, *notes)
        raise UnresolvedError

    def is_new(self, *subject: Hashable) -> bool:
        """Whether this is the first call for `subject`: repetitions of one mistake are reported once."""
        if subject in self._said:
            return False
        self._said.add(subject)
        return True

    def apart(self) -> Complaints:
        """Others for what is tried, which know what has been said, and found nothing yet."""
        others = Complaints()
        others._said |= self._said
        return others

    def has_said(self, *subject: Hashable) -> bool:
        """Whether there was a call for `subject` before."""
        return subject in self._said

    @property
    def has_errors(self) -> bool:
        """Whether an error was reported."""
        return any(diagnostic.is_error for diagnostic in self._found)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Everything reported, in order of position; without the duplicates that the work-items of a kernel give."""
        return tuple(sorted(dict.fromkeys(self._found), key=lambda d: (d.span.start, d.span.end, d.code)))


class Attempts:
    """A context manager for constructs that are resolved one after the other, each in the body of a `with`.

    Errors of all of them are reported before `finish` gives up.
    """

    def __init__(self) -> None:
        self._failed = False

    def __enter__(self) -> None:
        """Begin the resolution of one construct."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        """Suppress UnresolvedError, and remember it."""
        failed = isinstance(error, UnresolvedError)
        self._failed |= failed
        return failed

    def finish(self) -> None:
        """Raise UnresolvedError if one of them could not be resolved."""
        if self._failed:
            raise UnresolvedError
