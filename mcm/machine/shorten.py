"""Shorten a recorded schedule: the same final state or finding with fewer switches between threads."""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import count, pairwise
from typing import TYPE_CHECKING, Any, Final, Protocol

from msgspec import Struct

from mcm.machine.computation import ComputationLimitError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.machine.configuration import Configuration, Step
    from mcm.machine.finding import Finding
    from mcm.machine.machine import Machine
    from mcm.machine.memory import Choice
    from mcm.machine.schedule import Schedule
    from mcm.program.condition import Observable
    from mcm.program.types import Value

# The most pairs of a configuration and the thread that went last that the search for the least schedule visits.
MOST_VISITED: Final = 10_000
_MUCH_LONGER: Final = 20


class Shortened(Struct, frozen=True):
    """A schedule for a goal. `is_least`: no other has fewer switches, or as many switches and fewer steps."""

    schedule: Schedule
    is_least: bool


# The last step of a run and the steps before it; None before the first.
_Trail = tuple["tuple[int, Choice]", "_Trail"] | None


# A pair of a configuration and the thread that went last, as the search for the least schedule reaches it.
_Reached = tuple[tuple[int, float], int, int, int, tuple["Configuration[Any]", "int | None"], bool, "_Trail"]


class Goal(Protocol):
    """What a schedule is to lead to."""

    def is_met(self, machine: Machine[Any], step: Step[Any]) -> bool:
        """Whether a step leads to it."""

    def at_least(self, machine: Machine[Any], now: Configuration[Any], last: int | None) -> tuple[int, float]:
        """Numbers of switches and of steps that it takes at least from a configuration, after a step of `last`."""


class StateGoal(Struct, frozen=True):
    """A final state: values in the order of `observed`."""

    observed: tuple[Observable, ...]
    state: tuple[Value, ...]

    def is_met(self, machine: Machine[Any], step: Step[Any]) -> bool:
        """Whether every thread has finished, and this is a final state."""
        return machine.has_finished(step.after) and self.state in machine.finals(step.after, self.observed)

    def at_least(self, machine: Machine[Any], now: Configuration[Any], last: int | None) -> tuple[int, float]:
        """Each thread has to come to its end; the first one does so without a switch."""
        left = machine.fewest_steps(now)
        others = sum(steps > 0 for thread, steps in enumerate(left) if thread != last)
        return (max(0, others - 1) if last is None else others), sum(left)


class FindingGoal(Struct, frozen=True):
    """Something that a run finds."""

    finding: Finding

    def is_met(self, machine: Machine[Any], step: Step[Any]) -> bool:
        """Whether it is found by the step, or because no thread has a next one."""
        at_end = () if machine.ready(step.after) else machine.findings_at_end(step.after)
        return self.finding in (*step.findings, *at_end)

    def at_least(self, machine: Machine[Any], now: Configuration[Any], last: int | None) -> tuple[int, float]:  # noqa: ARG002
        """It may come with any step."""
        return 0, 0


def shortened(machine: Machine[Any], schedule: Schedule, goal: Goal, limit: int = MOST_VISITED) -> Shortened:
    """The least schedule that leads to the goal; if the search is too long, the given one with fewer switches."""
    # Where threads spin, runs can be of any length; the least schedule is rarely much longer than a recorded one.
    found = least(machine, goal, 2 * len(schedule) + _MUCH_LONGER, limit)
    if found is None:
        return Shortened(with_fewer_switches(machine, schedule, goal), is_least=False)
    return found


def least(machine: Machine[Any], goal: Goal, longest: int, limit: int) -> Shortened | None:
    """The schedule with the fewest switches that leads to a goal, and of those the shortest; None beyond the limit.

    A shortest-path search over pairs of a configuration and the thread that went last, led by what it takes at least
    from there (A*). It follows every order of steps: of two orders that lead to the same configuration, one may have
    fewer switches. Runs are cut off after `longest` steps; if one was, `is_least` is false.
    """
    serial = count()
    first = machine.start()
    # Switches and steps of the whole, at least; those made; a serial number, as of ties the longest goes on
    # that came first; the pair that was reached and whether the goal was, and how.
    waiting: list[_Reached] = [
        (goal.at_least(machine, first.after, None), 0, 0, 0, (first.after, None), goal.is_met(machine, first), None)
    ]
    visited: set[tuple[Configuration[Any], int | None]] = set()
    is_least = True
    while waiting and len(visited) < limit:
        _, backwards, _, switched, node, is_met, trail = heappop(waiting)
        length = -backwards
        if is_met:
            return Shortened(_walked(trail), is_least)
        if node in visited:
            continue
        visited.add(node)
        now, last = node
        runnable = machine.runnable(now)
        if runnable and length == longest:
            is_least = False
            continue
        for thread in runnable:
            cost = switched + (last not in {None, thread})
            for choice in machine.choices(now, thread):
                try:
                    step = machine.step(now, thread, choice)
                except ComputationLimitError:
                    continue
                following = (thread, choice), trail
                met = goal.is_met(machine, step)
                more, further = goal.at_least(machine, step.after, thread)
                whole = cost + more, length + 1 + further
                heappush(waiting, (whole, -length - 1, next(serial), cost, (step.after, thread), met, following))
    return None


def _walked(trail: _Trail) -> Schedule:
    steps: list[tuple[int, Choice]] = []
    while trail is not None:
        step, trail = trail
        steps.append(step)
    return tuple(reversed(steps))


def with_fewer_switches(machine: Machine[Any], schedule: Schedule, goal: Goal) -> Schedule:
    """A schedule that leads to the same goal, in which no block of steps can be moved to save a switch.

    It is a local minimum, not necessarily the least schedule.
    """
    schedule = _taken(machine, schedule, goal) or schedule
    improved = True
    while improved:
        improved = False
        for candidate in _neighbours(schedule):
            if switches(candidate) < switches(schedule):
                taken = _taken(machine, candidate, goal)
                if taken is not None:
                    schedule, improved = taken, True
                    break
    return schedule


def switches(schedule: Schedule) -> int:
    """The number of steps of another thread than the step before."""
    return sum(before[0] != after[0] for before, after in pairwise(schedule))


def _neighbours(schedule: Schedule) -> Iterator[Schedule]:
    """The schedules in which one block of consecutive steps of a thread is moved."""
    blocks: list[Schedule] = []
    for step in schedule:
        if blocks and blocks[-1][-1][0] == step[0]:
            blocks[-1] = (*blocks[-1], step)
        else:
            blocks.append((step,))
    for source, block in enumerate(blocks):
        rest = blocks[:source] + blocks[source + 1 :]
        for target in range(len(rest) + 1):
            if target != source:
                yield tuple(step for part in (*rest[:target], block, *rest[target:]) for step in part)


def _taken(machine: Machine[Any], schedule: Schedule, goal: Goal) -> Schedule | None:
    """The steps of a schedule that are taken before the goal is reached; None if it is not."""
    step = machine.start()
    for number, (thread, choice) in enumerate(schedule):
        if goal.is_met(machine, step):
            return schedule[:number]
        if not machine.ready(step.after) >> thread & 1 or choice not in machine.choices(step.after, thread):
            return None
        try:
            step = machine.step(step.after, thread, choice)
        except ComputationLimitError:
            return None
    return schedule if goal.is_met(machine, step) else None
