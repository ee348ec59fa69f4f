"""`mcm run`: runs litmus tests on an abstract machine."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mcm.cli.group import Command
from mcm.cli.kernel_options import kernel_options
from mcm.cli.options import argument_of_tests, format_option, jobs_option, memory_option, timeout_option
from mcm.cli.seconds import seconds_of

if TYPE_CHECKING:
    from mcm import Schedule


@click.command(cls=Command, short_help="Run litmus tests on an abstract machine.")
@argument_of_tests()
@click.option(
    "--schedule",
    "-s",
    type=click.Choice(["random", "round-robin", "clover", "exhaustive", "threads"]),
    help="[default: random]",
)
@click.option("--memory", type=click.Choice(["views", "interleaving"]), default="views", show_default=True)
@click.option(
    "--runs",
    "-n",
    type=click.IntRange(min=1),
    help="How many random runs, or on threads.  [default: 10000, fewer of large programs; 200 on threads]",
)
@click.option("--seed", type=int, help="Of random runs.  [default: 0]")
@click.option(
    "--replay", metavar="SCHEDULE|@FILE", help="Run this recorded schedule, as `--trace` prints it, or one in a file."
)
@click.option("--trace", is_flag=True, help="Tell one run step by step; of an exhaustive search, one that it found.")
@timeout_option("test")
@memory_option("--memory-limit", "megabytes")
@jobs_option
@click.option(
    "--until-found", is_flag=True, help="Stop at a state that the condition asks for, or that is against `forall`."
)
@click.option("--limit", type=click.IntRange(min=1), help="Configurations, if exhaustive.  [default: 1000000]")
@format_option("text", "json")
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
    megabytes: int | None,
    jobs: int | None,
    until_found: bool,
    limit: int | None,
    format_: str,
) -> int:
    """Run litmus tests on an abstract machine, and count the final states.

    The memory `views` is weak: what a read may see depends on what its thread has learnt; `interleaving` is
    sequentially consistent. The schedule `round-robin` lets units take turns, one step each; `clover` runs work-items
    as the OpenCL implementation of that name does, one after another and switching at barriers; `exhaustive` visits
    every schedule and counts each state once; `threads` runs work-groups on real threads.
    Data races and barrier divergence that a run meets, and units that wait forever, are reported on the error stream,
    or in the JSON.

    \b
    Examples:
      mcm run litmus/opencl/patterns/MP.litmus
      mcm run test.litmus --schedule exhaustive --memory interleaving
      mcm run test.litmus --runs 1 --seed 7 --trace

    \b
    Exit code: 0 the tests were run, 2 bad input or usage, 3 a search was cut off, or all runs were,
    70 a defect of mcm, 130 interrupted (what is not finished is named), 141 the reader of the output has gone.
    """
    from mcm import Budget, Limits, RunOptions, default_megabytes, without_progress
    from mcm.cli.inputs import is_folder
    from mcm.cli.progress import with_progress
    from mcm.cli.runs import show_runs

    how = "--replay" if replay is not None else f"--schedule {schedule or 'random'}"
    repeats = how in {"--schedule random", "--schedule threads"}
    for option, is_given, has_meaning in (
        ("--schedule", schedule is not None, replay is None),
        ("--runs", runs is not None, repeats),
        ("--seed", seed is not None, how == "--schedule random"),
        ("--until-found", until_found, repeats or how == "--schedule exhaustive"),
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
    seconds, is_limited = seconds_of(timeout), timeout is not None or megabytes is not None
    options = RunOptions(
        schedule=schedule or "random",
        memory=memory,
        runs=1 if trace else runs or (200 if schedule == "threads" else None),
        seed=seed or 0,
        replay=None if replay is None else _recorded(replay),
        budget=Budget(configurations=limit or 1_000_000, seconds=seconds),
        wants_trace=trace,
        until_found=until_found,
        progress=partial(with_progress, verb="running") if one and not is_limited else without_progress,
    )
    limits = Limits(seconds=seconds, megabytes=megabytes or default_megabytes())
    return show_runs(tests, options, limits, jobs, format_, apart=is_limited and replay is None)


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
