"""`mcm check`: what memory models allow for litmus tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from mcm.cli.group import Command
from mcm.cli.kernel_options import kernel_options
from mcm.cli.options import (
    PathName,
    accept_bounded_option,
    bound_option,
    engine_option,
    format_option,
    jobs_of,
    memory_option,
    models_option,
    timeout_option,
    without_option,
)
from mcm.cli.seconds import seconds_of

if TYPE_CHECKING:
    from mcm import ChosenModel, Limits, Options


@click.command(cls=Command, short_help="Say what memory models allow for litmus tests.")
@click.argument("tests", metavar="FILE|DIR|@LIST|-…", nargs=-1, required=True)
@models_option("A built-in model, a file, or `all`.")
@engine_option
@click.option(
    "--solver",
    type=click.Choice(["auto", "z3", "cadical"]),
    default="auto",
    show_default=True,
    help="What the engine smt runs on; `auto` is `cadical` for large formulas, where python-sat is installed.",
)
@format_option("text", "herd", "json", "json-lines", "html")
@click.option(
    "--output",
    "-o",
    type=PathName(file_okay=False),
    metavar="DIR",
    help="Where the pages of `--format html` go: an index, and a page for each test.",
)
@jobs_of("several files; if given, also for several models of one")
@timeout_option("test and model")
@memory_option("--memory", "--memory-limit", "memory")
@bound_option
@accept_bounded_option
@click.option("--events", type=click.IntRange(min=1), help="How many events a test may have.  [default: 50000]")
@click.option(
    "--progress",
    type=click.Choice(["fair", "obe", "hsa", "unfair"]),
    help="What the device promises about units that could go on.  [default: unfair, in C fair]",
)
@click.option("--states/--no-states", default=True, help="List all final states, or only answer the condition.")
@click.option("--count", is_flag=True, help="Count the executions of each state.")
@without_option("Judge by the model without this rule")
@click.option(
    "--caps",
    "profile",
    metavar="PROFILE",
    help="Refuse what a device lacks: `opencl-3.0-minimum`, `sycl-2020-minimum`, or features.",
)
@click.option(
    "--why/--no-why",
    default=None,
    help="Why an outcome is forbidden, in one line.  [default: of one test, on a terminal]",
)
@click.option("--run", "runs", is_flag=True, help="Run the tests too, and show what was seen beside what is allowed.")
@click.option("--quiet", "-q", is_flag=True, help="One line for each test, and the totals.")
@kernel_options
def command(
    tests: tuple[str, ...],
    models: tuple[str, ...],
    engine: str,
    solver: str,
    format_: str,
    output: str | None,
    jobs: int | None,
    timeout: float | None,
    memory: int | None,
    bound: int,
    accept_bounded: bool,
    events: int | None,
    progress: str | None,
    states: bool,
    count: bool,
    without: tuple[str, ...],
    profile: str | None,
    why: bool | None,
    runs: bool,
    quiet: bool,
) -> int:
    """Say what memory models allow for litmus tests.

    The model follows the dialect of the file (opencl-3.0 for OPENCL, sycl-2020 for SYCL, c11 for C) unless --model
    names one or more.
    A folder is searched for *.litmus; @LIST names a file with one test a line; - is standard input.

    \b
    Examples:
      mcm check litmus/opencl/patterns/MP.litmus
      mcm check tests/ --model opencl-3.0 --model opencl-3.1 --format json
      mcm check test.litmus --without COH-RR
      mcm check test.litmus --format json-lines | head
      mcm check tests/ --format html -o report/

    \b
    Exit code: 0 every stated expectation is met, 1 some is not, 2 bad input or usage,
    3 undecided (a bound or another limit), or open whether the test is as expected, 70 a defect of mcm,
    130 interrupted (what is finished is shown), 141 the reader of the output has gone.
    """
    from mcm import (
        MOST_EVENTS,
        EngineName,
        Limits,
        Options,
        Progress,
        SolverName,
        default_megabytes,
    )
    from mcm.cli.present import show, wants_reasons
    from mcm.cli.selection import require_installed_solver, require_known_profile
    from mcm.cli.session import file_of, run, tasks_of

    _require_folder(format_, output, runs=runs)
    limits = Limits(seconds=seconds_of(timeout), megabytes=memory or default_megabytes())
    asked = _asked(models, limits, without)
    require_known_profile(profile)
    require_installed_solver(SolverName(solver))
    options = Options(
        models=asked,
        without=without,
        engine=EngineName(engine),
        bound=bound,
        wants_states=states,
        counts=count,
        profile=profile,
        accepts_bounded=accept_bounded,
        progress=None if progress is None else Progress(progress),
        events=events or MOST_EVENTS,
        limits=limits,
        goes_on=timeout is not None,
        solver=SolverName(solver),
        wants_reason=wants_reasons(tests) if why is None else why,
        # What is told in a line for each test.
        explains=not quiet or format_ != "text" or runs,
    )
    if format_ == "json-lines":
        from mcm.cli.json_lines import show_lines

        return show_lines(tests, options, jobs)
    if runs:
        from msgspec.structs import replace

        from mcm.cli.check_run import show_comparisons

        return show_comparisons(tests, replace(options, wants_states=True), jobs, format_, quiet=quiet)
    if output is not None:
        return _show_pages(tests, options, jobs, output, quiet=quiet)
    tasks = tasks_of(tests)
    return show(run(tasks, options, jobs), map(file_of, tasks), format_, quiet=quiet)


def _asked(models: tuple[str, ...], limits: Limits, without: tuple[str, ...]) -> tuple[str | ChosenModel, ...]:
    """The models that are asked for, loaded within the limits; each rule is one of theirs."""
    from mcm.cli.selection import known_models, limited, require_known_rules

    with limited(limits):
        asked = known_models(models)
    require_known_rules(asked, without)
    return asked


def _show_pages(tests: tuple[str, ...], options: Options, jobs: int | None, output: str, *, quiet: bool) -> int:
    from pathlib import Path

    from mcm.cli.check_pages import show_pages

    return show_pages(tests, options, jobs, Path(output), quiet=quiet)


def _require_folder(format_: str, output: str | None, *, runs: bool) -> None:
    """Pages need a folder, and only they; and runs are not told line by line."""
    if format_ == "json-lines" and runs:
        message = "--run has no lines of states: use --format json"
        raise click.UsageError(message)
    if format_ != "html":
        if output is not None:
            message = f"--output means nothing with --format {format_}"
            raise click.UsageError(message)
        return
    if output is None:
        message = "--format html needs a folder for the pages: --output DIR"
        raise click.UsageError(message)
    if runs:
        message = "--run has no pages: leave out --format html"
        raise click.UsageError(message)
