"""Tests under several models where there are fewer tests than workers: each model of a test is a task of its own."""

from __future__ import annotations

from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, assert_never

from msgspec import Struct
from msgspec.structs import replace

from mcm import ALL_MODELS, Checked, Diagnostic, Undecided, shared_session
from mcm.cli.session import (
    Task,
    check_test,
    conditions,
    given_up,
    patience,
    perform_tasks,
    source_of,
    to_send,
    without_outcome,
)
from mcm.cli.work import INTERRUPTED, Answered, Failed, Lost

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mcm import Options, Result
    from mcm.cli.work import Outcome

_Results = tuple["Result", ...]


class Part(Struct, frozen=True):
    """A test, and the number of the model under which it is to be checked, among those that are asked for."""

    test: Task
    model: int


def run_by_model(tests: list[Task], number: int, options: Options, jobs: int) -> Iterator[Checked]:
    """Check each test under all models, whose number is given; the results of a test come when it has all of them."""
    # A worker has one model at a time.
    how = conditions(options, jobs, patience(replace(options, models=options.models[:1])))
    parts = [Part(test, model) for test in tests for model in range(number)]
    outcomes = perform_tasks(parts, partial(_check_part, options), replace(how, apart=True))
    told = 0
    try:
        for test in tests:
            found = tuple(
                result for part, outcome in islice(outcomes, number) for result in _results(part, outcome, options)
            )
            checked = _compared(test, found, number, options) if ALL_MODELS in options.models else Checked(found)
            told += 1
            yield checked
        # What is left is an interrupt.
        for _ in outcomes:
            pass
    except KeyboardInterrupt:
        for test in tests[told:]:
            yield Checked(without_outcome(test, Lost(INTERRUPTED), options))
        raise


def _check_part(options: Options, part: Part, keep: Callable[[_Results], None]) -> _Results:
    """The result of a test under one model; what is wrong with the test as a whole comes with the first."""
    source = source_of(part.test, options)
    if isinstance(source, Diagnostic):
        return () if part.model else (shared_session().unreadable(source, options),)
    session = shared_session()
    return to_send(session.results(source, options, lambda results: keep(to_send(results)), only=part.model))


def _results(part: Part, outcome: Outcome[_Results], options: Options) -> _Results:
    """What became of a part. Where that is not known of a test that cannot be read, it is said once."""
    match outcome:
        case Answered(results):
            return results
        case Lost(reason, tuple() as kept):
            return given_up(kept, reason)
        case Lost() | Failed():
            return without_outcome(part.test, outcome, options)[part.model : part.model + 1]
        case _:
            assert_never(outcome)


def _compared(test: Task, results: _Results, number: int, options: Options) -> Checked:
    """The results with the rules that separate the models, for which the test is checked again: by a worker, too."""
    if any(isinstance(result, Undecided) and result.reason == INTERRUPTED for result in results):
        return Checked(results, ())
    perform = partial(_separate, options, results) if len(results) == number else partial(check_test, options)
    how = replace(conditions(options, 1, patience(options)), apart=True)
    ((_, outcome),) = perform_tasks([test], perform, how)
    return outcome.answer if isinstance(outcome, Answered) else Checked(results, ())


def _separate(options: Options, results: _Results, test: Task, _keep: Callable[[Checked], None]) -> Checked:
    source = source_of(test, options)
    if isinstance(source, Diagnostic):
        return Checked(results, ())
    return shared_session().compare(source, options, known=results)
