"""Run a test on the machine: parse, resolve, compile, run, and count the final states."""

from __future__ import annotations

from collections import Counter
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, assert_never

from msgspec import Struct, field

from mcm.answer.answer import State
from mcm.answer.machine_comparison import Repetition
from mcm.answer.result import Problem, Site, WaitingUnit
from mcm.answer.run_result import BlockedRuns, RunResult, StateCount, Trace, TraceLine
from mcm.execution.outcome import holds, observables
from mcm.explain.observed import observed_by, show_states
from mcm.explain.waiting import NOTHING_READ, OTHERS_TO_ARRIVE, changes_of, completion_of
from mcm.machine.blocked import Obstacle
from mcm.machine.build import build
from mcm.machine.clover import CloverScheduler
from mcm.machine.exhaustive import Budget, explore
from mcm.machine.run import Ending, Sample, run
from mcm.machine.schedule import ContinuingScheduler, RandomScheduler, ReplayScheduler, show_schedule
from mcm.machine.shorten import FindingGoal, Shortened, StateGoal, shortened, switches
from mcm.machine.threads import run_on_threads
from mcm.machine.trace import trace_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mcm.answer.result import ShownState
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
EXHAUSTIVE: Final = "exhaustive"
THREADS: Final = "threads"
REPLAY: Final = "replay"

# If none of the first runs, so many, comes to an end, the others are not tried: most likely none would.
_HOPELESS: Final = 10

# The values of a final state by name, as reports show them.
ShownValues = tuple[tuple[str, int | float | str], ...]


def without_progress(numbers: Iterable[int], total: int) -> Iterable[int]:
    """The numbers of the runs, as they are: progress is not shown."""
    del total
    return numbers


class RunOptions(Struct, frozen=True):
    """How to run: `runs` counts for random runs and for threads, `replay` is a schedule that replaces all others.

    The numbers of the runs are drawn through `progress`, which may show how many are done.
    """

    schedule: str = RANDOM
    memory: str = "views"
    runs: int = 10_000
    seed: int = 0
    replay: Schedule | None = None
    budget: Budget = field(default_factory=Budget)
    wants_trace: bool = False
    progress: Callable[[Iterable[int], int], Iterable[int]] = without_progress


class ProgramRuns(Struct, frozen=True):
    """The runs of a program; fields that are not described here are those of `RunResult`.

    `schedules` has a schedule for each state, `findings` a finding of the machine and its schedule for each problem.
    `runs` is their number, whether they have a final state or not; 0 for a search of all schedules.
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
    )


def run_program(program: Program, options: RunOptions) -> ProgramRuns:
    """Run a program as the options say."""
    machine, projection = build(program, options.memory), _Projection(program)
    sample, limit = _sample(machine, projection.watched, options)
    counts: Counter[ShownValues] = Counter()
    schedules: dict[ShownValues, Schedule] = {}
    shown = projection.shown(sample.states)
    for values, state in shown.items():
        name = tuple(state.values.items())
        # An exhaustive search counts a state once, also if several states differ only in what the filter names.
        counts[name] = 1 if options.schedule == EXHAUSTIVE else counts[name] + sample.states[values]
        schedules.setdefault(name, sample.schedules[values])
    alike = _alike(sample.findings)
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

    def shown(self, found: Iterable[tuple[Value, ...]]) -> dict[tuple[Value, ...], ShownState]:
        """The states that pass the filter, by the values of `watched`, sorted as `mcm check` lists them."""
        program, states = self._program, {}
        for values in sorted(found, key=_sort_key):
            named = dict(zip(self.watched, values, strict=True))
            if program.filter is None or holds(program.filter, named):
                satisfies = program.condition is not None and holds(program.condition.proposition, named)
                states[values] = State(values[: len(self._observed)], satisfies)
        return dict(zip(states, show_states(states.values(), self._observed, program), strict=True))


def _sample(machine: Machine[Any], observed: tuple[Observable, ...], options: RunOptions) -> tuple[Sample, str | None]:
    """The runs that are asked for, and why there are not more of them; an exhaustive search counts each state once."""
    sample, limit = Sample(), None
    if options.replay is not None:
        replay = ReplayScheduler(options.replay)
        sample.add(run(machine, replay, observed), 0)
        replay.end()
    elif options.schedule == EXHAUSTIVE:
        found = explore(machine, observed, options.budget)
        sample.states.update(dict.fromkeys(found.states, 1))
        sample.schedules.update(found.states)
        sample.findings.update(found.findings)
        sample.blocked.update(dict.fromkeys(found.blocked, 1))
        sample.blocked_schedules.update(found.blocked)
        schedules = (*found.states.values(), *found.findings.values(), *found.blocked.values())
        sample.first = next(iter(schedules), ())
        return sample, found.limit
    elif options.schedule == CLOVER:
        sample.add(run(machine, CloverScheduler(), observed), 0)
    else:
        limit = _repeat(machine, observed, options, sample)
    unfinished = sample.endings[Ending.LIMIT]
    if unfinished < sample.endings.total():
        return sample, limit
    return sample, "no run came to an end" if unfinished > 1 else "the run did not come to an end"


def _repeat(machine: Machine[Any], observed: tuple[Observable, ...], options: RunOptions, sample: Sample) -> str | None:
    """Add runs to a sample as far as the time allows, unless none of the first ones comes to an end.

    Why there are not more of them, if that is for want of time.
    """
    scheduler = RandomScheduler(options.seed)
    deadline = None if options.budget.seconds is None else perf_counter() + options.budget.seconds
    for number in options.progress(range(options.runs), options.runs):
        on_threads = options.schedule == THREADS
        sample.add(run_on_threads(machine, observed) if on_threads else run(machine, scheduler, observed), number)
        if sample.endings[Ending.LIMIT] == number + 1 == _HOPELESS:
            break
        if deadline is not None and perf_counter() > deadline:
            return f"the time was enough for {number + 1} runs" if number + 1 < options.runs else None
    return None


def _units(blocked: Blocked, program: Program) -> tuple[WaitingUnit, ...]:
    return tuple(WaitingUnit(one.site.name, one.site.span, _waits_for(one, program)) for one in blocked.threads)


def _waits_for(blocked: BlockedThread, program: Program) -> str:
    """What a blocked thread waits for, in the words of a check."""
    match blocked.obstacle:
        case Obstacle.GROUP:
            return OTHERS_TO_ARRIVE
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


def _sort_key(values: tuple[Value, ...]) -> tuple[tuple[bool, float, str], ...]:
    return tuple(
        (False, float(value), "") if isinstance(value, (int, float)) else (True, 0.0, str(value)) for value in values
    )


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
