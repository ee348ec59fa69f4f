"""The machine beside a model: every state that either has, and where they contradict each other."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from mcm.answer.confrontation import Column, Confrontation, Contradiction, Row
from mcm.answer.result import Status
from mcm.execute import CLOVER, EXHAUSTIVE, RANDOM, RunOptions, clearest_schedule, run_program
from mcm.machine.exhaustive import Budget
from mcm.machine.schedule import show_schedule
from mcm.machine.shorten import switches
from mcm.pipeline import check
from mcm.program.resolve import resolve
from mcm.syntax.parse import parse

if TYPE_CHECKING:
    from mcm.answer.result import Place, Problem, Result
    from mcm.base.source import Source
    from mcm.execute import Execution, ShownValues
    from mcm.pipeline import Options
    from mcm.program.program import Program

_BUDGET: Final = Budget(configurations=100_000, seconds=10.0)

# The models whose rules weak memory of views follows; of others it may show what they forbid.
_MODELS_OF_VIEWS: Final = frozenset({"opencl-2.0", "opencl-3.0", "c11"})


def confront(
    source: Source, results: tuple[Result, ...], options: Options, runs: int, seed: int
) -> tuple[Confrontation, ...]:
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
    found = tuple(_beside(program, result, tuple(columns), (clover, interleaving, views)) for result in results)
    if columns[2].runs is not None or not any(map(_unseen, found)):
        # Only a search of all schedules shows that weak memory does not reach a state.
        return found
    stricter = check(source, replace(options, forbids_load_buffering=True))
    return tuple(_explained(one, result) for one, result in zip(found, stricter, strict=True))


def _unseen(found: Confrontation) -> list[Row]:
    """What the model allows and weak memory did not show."""
    return [row for row in found.rows if row.allowed and not row.seen[2]]


def _explained(found: Confrontation, stricter: Result) -> Confrontation:
    """Name what the model allows beyond weak memory, where a read sees only writes that were executed before it.

    `stricter` is the result of the same model without load buffering.
    """
    if stricter.status is not Status.OK:
        return found
    unseen = _unseen(found)
    thin_air = [state.values for state in found.result.states if state.thin_air]
    kept = [state.values for state in stricter.states]

    def beyond(row: Row) -> str | None:
        if row not in unseen or row.values in kept:
            return None
        return "thin-air" if row.values in thin_air else "load-buffering"

    return replace(found, rows=tuple(replace(row, beyond=beyond(row)) for row in found.rows))


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
    problems: dict[tuple[str, tuple[Place, ...]], Problem] = {}
    for execution in executions:
        for problem in execution.problems:
            problems.setdefault((problem.kind, problem.places), problem)
    contradictions = _contradictions(program, result, rows, executions) if knows else ()
    return Confrontation(result, columns, rows, tuple(problems.values()), contradictions)


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
                clearest = clearest_schedule(program, execution, tuple(row.values.items()))
                found.append(
                    Contradiction(
                        row.values,
                        execution.memory,
                        show_schedule(clearest.schedule),
                        switches(clearest.schedule),
                        clearest.is_least,
                    )
                )
                break
    return tuple(found)
