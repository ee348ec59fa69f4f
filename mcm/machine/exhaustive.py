"""Run all schedules of a program: a depth-first search over configurations, with partial-order reduction.

From each configuration only the steps of a persistent set of threads are followed, which reaches all final states. A
step that closes a cycle makes its configuration follow all threads, so that no thread is left out for ever, and every
finding is made too.

Configurations that no step leaves, and in which some thread has not finished, are blocked. They are found as the
strongly connected components without a way out (Tarjan's algorithm).
"""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Final, Generic

from msgspec import Struct, field

from mcm.machine.blocked import blocked_in
from mcm.machine.computation import ComputationLimitError
from mcm.machine.configuration import MemoryT
from mcm.machine.persistent import PersistentSets

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mcm.machine.blocked import Blocked
    from mcm.machine.configuration import Configuration
    from mcm.machine.finding import Finding
    from mcm.machine.machine import Machine
    from mcm.machine.memory import Choice
    from mcm.machine.schedule import Schedule
    from mcm.program.condition import Observable
    from mcm.program.types import Value

_LONGEST_ALONE: Final = 50


class Budget(Struct, frozen=True):
    """Limits of a search: configurations in all (at least 1), operations in one run, wall seconds. None: no limit.

    A program with just as many configurations as are allowed is searched to the end.
    """

    configurations: int | None = 1_000_000
    operations: int = 200
    seconds: float | None = None


class Exploration(Struct):
    """The result of a search: for each state, finding and set of blocked threads, a schedule that leads to it.

    `configurations` counts those that were visited, `ends` those of them in which a run ends, `steps` those followed,
    also to configurations that were visited before.
    `limit` says why the search is not complete; None if it is, or if it `has_found` a state that it was to look for.
    """

    states: dict[tuple[Value, ...], Schedule] = field(default_factory=dict)
    findings: dict[Finding, Schedule] = field(default_factory=dict)
    blocked: dict[Blocked, Schedule] = field(default_factory=dict)
    configurations: int = 0
    ends: int = 0
    steps: int = 0
    limit: str | None = None
    has_found: bool = False

    @property
    def is_complete(self) -> bool:
        """Whether every schedule was followed."""
        return self.limit is None and not self.has_found


def explore(
    machine: Machine[MemoryT],
    observed: Sequence[Observable],
    budget: Budget,
    *,
    reduced: bool = True,
    wanted: Callable[[tuple[Value, ...]], bool] | None = None,
) -> Exploration:
    """Run every schedule, up to the first state that is `wanted`.

    Without the reduction, also every order of steps that commute.
    """
    return _Search(machine, observed, budget, PersistentSets(machine) if reduced else None, wanted).run()


class _Node(Struct, Generic[MemoryT]):
    """A configuration on the current path, the steps still to follow, and the threads whose steps are followed.

    `number` counts the configurations in the order of their visits; `lowest` is the least number that is known to be
    reached from here within one strongly connected component. `is_left`: some step leads out of the component, or
    where a run ends, or is not followed.
    """

    now: Configuration[MemoryT]
    number: int
    lowest: int
    steps: list[tuple[int, Choice]]
    chosen: Sequence[int]
    is_left: bool


