"""`mcm run`: runs litmus tests on an abstract machine."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mcm.cli.exit_code import ExitCode, combine

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.execute import RunOptions


@click.command(short_help="Run litmus tests on an abstract machine.")
@click.argument("tests", metavar="FILE|DIR|@LIST|-…", nargs=-1, required=True)
@click.option(
    "--schedule",
    "-s",
    type=click.Choice(["random", "clover", "exhaustive", "threads"]),
    default="random",
    show_default=True,
)
@click.option("--memory", type=click.Choice(["views", "interleaving"]), default="views", show_default=True)
@click.option(
    "--runs", "-n", type=click.IntRange(min=1), help="How many random runs, or on threads.  [default: 10000, or 200]"
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of random runs.")
@click.option("--replay", metavar="SCHEDULE", help="Run this recorded schedule, as `--trace` prints it.")
@click.option("--trace", is_flag=True, help="Tell the first run step by step.")
@click.option(
    "--limit", type=click.IntRange(min=1), default=1_000_000, show_default=True, help="Configurations, if exhaustive."
)
def command(
    tests: tuple[str, ...],
    schedule: str,
    memory: str,
    runs: int | None,
    seed: int,
    replay: str | None,
    trace: bool,
    limit: int,
) -> int:
    """Run litmus tests on an abstract machine, and count the final states.

    The memory `views` is weak: what a read may see depends on what its thread has learnt; `interleaving` is
    sequentially consistent. The schedule `clover` runs work-items as the OpenCL implementation of that name does, one
    after another and switching at barriers; `exhaustive` visits every schedule and counts each state once; `threads`
    runs work-groups on real threads.
    Data races and barrier divergence that a run meets are reported on the error stream.

    \b
    Examples:
      mcm run litmus/opencl/patterns/MP.litmus
      mcm run test.litmus --schedule exhaustive --memory interleaving
      mcm run test.litmus --runs 1 --seed 7 --trace

    \b
    Exit code: 0 the tests were run, 2 bad input or usage, 3 an exhaustive search was cut off, 70 a defect of mcm.
    """
    from mcm.cli.progress import with_progress
    from mcm.execute import RunOptions, unwatched
    from mcm.machine.exhaustive import Budget
    from mcm.machine.schedule import ReplayError, read_schedule

    try:
        recorded = None if replay is None else read_schedule(replay)
        budget = Budget(configurations=limit)
        number = 1 if trace else runs or (200 if schedule == "threads" else 10_000)
        # One test shows how far its runs are; of many it is shown how many are done.
        one = len(tests) == 1 and not Path(tests[0]).is_dir() and not tests[0].startswith("@")
        watched = partial(with_progress, verb="running") if one else unwatched
        options = RunOptions(schedule, memory, number, seed, recorded, budget, wants_story=trace, watched=watched)
        return combine(_run(tests, options))
    except ReplayError as error:
        raise click.UsageError(str(error)) from error


def _run(tests: tuple[str, ...], options: RunOptions) -> Iterator[ExitCode]:
    """Run each test that the arguments name, in their order."""
    from mcm.base.diagnostic import Diagnostic, InputError, render
    from mcm.cli.inputs import find_tests, read
    from mcm.cli.progress import with_progress
    from mcm.execute import execute
    from mcm.report.histogram import render_histogram, render_remarks
    from mcm.report.story import render_story

    names = list(find_tests(tests))
    for name in with_progress(names, len(names)):
        if isinstance(name, Diagnostic):
            click.echo(render(name), err=True)
            yield ExitCode.BAD_INPUT
            continue
        try:
            ran = execute(read(name), options)
        except InputError as error:
            click.echo("\n".join(map(render, error.diagnostics)), err=True)
            yield ExitCode.BAD_INPUT
            continue
        click.echo(render_story(ran) if ran.story else render_histogram(ran), nl=False)
        click.echo(render_remarks(ran), nl=False, err=True)
        yield ExitCode.UNDECIDED if ran.limit else ExitCode.AS_EXPECTED
