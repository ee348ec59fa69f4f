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
from mcm.base.dialect import OPENCL, C
from mcm.base.frozen import FrozenMapping
from mcm.execute import CLOVER, EXHAUSTIVE, RANDOM, RunOptions, clearest_finding, clearest_schedule, run_program
from mcm.explain.waiting import OTHERS_TO_ARRIVE
from mcm.machine.exhaustive import Budget
from mcm.machine.schedule import read_schedule
from mcm.machine.shorten import switches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mcm.answer.result import Found, Problem, Result, Site, WaitingUnit
    from mcm.base.source import Span
    from mcm.catalogue.library import ChosenModel
    from mcm.execute import ProgramRuns, ShownValues
    from mcm.front_end.test import Test
    from mcm.program.program import Program

# The seconds of one way of running a test, of which there are so many; less where there is less time.
_RUN_SECONDS: Final = 10.0
_MODES: Final = 3
_BUDGET: Final = Budget(configurations=100_000, seconds=_RUN_SECONDS)

# The seconds that running a test may take beyond checking it.
RUN_SECONDS: Final = _MODES * _RUN_SECONDS

# The models whose rules the machine follows: views, and which accesses race. What others forbid it may show: C11 knows
# no scopes, so that it orders more than OpenCL does.
_MODELS_OF_MACHINE: Final = {OPENCL.name: frozenset({"opencl-2.0", "opencl-3.0"}), C.name: frozenset({"c11"})}


# The kinds of problems that are faults of the program, whatever the model; others are flags of models.
_FAULTS: Final = frozenset({"barrier-divergence", "division-by-zero", "out-of-bounds", "private-atomic"})


