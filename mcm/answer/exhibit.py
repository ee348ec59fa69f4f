"""The executions that a result can show, each under a number and a title."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from msgspec import Struct

from mcm.answer.result import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mcm.answer.execution import Execution
    from mcm.answer.result import BlockedExecution, Found, Problem
    from mcm.answer.shown_states import Number


class ExhibitKind(Enum):
    """What an execution shows: a final state, a problem, units that wait forever, or how an outcome is excluded."""

    STATE = "state"
    PROBLEM = "problem"
    BLOCKED = "blocked"
    EXCLUDED = "excluded"


class Step(Struct, frozen=True):
    """A step of an explanation: its text, the events and relations that it is about, and the rules that it rests on.

    Without `relations` it is about all between its events. `breaks`: here a rule of the model is broken.
    """

    text: str
    events: tuple[int, ...] = ()
    relations: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    breaks: bool = False


class Exhibit(Struct, frozen=True):
    """An execution with what it shows, in words.

    `satisfies` says whether its state satisfies the condition; `steps` explain it, where that was asked for.
    """

    kind: ExhibitKind
    title: str
    execution: Execution
    satisfies: bool = False
    steps: tuple[Step, ...] = ()

    @property
    def about(self) -> frozenset[int]:
        """The events that its steps tell of."""
        return frozenset(event for step in self.steps for event in step.events if event >= 0)


def exhibits_of(result: Found) -> tuple[Exhibit, ...]:
    """What a result can show: its states in order, then problems, then executions in which units wait forever."""
    return (*_states(result), *_problems(result), *_blocked(result.blocked))


def foremost(exhibits: Sequence[Exhibit], result: Found) -> Exhibit | None:
    """The one that shows best why the verdict is what it is; None where there is none."""
    problems = [one for one in exhibits if one.kind is ExhibitKind.PROBLEM]
    excluded = [one for one in exhibits if one.kind is ExhibitKind.EXCLUDED]
    satisfying = [one for one in exhibits if one.satisfies]
    blocked = [one for one in exhibits if one.kind is ExhibitKind.BLOCKED]
    is_about_problems = result.verdict in {Verdict.UNDEFINED, Verdict.IMPL_DEFINED}
    ways = [problems, satisfying] if is_about_problems else [blocked, satisfying, excluded, problems]
    return next((one for way in (*ways, exhibits) for one in way), None)


def state_in_words(values: Mapping[str, Number]) -> str:
    """`0:r0=1; x=2`."""
    return "; ".join(f"{name}={value}" for name, value in values.items())


def _states(result: Found) -> Iterator[Exhibit]:
    for state in result.states:
        if state.execution is not None:
            satisfies = state.satisfies and result.condition is not None
            values = {result.shown_name(name): value for name, value in state.values.items()}
            title = state_in_words(values) or "the only state"
            yield Exhibit(ExhibitKind.STATE, title, state.execution, satisfies)


def _problems(result: Found) -> Iterator[Exhibit]:
    for problem in (*result.undefined, *result.impl_defined, *result.flags):
        if problem.execution is not None:
            yield Exhibit(ExhibitKind.PROBLEM, problem_in_words(problem), problem.execution)


def problem_in_words(problem: Problem) -> str:
    """`data race on x: P0 line 3 and P1 line 4`."""
    places = places_in_words(problem)
    words = problem.kind.replace("-", " ").replace("_", " ")
    where = f" on {problem.location}" if problem.location else ""
    return f"{words}{where}: {' and '.join(places)}" if places else f"{words}{where}"


def places_in_words(problem: Problem, *, with_columns: bool = False) -> tuple[str, ...]:
    """`P0 line 3 (iteration 2)`, each once; `line 3` alone where units share the text and the problem names none.

    With columns, `P0 line 3:5 (iteration 2)`.
    """
    # An access that no unit makes is the initial write; of other operations nobody is known who alone executes them.
    nobody = "" if problem.location is None else "the initial state "
    found: dict[str, None] = {}
    for site in problem.sites:
        unit = nobody if site.thread is None else f"{site.thread} "
        column = f":{site.span.column}" if with_columns else ""
        iteration = f" (iteration {', '.join(map(str, site.iterations))})" if site.iterations else ""
        found[f"{unit}line {site.span.line}{column}{iteration}"] = None
    return tuple(found)


def _blocked(found: tuple[BlockedExecution, ...]) -> Iterator[Exhibit]:
    for blocked in found:
        if blocked.execution is not None:
            units = [f"{unit.thread} waits forever at line {unit.span.line}" for unit in blocked.units]
            yield Exhibit(ExhibitKind.BLOCKED, ", ".join(units), blocked.execution)
