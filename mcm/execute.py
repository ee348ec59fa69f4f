"""Run a test on the machine: parse, resolve, compile, run, and count the final states."""

from __future__ import annotations

from collections import Counter
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, assert_never

from msgspec import Struct, field
from msgspec.structs import replace

from mcm.answer.answer import State
from mcm.answer.machine_comparison import Repetition
from mcm.answer.result import Problem, Site, WaitingUnit
from mcm.answer.run_result import BlockedRuns, RunResult, StateCount, Trace, TraceLine
from mcm.execution.outcome import holds, observables
from mcm.explain.observed import observed_by, show_states
from mcm.explain.waiting import ARRIVALS, NOTHING_READ, changes_of, completion_of
from mcm.machine.blocked import Obstacle
from mcm.machine.build import build
from mcm.machine.clover import CloverScheduler
from mcm.machine.exhaustive import Budget, explore
from mcm.machine.run import Ending, Sample, run
from mcm.machine.schedule import (
    ContinuingScheduler,
    RandomlyContinuingScheduler,
    RandomScheduler,
    ReplayScheduler,
    RoundRobinScheduler,
    show_schedule,
)
from mcm.machine.shorten import FindingGoal, Shortened, StateGoal, shortened, switches
from mcm.machine.threads import run_on_threads
from mcm.machine.trace import trace_run
from mcm.program.condition import Quantifier
from mcm.program.value_order import rank_of_values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mcm.answer.shown_states import ShownState
    from mcm.front_end.test import Test
    from mcm.machine.blocked import Blocked, BlockedThread
    from mcm.machine.finding import Finding
    from mcm.machine.machine import Machine
    from mcm.machine.schedule import Schedule
    from mcm.program.condition import Observable
    from mcm.program.program import Program
    from mcm.program.types import Value

RANDOM: Final = "random"
CLOVER: Final = "clover"
ROUND_ROBIN: Final = "round-robin"
EXHAUSTIVE: Final = "exhaustive"
THREADS: Final = "threads"
REPLAY: Final = "replay"

# If none of the first runs, so many, comes to an end, the others are not tried: most likely none would.
_HOPELESS: Final = 10

# The runs of a small program where their number is not given, and the steps of all runs together of a large one; a step
# takes twice as long where there are so many threads.
_MOST_RUNS: Final = 10_000
_AFFORDED_STEPS: Final = 100_000
_EQUAL_THREADS: Final = 200

# Where there is a filter, in so many ways at random it is tried to go on from a problem to a state that passes.
_WAYS_ON: Final = 30

# The values of a final state by name, as reports show them.
ShownValues = tuple[tuple[str, int | float | str], ...]


def without_progress(numbers: Iterable[int], total: int) -> Iterable[int]:
    """The numbers of the runs, as they are: progress is not shown."""
    del total
    return numbers


class RunOptions(Struct, frozen=True):
    """How to run: `runs` counts for random runs and for threads, `replay` is a schedule that replaces all others.

    Without `runs`, as many are made as fit the length of the first one. `until_found`: the runs or the search end with
    the first state that the condition asks for, or, if all states have to satisfy it, with the first that does not.
    The numbers of the runs are drawn through `progress`, which may show how many are done.
    """

    schedule: str = RANDOM
    memory: str = "views"
    runs: int | None = None
    seed: int = 0
    replay: Schedule | None = None
    budget: Budget = field(default_factory=Budget)
    wants_trace: bool = False
    until_found: bool = False
    progress: Callable[[Iterable[int], int], Iterable[int]] = without_progress


class ProgramRuns(Struct, frozen=True):
    """The runs of a program; fields that are not described here are those of `RunResult`.

    `schedules` has a schedule for each state, `findings` a finding of the machine and its schedule for each problem.
    `runs` is their number, whether they have a final state or not; 0 for a search of all schedules. `steps` is the
    length of the first run, where fewer were made because of that; `found` says that they ended early, with a state
    that was asked for.
    """

    memory: str
    runs: int
    states: tuple[StateCount, ...]
    schedules: Mapping[ShownValues, Schedule]
    blocked: tuple[BlockedRuns, ...]
    others: tuple[tuple[str, int], ...]
    problems: tuple[Problem, ...]
    findings: tuple[tuple[Finding, Schedule], ...]
    limit: str | None
    trace: Trace | None
    steps: int | None = None
    found: bool = False
    excluded: int = 0


