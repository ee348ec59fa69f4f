"""From a text to what running it gives: parse, resolve, compile, run, count."""

from __future__ import annotations

from dataclasses import field
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

from mcm.answer.answer import State
from mcm.answer.ran import Counted, Ran, Story, Told
from mcm.answer.result import Place, Problem
from mcm.base.record import record
from mcm.execution.outcome import holds
from mcm.explain.observed import observed_by, show_states
from mcm.machine.build import build
from mcm.machine.clover import CloverScheduler
from mcm.machine.exhaustive import Budget, explore
from mcm.machine.run import Ending, Sample, run
from mcm.machine.schedule import RandomScheduler, ReplayScheduler, show_schedule
from mcm.machine.shorten import Shortened, shortened
from mcm.machine.threads import run_on_threads
from mcm.machine.trace import tell
from mcm.program.resolve import resolve
from mcm.syntax.fingerprint import fingerprint
from mcm.syntax.parse import parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mcm.answer.result import ShownState
    from mcm.base.source import Source
    from mcm.machine.configuration import Machine
    from mcm.machine.finding import Finding
    from mcm.machine.schedule import Schedule
    from mcm.program.condition import Observable
    from mcm.program.program import Program
    from mcm.program.types import Value

RANDOM: Final = "random"
CLOVER: Final = "clover"
EXHAUSTIVE: Final = "exhaustive"
THREADS: Final = "threads"
REPLAY: Final = "replay"

# If so many runs are all cut off, the others are not tried: they would take long, and most likely show no more.
_HOPELESS: Final = 50

# A state as reports name it.
ShownValues = tuple[tuple[str, int | float | str], ...]


def unwatched(numbers: Iterable[int], total: int) -> Iterable[int]:
    """Nobody looks on."""
    del total
    return numbers


@record(frozen=True, slots=True)
class RunOptions:
    """How to run: `runs` counts for random runs and for threads, `replay` is a schedule that replaces all others.

    The numbers of the runs are drawn through `watched`, which may show how far they are.
    """

    schedule: str = RANDOM
    memory: str = "views"
    runs: int = 10_000
    seed: int = 0
    replay: Schedule | None = None
    budget: Budget = field(default_factory=Budget)
    wants_story: bool = False
    watched: Callable[[Iterable[int], int], Iterable[int]] = unwatched


@record(frozen=True, slots=True)
class Execution:
    """Runs of a program, with one schedule for each state (by its shown values); see `Ran` for the rest.

    `runs` is their number, whether they have a final state or not; 0 for a search of all schedules.
    """

    memory: str
    runs: int
    states: tuple[Counted, ...]
    schedules: Mapping[ShownValues, Schedule]
    others: tuple[tuple[str, int], ...]
    problems: tuple[Problem, ...]
    limit: str | None
    story: Story | None


def execute(source: Source, options: RunOptions) -> Ran:
    """Run a test; InputError if its text is not a program."""
    tree = parse(source)
    program = resolve(tree, source)
    start = perf_counter()
    done = run_program(program, options)
    return Ran(
        file=source.name,
        test=program.name,
        schedule=REPLAY if options.replay is not None else options.schedule,
        memory=options.memory,
        condition=program.condition,
        states=done.states,
        others=done.others,
        problems=done.problems,
        seconds=perf_counter() - start,
        fingerprint=fingerprint(tree),
        seed=options.seed if options.schedule == RANDOM and options.replay is None else None,
        limit=done.limit,
        story=done.story,
    )


def run_program(program: Program, options: RunOptions) -> Execution:
    """Run a program as the options say."""
    machine, observed = build(program, options.memory), observed_by(program)
    sample, limit = _sample(machine, observed, options)
    shown = _shown(program, observed, sample.states)
    return Execution(
        memory=options.memory,
        runs=sample.endings.total(),
        states=tuple(Counted(state, sample.states[values]) for values, state in shown.items()),
        schedules={tuple(state.values.items()): sample.schedules[values] for values, state in shown.items()},
        others=tuple(
            (ending.value, number)
            for ending in Ending
            if ending is not Ending.FINISHED and (number := sample.endings[ending])
        ),
        problems=_problems(sample.findings),
        limit=limit,
        story=_story(machine, sample.first or ()) if options.wants_story else None,
    )


