"""Every schedule of a program, by depth-first search over configurations that are visited once.

Where some thread's next step commutes with everything that the others can do, only that step is followed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Final

from mcm.machine.configuration import EndlessError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcm.machine.configuration import Configuration, Machine, MemoryT
    from mcm.machine.finding import Finding
    from mcm.machine.memory import Choice
    from mcm.machine.schedule import Schedule
    from mcm.program.condition import Observable
    from mcm.program.types import Value

_LONGEST_ALONE: Final = 50


@dataclass(frozen=True, slots=True)
class Budget:
    """How far a search goes: configurations in all, operations in one run, wall seconds. None: no limit."""

    configurations: int | None = 1_000_000
    operations: int = 200
    seconds: float | None = None


@dataclass(slots=True)
class Exploration:
    """What was found. Each state and finding comes with one schedule that leads to it.

    `limit` says what ended the search before it was complete.
    """

    states: dict[tuple[Value, ...], Schedule] = field(default_factory=dict)
    findings: dict[Finding, Schedule] = field(default_factory=dict)
    configurations: int = 0
    limit: str | None = None

    @property
    def is_complete(self) -> bool:
        """Whether every schedule was looked at."""
        return self.limit is None


def explore(machine: Machine[MemoryT], observed: Sequence[Observable], budget: Budget) -> Exploration:
    """Run every schedule."""
    found = Exploration()
    deadline = None if budget.seconds is None else monotonic() + budget.seconds
    try:
        first = machine.start()
    except EndlessError as error:
        found.limit = str(error)
        return found
    _note(found, first.findings, ())
    seen = {first.after}
    schedule: list[tuple[int, Choice]] = []
    stack = [_ways(machine, first.after, observed, found, ())]
    while stack:
        way = next(stack[-1], None)
        if way is None:
            stack.pop()
            if schedule:
                schedule.pop()
            continue
        now, thread, choice = way
        schedule.append((thread, choice))
        try:
            step = machine.step(now, thread, choice)
        except EndlessError as error:
            found.limit = str(error)
            schedule.pop()
            continue
        _note(found, step.findings, schedule)
        if step.after in seen:
            schedule.pop()
        elif len(schedule) > budget.operations:
            found.limit = f"a run goes on after {budget.operations} operations"
            schedule.pop()
        else:
            seen.add(step.after)
            stack.append(_ways(machine, step.after, observed, found, schedule))
            if len(seen) == budget.configurations or (deadline is not None and monotonic() > deadline):
                found.limit = f"{len(seen)} configurations were visited"
                break
    found.configurations = len(seen)
    return found


def _ways(
    machine: Machine[MemoryT],
    now: Configuration[MemoryT],
    observed: Sequence[Observable],
    found: Exploration,
    schedule: Sequence[tuple[int, Choice]],
) -> Iterator[tuple[Configuration[MemoryT], int, Choice]]:
    """The steps to follow from a configuration; where none is left, what the run has come to."""
    runnable = machine.runnable(now)
    if not runnable:
        if now.waiting:
            _note(found, machine.findings_at_end(now), schedule)
        else:
            for state in machine.finals(now, observed):
                found.states.setdefault(state, tuple(schedule))
        return
    alone = next((thread for thread in runnable if machine.is_independent(now, thread)), None)
    if alone is not None and _has_gone_on_alone(alone, schedule):
        alone = None
    for thread in runnable if alone is None else [alone]:
        for choice in machine.choices(now, thread):
            yield now, thread, choice


def _has_gone_on_alone(thread: int, schedule: Sequence[tuple[int, Choice]]) -> bool:
    """Whether a thread has done nothing but such steps for long: the others must not be forgotten over a loop."""
    return len(schedule) >= _LONGEST_ALONE and all(taken == thread for taken, _ in schedule[-_LONGEST_ALONE:])


def _note(found: Exploration, findings: Sequence[Finding], schedule: Sequence[tuple[int, Choice]]) -> None:
    for finding in findings:
        found.findings.setdefault(finding, tuple(schedule))
