"""`mcm check --run`: what models allow, compared with what the machine does."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

import click
from msgspec.structs import replace

from mcm import (
    Checked,
    Diagnostic,
    MachineComparison,
    Palette,
    Undecided,
    machine_comparison_pieces,
    render,
    render_herd,
    render_machine_comparison,
    render_machine_remarks,
    render_tests,
    shared_session,
    visible,
    without_executions,
)
from mcm.cli.exit_code import ExitCode, combine
from mcm.cli.present import UntilInterrupted, complain, exit_code, wants_colour
from mcm.cli.session import conditions, file_of, given_up, patience, perform_tasks, source_of, tasks_of, without_outcome
from mcm.cli.work import Answered, Failed, Lost

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mcm import Options, Result
    from mcm.cli.session import Task

_RUNS: Final = 10_000
_SEED: Final = 0


def show_comparisons(
    tests: tuple[str, ...], options: Options, jobs: int | None, format_: str, *, quiet: bool
) -> ExitCode:
    """Check and run each test, and print the comparisons; a contradiction of model and machine is a defect of ours."""
    tasks = tasks_of(tests)
    # What is kept of a comparison is its exit code, so that many tests take no more memory than a few.
    codes: set[ExitCode] = set()
    whole = UntilInterrupted(_compared(tasks, options, jobs))

    def shown() -> Iterator[MachineComparison | Result]:
        before = None
        for one in whole:
            _show(one, format_, before, quiet=quiet)
            codes.add(_exit_code(one))
            before = one
            yield one

    for piece in _pieces(format_, shown(), tasks, quiet=quiet):
        click.echo(piece, nl=False)
    whole.pass_interrupt_on()
    return combine(codes)


def _pieces(
    format_: str, shown: Iterator[MachineComparison | Result], tasks: list[Task], *, quiet: bool
) -> Iterator[str]:
    """What is printed beside each comparison: the document, or a line for each test."""
    if format_ == "json":
        yield from machine_comparison_pieces(shown)
        yield "\n"
    elif format_ == "text" and quiet:
        checked = (Checked((_result(one),)) for one in shown)
        yield from render_tests(checked, Palette(wants_colour()), quiet=True, files=map(file_of, tasks))
    else:
        for _ in shown:
            yield ""


def _compared(tasks: list[Task], options: Options, jobs: int | None) -> Iterator[MachineComparison | Result]:
    """What became of each test, in the order of the arguments."""
    how = conditions(options, jobs, patience(options, runs=True))
    for task, outcome in perform_tasks(tasks, partial(_compare, options), how):
        match outcome:
            case Answered(answer):
                yield from answer
            case Lost(reason, tuple() as kept):
                yield from given_up(tuple(map(_result, kept)), reason)
            case Lost() | Failed():
                yield from without_outcome(task, outcome, options)


def _compare(
    options: Options, task: Task, keep: Callable[[tuple[MachineComparison | Result, ...]], None]
) -> tuple[MachineComparison | Result, ...]:
    source = source_of(task, options)
    if isinstance(source, Diagnostic):
        return (shared_session().unreadable(source, options),)
    compared = shared_session().check_and_run(
        source, options, _RUNS, _SEED, lambda results: keep(tuple(map(without_executions, results)))
    )
    # Results are sent from process to process.
    return tuple(
        replace(one, result=without_executions(one.result)) if isinstance(one, MachineComparison) else one
        for one in compared
    )


def _show(
    one: MachineComparison | Result, format_: str, before: MachineComparison | Result | None, *, quiet: bool
) -> None:
    """Print one comparison. Where the format has no place for it, what the machine found goes to the error stream."""
    if isinstance(one, MachineComparison):
        if format_ == "text" and not quiet:
            gap = "" if before is None else "\n"
            click.echo(gap + render_machine_comparison(one, Palette(wants_colour())))
        elif format_ != "json":
            click.echo(render_machine_remarks(one, Palette(), quiet=quiet), nl=False, err=True)
    if format_ == "herd":
        click.echo(render_herd(_result(one)), nl=False)
        complain([_result(one)])
    elif not isinstance(one, MachineComparison) and (before is None or _result(before).file != one.file):
        _explain_no_run(one)


def _explain_no_run(result: Result) -> None:
    """Say on the error stream why a test was not run; that is the same for all models."""
    if isinstance(result, Undecided):
        click.echo(f"{visible(result.file)}: {result.reason}", err=True)
    for diagnostic in result.diagnostics:
        click.echo(render(diagnostic), err=True)


def _result(one: MachineComparison | Result) -> Result:
    return one.result if isinstance(one, MachineComparison) else one


def _exit_code(one: MachineComparison | Result) -> ExitCode:
    if isinstance(one, MachineComparison) and one.contradictions:
        return ExitCode.DEFECT
    return exit_code(_result(one))
