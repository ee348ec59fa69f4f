"""A run of `mcm test`: from arguments to judgements."""

from __future__ import annotations

import os
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from mcm import (
    NOT_BEGUN,
    Diagnostic,
    Expectation,
    InputError,
    JudgedTest,
    judge_expectations,
    not_judged,
    shared_session,
    unreadable_judgement,
)
from mcm.cli.inputs import is_folder, read
from mcm.cli.session import DEFECT, GRACE, Task, file_of, prepare, reason_of, source_of, tasks_of
from mcm.cli.work import Answered, Failed, Lost, Work, to_the_end

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mcm import Judgement, Options
    from mcm.cli.executors import Executor
    from mcm.cli.shard import Shard
    from mcm.cli.suite_results import Results
    from mcm.cli.work import Outcome

Judgements = tuple["Judgement", ...]


class SuiteTask(Struct, frozen=True):
    """A test, and the rows of tables that are about it."""

    test: Task
    rows: tuple[Expectation, ...] = ()

    @property
    def file(self) -> str:
        """The name of the test in reports."""
        return file_of(self.test)


def select(arguments: tuple[str, ...], exclude: Sequence[str]) -> tuple[list[Task], int]:
    """The tests that the arguments name, each once, and how many of those found in folders are excluded."""
    named = {os.path.normpath(argument) for argument in arguments if not is_folder(argument)}
    seen: dict[str, Task] = {}
    excluded: set[str] = set()
    for task in tasks_of(arguments):
        path = os.path.normpath(file_of(task))
        if isinstance(task, str) and path not in named and _is_excluded(path, exclude):
            excluded.add(path)
        else:
            seen.setdefault(path, task)
    return list(seen.values()), len(excluded)


def _is_excluded(path: str, patterns: Sequence[str]) -> bool:
    shown = Path(path).as_posix()
    return any(fnmatch(shown, pattern) or fnmatch(shown, f"*/{pattern}") for pattern in patterns)


class Tabled(Struct, frozen=True):
    """Tests with the rows about them; `wrong` are rows about no test, and `notes` what else is to be known."""

    tasks: tuple[SuiteTask, ...]
    wrong: tuple[JudgedTest, ...] = ()
    notes: tuple[str, ...] = ()


def with_tables(tests: Sequence[Task], tables: Sequence[str]) -> Tabled:
    """The tests with the rows of tables that are about them; InputError where a table is none."""
    from mcm import match_rows, read_source, read_table

    rows = [row for table in tables for row in read_table(read_source(table))]
    matched = match_rows(rows, [test for test in tests if isinstance(test, str)])
    tasks = tuple(SuiteTask(test, matched.expectations.get(file_of(test), ())) for test in tests)
    elsewhere = f"tables speak of {matched.elsewhere} more that are not selected"
    return Tabled(tasks, matched.wrong, (elsewhere,) if matched.elsewhere else ())


def in_shard(tasks: Sequence[SuiteTask], shard: Shard | None) -> list[SuiteTask]:
    """The tests of a shard: every so-many-th, so that folders of slow tests are spread."""
    return list(tasks) if shard is None else list(tasks[shard.number - 1 :: shard.count])


def judged_tests(
    tasks: Sequence[SuiteTask],
    options: Options,
    executor: Executor,
    results: Results,
) -> Iterator[JudgedTest]:
    """What became of each test, in their order; each is kept as soon as it is known."""
    earlier = {task.file: found for task in tasks if (found := results.earlier(task)) is not None}
    others = [task for task in tasks if task.file not in earlier]
    judged = _judged_now(others, options, executor, results)
    for task in tasks:
        yield earlier.pop(task.file) if task.file in earlier else results.told(next(judged))
    # What is left is an interrupt.
    yield from judged


def _judged_now(
    tasks: Sequence[SuiteTask], options: Options, executor: Executor, results: Results
) -> Iterator[JudgedTest]:
    if not tasks:
        return
    seconds = None if options.limits.seconds is None else options.limits.seconds + GRACE
    work = Work(
        partial(_judge, options),
        partial(prepare, options.limits.megabytes, shared_session().kernels),
        seconds,
        renews=True,
    )

    def notice_outcome(number: int, outcome: Outcome[Judgements]) -> None:
        results.keep(tasks[number], _judged(tasks[number], outcome))

    sent = [_with_text(task) for task in tasks] if executor.is_remote else tasks
    for task, outcome in to_the_end(sent, executor.run(work, sent, notice_outcome)):
        yield _judged(task, outcome)


def _with_text(task: SuiteTask) -> SuiteTask:
    """The task with the text of its file, or why there is none."""
    if not isinstance(task.test, str):
        return task
    try:
        return replace(task, test=read(task.test))
    except InputError as error:
        return replace(task, test=error.diagnostics[0])


def _judge(options: Options, task: SuiteTask, keep: Callable[[Judgements], None]) -> Judgements:
    source = source_of(task.test, options)
    if isinstance(source, Diagnostic):
        return (unreadable_judgement(file_of(task.test), InputError(source)),)
    return judge_expectations(shared_session(), source, options, task.rows, keep)


def _judged(task: SuiteTask, outcome: Outcome[Judgements]) -> JudgedTest:
    return JudgedTest(file=task.file, judgements=_judgements(task, outcome))


def _judgements(task: SuiteTask, outcome: Outcome[Judgements]) -> Judgements:
    match outcome:
        case Answered(answer):
            return answer
        case Lost(reason, tuple() as kept):
            return tuple(replace(one, reason=reason) if one.reason == NOT_BEGUN else one for one in kept)
        case Lost() | Failed():
            reason = reason_of(outcome)
            return (not_judged(task.file, reason, defect=reason == DEFECT),)
