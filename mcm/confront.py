"""The machine beside a model: every state that either has, and where they contradict each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.answer.confrontation import Column, Confrontation, Contradiction, Row
from mcm.answer.result import Status
from mcm.execute import CLOVER, EXHAUSTIVE, RANDOM, RunOptions, clearest_schedule, run_program
from mcm.machine.exhaustive import Budget
from mcm.machine.schedule import show_schedule
from mcm.program.resolve import resolve
from mcm.syntax.parse import parse

if TYPE_CHECKING:
    from mcm.answer.result import Result
    from mcm.base.source import Source
    from mcm.execute import Execution, ShownValues
    from mcm.program.program import Program

_BUDGET: Final = Budget(configurations=100_000, seconds=10.0)

# The models whose rules weak memory of views follows; of others it may show what they forbid.
_MODELS_OF_VIEWS: Final = frozenset({"opencl-2.0", "opencl-3.0", "c11"})


def confront(source: Source, results: tuple[Result, ...], runs: int, seed: int) -> tuple[Confrontation, ...]:
    """Run a test and lay what was seen beside each of its results.

    Where there are too many schedules on weak memory, `runs` random ones are taken, as far as the time allows.
    """
    program = resolve(parse(source), source)
    clover = run_program(program, RunOptions(CLOVER, "interleaving"))
    interleaving = run_program(program, RunOptions(EXHAUSTIVE, "interleaving", budget=_BUDGET))
    views = run_program(program, RunOptions(EXHAUSTIVE, "views", budget=_BUDGET))
    columns = [Column("clover", 1), Column("interleaving", None, interleaving.limit), Column("views", None)]
    if views.limit is not None:
        views = run_program(program, RunOptions(RANDOM, "views", runs, seed, budget=_BUDGET))
        columns[2] = Column("views", views.runs)
    return tuple(_beside(program, result, tuple(columns), (clover, interleaving, views)) for result in results)


def _beside(
    program: Program, result: Result, columns: tuple[Column, ...], executions: tuple[Execution, ...]
) -> Confrontation:
    knows = result.status is Status.OK and result.complete
    allowed = {tuple(state.values.items()): state.satisfies for state in result.states}
    satisfying = dict(allowed)
    seen: dict[ShownValues, list[int]] = {values: [0] * len(columns) for values in allowed}
    for number, execution in enumerate(executions):
        for counted in execution.states:
            values = tuple(counted.state.values.items())
            seen.setdefault(values, [0] * len(columns))[number] += counted.runs
            satisfying[values] = counted.state.satisfies
    rows = tuple(
        Row(dict(values), satisfying[values], (values in allowed) if knows else None, tuple(counts))
        for values, counts in seen.items()
    )
    problems = dict.fromkeys(problem for execution in executions for problem in execution.problems)
    contradictions = _contradictions(program, result, rows, executions) if knows else ()
    return Confrontation(result, columns, rows, tuple(problems), contradictions)


def _contradictions(
    program: Program, result: Result, rows: tuple[Row, ...], executions: tuple[Execution, ...]
) -> tuple[Contradiction, ...]:
    """States that one of the two has wrong. A program that is undefined may do anything."""
    if result.undefined:
        return ()
    found = []
    for row in rows:
        for execution, count in zip(executions, row.seen, strict=True):
            judged = execution.memory == "interleaving" or result.model in _MODELS_OF_VIEWS
            if count and not row.allowed and judged:
                schedule = clearest_schedule(program, execution, tuple(row.values.items()))
                found.append(Contradiction(row.values, execution.memory, show_schedule(schedule)))
                break
    return tuple(found)
