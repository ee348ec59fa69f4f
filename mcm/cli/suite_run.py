"""The whole of `mcm test`: selection, judgement, what is shown, and the exit code."""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Final

import click

from mcm import JudgedTest, Palette, Standing, render_judgement, render_totals, visible
from mcm.cli.executors import executor_of
from mcm.cli.exit_code import ExitCode, combine
from mcm.cli.present import UntilInterrupted, wants_colour
from mcm.cli.progress import with_progress
from mcm.cli.session import cores, load
from mcm.cli.suite import SuiteTask, in_shard, judged_tests, select, with_tables

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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


def run(
    arguments: tuple[str, ...],
    options: Options,
    *,
    exclude: Sequence[str],
    tables: Sequence[str],
    updates: bool,
    shard: Shard | None,
    jobs: int | None,
    address: str | None,
) -> ExitCode:
    """Judge the tests that the arguments name; show differences as they come, and the totals."""
    executor = executor_of(address, jobs or cores(), partial(load, options))
    selected, excluded = select(arguments, exclude)
    matched = with_tables(selected, tables)
    tasks = in_shard(matched.tasks, shard)
    if not tasks:
        raise click.UsageError(_nothing_selected(excluded, shard))
    palette = Palette(wants_colour())
    judged: list[JudgedTest] = []
    tests = chain(matched.wrong, judged_tests(tasks, options, executor, _ignore))
    whole = UntilInterrupted(with_progress(tests, len(tasks), "testing"))
    for test in whole:
        _show(test, palette)
        judged.append(test)
    notes = [*_notes(judged, options, excluded, shard), *matched.notes, *_open(tasks, judged)]
    if any(test.judgements for test in judged):
        click.echo(render_totals([test for test in judged if test.judgements], notes, palette))
    whole.pass_interrupt_on()
    if updates:
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


def _ignore(_test: JudgedTest) -> None:
    """Nothing is to be done with a test before its turn."""


def _show(test: JudgedTest, palette: Palette) -> None:
    for judgement in test.judgements:
        if judgement.standing is not Standing.MET:
            click.echo(render_judgement(judgement, palette))


def _notes(judged: Sequence[JudgedTest], options: Options, excluded: int, shard: Shard | None) -> Iterable[str]:
    if shard is not None:
        yield f"part {shard.number} of {shard.count}"
    if excluded:
        yield f"{excluded} excluded"
    silent = sum(not test.judgements for test in judged)
    if silent and options.models:
        yield f"{silent} more about other models only"


def _open(tasks: Sequence[SuiteTask], judged: Sequence[JudgedTest]) -> Iterable[str]:
    """The tests that an interrupt has left open."""
    done = {test.file for test in judged}
    for task in tasks:
        if task.file not in done:
            yield f"open: {visible(task.file)}"


def _nothing_selected(excluded: int, shard: Shard | None) -> str:
    if shard is not None:
        return f"no test in part {shard.number} of {shard.count}: there are fewer tests than parts"
    return f"no test is left: {excluded} excluded"
