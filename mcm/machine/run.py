"""Run a program under a scheduler, once or many times."""

from __future__ import annotations

from collections import Counter
from enum import Enum
from typing import TYPE_CHECKING

from msgspec import Struct, field

from mcm.machine.computation import EndlessError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.machine.configuration import Configuration, MemoryT
    from mcm.machine.finding import Finding
    from mcm.machine.machine import Machine
    from mcm.machine.memory import Choice
    from mcm.machine.schedule import Schedule, Scheduler
    from mcm.program.condition import Observable
    from mcm.program.types import Value


class Ending(Enum):
    """How a run ended."""

    FINISHED = "every thread has finished"
    DIVERGED = "some thread waits for a group that will not come"
    UNDEFINED = "after a data race no value is left to read"
    ENDLESS = "some thread computes without end, and touches no memory"
    UNFINISHED = "the run was cut off, although threads could go on"


class Run(Struct, frozen=True):
    """One run: its ending, its final states (several if memory leaves the last write open), and its findings."""

    ending: Ending
    states: tuple[tuple[Value, ...], ...]
    findings: tuple[Finding, ...]
    schedule: Schedule


class Sample(Struct):
    """Many runs together; for each state and finding there is the first schedule that led to it.

    `first` is the schedule of the first run.
    """

    states: Counter[tuple[Value, ...]] = field(default_factory=Counter)
    schedules: dict[tuple[Value, ...], Schedule] = field(default_factory=dict)
    findings: dict[Finding, Schedule] = field(default_factory=dict)
    endings: Counter[Ending] = field(default_factory=Counter)
    first: Schedule | None = None

    def add(self, run: Run, chosen: int) -> None:
        """Count a run; of several final states, the one with the index `chosen` modulo their number."""
        self.endings[run.ending] += 1
        if self.first is None:
            self.first = run.schedule
        for finding in run.findings:
            if finding not in self.findings:
                self.findings[finding] = run.schedule
        if run.states:
            state = run.states[chosen % len(run.states)]
            self.states[state] += 1
            if state not in self.schedules:
                self.schedules[state] = run.schedule


def run(
    machine: Machine[MemoryT],
    scheduler: Scheduler,
    observed: Sequence[Observable],
    longest: int | None = None,
) -> Run:
    """Run a program once, at most `longest` operations."""
    longest = longest_run(machine) if longest is None else longest
    scheduler.begin()
    taken: list[tuple[int, Choice]] = []
    findings: list[Finding] = []
    try:
        step = machine.start()
        while True:
            findings += step.findings
            now = step.after
            ready = machine.ready(now)
            if not ready:
                return ended(machine, now, observed, findings, tuple(taken))
            if len(taken) == longest:
                return Run(Ending.UNFINISHED, (), tuple(findings), tuple(taken))
            thread = scheduler.pick(machine, now, ready)
            choices = machine.choices(now, thread)
            if not choices:
                return Run(Ending.UNDEFINED, (), tuple(findings), tuple(taken))
            choice = scheduler.choose(choices)
            taken.append((thread, choice))
            step = machine.step(now, thread, choice)
    except EndlessError:
        # The step that does not end is not part of the schedule.
        return Run(Ending.ENDLESS, (), tuple(findings), tuple(taken[:-1]))


def longest_run(machine: Machine[MemoryT]) -> int:
    """The number of operations after which a run is cut off: a thousand for each thread."""
    return 1_000 * len(machine.threads)


def ended(
    machine: Machine[MemoryT],
    now: Configuration[MemoryT],
    observed: Sequence[Observable],
    findings: list[Finding],
    schedule: Schedule,
) -> Run:
    """The result of a run in which no thread is runnable any more."""
    if now.waiting:
        findings += machine.findings_at_end(now)
        return Run(Ending.DIVERGED, (), tuple(findings), schedule)
    return Run(Ending.FINISHED, tuple(machine.finals(now, observed)), tuple(findings), schedule)