class _Search(Generic[MemoryT]):
    """A depth-first search.

    `_numbers` has all configurations so far, `_path` those from the start to the current one, `_open` those whose
    strongly connected component is not complete.
    """

    def __init__(
        self,
        machine: Machine[MemoryT],
        observed: Sequence[Observable],
        budget: Budget,
        sets: PersistentSets | None,
        wanted: Callable[[tuple[Value, ...]], bool] | None,
    ) -> None:
        self._machine = machine
        self._observed = observed
        self._budget = budget
        self._sets = sets
        self._wanted = wanted
        self._found = Exploration()
        self._numbers: dict[Configuration[MemoryT], int] = {}
        self._path: set[Configuration[MemoryT]] = set()
        self._open: dict[Configuration[MemoryT], None] = {}
        self._schedule: list[tuple[int, Choice]] = []

    def run(self) -> Exploration:
        """Search as far as the budget allows."""
        budget, found = self._budget, self._found
        deadline = None if budget.seconds is None else monotonic() + budget.seconds
        try:
            first = self._machine.start()
        except ComputationLimitError as error:
            found.limit = str(error)
            return found
        self._note(first.findings)
        nodes = [self._visit(first.after)]
        while nodes and not found.has_found:
            node = nodes[-1]
            if not node.steps:
                nodes.pop()
                self._close(node, nodes[-1] if nodes else None)
                continue
            after = self._follow(node)
            if after is None:
                self._schedule.pop()
                continue
            is_full = budget.configurations is not None and len(self._numbers) >= budget.configurations
            if is_full or (deadline is not None and monotonic() > deadline):
                found.limit = f"{_visits(len(self._numbers))} visited"
                break
            nodes.append(self._visit(after))
        found.configurations = len(self._numbers)
        return found

    def _follow(self, node: _Node[MemoryT]) -> Configuration[MemoryT] | None:
        """Take the next step of a node; the configuration that it leads to, None if the search does not go on there."""
        thread, choice = node.steps.pop()
        self._schedule.append((thread, choice))
        self._found.steps += 1
        try:
            step = self._machine.step(node.now, thread, choice)
        except ComputationLimitError as error:
            self._found.limit = str(error)
            node.is_left = True
            return None
        self._note(step.findings)
        number = self._numbers.get(step.after)
        if number is not None:
            self._return_to(node, step.after, number)
            return None
        if len(self._schedule) > self._budget.operations:
            self._found.limit = f"a run goes on after {self._budget.operations} operations"
            node.is_left = True
            return None
        return step.after

    def _return_to(self, node: _Node[MemoryT], after: Configuration[MemoryT], number: int) -> None:
        """A step of a node has led to a configuration that was visited before."""
        if after in self._open:
            node.lowest = min(node.lowest, number)
        else:
            node.is_left = True
        if after in self._path:
            # A cycle of steps must not leave a thread out for ever.
            runnable = self._machine.runnable(node.now)
            node.steps += self._steps(node.now, [thread for thread in runnable if thread not in node.chosen])
            node.chosen = runnable

    def _visit(self, now: Configuration[MemoryT]) -> _Node[MemoryT]:
        """Visit a configuration for the first time; where no thread has a next step, note how the run has ended."""
        number = self._numbers[now] = len(self._numbers)
        self._path.add(now)
        self._open[now] = None
        runnable = self._machine.runnable(now)
        if not runnable:
            self._end(now)
        chosen: Sequence[int] = runnable
        if self._sets is not None and not self._has_gone_on_alone():
            chosen = self._sets.among(now, runnable)
        steps = self._steps(now, chosen)
        if not steps:
            # After a data race a thread may have no value to read; then the others go on.
            chosen = runnable
            steps = self._steps(now, runnable)
        return _Node(now, number, number, steps, chosen, is_left=not steps)

    def _close(self, node: _Node[MemoryT], before: _Node[MemoryT] | None) -> None:
        """All steps of a node have been followed; `before` is the node that led to it."""
        self._path.remove(node.now)
        if node.lowest == node.number:
            component = self._component(node.now)
            if not node.is_left:
                self._found.blocked.setdefault(blocked_in(self._machine, component), tuple(self._schedule))
        if before is None:
            return
        self._schedule.pop()
        before.lowest = min(before.lowest, node.lowest)
        # A component that is complete was left by the step that led to it.
        before.is_left |= node.is_left or node.lowest == node.number

    def _component(self, first: Configuration[MemoryT]) -> list[Configuration[MemoryT]]:
        """Take the strongly connected component of its first configuration off the open ones."""
        component: list[Configuration[MemoryT]] = []
        while not component or component[-1] != first:
            component.append(self._open.popitem()[0])
        return component[::-1]

    def _steps(self, now: Configuration[MemoryT], threads: Sequence[int]) -> list[tuple[int, Choice]]:
        """The steps of these threads, in reverse order."""
        return [(thread, choice) for thread in threads for choice in self._machine.choices(now, thread)][::-1]

    def _end(self, now: Configuration[MemoryT]) -> None:
        """Note the end of a run: its final states, or the threads that wait for ever."""
        self._found.ends += 1
        if self._machine.has_finished(now):
            for state in self._machine.finals(now, self._observed):
                self._found.states.setdefault(state, tuple(self._schedule))
                self._found.has_found |= self._wanted is not None and self._wanted(state)
            return
        self._note(self._machine.findings_at_end(now))
        self._found.blocked.setdefault(blocked_in(self._machine, [now]), tuple(self._schedule))

    def _note(self, findings: Sequence[Finding]) -> None:
        """Keep findings with the current schedule, the first for each."""
        for finding in findings:
            self._found.findings.setdefault(finding, tuple(self._schedule))

    def _has_gone_on_alone(self) -> bool:
        """Whether the last steps, many of them, were of one thread: it may be in a loop that never ends."""
        last = self._schedule[-_LONGEST_ALONE:]
        return len(last) == _LONGEST_ALONE and all(thread == last[0][0] for thread, _ in last)


def _visits(number: int) -> str:
    return "1 configuration was" if number == 1 else f"{number} configurations were"
