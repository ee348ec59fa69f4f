"""Run a program under a scheduler, once or many times."""

from __future__ import annotations

from collections import Counter
from enum import Enum
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field

from mcm.machine.blocked import all_wait, blocked_in, never_ends
from mcm.machine.computation import ComputationLimitError
from mcm.machine.schedule import ReplayError, show_steps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.machine.blocked import Blocked
    from mcm.machine.configuration import Configuration, MemoryT
    from mcm.machine.finding import Finding
    from mcm.machine.machine import Machine
    from mcm.machine.memory import Choice
    from mcm.machine.schedule import Schedule, Scheduler
    from mcm.program.condition import Observable
    from mcm.program.types import Value


# The numbers of operations after which it is looked at whether all threads wait for ever; doubled each time.
_FIRST_LOOK: Final = 64


class Ending(Enum):
    """How a run ended."""

    FINISHED = "every thread has finished"
    BLOCKED = "some thread never finishes"
    UNDEFINED = "after a data race no value is left to read"
    LIMIT = "undecided (step limit)"


class Run(Struct, frozen=True):
    """One run: its ending, its final states (several if memory leaves the last write open), and its findings.

    `blocked` has the threads that never finish if the run is BLOCKED.
    """

    ending: Ending
    states: tuple[tuple[Value, ...], ...]
    findings: tuple[Finding, ...]
    schedule: Schedule
    blocked: Blocked | None = None


class Sample(Struct):
    """Many runs together; for each state, finding and set of blocked threads, the first schedule that led to it.

    `first` is the schedule of the first run.
    """

    states: Counter[tuple[Value, ...]] = field(default_factory=Counter)
    schedules: dict[tuple[Value, ...], Schedule] = field(default_factory=dict)
    findings: dict[Finding, Schedule] = field(default_factory=dict)
    blocked: Counter[Blocked] = field(default_factory=Counter)
    blocked_schedules: dict[Blocked, Schedule] = field(default_factory=dict)
    endings: Counter[Ending] = field(default_factory=Counter)
    first: Schedule | None = None

    def add(self, run: Run, chosen: int) -> None:
        """Count a run; of several final states, the one with the index `chosen` modulo their number."""
        self.endings[run.ending] += 1
        if self.first is None:
            self.first = run.schedule
        for finding in run.findings:
            self.findings.setdefault(finding, run.schedule)
        if run.blocked is not None:
            self.blocked[run.blocked] += 1
            self.blocked_schedules.setdefault(run.blocked, run.schedule)
        if run.states:
            state = run.states[chosen % len(run.states)]
            self.states[state] += 1
            self.schedules.setdefault(state, run.schedule)


def run(
    machine: Machine[MemoryT],
    scheduler: Scheduler,
    observed: Sequence[Observable],
    longest: int | None = None,
) -> Run:
    """Run a program once, at most `longest` operations; a run in which all threads wait for ever ends earlier."""
    longest = longest_run(machine) if longest is None else longest
    scheduler.begin()
    taken: list[tuple[int, Choice]] = []
    findings: list[Finding] = []
    look = _FIRST_LOOK
    try:
        step = machine.start()
        while True:
            findings += step.findings
            now = step.after
            ready = machine.ready(now)
            if not ready:
                return ended(machine, now, observed, findings, tuple(taken))
            if len(taken) == look:
                look *= 2
                blocked = all_wait(machine, now)
                if blocked is not None:
                    return Run(Ending.BLOCKED, (), tuple(findings), tuple(taken), blocked)
            if len(taken) == longest:
                return cut_off(machine, now, findings, tuple(taken))
            thread = scheduler.pick(machine, now, ready)
            if thread is None:
                return _replayed(machine, now, findings, tuple(taken))
            choices = machine.choices(now, thread)
            if not choices:
                return Run(Ending.UNDEFINED, (), tuple(findings), tuple(taken))
            choice = scheduler.choose(choices)
            taken.append((thread, choice))
            step = machine.step(now, thread, choice)
    except ComputationLimitError:
        # The step that does not end is not part of the schedule.
        return Run(Ending.LIMIT, (), tuple(findings), tuple(taken[:-1]))


def longest_run(machine: Machine[MemoryT]) -> int:
    """The number of operations after which a run is cut off: a thousand for each thread."""
    return 1_000 * len(machine.threads)


def cut_off(machine: Machine[MemoryT], now: Configuration[MemoryT], findings: list[Finding], schedule: Schedule) -> Run:
    """The result of a run that has come to the step limit."""
    blocked = never_ends(machine, now)
    return Run(Ending.LIMIT if blocked is None else Ending.BLOCKED, (), tuple(findings), schedule, blocked)


def _replayed(
    machine: Machine[MemoryT], now: Configuration[MemoryT], findings: list[Finding], schedule: Schedule
) -> Run:
    """The result of a run at the end of its recorded schedule, where threads could go on."""
    blocked = never_ends(machine, now)
    if blocked is None:
        name = machine.threads[machine.runnable(now)[0]].name
        message = f"it ends after {show_steps(len(schedule))}, and {name} is not at its end"
        raise ReplayError(message)
    return Run(Ending.BLOCKED, (), tuple(findings), schedule, blocked)


def ended(
    machine: Machine[MemoryT],
    now: Configuration[MemoryT],
    observed: Sequence[Observable],
    findings: list[Finding],
    schedule: Schedule,
) -> Run:
    """The result of a run in which no thread has a next step."""
    if machine.has_finished(now):
        return Run(Ending.FINISHED, tuple(machine.finals(now, observed)), tuple(findings), schedule)
    findings += machine.findings_at_end(now)
    return Run(Ending.BLOCKED, (), tuple(findings), schedule, blocked_in(machine, [now]))
