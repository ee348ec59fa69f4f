"""`mcm compare`: two logs, or two models over a suite."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from mcm.cli.exit_code import ExitCode, combine
from mcm.cli.group import Command
from mcm.cli.options import bound_option, complete_model, complete_path, format_option, jobs_option, timeout_option
from mcm.cli.seconds import seconds_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm import Log, LogComparison, Options


@click.command(cls=Command, short_help="Compare two logs, or two models over a suite.")
@click.argument("first", metavar="LOG|MODEL", shell_complete=complete_model)
@click.argument("second", metavar="LOG|MODEL", shell_complete=complete_model)
@click.argument("tests", metavar="[FILE|DIR|@LIST…]", nargs=-1, shell_complete=complete_path)
@format_option("text", "json")
@jobs_option
@timeout_option("test and model")
@bound_option
def command(
    first: str,
    second: str,
    tests: tuple[str, ...],
    format_: str,
    jobs: int | None,
    timeout: float | None,
    bound: int | None,
) -> int:
    """Say which tests differ, and in which states; first what was observed and is forbidden.

    A side is the file of a log (of herd7, of litmus7 with its histograms, or JSON of `mcm check` or `mcm run`), or a
    model, by name or as FILE.cat, which then judges the tests that are named.

    \b
    Examples:
      mcm compare herd.log litmus7.log
      mcm compare opencl-3.0 opencl-3.1 litmus/opencl/
      mcm compare c11 hardware.log litmus/c11/

    \b
    Exit code: 0 no difference, 1 some tests differ, 2 bad input or usage, or a test that one side does not have,
    3 not known to be alike (a limit, a bound).
    """
    from mcm import Limits, Options, compare_logs, default_megabytes, render_log_comparison, render_log_comparison_json

    options = Options(bound=bound, limits=Limits(seconds=seconds_of(timeout), megabytes=default_megabytes()))
    comparison = compare_logs(*_logs((first, second), tests, options, jobs))
    click.echo(render_log_comparison_json(comparison) if format_ == "json" else render_log_comparison(comparison))
    return _exit_code(comparison)


def _logs(sides: Sequence[str], tests: tuple[str, ...], options: Options, jobs: int | None) -> list[Log]:
    """Both sides: logs that are read, and models that judge the tests."""
    from mcm import read_log, read_source

    models = [side for side in sides if not _is_log(side)]
    if models and not tests:
        raise click.UsageError(" ".join(map(_without_tests, models)))
    if tests and not models:
        message = "two logs are compared as they stand; leave the tests out"
        raise click.UsageError(message)
    judged = _judged(models, tests, options, jobs) if models else {}
    return [judged[side] if side in judged else read_log(read_source(side, _LONGEST_LOG)) for side in sides]


def _without_tests(side: str) -> str:
    """Why a side that is no log cannot be compared where no tests are named."""
    from mcm import models, visible

    if side in models() or side.endswith(".cat"):
        return f"'{visible(side)}' is a model: name the tests that it is to judge, such as litmus/."
    return f"'{visible(side)}' is neither the file of a log nor a model."


# Logs of hardware are long.
_LONGEST_LOG: Final = 100_000_000


def _is_log(side: str) -> bool:
    return not side.endswith(".cat") and Path(side).is_file()


def _judged(models: Sequence[str], tests: tuple[str, ...], options: Options, jobs: int | None) -> dict[str, Log]:
    """What each model allows for the tests, as a log."""
    from msgspec.structs import replace

    from mcm import log_of
    from mcm.cli.selection import known_models
    from mcm.cli.session import run, tasks_of

    asked = known_models(dict.fromkeys(models), "LOG|MODEL")
    names = [model if isinstance(model, str) else model.name for model in asked]
    tested = run(tasks_of(tests), replace(options, models=asked), jobs)
    results = [result for checked in tested for result in checked.results]
    logs = {name: log_of(name, (one for one in results if one.model in {name, ", ".join(names)})) for name in names}
    return {side: logs[name] for side, name in zip(dict.fromkeys(models), names, strict=True)}


def _exit_code(comparison: LogComparison) -> ExitCode:
    from mcm import LogDifferenceKind

    codes = {
        LogDifferenceKind.OBSERVED_BUT_FORBIDDEN: ExitCode.NOT_AS_EXPECTED,
        LogDifferenceKind.STATES: ExitCode.NOT_AS_EXPECTED,
        LogDifferenceKind.UNDEFINED: ExitCode.NOT_AS_EXPECTED,
        LogDifferenceKind.OPEN: ExitCode.UNDECIDED,
        LogDifferenceKind.MISSING: ExitCode.BAD_INPUT,
    }
    return combine(codes[difference.kind] for difference in comparison.differences)
