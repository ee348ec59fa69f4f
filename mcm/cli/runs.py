"""A run of `mcm run`: from arguments to histograms, here or in worker processes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from mcm import (
    Diagnostic,
    InputError,
    NotRun,
    ReplayError,
    RunOptions,
    RunResult,
    render,
    render_histogram,
    render_remarks,
    render_runs_json,
    render_trace,
    shared_session,
    time_limit,
    visible,
    without_progress,
)
from mcm.cli.exit_code import ExitCode, combine
from mcm.cli.present import UntilInterrupted, warn
from mcm.cli.session import DEFECT, GRACE, SAMPLE, Conditions, file_of, perform_all, reason_of
from mcm.cli.work import Answered, Failed, Lost

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mcm import Limits
    from mcm.cli.session import Task


def show_runs(
    tests: tuple[str, ...], options: RunOptions, limits: Limits, jobs: int | None, format_: str, *, apart: bool
) -> ExitCode:
    """Run each test that the arguments name, in their order; a test that fails does not stop the others."""
    seconds = None if limits.seconds is None else limits.seconds + GRACE
    how = Conditions(limits, jobs, seconds, apart=apart, load=partial(_load, options))
    whole = UntilInterrupted(_outcomes(tests, options, how))
    shown: list[RunResult | NotRun] = []
    for one in whole:
        if format_ != "json":
            _show(one)
        shown.append(one)
    if format_ == "json":
        click.echo(render_runs_json(shown))
    whole.pass_interrupt_on()
    return combine(map(_exit_code, shown))


def _outcomes(tests: tuple[str, ...], options: RunOptions, how: Conditions) -> Iterator[RunResult | NotRun]:
    """What became of each test. A schedule that does not fit its test ends the command."""
    for task, outcome in perform_all(tests, partial(_execute, options, how.limits), how):
        match outcome:
            case Answered(ReplayError() as error):
                raise click.ClickException(str(error))
            case Answered(answer):
                yield answer
            case Lost() | Failed():
                yield NotRun(file_of(task), reason_of(outcome))


def _execute(
    options: RunOptions, limits: Limits, task: Task, _keep: Callable[[RunResult | NotRun | ReplayError], None]
) -> RunResult | NotRun | ReplayError:
    """The result of running a test; an error that is not ours is a value."""
    from mcm.cli.inputs import read

    if isinstance(task, Diagnostic):
        return NotRun(file_of(task), None, (task,))
    try:
        with time_limit(limits.seconds):
            return shared_session().execute(read(task) if isinstance(task, str) else task, options)
    except InputError as error:
        return NotRun(file_of(task), None, error.diagnostics)
    except ReplayError as error:
        return error


def _load(options: RunOptions) -> None:
    """Load what each worker would load."""
    shared_session().execute(SAMPLE, replace(options, replay=None, runs=1, progress=without_progress))


def _show(one: RunResult | NotRun) -> None:
    if isinstance(one, NotRun):
        lines = [render(diagnostic) for diagnostic in one.diagnostics]
        if one.reason is not None:
            lines.append(f"{visible(one.file)}: not run: {visible(one.reason)}")
        click.echo("\n".join(lines), err=True)
        return
    click.echo(render_trace(one) if one.trace else render_histogram(one), nl=False)
    click.echo(render_remarks(one), nl=False, err=True)
    warn(one.diagnostics)


def _exit_code(one: RunResult | NotRun) -> ExitCode:
    match one:
        case RunResult(limit=None):
            return ExitCode.AS_EXPECTED
        case RunResult():
            return ExitCode.UNDECIDED
        case NotRun(reason=None):
            return ExitCode.BAD_INPUT
        case NotRun():
            return ExitCode.DEFECT if one.reason == DEFECT else ExitCode.UNDECIDED
