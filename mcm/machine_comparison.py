"""Compare the machine with a model: every final state that either has, and where they contradict each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from msgspec.structs import replace

from mcm.answer.machine_comparison import (
    BlockedContradiction,
    ComparedState,
    MachineComparison,
    ProblemContradiction,
    Repetition,
    RunMode,
    StateContradiction,
)
from mcm.answer.result import Judged
from mcm.base.deadline import seconds_left
from mcm.base.frozen import FrozenMapping
from mcm.catalogue.library import without_load_buffering
from mcm.execute import CLOVER, EXHAUSTIVE, RANDOM, RunOptions, clearest_finding, clearest_schedule, run_program
from mcm.explain.machine_rules import MachineRules, is_known_to_wait
from mcm.explain.waiting import is_for_its_group
from mcm.machine.exhaustive import Budget
from mcm.machine.schedule import read_schedule
from mcm.machine.shorten import switches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mcm.answer.machine_comparison import Contradiction
    from mcm.answer.result import Found, Problem, Result, Site, WaitingUnit
    from mcm.catalogue.library import ChosenModel
    from mcm.execute import ProgramRuns, ShownValues
    from mcm.front_end.test import Test
    from mcm.program.program import Program

# The seconds of one way of running a test, of which there are so many; less where there is less time.
_RUN_SECONDS: Final = 10.0
_MODES: Final = 3
_BUDGET: Final = Budget(configurations=100_000, seconds=_RUN_SECONDS)


def compare_with_machine(
    test: Test,
    checked: list[tuple[ChosenModel, Found]],
    judge: Callable[[ChosenModel], Result],
    runs: int,
    seed: int,
) -> tuple[MachineComparison, ...]:
    """Run a test, and compare the states that were seen with each of its results.

    Where there are too many schedules on weak memory, `runs` random ones are taken, as far as the time allows.
    `judge` gives the result of the test under another model.
    """
    program = test.program
    left = seconds_left()
    budget = _BUDGET if left is None else replace(_BUDGET, seconds=min(_RUN_SECONDS, left / _MODES))
    clover = run_program(program, RunOptions(CLOVER, "interleaving"))
    interleaving = run_program(program, RunOptions(EXHAUSTIVE, "interleaving", budget=budget))
    views = run_program(program, RunOptions(EXHAUSTIVE, "views", budget=budget))
    modes = [RunMode("clover", 1), RunMode("interleaving", None, interleaving.limit), RunMode("views", None)]
    if views.limit is not None:
        views = run_program(program, RunOptions(RANDOM, "views", runs, seed, budget=budget))
        modes[2] = RunMode("views", views.runs, views.limit)
    all_runs = (clover, interleaving, views)
    rules = MachineRules(program, judge)
    found = tuple(_compare(program, model, result, tuple(modes), all_runs, rules) for model, result in checked)
    if modes[2].runs is not None or not any(map(_unseen, found)):
        # Only a search of all schedules shows that weak memory does not reach a state.
        return found
    return tuple(
        _explain_unseen(one, judge(without_load_buffering(model)))
        for one, (model, _) in zip(found, checked, strict=True)
    )


def _unseen(found: MachineComparison) -> list[ComparedState]:
    """The states that the model allows and that were not seen on weak memory."""
    return [state for state in found.states if state.allowed and not state.seen[2]]


def _explain_unseen(found: MachineComparison, stricter: Result) -> MachineComparison:
    """Name the reason why an allowed state is beyond weak memory, where a read sees only writes executed before it.

    `stricter` is the result of the same model without load buffering.
    """
    if not isinstance(stricter, Judged) or not stricter.complete:
        return found
    unseen = _unseen(found)
    thin_air = [state.values for state in found.result.states if state.thin_air]
    kept = [state.values for state in stricter.states]

    def beyond(state: ComparedState) -> Literal["load-buffering", "thin-air"] | None:
        if state not in unseen or state.values in kept:
            return None
        return "thin-air" if state.values in thin_air else "load-buffering"

    return replace(found, states=tuple(replace(state, beyond=beyond(state)) for state in found.states))


def _compare(
    program: Program,
    model: ChosenModel,
    result: Found,
    modes: tuple[RunMode, ...],
    all_runs: tuple[ProgramRuns, ...],
    rules: MachineRules,
) -> MachineComparison:
    """Compare the states of one model with those of all runs; `all_runs` has the order of `modes`."""
    # What was found is certain, whatever was not looked at; that something is not allowed needs a complete answer.
    otherwise = False if result.complete else None
    allowed = {tuple(state.values.items()): state.satisfies for state in result.states}
    satisfying = dict(allowed)
    seen: dict[ShownValues, list[int]] = {values: [0] * len(modes) for values in allowed}
    for number, runs in enumerate(all_runs):
        for count in runs.states:
            values = tuple(count.state.values.items())
            seen.setdefault(values, [0] * len(modes))[number] += count.runs
            satisfying[values] = count.state.satisfies
    states = tuple(
        ComparedState(FrozenMapping(dict(values)), satisfying[values], values in allowed or otherwise, tuple(counts))
        for values, counts in seen.items()
    )
    problems: dict[tuple[str, tuple[Site, ...]], Problem] = {}
    for runs in all_runs:
        for problem in runs.problems:
            problems.setdefault((problem.kind, problem.sites), problem)
    blocked = tuple(dict.fromkeys(one.units for runs in all_runs for one in runs.blocked))
    found = MachineComparison(result, modes, states, tuple(problems.values()), blocked, ())
    if not found.is_judged:
        return found
    suspicions = (
        *_of_states(program, model, states, all_runs, rules),
        *_of_problems(program, model, found.problems, all_runs, rules),
        *_of_blocked(model, result, all_runs, rules),
    )
    return replace(
        found,
        contradictions=tuple(one for one in suspicions if not isinstance(one, str)),
        not_compared=tuple(dict.fromkeys(one for one in suspicions if isinstance(one, str))),
    )


def _of_states(
    program: Program,
    model: ChosenModel,
    states: tuple[ComparedState, ...],
    all_runs: tuple[ProgramRuns, ...],
    rules: MachineRules,
) -> Iterator[Contradiction | str]:
    """The states that were seen although the model forbids them, each in the first runs that contradict it by that.

    If none do, the reason why.
    """
    for state in states:
        values = tuple(state.values.items())
        excuses: list[str] = []
        for runs, count in zip(all_runs, state.seen, strict=True) if not state.allowed else ():
            if not count:
                continue
            excuse = rules.excuse_state(model, runs.memory, values)
            if excuse is None:
                yield StateContradiction(state.values, clearest_schedule(program, runs, values))
                break
            excuses.append(excuse)
        else:
            yield from excuses[:1]


def _of_problems(
    program: Program,
    model: ChosenModel,
    problems: tuple[Problem, ...],
    all_runs: tuple[ProgramRuns, ...],
    rules: MachineRules,
) -> Iterator[Contradiction | str]:
    """The same for problems that were met in a program that is defined by the model."""
    for problem in problems:
        excuses: list[str] = []
        for runs in all_runs if not set(problem.rules) & set(model.without) else ():
            numbers = [n for n, other in enumerate(runs.problems) if _same(problem, other)]
            if not numbers:
                continue
            excuse = rules.excuse_problem(model, runs.memory, problem)
            if excuse is None:
                yield ProblemContradiction(problem, clearest_finding(program, runs, numbers[0]))
                break
            excuses.append(excuse)
        else:
            yield from excuses[:1]


def _of_blocked(
    model: ChosenModel, result: Found, all_runs: tuple[ProgramRuns, ...], rules: MachineRules
) -> Iterator[Contradiction | str]:
    """The same for units that wait for ever on the machine, and in no execution of the model.

    Units that wait for their groups are left out: by the models they diverge, which is a problem, or, at barriers in
    opposite orders, have no consistent execution (HB-ACYC).
    """
    reported: set[tuple[WaitingUnit, ...]] = set()
    for runs in all_runs:
        for blocked in runs.blocked:
            units = blocked.units
            if any(is_for_its_group(unit) for unit in units) or units in reported:
                continue
            if is_known_to_wait(units, result):
                continue
            excuse = rules.excuse_blocked(model, runs.memory, units)
            if excuse is not None:
                yield excuse
                continue
            reported.add(units)
            changes = switches(read_schedule(blocked.schedule))
            repetition = Repetition(runs.memory, blocked.schedule, changes, is_least=False)
            yield BlockedContradiction(units, repetition)


def _same(one: Problem, other: Problem) -> bool:
    return (one.kind, one.sites) == (other.kind, other.sites)