def clearest_schedule(program: Program, execution: Execution, values: ShownValues) -> Shortened:
    """A schedule for one of the states of an execution, with as few switches as can be had."""
    machine, observed = build(program, execution.memory), observed_by(program)
    schedule = execution.schedules[values]
    states = run(machine, ReplayScheduler(schedule), observed).states
    for state, shown in _shown(program, observed, states).items():
        if tuple(shown.values.items()) == values:
            return shortened(machine, schedule, observed, state)
    return Shortened(schedule, is_least=False)


def _sample(machine: Machine[Any], observed: tuple[Observable, ...], options: RunOptions) -> tuple[Sample, str | None]:
    """The runs that are asked for; an exhaustive search counts each state once."""
    sample = Sample()
    if options.replay is not None:
        replay = ReplayScheduler(options.replay)
        sample.add(run(machine, replay, observed), 0)
        replay.end()
        return sample, None
    if options.schedule == EXHAUSTIVE:
        found = explore(machine, observed, options.budget)
        sample.states.update(dict.fromkeys(found.states, 1))
        sample.schedules.update(found.states)
        sample.findings.update(found.findings)
        sample.first = next(iter((*found.states.values(), *found.findings.values())), ())
        return sample, found.limit
    if options.schedule == CLOVER:
        sample.add(run(machine, CloverScheduler(), observed), 0)
        return sample, None
    scheduler = RandomScheduler(options.seed)
    deadline = None if options.budget.seconds is None else perf_counter() + options.budget.seconds
    for number in options.watched(range(options.runs), options.runs):
        on_threads = options.schedule == THREADS
        sample.add(run_on_threads(machine, observed) if on_threads else run(machine, scheduler, observed), number)
        cut_off = sample.endings[Ending.ENDLESS] + sample.endings[Ending.UNFINISHED]
        if cut_off == number + 1 == _HOPELESS < options.runs:
            return sample, f"none of the first {_HOPELESS} came to an end"
        if deadline is not None and perf_counter() > deadline:
            break
    return sample, None


def _story(machine: Machine[Any], schedule: Schedule) -> Story:
    """A recorded run, step by step."""
    lines = tuple(Told(event.thread, event.what, event.span) for event in tell(machine, schedule))
    return Story(lines, show_schedule(schedule))


def _shown(
    program: Program, observed: tuple[Observable, ...], found: Iterable[tuple[Value, ...]]
) -> dict[tuple[Value, ...], ShownState]:
    """The states that pass the filter as reports show them, sorted as `mcm check` lists them."""
    states = []
    for values in sorted(found, key=_sort_key):
        named = dict(zip(observed, values, strict=True))
        if program.filter is None or holds(program.filter, named):
            satisfies = program.condition is not None and holds(program.condition.proposition, named)
            states.append(State(values, satisfies))
    return dict(zip((state.values for state in states), show_states(states, observed, program), strict=True))


def _sort_key(values: tuple[Value, ...]) -> tuple[tuple[bool, float, str], ...]:
    return tuple(
        (False, float(value), "") if isinstance(value, (int, float)) else (True, 0.0, str(value)) for value in values
    )


def _problems(findings: Iterable[Finding]) -> tuple[Problem, ...]:
    """Findings as reports show them, sorted by kind and place; what work-items of one kernel do alike is told once."""
    alike: dict[tuple[str, tuple[int, ...]], list[Finding]] = {}
    for finding in sorted(findings, key=lambda f: (f.kind, [(s.thread, s.instruction) for s in f.sites])):
        alike.setdefault((finding.kind, tuple(site.span.start for site in finding.sites)), []).append(finding)
    return tuple(_problem(found[0], len({tuple(s.thread for s in f.sites) for f in found})) for found in alike.values())


def _problem(finding: Finding, times: int) -> Problem:
    """A finding that was made so many times."""
    places = tuple(Place(site.name, site.span, " ".join(site.span.text.split())) for site in finding.sites)
    more = "once more" if times == 2 else f"{times - 1} more times"
    why = finding.why if times == 1 else f"{finding.why}; likewise {more}, by other work-items"
    return Problem(finding.kind, places, why, (finding.rule,))
