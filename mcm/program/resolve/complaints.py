"""Collecting complaints: resolution reports everything that is wrong with a file, not only the first thing."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from mcm.base.diagnostic import Diagnostic, Severity

if TYPE_CHECKING:
    from collections.abc import Hashable
    from types import TracebackType

    from mcm.base.diagnostic import Note
    from mcm.base.source import Span


class UnresolvedError(Exception):
    """A construct has no meaning; the complaint about it has been made already."""


class Complaints:
    """The diagnostics of one file, in the making."""

    def __init__(self) -> None:
        self._found: list[Diagnostic] = []
        self._said: set[Hashable] = set()

    def error(self, code: str, span: Span, message: str, *notes: Note) -> None:
        """Report an error and go on."""
        self._found.append(Diagnostic(code, message, span, Severity.ERROR, notes))

    def warning(self, code: str, span: Span, message: str, *notes: Note) -> None:
        """Report something that is accepted although it looks wrong."""
        self._found.append(Diagnostic(code, message, span, Severity.WARNING, notes))

    def fail(self, code: str, span: Span, message: str, *notes: Note) -> NoReturn:
        """Report an error and give up the construct at hand."""
        self.error(code, span, message, *notes)
        raise UnresolvedError

    def is_new(self, *subject: Hashable) -> bool:
        """Whether this is asked about `subject` for the first time: many uses of one mistake are one complaint."""
        if subject in self._said:
            return False
        self._said.add(subject)
        return True

    @property
    def has_errors(self) -> bool:
        """Whether the program cannot be used."""
        return any(diagnostic.is_error for diagnostic in self._found)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Everything reported, in order of position; work-items of one kernel make the same mistakes once."""
        return tuple(sorted(dict.fromkeys(self._found), key=lambda d: (d.span.start, d.span.end, d.code)))


class Attempts:
    """Several constructs resolved one after the other: each reports its own mistakes before all are given up.

    Each is resolved in the body of a `with`.
    """

    def __init__(self) -> None:
        self._failed = False

    def __enter__(self) -> None:
        """Nothing is needed."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        """Go on after a construct without meaning."""
        failed = isinstance(error, UnresolvedError)
        self._failed |= failed
        return failed

    def finish(self) -> None:
        """Give up if one of them failed."""
        if self._failed:
            raise UnresolvedError