def execute(test: Test, options: RunOptions) -> RunResult:
    """Run a test."""
    program = test.program
    start = perf_counter()
    done = run_program(program, options)
    return RunResult(
        file=test.source.name,
        test=program.name,
        schedule=REPLAY if options.replay is not None else options.schedule,
        memory=options.memory,
        condition=program.condition,
        states=done.states,
        blocked=done.blocked,
        others=done.others,
        problems=done.problems,
        seconds=perf_counter() - start,
        fingerprint=test.header.fingerprint,
        seed=options.seed if options.schedule == RANDOM and options.replay is None else None,
        limit=done.limit,
        trace=done.trace,
        steps=done.steps,
        found=done.found,
        excluded=done.excluded,
        diagnostics=test.diagnostics,
    )


def run_program(program: Program, options: RunOptions) -> ProgramRuns:
    """Run a program as the options say."""
    machine, projection = build(program, options.memory), _Projection(program)
    made = _sample(machine, projection, options)
    sample, limit = made.sample, made.limit
    counts: Counter[ShownValues] = Counter()
    schedules: dict[ShownValues, Schedule] = {}
    shown = projection.shown(sample.states)
    for values, state in shown.items():
        name = tuple(state.values.items())
        # An exhaustive search counts a state once, also if several states differ only in what the filter names.
        counts[name] = 1 if options.schedule == EXHAUSTIVE else counts[name] + sample.states[values]
        schedules.setdefault(name, sample.schedules[values])
    alike = _alike(finding for finding, how in sample.findings.items() if projection.counts(machine, how))
    return ProgramRuns(
        memory=options.memory,
        runs=sample.endings.total(),
        states=tuple(
            StateCount(state, counts[name])
            for name, state in {tuple(state.values.items()): state for state in shown.values()}.items()
        ),
        schedules=schedules,
        blocked=tuple(
            BlockedRuns(_units(blocked, program), number, show_schedule(sample.blocked_schedules[blocked]))
            for blocked, number in sorted(sample.blocked.items(), key=lambda item: _blocked_order(item[0]))
        ),
        others=tuple(
            (ending.value, number)
            for ending in Ending
            if ending not in {Ending.FINISHED, Ending.BLOCKED} and (number := sample.endings[ending])
        ),
        problems=tuple(_problem(found) for found in alike),
        findings=tuple((found[0], sample.findings[found[0]]) for found in alike),
        limit=limit,
        trace=_trace(machine, sample.first or (), options) if options.wants_trace else None,
        steps=made.steps,
        found=made.found,
        excluded=sum(number for values, number in sample.states.items() if values not in shown),
    )


def clearest_schedule(program: Program, runs: ProgramRuns, values: ShownValues) -> Repetition:
    """How to run into one of the states of some runs again, with as few switches between threads as can be had."""
    machine, projection = build(program, runs.memory), _Projection(program)
    schedule = runs.schedules[values]
    states = run(machine, ReplayScheduler(schedule), projection.watched).states
    for state, shown in projection.shown(states).items():
        if tuple(shown.values.items()) == values:
            return _repetition(machine, runs.memory, shortened(machine, schedule, StateGoal(projection.watched, state)))
    message = f"the recorded schedule does not lead to {values}"
    raise AssertionError(message)


def clearest_finding(program: Program, runs: ProgramRuns, number: int) -> Repetition:
    """How to run into a problem again, given by its number in `runs.problems`."""
    machine = build(program, runs.memory)
    finding, schedule = runs.findings[number]
    return _repetition(machine, runs.memory, shortened(machine, schedule, FindingGoal(finding)))


