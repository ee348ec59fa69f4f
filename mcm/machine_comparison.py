"""Compare the machine with a model: every final state that either has, and where they contradict each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.answer.machine_comparison import ComparedState, Contradiction, MachineComparison, RunMode
from mcm.answer.result import Status
from mcm.execute import CLOVER, EXHAUSTIVE, RANDOM, RunOptions, clearest_schedule, run_program
from mcm.front_end.read import read_test
from mcm.machine.exhaustive import Budget
from mcm.machine.schedule import show_schedule
from mcm.machine.shorten import switches
from mcm.pipeline import check

if TYPE_CHECKING:
    from mcm.answer.result import Problem, Result, Site
    from mcm.base.source import Source
    from mcm.execute import ProgramRuns, ShownValues
    from mcm.pipeline import Options
    from mcm.program.program import Program

_BUDGET: Final = Budget(configurations=100_000, seconds=10.0)

# The seconds that running a test may take beyond checking it: three runs within the budget.
RUN_SECONDS: Final = 30.0

# The models whose rules the memory `views` follows; what others forbid it may show.
_MODELS_OF_VIEWS: Final = frozenset({"opencl-2.0", "opencl-3.0", "c11"})


def check_and_run(source: Source, options: Options, runs: int, seed: int) -> tuple[MachineComparison | Result, ...]:
    """Check a test and run it: one comparison for each model, or the results alone if the test is not a program."""
    results = check(source, options)
    if any(result.status in {Status.INVALID, Status.ERROR} for result in results):
        return results
    return compare_with_machine(source, results, options, runs, seed)


def compare_with_machine(
    source: Source, results: tuple[Result, ...], options: Options, runs: int, seed: int
) -> tuple[MachineComparison, ...]:
    """Run a test, and compare the states that were seen with each of its results.

    Where there are too many schedules on weak memory, `runs` random ones are taken, as far as the time allows.
    """
    program = read_test(source).program
    clover = run_program(program, RunOptions(CLOVER, "interleaving"))
    interleaving = run_program(program, RunOptions(EXHAUSTIVE, "interleaving", budget=_BUDGET))
    views = run_program(program, RunOptions(EXHAUSTIVE, "views", budget=_BUDGET))
    modes = [RunMode("clover", 1), RunMode("interleaving", None, interleaving.limit), RunMode("views", None)]
    if views.limit is not None:
        views = run_program(program, RunOptions(RANDOM, "views", runs, seed, budget=_BUDGET))
        modes[2] = RunMode("views", views.runs)
    found = tuple(_compare(program, result, tuple(modes), (clover, interleaving, views)) for result in results)
    if modes[2].runs is not None or not any(map(_unseen, found)):
        # Only a search of all schedules shows that weak memory does not reach a state.
        return found
    stricter = check(source, replace(options, forbids_load_buffering=True))
    return tuple(_explain_unseen(one, result) for one, result in zip(found, stricter, strict=True))


def _unseen(found: MachineComparison) -> list[ComparedState]:
    """The states that the model allows and that were not seen on weak memory."""
    return [state for state in found.states if state.allowed and not state.seen[2]]


def _explain_unseen(found: MachineComparison, stricter: Result) -> MachineComparison:
    """Name the reason why an allowed state is beyond weak memory, where a read sees only writes executed before it.

    `stricter` is the result of the same model without load buffering.
    """
    if stricter.status is not Status.OK:
        return found
    unseen = _unseen(found)
    thin_air = [state.values for state in found.result.states if state.thin_air]
    kept = [state.values for state in stricter.states]

    def beyond(state: ComparedState) -> str | None:
        if state not in unseen or state.values in kept:
            return None
        return "thin-air" if state.values in thin_air else "load-buffering"

    return replace(found, states=tuple(replace(state, beyond=beyond(state)) for state in found.states))


def _compare(
    program: Program, result: Result, modes: tuple[RunMode, ...], all_runs: tuple[ProgramRuns, ...]
) -> MachineComparison:
    """Compare the states of one model with those of all runs; `all_runs` has the order of `modes`."""
    knows = result.status is Status.OK and result.complete
    allowed = {tuple(state.values.items()): state.satisfies for state in result.states}
    satisfying = dict(allowed)
    seen: dict[ShownValues, list[int]] = {values: [0] * len(modes) for values in allowed}
    for number, runs in enumerate(all_runs):
        for count in runs.states:
            values = tuple(count.state.values.items())
            seen.setdefault(values, [0] * len(modes))[number] += count.runs
            satisfying[values] = count.state.satisfies
    states = tuple(
        ComparedState(dict(values), satisfying[values], (values in allowed) if knows else None, tuple(counts))
        for values, counts in seen.items()
    )
    problems: dict[tuple[str, tuple[Site, ...]], Problem] = {}
    for runs in all_runs:
        for problem in runs.problems:
            problems.setdefault((problem.kind, problem.sites), problem)
    contradictions = _contradictions(program, result, states, all_runs) if knows else ()
    return MachineComparison(result, modes, states, tuple(problems.values()), contradictions)


def _contradictions(
    program: Program, result: Result, states: tuple[ComparedState, ...], all_runs: tuple[ProgramRuns, ...]
) -> tuple[Contradiction, ...]:
    """The states that were seen although the model forbids them; none where the program is undefined."""
    if result.undefined:
        return ()
    found = []
    for state in states:
        for runs, count in zip(all_runs, state.seen, strict=True):
            judged = runs.memory == "interleaving" or result.model in _MODELS_OF_VIEWS
            if count and not state.allowed and judged:
                clearest = clearest_schedule(program, runs, tuple(state.values.items()))
                found.append(
                    Contradiction(
                        state.values,
                        runs.memory,
                        show_schedule(clearest.schedule),
                        switches(clearest.schedule),
                        clearest.is_least,
                    )
                )
                break
    return tuple(found)
