"""A run of `mcm check`: from arguments to results, here or in worker processes."""

from __future__ import annotations

import os
import sys
from functools import partial
from math import inf
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, TypeVar, assert_never

from msgspec import Struct
from msgspec.structs import replace

from mcm import (
    ALL_MODELS,
    BOUND,
    PENDING,
    Checked,
    Diagnostic,
    EngineName,
    InputError,
    Judged,
    LimitReachedError,
    Options,
    Source,
    Undecided,
    models,
    shared_session,
    time_limit,
    visible,
    without_executions,
    without_solvers,
)
from mcm.cli.alarm import interrupt_at_time_limits, limit_memory
from mcm.cli.inputs import STANDARD_INPUT, find_tests, read
from mcm.cli.progress import with_progress
from mcm.cli.work import Answer, Answered, Failed, Lost, Work, run_at_once, run_here, to_the_end

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mcm import KernelRequest, Limits, Result
    from mcm.cli.work import Outcome

# What a worker is sent: the name of a file, a text that only the parent could read, or why there is no test.
Task = str | Source | Diagnostic

Item = TypeVar("Item")

# What a worker may take beyond the time limit of its engines before it counts as stuck.
GRACE: Final = 0.45

# For so many seconds this process does tests itself, unless it was said how many are to: others take time to start.
_ALONE: Final = 0.1

# A test that takes longer is given to another process; it has begun in vain then.
_MOMENT: Final = 0.2

# The model that tests are checked with most often where none is asked for.
_MOST_LIKELY_MODEL: Final = "opencl-3.0"

DEFECT: Final = "defect"

# A test with the constructs that most tests have.
SAMPLE: Final = Source(
    "sample",
    """OPENCL sample
{ [x] = 0; }
P0@wg 0 (global atomic_int* x, global int* y) { *y = 1; atomic_store_explicit(x, 1, memory_order_release); }
P1@wg 1 (global atomic_int* x, global int* y) { int r0 = atomic_load(x); if (r0 == 1) { r0 = *y + 1; } }
exists (1:r0 = 1 /\\ x = 1)
""",
)


def run(tasks: list[Task], options: Options, jobs: int | None) -> Iterator[Checked]:
    """Check each of some tests, in their order."""
    number = number_of_models(options)
    if jobs is not None and number > 1 and len(tasks) < jobs:
        # Imported here: most commands have one model, or many tests.
        from mcm.cli.by_model import run_by_model

        yield from run_by_model(tasks, number, options, jobs)
        return
    how = conditions(options, jobs, patience(options))
    at_once = partial(check_at_once, options)
    outcomes = perform_tasks(tasks, partial(check_test, options), how, at_once=at_once)
    for task, outcome in outcomes:
        yield _checked(task, outcome, options)


class Conditions(Struct, frozen=True):
    """How tests are performed: `jobs` at once (None: one a core), each in `seconds` at most (None: no limit).

    `apart`: in a process of its own also where there is one test. `load` is done before workers are forked, so that
    not each of them has to do it.
    """

    limits: Limits
    jobs: int | None
    seconds: float | None
    apart: bool
    load: Callable[[], object]


def conditions(options: Options, jobs: int | None, seconds: float | None) -> Conditions:
    """Those of a check. A test is given a process only for a time limit that was asked for: that costs time itself."""
    return Conditions(options.limits, jobs, seconds, apart=options.goes_on, load=partial(load, options))


def perform_all(
    arguments: tuple[str, ...],
    perform: Callable[[Task, Callable[[Answer], None]], Answer],
    how: Conditions,
) -> Iterator[tuple[Task, Outcome[Answer]]]:
    """Do the same with each test that the arguments name, in their order."""
    return perform_tasks(tasks_of(arguments), perform, how)


def perform_tasks(
    tasks: Sequence[Item],
    perform: Callable[[Item, Callable[[Answer], None]], Answer],
    how: Conditions,
    *,
    here: bool = False,
    at_once: Callable[[Item], Answer | None] | None = None,
) -> Iterator[tuple[Item, Outcome[Answer]]]:
    """Do the same with each of some tests, or parts of them, in their order; with `here`, in this process alone.

    `at_once` does it in a moment, or gives None; it cannot end the process. What an interrupt leaves undone is lost to
    it before it is passed on.
    """
    make_ready = partial(prepare, how.limits.megabytes, shared_session().kernels)
    work = Work(perform, make_ready, how.seconds, at_once=at_once)
    if here or (len(tasks) == 1 and not how.apart):
        outcomes = run_here(work, tasks)
    else:
        outcomes = _first_here_then_apart(work, tasks, how)
    yield from to_the_end(tasks, with_progress(outcomes, len(tasks)))


def _first_here_then_apart(
    work: Work[Item, Answer], tasks: Sequence[Item], how: Conditions
) -> Iterator[tuple[Item, Outcome[Answer]]]:
    """Do in this process what is done at once, unless several were asked for, and the others in processes of their own.

    What comes behind the first of the others is one of them.
    """
    begun = 0
    if not how.apart and how.jobs in {None, 1}:
        for task, outcome in run_at_once(work, tasks, inf if how.jobs == 1 else _ALONE):
            begun += 1
            yield task, outcome
    left = tasks[begun:]
    if not left:
        return
    # Imported here: tests that are done at once need none of it.
    from mcm.cli.workers import run_in_workers

    if not begun:
        how.load()
    yield from run_in_workers(work, left, min(how.jobs or cores(), len(left)))


def tasks_of(arguments: tuple[str, ...]) -> list[Task]:
    """A task for each test that the arguments name, in their order; standard input is read."""
    return [_source(name) if name == STANDARD_INPUT else name for name in find_tests(arguments)]


