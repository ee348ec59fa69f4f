"""`mcm run`: runs litmus tests on an abstract machine."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mcm.cli.exit_code import ExitCode, combine
from mcm.cli.kernel_options import kernel_options
from mcm.cli.seconds import SECONDS, seconds_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mcm import InputError, ReplayError, RunOptions, RunResult, Schedule


@click.command(short_help="Run litmus tests on an abstract machine.")
@click.argument("tests", metavar="FILE|DIR|@LIST|-…", nargs=-1, required=True)
@click.option(
    "--schedule",
    "-s",
    type=click.Choice(["random", "clover", "exhaustive", "threads"]),
    help="[default: random]",
)
@click.option("--memory", type=click.Choice(["views", "interleaving"]), default="views", show_default=True)
@click.option(
    "--runs", "-n", type=click.IntRange(min=1), help="How many random runs, or on threads.  [default: 10000, or 200]"
)
@click.option("--seed", type=int, help="Of random runs.  [default: 0]")
@click.option(
    "--replay", metavar="SCHEDULE|@FILE", help="Run this recorded schedule, as `--trace` prints it, or one in a file."
)
@click.option("--trace", is_flag=True, help="Tell one run step by step; of an exhaustive search, one that it found.")
@click.option("--timeout", type=SECONDS, metavar="SECONDS", help="For each test; `inf` for none.  [default: 60]")
@click.option("--limit", type=click.IntRange(min=1), help="Configurations, if exhaustive.  [default: 1000000]")
@click.option("--format", "-f", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
@kernel_options
def command(
    tests: tuple[str, ...],
    schedule: str | None,
    memory: str,
    runs: int | None,
    seed: int | None,
    replay: str | None,
    trace: bool,
    timeout: float | None,
    limit: int | None,
    format_: str,
) -> int:
    """Run litmus tests on an abstract machine, and count the final states.

    The memory `views` is weak: what a read may see depends on what its thread has learnt; `interleaving` is
    sequentially consistent. The schedule `clover` runs work-items as the OpenCL implementation of that name does, one
    after another and switching at barriers; `exhaustive` visits every schedule and counts each state once; `threads`
    runs work-groups on real threads.
    Data races and barrier divergence that a run meets, and units that wait forever, are reported on the error stream,
    or in the JSON.

    \b
    Examples:
      mcm run litmus/opencl/patterns/MP.litmus
      mcm run test.litmus --schedule exhaustive --memory interleaving
      mcm run test.litmus --runs 1 --seed 7 --trace

    \b
    Exit code: 0 the tests were run, 2 bad input or usage, 3 a search was cut off, or all runs were,
    70 a defect of mcm, 130 interrupted (what is finished is shown), 141 the reader of the output has gone.
    """
    from mcm import Budget, ReplayError, RunOptions, render_runs_json, without_progress
    from mcm.cli.inputs import is_folder
    from mcm.cli.present import UntilInterrupted
    from mcm.cli.progress import with_progress

    how = "--replay" if replay is not None else f"--schedule {schedule or 'random'}"
    repeats = how in {"--schedule random", "--schedule threads"}
    for option, is_given, has_meaning in (
        ("--schedule", schedule is not None, replay is None),
        ("--runs", runs is not None, repeats),
        ("--seed", seed is not None, how == "--schedule random"),
        ("--limit", limit is not None, how == "--schedule exhaustive"),
    ):
        if is_given and not has_meaning:
            message = f"{option} means nothing with {how}"
            raise click.UsageError(message)
    if trace and runs is not None and runs > 1:
        message = "--trace tells of one run: leave --runs out"
        raise click.UsageError(message)
    # One test shows how far its runs are; of many it is shown how many are done.
    one = len(tests) == 1 and not is_folder(tests[0]) and not tests[0].startswith("@")
    if replay is not None and not one:
        message = "--replay needs the one test that the schedule is of"
        raise click.UsageError(message)
    options = RunOptions(
        schedule=schedule or "random",
        memory=memory,
        runs=1 if trace else runs or (200 if schedule == "threads" else 10_000),
        seed=seed or 0,
        replay=None if replay is None else _recorded(replay),
        budget=Budget(configurations=limit or 1_000_000, seconds=seconds_of(timeout)),
        wants_trace=trace,
        progress=partial(with_progress, verb="running") if one else without_progress,
    )
    results: list[RunResult] = []
    try:
        whole = UntilInterrupted(_run(tests, options, results if format_ == "json" else None))
        code = combine(whole)
    except ReplayError as error:
        raise click.ClickException(str(error)) from error
    if format_ == "json":
        click.echo(render_runs_json(results))
    whole.pass_interrupt_on()
    return code


def _recorded(replay: str) -> Schedule:
    """The schedule in an argument, or in the file that it names."""
    from mcm import ScheduleError, read_schedule

    try:
        if replay.startswith("@"):
            replay = Path(replay[1:]).read_text(encoding="utf-8")
        return read_schedule(replay)
    except OSError as error:
        message = f"cannot read '{replay[1:]}': {error.strerror}"
        raise click.BadParameter(message, param_hint="'--replay'") from error
    except UnicodeDecodeError as error:
        message = f"'{replay[1:]}' is no text"
        raise click.BadParameter(message, param_hint="'--replay'") from error
    except ScheduleError as error:
        hint = f"; a file is given as @{replay}" if Path(replay).is_file() else ""
        raise click.BadParameter(f"{error}{hint}", param_hint="'--replay'") from error


def _run(tests: tuple[str, ...], options: RunOptions, kept: list[RunResult] | None) -> Iterator[ExitCode]:
    """Run each test that the arguments name, in their order; a test that fails does not stop the others.

    Results are printed, or added to `kept`.
    """
    from mcm import Diagnostic, default_megabytes, render, visible
    from mcm.cli.alarm import interrupt_at_time_limits, limit_memory
    from mcm.cli.inputs import find_tests
    from mcm.cli.progress import with_progress
    from mcm.cli.work import Answered, Failed, Lost, Work, do

    names = list(find_tests(tests))
    work = Work(partial(_execute, options), prepare=lambda: None)
    interrupt_at_time_limits()
    limit_memory(default_megabytes())
    for name in with_progress(names, len(names)):
        if isinstance(name, Diagnostic):
            click.echo(render(name), err=True)
            yield ExitCode.BAD_INPUT
            continue
        match do(work, name, lambda _: None):
            case Answered(result):
                yield _show(result, kept)
            case Lost(reason):
                click.echo(f"{visible(name)}: not run: {reason}", err=True)
                yield ExitCode.UNDECIDED
            case Failed(trace):
                click.echo(visible(trace, kept="\n"), nl=False, err=True)
                click.echo(f"{visible(name)}: this is a defect of mcm. Please report it with the test.", err=True)
                yield ExitCode.DEFECT


def _execute(
    options: RunOptions, name: str, _keep: Callable[[RunResult | InputError | ReplayError], None]
) -> RunResult | InputError | ReplayError:
    """The result of running a test; an error that is not ours is a value."""
    from mcm import InputError, ReplayError, shared_session, time_limit
    from mcm.cli.inputs import read

    try:
        with time_limit(options.budget.seconds):
            return shared_session().execute(read(name), options)
    except (InputError, ReplayError) as error:
        return error


def _show(result: RunResult | InputError | ReplayError, kept: list[RunResult] | None) -> ExitCode:
    """Print or keep the result of one test; a schedule that does not fit its test ends the command."""
    from mcm import InputError, ReplayError, render, render_histogram, render_remarks, render_trace

    if isinstance(result, ReplayError):
        raise result
    if isinstance(result, InputError):
        click.echo("\n".join(map(render, result.diagnostics)), err=True)
        return ExitCode.BAD_INPUT
    if kept is not None:
        kept.append(result)
    else:
        click.echo(render_trace(result) if result.trace else render_histogram(result), nl=False)
        click.echo(render_remarks(result), nl=False, err=True)
    return ExitCode.UNDECIDED if result.limit else ExitCode.AS_EXPECTED
