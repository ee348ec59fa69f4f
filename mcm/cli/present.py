"""Results on the streams of `mcm check`, and the exit code that they make."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Generic, TypeVar

from mcm import BOUND, Invalid, Judged, Undecided, Unreadable, Verdict, render, verdict_with_cut, visible
from mcm.cli.exit_code import ExitCode, combine
from mcm.cli.inputs import is_one_test
from mcm.cli.interrupts import interrupts_held
from mcm.cli.session import DEFECT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mcm import Checked, Diagnostic, Result

Item = TypeVar("Item")


def show(tests: Iterable[Checked], files: Iterable[str], format_: str, *, quiet: bool) -> ExitCode:
    """Print results of these files as they come; the exit code of all together.

    An interrupt is passed on when the results that were there before it are printed.
    """
    # What is kept of a result is its exit code, so that many tests take no more memory than a few.
    codes: set[ExitCode] = set()
    complaints: list[Result] = []
    whole = UntilInterrupted(tests)

    def noted() -> Iterator[Checked]:
        for checked in whole:
            codes.update(map(exit_code, checked.results))
            if format_ == "herd":
                complaints.extend(checked.results)
            yield checked

    for piece in _pieces(format_, noted(), files, quiet=quiet):
        write(piece)
    complain(complaints)
    whole.pass_interrupt_on()
    return combine(codes)


class UntilInterrupted(Generic[Item]):
    """The same items, which end where an interrupt comes; what is done with an item is done whole."""

    def __init__(self, items: Iterable[Item]) -> None:
        self._items = items
        self._interrupt: KeyboardInterrupt | None = None

    def __iter__(self) -> Iterator[Item]:
        """The items, once."""
        try:
            with interrupts_held():
                yield from self._items
        except KeyboardInterrupt as interrupt:
            self._interrupt = interrupt

    @property
    def is_interrupted(self) -> bool:
        """Whether an interrupt came."""
        return self._interrupt is not None

    def pass_interrupt_on(self) -> None:
        """Raise KeyboardInterrupt if one came."""
        if self._interrupt is not None:
            raise self._interrupt


def _pieces(format_: str, tests: Iterable[Checked], files: Iterable[str], *, quiet: bool) -> Iterator[str]:
    """The report, piece by piece; only the format that is asked for is loaded."""
    match format_:
        case "json":
            from mcm import json_pieces

            yield from json_pieces(result for checked in tests for result in checked.results)
            yield "\n"
        case "herd":
            from mcm import herd_pieces

            yield from (piece for checked in tests for result in checked.results for piece in herd_pieces(result))
        case _:
            from mcm import Palette, render_tests

            yield from render_tests(tests, Palette(wants_colour()), quiet=quiet, files=files)


def write(text: str) -> None:
    """Show a piece of a report on standard output."""
    if sys.platform == "win32":
        # There, click translates colours for consoles that do not know them.
        import click

        click.echo(text, nl=False)
    else:
        sys.stdout.write(text)
        sys.stdout.flush()


def complain(results: Iterable[Result]) -> None:
    """Report on the error stream what herd's format has no place for."""
    for result in results:
        if not isinstance(result, Judged) or result.verdict is Verdict.NO_EXECUTION or result.reason:
            sys.stderr.write(f"{visible(result.file)}: {verdict_with_cut(result)}\n")
        for diagnostic in result.diagnostics:
            sys.stderr.write(f"{render(diagnostic)}\n")


def warn(diagnostics: Iterable[Diagnostic]) -> None:
    """Write the warnings about a test to the error stream."""
    for one in diagnostics:
        sys.stderr.write(f"{render(one)}\n")


def exit_code(result: Result) -> ExitCode:
    """What one result says to the shell."""
    if isinstance(result, Invalid | Unreadable):
        return ExitCode.AS_EXPECTED if result.as_expected else ExitCode.BAD_INPUT
    if isinstance(result, Undecided) and result.reason == DEFECT:
        return ExitCode.DEFECT
    if result.as_expected is False:
        return ExitCode.NOT_AS_EXPECTED
    cannot_tell = result.expected is not None and result.as_expected is None
    if cannot_tell or (isinstance(result, Undecided) and not _is_settled(result)):
        return ExitCode.UNDECIDED
    return ExitCode.AS_EXPECTED


def _is_settled(result: Undecided) -> bool:
    """Whether all that the test states was found true, although there is no verdict."""
    return bool(result.as_expected) and result.reason == BOUND


def wants_reasons(tests: Sequence[str]) -> bool:
    """Whether somebody who looks at one test wants to know why; scripts need not wait for that."""
    return sys.stdout.isatty() and is_one_test(tests)


def wants_colour() -> bool:
    """Whether to colour the output: it goes to a terminal, and the environment does not ask for plain text.

    By the convention of no-color.org, an empty NO_COLOR asks for nothing.
    """
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