def cores() -> int:
    """How many processes can run at once: a container may allow fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def _source(name: str) -> Source | Diagnostic:
    try:
        return read(name)
    except InputError as error:
        return error.diagnostics[0]


def check_test(options: Options, task: Task, keep: Callable[[Checked], None]) -> Checked:
    """The results of a test under all models that are asked for; `keep` is given those so far, if there are several."""

    def keep_results(results: tuple[Result, ...]) -> None:
        keep(Checked(to_send(results)))

    source = source_of(task, options)
    if isinstance(source, Diagnostic):
        return Checked((shared_session().unreadable(source, options),))
    if ALL_MODELS in options.models:
        checked = shared_session().compare(source, options, keep_results)
        return Checked(to_send(checked.results), checked.separations)
    if number_of_models(options) == 1:
        return Checked(to_send(shared_session().results(source, options)))
    return Checked(to_send(shared_session().results(source, options, keep_results)))


def check_at_once(options: Options, task: Task) -> Checked | None:
    """The same, if it takes a moment and no solver; None otherwise.

    A text that may be read once only is left to others, and so is what is undecided: they may take longer.
    """
    if isinstance(task, str) and not os.path.isfile(task):
        return None
    end = monotonic() + _MOMENT
    try:
        with time_limit(_MOMENT), without_solvers() as wanted_solver:
            checked = check_test(options, task, _keep_nothing)
    except (LimitReachedError, MemoryError):
        return None
    has_time_left = not wanted_solver() and monotonic() < end
    return checked if has_time_left and all(map(_is_whole, checked.results)) else None


def _is_whole(result: Result) -> bool:
    """Whether no limit but that of loops has kept anything from being looked at."""
    return not isinstance(result, Judged | Undecided) or result.reason in {None, BOUND}


def _keep_nothing(_checked: Checked) -> None:
    """Where nobody wants results so far."""


def to_send(results: tuple[Result, ...]) -> tuple[Result, ...]:
    """Results as they are sent from process to process."""
    return tuple(map(without_executions, results))


def source_of(task: Task, options: Options) -> Source | Diagnostic:
    """The text of a task, read if need be, or why there is none. Raises LimitReachedError if that takes too long."""
    with time_limit(options.limits.seconds):
        return _source(task) if isinstance(task, str) else task


def prepare(megabytes: int | None, kernels: KernelRequest) -> None:
    """Put the limits of a process in place, and tell it what to do with kernel files, which a fork knows already."""
    shared_session().take_kernels(kernels)
    interrupt_at_time_limits()
    limit_memory(megabytes)


def patience(options: Options, *, runs: bool = False) -> float | None:
    """The seconds that one test may take before its worker counts as stuck; None: no limit.

    Each model may take the time that is allowed, and running the test as much again.
    """
    if options.limits.seconds is None:
        return None
    return options.limits.seconds * (number_of_models(options) + runs) + GRACE


def number_of_models(options: Options) -> int:
    """How many models a test is checked under."""
    named = {name for one in options.models for name in (models() if one == ALL_MODELS else (one,))}
    return max(1, len(named))


def load(options: Options) -> None:
    """Load what each worker would load: models, modules, the expressions of the parser."""
    for model in options.models or (_MOST_LIKELY_MODEL,):
        for name in models() if model == ALL_MODELS else (model,):
            shared_session().load_model(name)
    # The solver is left out: what it has created does not outlive a fork everywhere.
    chosen = () if ALL_MODELS in options.models else options.models[:1]
    shared_session().results(SAMPLE, Options(models=chosen, engine=EngineName.EXPLICIT))


def _checked(task: Task, outcome: Outcome[Checked], options: Options) -> Checked:
    match outcome:
        case Answered(answer):
            return answer
        case Lost(reason, Checked(results)):
            return Checked(given_up(results, reason))
        case Lost() | Failed():
            return Checked(without_outcome(task, outcome, options))


def given_up(results: tuple[Result, ...], reason: str) -> tuple[Result, ...]:
    """The results that were kept when a test was given up for a reason."""
    return tuple(
        replace(result, reason=reason) if isinstance(result, Undecided) and result.reason == PENDING else result
        for result in results
    )


def without_outcome(task: Task, outcome: Lost[Any] | Failed, options: Options) -> tuple[Result, ...]:
    """The results of a task that was not done; a defect of ours is reported on the error stream."""
    return _undecided(task, reason_of(outcome), options)


def reason_of(outcome: Lost[Any] | Failed) -> str:
    """Why a task was not done; a defect of ours is reported on the error stream."""
    match outcome:
        case Lost(reason):
            return reason
        case Failed(trace):
            shown = visible(trace, kept="\n")
            sys.stderr.write(f"{shown}This is a defect of mcm. Please report it with the test.\n")
            return DEFECT
        case _:
            assert_never(outcome)


def _undecided(task: Task, reason: str, options: Options) -> tuple[Undecided, ...]:
    match task:
        case Diagnostic():
            return shared_session().not_checked(task.span.source, options, reason)
        case Source():
            return shared_session().not_checked(task, options, reason)
        case str():
            # What is no file may never end.
            source = _source(task) if os.path.isfile(task) else Source(task, "")
            return shared_session().not_checked(_no_text(source), options, reason)
        case _:
            assert_never(task)


def _no_text(source: Source | Diagnostic) -> Source:
    """The text, or what stands for it where there is none."""
    return source if isinstance(source, Source) else source.span.source


def file_of(task: Task) -> str:
    """The name of a task in reports."""
    match task:
        case Diagnostic():
            return task.span.source.name
        case Source():
            return task.name
        case str():
            return task
        case _:
            assert_never(task)
