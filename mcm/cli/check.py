"""`mcm check`: what memory models allow for litmus tests."""

from __future__ import annotations

from typing import Any

import click

from mcm.cli.group import Command
from mcm.cli.kernel_options import kernel_options, require_option
from mcm.cli.options import (
    PathName,
    accept_bounded_option,
    argument_of_tests,
    bound_option,
    engine_option,
    format_option,
    jobs_of,
    memory_option,
    models_option,
    timeout_option,
    without_option,
)


@click.command(cls=Command, short_help="Say what memory models allow for litmus tests.")
@argument_of_tests()
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
@click.option("--events", type=click.IntRange(min=1), help="How many events a test may have.  [default: 250000]")
@click.option(
    "--progress",
    type=click.Choice(["fair", "obe", "hsa", "unfair"]),
    help="What the device promises about units that could go on.  [default: unfair, in C fair]",
)
@click.option("--states/--no-states", default=True, help="List all final states, or only give the verdict.")
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
@require_option
@kernel_options
def command(tests: tuple[str, ...], **options: Any) -> int:
    """Say what memory models allow for litmus tests.

    The model follows the dialect of the file (opencl-3.0 for OPENCL, sycl-2020 for SYCL, c11 for C) unless --model
    names one or more. A folder is searched for *.litmus; @LIST names a file with one test a line, relative to that
    file; - is standard input.

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
    130 interrupted, by Ctrl-C, SIGTERM or SIGHUP (what is finished is shown, what is not is named),
    141 the reader of the output has gone.
    """
    _require_folder(options["format_"], options["output"], runs=options["runs"])
    from mcm.cli.check_tests import check_tests

    return check_tests(tests, **options)


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
