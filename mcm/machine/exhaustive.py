"""Every schedule of a program, by depth-first search over configurations that are visited once.

Of schedules that differ in the order of steps that commute, one is enough: from each configuration only the steps of a
persistent set of threads are followed. All final states are reached so. Since no cycle of steps leaves a thread out,
every step of every schedule is done too, with what it finds.
"""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Final, Generic

from msgspec import Struct, field

from mcm.machine.computation import EndlessError
from mcm.machine.configuration import MemoryT
from mcm.machine.persistent import PersistentSets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.machine.configuration import Configuration
    from mcm.machine.finding import Finding
    from mcm.machine.machine import Machine
    from mcm.machine.memory import Choice
    from mcm.machine.schedule import Schedule
    from mcm.program.condition import Observable
    from mcm.program.types import Value

_LONGEST_ALONE: Final = 50


class Budget(Struct, frozen=True):
    """How far a search goes: configurations in all, operations in one run, wall seconds. None: no limit."""

    configurations: int | None = 1_000_000
    operations: int = 200
    seconds: float | None = None


class Exploration(Struct):
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


def explore(
    machine: Machine[MemoryT], observed: Sequence[Observable], budget: Budget, *, reduced: bool = True
) -> Exploration:
    """Run every schedule; without the reduction, every order of steps that commute too."""
    return _Search(machine, observed, budget, PersistentSets(machine) if reduced else None).run()


class _Node(Struct, Generic[MemoryT]):
    """A configuration on the current path: the steps that are still to follow, and whose steps those are."""

    now: Configuration[MemoryT]
    steps: list[tuple[int, Choice]]
    chosen: Sequence[int]


class _Search(Generic[MemoryT]):
    """A depth-first search under way."""

    def __init__(
        self,
        machine: Machine[MemoryT],
        observed: Sequence[Observable],
        budget: Budget,
        sets: PersistentSets | None,
    ) -> None:
        self._machine = machine
        self._observed = observed
        self._budget = budget
        self._sets = sets
        self._found = Exploration()
        self._seen: set[Configuration[MemoryT]] = set()
        self._path: set[Configuration[MemoryT]] = set()
        self._schedule: list[tuple[int, Choice]] = []

    def run(self) -> Exploration:
        """Search as far as the budget allows."""
        budget, found = self._budget, self._found
        deadline = None if budget.seconds is None else monotonic() + budget.seconds
        try:
            first = self._machine.start()
        except EndlessError as error:
            found.limit = str(error)
            return found
        _note(found, first.findings, ())
        nodes = [self._visit(first.after)]
        while nodes:
            node = nodes[-1]
            if not node.steps:
                nodes.pop()
                self._path.remove(node.now)
                if nodes:
                    self._schedule.pop()
                continue
            after = self._follow(node)
            if after is None:
                self._schedule.pop()
                continue
            nodes.append(self._visit(after))
            if len(self._seen) == budget.configurations or (deadline is not None and monotonic() > deadline):
                found.limit = f"{len(self._seen)} configurations were visited"
                break
        found.configurations = len(self._seen)
        return found

    def _follow(self, node: _Node[MemoryT]) -> Configuration[MemoryT] | None:
        """Do the next step of a node; what it leads to, if the search goes on there."""
        thread, choice = node.steps.pop()
        self._schedule.append((thread, choice))
        try:
            step = self._machine.step(node.now, thread, choice)
        except EndlessError as error:
            self._found.limit = str(error)
            return None
        _note(self._found, step.findings, self._schedule)
        if step.after in self._seen:
            if step.after in self._path:
                # Round a cycle of steps nobody must be left out for ever.
                runnable = self._machine.runnable(node.now)
                node.steps += self._steps(node.now, [thread for thread in runnable if thread not in node.chosen])
                node.chosen = runnable
            return None
        if len(self._schedule) > self._budget.operations:
            self._found.limit = f"a run goes on after {self._budget.operations} operations"
            return None
        return step.after

    def _visit(self, now: Configuration[MemoryT]) -> _Node[MemoryT]:
        """A configuration for the first time; where no step is left, what the run has come to."""
        self._seen.add(now)
        self._path.add(now)
        runnable = self._machine.runnable(now)
        if not runnable:
            self._end(now)
        chosen: Sequence[int] = runnable
        if self._sets is not None and not self._has_gone_on_alone():
            chosen = self._sets.among(now, runnable)
        steps = self._steps(now, chosen)
        if not steps:
            # After a race memory may have nothing left to read for a thread; then the others go on.
            chosen = runnable
            steps = self._steps(now, runnable)
        return _Node(now, steps, chosen)

    def _steps(self, now: Configuration[MemoryT], threads: Sequence[int]) -> list[tuple[int, Choice]]:
        """The steps of these threads, the first one last."""
        return [(thread, choice) for thread in threads for choice in self._machine.choices(now, thread)][::-1]

    def _end(self, now: Configuration[MemoryT]) -> None:
        if now.waiting:
            _note(self._found, self._machine.findings_at_end(now), self._schedule)
            return
        for state in self._machine.finals(now, self._observed):
            self._found.states.setdefault(state, tuple(self._schedule))

    def _has_gone_on_alone(self) -> bool:
        """Whether one thread alone has gone on for long: in a loop that never comes to an end it would be for ever."""
        last = self._schedule[-_LONGEST_ALONE:]
        return len(last) == _LONGEST_ALONE and all(thread == last[0][0] for thread, _ in last)


def _note(found: Exploration, findings: Sequence[Finding], schedule: Sequence[tuple[int, Choice]]) -> None:
    for finding in findings:
        found.findings.setdefault(finding, tuple(schedule))
