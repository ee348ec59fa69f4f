"""`mcm check --format json-lines`: states as they are found, and results."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm import PENDING, Diagnostic, JsonLines, Judged, Undecided, shared_session, without_executions
from mcm.cli.exit_code import ExitCode, combine
from mcm.cli.present import UntilInterrupted, exit_code
from mcm.cli.session import (
    conditions,
    file_of,
    given_up,
    patience,
    perform_tasks,
    source_of,
    tasks_of,
    without_outcome,
)
from mcm.cli.work import Answered, Lost

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mcm import Options, Result
    from mcm.cli.session import Task
    from mcm.cli.work import Outcome


class Told(Struct, frozen=True):
    """What was told of one test: lines that are to be printed yet, results, and how many of these have a line."""

    lines: tuple[str, ...]
    results: tuple[Result, ...]
    finished: int


class Teller:
    """Tells of one test."""

    def __init__(self, file: str, write: Callable[[str], object]) -> None:
        self.lines: Final = JsonLines(file, write)
        self.finished = 0

    def tell(self, results: tuple[Result, ...]) -> None:
        """Tell of the results that are there, in their order, and were not told of."""
        for result in results[self.finished :]:
            if isinstance(result, Undecided) and result.reason == PENDING:
                return
            self.lines.result(result)
            self.finished += 1


def show_lines(tests: tuple[str, ...], options: Options, jobs: int | None) -> ExitCode:
    """Check each test and print its lines: at once, if there is one test or one job, else when the test is done."""
    tasks = tasks_of(tests)
    how = conditions(options, jobs, patience(options))
    streams = len(tasks) == 1 or jobs == 1
    printer = _Printer(options)
    perform = printer.perform if streams else partial(_tell_later, options)
    whole = UntilInterrupted(perform_tasks(tasks, perform, how, here=streams))
    codes = [code for task, outcome in whole for code in printer.end(task, outcome)]
    whole.pass_interrupt_on()
    return combine(codes)


class _Printer:
    """Prints lines; where tests are checked in this process, as they come."""

    def __init__(self, options: Options) -> None:
        self._options: Final = options
        self._stream: Final = sys.stdout
        self._teller: Teller | None = None

    def perform(self, task: Task, keep: Callable[[Told], None]) -> Told:
        """Check a test, and print its lines."""
        self._teller = Teller(file_of(task), self._print)
        return _tell(self._options, self._teller, task, keep, list)

    def end(self, task: Task, outcome: Outcome[Told]) -> Iterator[ExitCode]:
        """Print what is to be printed yet when a test is done or given up; the exit codes of its results."""
        teller = self._teller or Teller(file_of(task), self._print)
        self._teller = None
        results: tuple[Result, ...]
        match outcome:
            case Answered(told) | Lost(_, Told() as told):
                for line in told.lines:
                    self._print(line)
                teller.finished = told.finished
                results = told.results if isinstance(outcome, Answered) else given_up(told.results, outcome.reason)
            case _:
                results = without_outcome(task, outcome, self._options)
        teller.tell(results)
        yield from map(exit_code, results)

    def _print(self, line: str) -> None:
        self._stream.write(line)
        self._stream.flush()


def _tell_later(options: Options, task: Task, keep: Callable[[Told], None]) -> Told:
    """Check a test in a process that prints nothing."""
    lines: list[str] = []
    return _tell(options, Teller(file_of(task), lines.append), task, keep, lines.copy)


def _tell(
    options: Options, teller: Teller, task: Task, keep: Callable[[Told], None], lines: Callable[[], list[str]]
) -> Told:
    def told(results: tuple[Result, ...]) -> Told:
        teller.tell(results)
        return Told(tuple(lines()), tuple(map(_bare, results)), teller.finished)

    source = source_of(task, options)
    if isinstance(source, Diagnostic):
        return told((shared_session().unreadable(source, options),))
    telling = replace(options, on_state=teller.lines.state, wants_reason=False)
    return told(shared_session().results(source, telling, lambda results: keep(told(results))))


def _bare(result: Result) -> Result:
    """What the exit code needs to know."""
    return replace(without_executions(result), states=()) if isinstance(result, Judged | Undecided) else result
