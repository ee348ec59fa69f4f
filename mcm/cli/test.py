"""`mcm test`: whether the tests of a suite have the results that are stated of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from mcm.cli.group import Command
from mcm.cli.options import (
    accept_bounded_option,
    argument_of_tests,
    bound_option,
    engine_option,
    include_option,
    jobs_option,
    memory_option,
    models_option,
    timeout_option,
)
from mcm.cli.seconds import seconds_of
from mcm.cli.shard import shard_of

if TYPE_CHECKING:
    from mcm import Options
    from mcm.cli.shard import Shard


@click.command(cls=Command, short_help="Judge what a suite of tests states about itself.")
@argument_of_tests()
@models_option("Only what is stated about these models (`all`: every built-in one).")
@include_option("A folder whose files models may include, beside their own.")
@click.option(
    "--exclude", multiple=True, metavar="GLOB", help="Leave out such paths of those found in folders (several times)."
)
@click.option(
    "--expect",
    "tables",
    multiple=True,
    metavar="FILE",
    help="A table of expectations: our CSV, Dartagnan's `PATH,0|1`, herd's kinds (several times).",
)
@click.option("--shard", callback=shard_of, metavar="K/N", help="Only the K-th of N parts that together are the whole.")
@click.option("--junit", metavar="FILE", help="Write JUnit XML; `-` for standard output, as for the next three.")
@click.option("--sarif", metavar="FILE", help="Write SARIF 2.1.0: races, and what is not met, at their lines.")
@click.option("--tap", metavar="FILE", help="Write TAP 14.")
@click.option("--json", metavar="FILE", help="Write all judgements as JSON.")
@click.option("--results", metavar="FILE", help="Keep what is found there, test by test.")
@click.option(
    "--changed-since",
    "since",
    metavar="FILE",
    help="Judge only what has changed since such results were kept: tests, models, version; and what was open.",
)
@click.option("--update", is_flag=True, help="Write what was found in the place of what is stated.")
@engine_option
@jobs_option
@click.option("--executor", metavar="ADDRESS", help="Where: `local`, or `dask://HOST:PORT`.  [default: local]")
@timeout_option("expectation")
@memory_option("--memory")
@bound_option
@accept_bounded_option
def command(
    tests: tuple[str, ...],
    models: tuple[str, ...],
    folders: tuple[str, ...],
    exclude: tuple[str, ...],
    tables: tuple[str, ...],
    shard: Shard | None,
    junit: str | None,
    sarif: str | None,
    tap: str | None,
    json: str | None,
    results: str | None,
    since: str | None,
    update: bool,
    engine: str,
    jobs: int | None,
    executor: str | None,
    timeout: float | None,
    memory: int | None,
    bound: int | None,
    accept_bounded: bool,
) -> int:
    """Judge every expectation that tests state: `Expect.MODEL=…`, `Without.RULE=…`, `Result: …`.

    What is as expected is counted, what is not is shown: what is stated and what was found, why, and which states
    differ. A folder is searched for *.litmus; @LIST names a file with one test a line, relative to that file; - is
    standard input. Where GITHUB_ACTIONS is set, GitHub gets annotations.

    \b
    Examples:
      mcm test litmus/
      mcm test tests/ --model opencl-3.0 --model mine.cat
      mcm test dat3m/litmus/ --expect expected.csv --model opencl-scoped
      mcm test tests/ --results last.jsonl --changed-since last.jsonl
      mcm test tests/ --exclude 'drafts/*' --shard 3/8

    \b
    Exit code: 0 every expectation is met, 1 some is not, 2 bad input or usage, no expectation, or no test,
    3 undecided (a limit), 70 a defect of mcm, 130 interrupted (what is open is named).
    """
    from mcm import EngineName, Limits, Options, default_megabytes, shared_session
    from mcm.cli.selection import known_models, limited
    from mcm.cli.suite_files import Reports
    from mcm.cli.suite_run import Wanted, run

    limits = Limits(seconds=seconds_of(timeout), megabytes=memory or default_megabytes())
    shared_session().include_from(folders)
    with limited(limits):
        asked = known_models(models)
    options: Options = Options(
        models=asked,
        engine=EngineName(engine),
        bound=bound,
        accepts_bounded=accept_bounded,
        limits=limits,
        goes_on=timeout is not None,
    )
    wanted = Wanted(
        exclude=exclude,
        tables=tables,
        shard=shard,
        reports=Reports(junit, sarif, tap, json),
        results=results,
        since=since,
        updates=update,
        jobs=jobs,
        address=executor,
    )
    return run(tests, options, wanted)