def _repetition(machine: Machine[Any], memory: str, found: Shortened) -> Repetition:
    """A schedule that leads to a goal, continued to the end of the run."""
    whole = run(machine, ContinuingScheduler(found.schedule), ()).schedule
    return Repetition(memory, show_schedule(whole), switches(found.schedule), found.is_least)


class _Projection:
    """From the values that are read at the end of a run to the state that reports show.

    `watched` is what the machine reads: what the test observes, and what only its filter names.
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        self._observed = observed_by(program)
        named = observables(program.filter) if program.filter is not None else ()
        self.watched: tuple[Observable, ...] = tuple(dict.fromkeys((*self._observed, *named)))

    def is_asked_for(self, values: tuple[Value, ...]) -> bool:
        """Whether a state passes the filter, and is one that the condition asks for, or a counterexample."""
        program, named = self._program, dict(zip(self.watched, values, strict=True))
        if program.condition is None or (program.filter is not None and not holds(program.filter, named)):
            return False
        return holds(program.condition.proposition, named) != (program.condition.quantifier is Quantifier.FORALL)

    def counts(self, machine: Machine[Any], schedule: Schedule) -> bool:
        """Whether a run that begins so ends in a state that passes the filter, or does not end, in one of a few."""
        if self._program.filter is None:
            return True
        ways = (ContinuingScheduler(schedule), *(RandomlyContinuingScheduler(schedule, n) for n in range(_WAYS_ON)))
        ends = (run(machine, way, self.watched) for way in ways)
        return any(one.ending is not Ending.FINISHED or self.shown(one.states) for one in ends)

    def shown(self, found: Iterable[tuple[Value, ...]]) -> dict[tuple[Value, ...], ShownState]:
        """The states that pass the filter, by the values of `watched`, sorted as `mcm check` lists them."""
        program, states = self._program, {}
        for values in sorted(found, key=rank_of_values):
            named = dict(zip(self.watched, values, strict=True))
            if program.filter is None or holds(program.filter, named):
                satisfies = program.condition is not None and holds(program.condition.proposition, named)
                states[values] = State(values[: len(self._observed)], satisfies)
        return dict(zip(states, show_states(states.values(), self._observed, program), strict=True))


class _Made(Struct, frozen=True):
    """Runs, and why there are not more: for want of time, or because of their length, or of what was found."""

    sample: Sample
    limit: str | None = None
    steps: int | None = None
    found: bool = False


def _sample(machine: Machine[Any], projection: _Projection, options: RunOptions) -> _Made:
    """The runs that are asked for; an exhaustive search counts each state once."""
    made, observed = _Made(Sample()), projection.watched
    sample = made.sample
    if options.replay is not None:
        replay = ReplayScheduler(options.replay)
        sample.add(run(machine, replay, observed), 0)
        replay.end()
    elif options.schedule == EXHAUSTIVE:
        return _searched(machine, projection, options)
    elif options.schedule == CLOVER:
        sample.add(run(machine, CloverScheduler(), observed), 0)
    elif options.schedule == ROUND_ROBIN:
        sample.add(run(machine, RoundRobinScheduler(), observed), 0)
    else:
        made = _repeated(machine, projection, options)
        sample = made.sample
    unfinished = sample.endings[Ending.LIMIT]
    if unfinished < sample.endings.total():
        return made
    return replace(made, limit="no run came to an end" if unfinished > 1 else "the run did not come to an end")


def _searched(machine: Machine[Any], projection: _Projection, options: RunOptions) -> _Made:
    """What a search of all schedules found, each once."""
    sample = Sample()
    wanted = projection.is_asked_for if options.until_found else None
    found = explore(machine, projection.watched, options.budget, wanted=wanted)
    sample.states.update(dict.fromkeys(found.states, 1))
    sample.schedules.update(found.states)
    sample.findings.update(found.findings)
    sample.blocked.update(dict.fromkeys(found.blocked, 1))
    sample.blocked_schedules.update(found.blocked)
    schedules = (*found.states.values(), *found.findings.values(), *found.blocked.values())
    sample.first = next(iter(schedules), ())
    return _Made(sample, found.limit, found=found.has_found)


def _repeated(machine: Machine[Any], projection: _Projection, options: RunOptions) -> _Made:
    """Runs as far as the time allows, unless none of the first ones comes to an end."""
    sample, scheduler = Sample(), RandomScheduler(options.seed)
    deadline = None if options.budget.seconds is None else perf_counter() + options.budget.seconds
    on_threads, limit, found = options.schedule == THREADS, None, False

    def add(number: int) -> None:
        one = run_on_threads(machine, projection.watched) if on_threads else run(machine, scheduler, projection.watched)
        sample.add(one, number)

    add(0)
    runs = options.runs or _number_of_runs(machine, sample.first or ())
    for number in options.progress(range(runs), runs):
        if number:
            add(number)
        found = options.until_found and any(map(projection.is_asked_for, sample.states))
        if found or sample.endings[Ending.LIMIT] == number + 1 == _HOPELESS:
            break
        if deadline is not None and perf_counter() > deadline:
            made = "1 run" if number == 0 else f"{number + 1} runs"
            limit = f"the time was enough for {made}" if number + 1 < runs else None
            break
    is_fewer = options.runs is None and runs < _MOST_RUNS
    return _Made(sample, limit, len(sample.first or ()) if is_fewer else None, found)


def _number_of_runs(machine: Machine[Any], first: Schedule) -> int:
    """As many runs as one waits for a few seconds, by the length of the first; a step costs more with many threads."""
    cost = max(1, len(first)) * (1 + len(machine.threads) / _EQUAL_THREADS)
    return max(1, min(_MOST_RUNS, int(_AFFORDED_STEPS / cost)))


def _units(blocked: Blocked, program: Program) -> tuple[WaitingUnit, ...]:
    return tuple(WaitingUnit(one.site.name, one.site.span, _waits_for(one, program)) for one in blocked.threads)


def _waits_for(blocked: BlockedThread, program: Program) -> str:
    """What a blocked thread waits for, in the words of a check."""
    match blocked.obstacle:
        case Obstacle.GROUP:
            return ARRIVALS[blocked.level]
        case Obstacle.VALUE:
            return changes_of(blocked.reads, program)
        case Obstacle.COMMANDS:
            return completion_of(blocked.events) if blocked.events else "work-items that never finish"
        case Obstacle.LOOP:
            return "nothing: the loop goes on by itself" if blocked.reads else NOTHING_READ
        case _:
            assert_never(blocked.obstacle)


def _blocked_order(blocked: Blocked) -> list[tuple[int, int]]:
    return [(one.site.thread, one.site.instruction) for one in blocked.threads]


def _trace(machine: Machine[Any], schedule: Schedule, options: RunOptions) -> Trace:
    """A recorded run, step by step."""
    clover = CloverScheduler() if options.schedule == CLOVER and options.replay is None else None
    lines = tuple(TraceLine(event.thread, event.what, event.span) for event in trace_run(machine, schedule, clover))
    return Trace(lines, show_schedule(schedule))


def _alike(findings: Iterable[Finding]) -> list[list[Finding]]:
    """Findings sorted by kind and position; those that differ only in the work-items are together."""
    alike: dict[tuple[str, tuple[int, ...]], list[Finding]] = {}
    for finding in sorted(findings, key=lambda f: (f.kind, [(s.thread, s.instruction) for s in f.sites])):
        alike.setdefault((finding.kind, tuple(site.span.start for site in finding.sites)), []).append(finding)
    return list(alike.values())


def _problem(alike: list[Finding]) -> Problem:
    """One problem for findings that differ only in the work-items."""
    finding, times = alike[0], len({tuple(site.thread for site in finding.sites) for finding in alike})
    sites = tuple(Site(site.name, site.span, " ".join(site.span.text.split())) for site in finding.sites)
    more = "once more" if times == 2 else f"{times - 1} more times"
    why = finding.why if times == 1 else f"{finding.why}; likewise {more}, by other work-items"
    return Problem(finding.kind, sites, why, (finding.rule,))