def compare_with_machine(
    test: Test,
    checked: list[tuple[ChosenModel, Found]],
    without_load_buffering: Callable[[ChosenModel], Result],
    runs: int,
    seed: int,
) -> tuple[MachineComparison, ...]:
    """Run a test, and compare the states that were seen with each of its results.

    Where there are too many schedules on weak memory, `runs` random ones are taken, as far as the time allows.
    `without_load_buffering` gives the result of a model with that check more.
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
    found = tuple(_compare(program, model, result, tuple(modes), all_runs) for model, result in checked)
    if modes[2].runs is not None or not any(map(_unseen, found)):
        # Only a search of all schedules shows that weak memory does not reach a state.
        return found
    return tuple(
        _explain_unseen(one, without_load_buffering(model)) for one, (model, _) in zip(found, checked, strict=True)
    )


def _unseen(found: MachineComparison) -> list[ComparedState]:
    """The states that the model allows and that were not seen on weak memory."""
    return [state for state in found.states if state.allowed and not state.seen[2]]


def _explain_unseen(found: MachineComparison, stricter: Result) -> MachineComparison:
    """Name the reason why an allowed state is beyond weak memory, where a read sees only writes executed before it.

    `stricter` is the result of the same model without load buffering.
    """
    if not isinstance(stricter, Judged):
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
) -> MachineComparison:
    """Compare the states of one model with those of all runs; `all_runs` has the order of `modes`."""
    knows = result.complete
    allowed = {tuple(state.values.items()): state.satisfies for state in result.states}
    satisfying = dict(allowed)
    seen: dict[ShownValues, list[int]] = {values: [0] * len(modes) for values in allowed}
    for number, runs in enumerate(all_runs):
        for count in runs.states:
            values = tuple(count.state.values.items())
            seen.setdefault(values, [0] * len(modes))[number] += count.runs
            satisfying[values] = count.state.satisfies
    states = tuple(
        ComparedState(
            FrozenMapping(dict(values)), satisfying[values], (values in allowed) if knows else None, tuple(counts)
        )
        for values, counts in seen.items()
    )
    problems: dict[tuple[str, tuple[Site, ...]], Problem] = {}
    for runs in all_runs:
        for problem in runs.problems:
            problems.setdefault((problem.kind, problem.sites), problem)
    blocked = tuple(dict.fromkeys(one.units for runs in all_runs for one in runs.blocked))
    follows = _follows(program, model)
    found = MachineComparison(result, modes, states, tuple(problems.values()), blocked, (), follows=follows)
    if not found.is_judged:
        return found
    contradictions = (
        *_state_contradictions(program, model, states, all_runs),
        *_problem_contradictions(program, model, found.problems, all_runs),
        *_blocked_contradictions(program, model, result, all_runs),
    )
    return replace(found, contradictions=contradictions)


def _follows(program: Program, model: ChosenModel) -> bool:
    """Whether the machine follows the rules of a model for programs of this dialect, or the model has fewer."""
    return model.keys[0] in _MODELS_OF_MACHINE[program.dialect.name]


def _is_judged(runs: ProgramRuns, program: Program, model: ChosenModel) -> bool:
    """Whether a model must allow all states that these runs show: none is stronger than sequential consistency."""
    return runs.memory == "interleaving" or _follows(program, model)


def _state_contradictions(
    program: Program, model: ChosenModel, states: tuple[ComparedState, ...], all_runs: tuple[ProgramRuns, ...]
) -> Iterator[StateContradiction]:
    """The states that were seen although the model forbids them, each in the first runs that show it."""
    for state in states:
        if state.allowed:
            continue
        for runs, count in zip(all_runs, state.seen, strict=True):
            if count and _is_judged(runs, program, model):
                values = tuple(state.values.items())
                yield StateContradiction(state.values, clearest_schedule(program, runs, values))
                break


def _problem_contradictions(
    program: Program, model: ChosenModel, problems: tuple[Problem, ...], all_runs: tuple[ProgramRuns, ...]
) -> Iterator[ProblemContradiction]:
    """The problems that were found in a program that is defined by the model, each in the first runs that show it."""
    for problem in problems:
        if not _is_reported(problem, model) or not (problem.kind in _FAULTS or _follows(program, model)):
            continue
        for runs in all_runs:
            numbers = [n for n, other in enumerate(runs.problems) if _same(problem, other)]
            if numbers and _is_judged(runs, program, model):
                yield ProblemContradiction(problem, clearest_finding(program, runs, numbers[0]))
                break


def _blocked_contradictions(
    program: Program, model: ChosenModel, result: Found, all_runs: tuple[ProgramRuns, ...]
) -> Iterator[BlockedContradiction]:
    """The sets of units that wait for ever on the machine, and in no execution of the model.

    A model lists the least sets of places at which units wait. Units that wait for their groups are left out: by the
    models they diverge, which is a problem, or, at barriers in opposite orders, have no consistent execution (HB-ACYC).
    """
    reported: set[tuple[WaitingUnit, ...]] = set()
    for runs in all_runs:
        for blocked in runs.blocked if _is_judged(runs, program, model) else ():
            if any(unit.waits_for == OTHERS_TO_ARRIVE for unit in blocked.units) or blocked.units in reported:
                continue
            if not any(_are_among(known.units, blocked.units) for known in result.blocked):
                reported.add(blocked.units)
                changes = switches(read_schedule(blocked.schedule))
                repetition = Repetition(runs.memory, blocked.schedule, changes, is_least=False)
                yield BlockedContradiction(blocked.units, repetition)


def _are_among(some: Iterable[WaitingUnit], units: Iterable[WaitingUnit]) -> bool:
    """Whether units wait at each place of some others; which units of a kernel wait there does not matter."""
    return all(any(_overlap(one.span, unit.span) for unit in units) for one in some)


def _overlap(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


def _same(one: Problem, other: Problem) -> bool:
    return (one.kind, one.sites) == (other.kind, other.sites)


def _is_reported(problem: Problem, model: ChosenModel) -> bool:
    """Whether a check reports problems of this kind: as faults with every model, or as flags that this model raises."""
    if set(problem.rules) & set(model.without):
        return False
    return problem.kind in _FAULTS or problem.kind.replace("-", "_") in {flag.name for flag in model.model.flags}
