"""`mcm check --format html`: a page for each test, and an index."""

from __future__ import annotations

import re
from functools import partial
from hashlib import sha256
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Final

import click

from mcm import Diagnostic, Entry, Palette, Result, render_index, render_page, render_summary, shared_session, visible
from mcm.cli.exit_code import ExitCode, combine
from mcm.cli.inputs import STANDARD_INPUT
from mcm.cli.output import write_whole
from mcm.cli.present import UntilInterrupted, exit_code, wants_colour
from mcm.cli.session import conditions, given_up, patience, perform_all, source_of, to_send, without_outcome
from mcm.cli.work import Answered, Failed, Lost

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mcm import Options
    from mcm.cli.session import Task

# A page takes longer than a check: rules are switched off one by one.
_TIMES_AS_LONG: Final = 4

_PAGES: Final = "tests"
_LONGEST_NAME: Final = 120


def show_pages(tests: tuple[str, ...], options: Options, jobs: int | None, folder: Path, *, quiet: bool) -> ExitCode:
    """Write a page for each test and the index, and say where it is; what is finished is there if it is interrupted."""
    # A folder that cannot be written is found out before the work.
    write_whole(folder / "index.html", render_index((), interrupted=True))
    whole = UntilInterrupted(_entries(tests, options, jobs, folder))
    entries = list(whole)
    write_whole(folder / "index.html", render_index(entries, interrupted=whole.is_interrupted))
    results = [result for entry in entries for result in entry.results]
    if not quiet:
        click.echo(f"{render_summary(results, Palette(wants_colour()))}\n")
    click.echo(f"pages: {visible(str(folder / 'index.html'))}")
    whole.pass_interrupt_on()
    return combine(map(exit_code, results))


def _entries(tests: tuple[str, ...], options: Options, jobs: int | None, folder: Path) -> Iterator[Entry]:
    """The entries of the index, in the order of the arguments; pages are written by who checks the test."""
    seconds = patience(options)
    seconds = None if seconds is None else seconds * _TIMES_AS_LONG
    for task, outcome in perform_all(tests, partial(_write, options, folder), conditions(options, jobs, seconds)):
        match outcome:
            case Answered(entry):
                yield entry
            case Lost(reason, Entry(results, address)):
                yield Entry(given_up(results, reason), address)
            case Lost() | Failed():
                yield Entry(without_outcome(task, outcome, options), None)


def _write(options: Options, folder: Path, task: Task, keep: Callable[[Entry], None]) -> Entry:
    """Check a test and write its page."""

    def keep_results(results: tuple[Result, ...]) -> None:
        keep(Entry(to_send(results), None))

    source = source_of(task, options)
    if isinstance(source, Diagnostic):
        return Entry((shared_session().unreadable(source, options),), None)
    page = shared_session().page(source, options, keep_results)
    results = to_send(tuple(view.result for view in page.views))
    keep(Entry(results, None))
    address = address_of(source.name)
    depth = len(PurePath(address).parts) - 1
    write_whole(folder / address, render_page(page, f"{'../' * depth}index.html"))
    return Entry(results, address)


def address_of(name: str) -> str:
    """The relative address of the page of a file: its path, without what means something in a path or an address.

    >>> address_of("litmus/MP.litmus")
    'tests/litmus/MP.litmus.html'
    >>> address_of("../a b.litmus")[:17], address_of("../a b.litmus") == address_of("a b.litmus")
    ('tests/a_b.litmus-', False)
    """
    if name == STANDARD_INPUT:
        return f"{_PAGES}/standard-input.html"
    parts = [part for part in PurePath(name).parts if part not in {"/", ".", ".."}]
    plain = [re.sub(r"[^A-Za-z0-9._+=@,-]", "_", part)[:_LONGEST_NAME] for part in parts]
    path = "/".join([_PAGES, *plain])
    # Two files may look alike now: what was changed is told apart by the name that it had.
    if plain != list(PurePath(name).parts):
        path += f"-{sha256(name.encode('utf-8', 'surrogateescape')).hexdigest()[:8]}"
    return f"{path}.html"
