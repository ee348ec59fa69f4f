"""The whole of `mcm test`: selection, judgement, what is shown, and the exit code."""

from __future__ import annotations

import os
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Final

import click
from msgspec import Struct

from mcm import JudgedTest, Palette, Standing, render_annotations, render_judgement, render_totals
from mcm.cli.executors import executor_of
from mcm.cli.exit_code import ExitCode, combine
from mcm.cli.present import UntilInterrupted, wants_colour
from mcm.cli.progress import with_progress
from mcm.cli.session import cores, load
from mcm.cli.suite import in_shard, judged_tests, select, with_tables
from mcm.cli.suite_files import Reports
from mcm.cli.suite_results import results_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mcm import Options
    from mcm.cli.shard import Shard

_EXIT_CODES: Final = {
    Standing.MET: ExitCode.AS_EXPECTED,
    Standing.NOT_MET: ExitCode.NOT_AS_EXPECTED,
    Standing.OPEN: ExitCode.UNDECIDED,
    Standing.INVALID: ExitCode.BAD_INPUT,
    Standing.UNSTATED: ExitCode.BAD_INPUT,
    Standing.DEFECT: ExitCode.DEFECT,
}


class Wanted(Struct, frozen=True, kw_only=True):
    """What is asked of a run, besides how tests are judged: see the options of `mcm test`."""

    exclude: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    shard: Shard | None = None
    reports: Reports = Reports()
    results: str | None = None
    since: str | None = None
    updates: bool = False
    jobs: int | None = None
    address: str | None = None


def run(arguments: tuple[str, ...], options: Options, wanted: Wanted) -> ExitCode:
    """Judge the tests that the arguments name; show differences as they come, and the totals."""
    executor = executor_of(wanted.address, wanted.jobs or cores(), partial(load, options))
    aside = wanted.reports.takes_standard_output
    selected, excluded = select(arguments, wanted.exclude)
    matched = with_tables(selected, wanted.tables)
    tasks = in_shard(matched.tasks, wanted.shard)
    if not tasks:
        raise click.UsageError(_nothing_selected(excluded, wanted.shard))
    palette = Palette(wants_colour() and not aside)
    results = results_of(wanted.results, wanted.since, options)
    tests = chain(matched.wrong, judged_tests(tasks, options, executor, results))
    whole = UntilInterrupted(with_progress(tests, len(tasks), "testing"))
    judged = list(_shown(whole, palette, aside=aside))
    with_judgements = [test for test in judged if test.judgements]
    notes = [*_notes(judged, options, excluded, wanted.shard), *matched.notes, *results.notes()]
    if with_judgements:
        click.echo(render_totals(with_judgements, notes, palette), err=aside)
    if os.environ.get("GITHUB_ACTIONS") == "true":
        click.echo(render_annotations(judged), nl=False, err=aside)
    wanted.reports.write(with_judgements)
    results.close()
    whole.pass_interrupt_on()
    if wanted.updates:
        # Imported here: most runs only look.
        from mcm.cli.suite_update import update

        update(judgement for test in judged for judgement in test.judgements)
    return exit_code(judged, options)


def exit_code(judged: Iterable[JudgedTest], options: Options) -> ExitCode:
    """What the judgements say to the shell. Raises UsageError where there is none."""
    standings = [judgement.standing for test in judged for judgement in test.judgements]
    if not standings:
        names = ", ".join(getattr(model, "name", str(model)) for model in options.models)
        message = f"no test states an expectation for {names}"
        raise click.UsageError(message)
    return combine(_EXIT_CODES[standing] for standing in standings)


def _shown(tests: Iterable[JudgedTest], palette: Palette, *, aside: bool) -> Iterator[JudgedTest]:
    """The same tests; what is not met is shown, on the error stream where standard output is for something else."""
    for test in tests:
        for judgement in test.judgements:
            if judgement.standing is not Standing.MET:
                click.echo(render_judgement(judgement, palette), err=aside)
        yield test


def _notes(judged: Sequence[JudgedTest], options: Options, excluded: int, shard: Shard | None) -> Iterator[str]:
    if shard is not None:
        yield f"part {shard.number} of {shard.count}"
    if excluded:
        yield f"{excluded} excluded"
    silent = sum(not test.judgements for test in judged)
    if silent and options.models:
        yield f"{silent} more about other models only"


def _nothing_selected(excluded: int, shard: Shard | None) -> str:
    if shard is not None:
        return f"no test in part {shard.number} of {shard.count}: there are fewer tests than parts"
    return f"no test is left: {excluded} excluded"
