"""What `mcm check` does when its command line is read: nothing here needs click unless something is wrong with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm import MOST_EVENTS, EngineName, Limits, Options, Progress, SolverName, default_megabytes
from mcm.cli.present import show, wants_reasons
from mcm.cli.seconds import seconds_of
from mcm.cli.selection import (
    known_models,
    limited,
    require_installed_solver,
    require_known_profile,
    require_known_rules,
)
from mcm.cli.session import file_of, run, tasks_of

if TYPE_CHECKING:
    from mcm import ChosenModel


def check_tests(
    tests: tuple[str, ...],
    *,
    models: tuple[str, ...] = (),
    engine: str = "auto",
    solver: str = "auto",
    format_: str = "text",
    output: str | None = None,
    jobs: int | None = None,
    timeout: float | None = None,
    memory: int | None = None,
    bound: int | None = None,
    accept_bounded: bool = False,
    events: int | None = None,
    progress: str | None = None,
    states: bool = True,
    count: bool = False,
    without: tuple[str, ...] = (),
    profile: str | None = None,
    why: bool | None = None,
    runs: bool = False,
    quiet: bool = False,
) -> int:
    """Check tests and show the results; the exit code. The parameters are the options of the command."""
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
    with limited(limits):
        asked = known_models(models)
    require_known_rules(asked, without)
    return asked


def _show_pages(tests: tuple[str, ...], options: Options, jobs: int | None, output: str, *, quiet: bool) -> int:
    from pathlib import Path

    from mcm.cli.check_pages import show_pages

    return show_pages(tests, options, jobs, Path(output), quiet=quiet)
