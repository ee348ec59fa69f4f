"""Shorten a recorded schedule: the same final state with fewer switches between threads."""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import count, pairwise
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from mcm.machine.computation import ComputationLimitError
from mcm.machine.run import Ending, run
from mcm.machine.schedule import ReplayError, ReplayScheduler

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcm.machine.configuration import Configuration
    from mcm.machine.machine import Machine
    from mcm.machine.memory import Choice
    from mcm.machine.schedule import Schedule
    from mcm.program.condition import Observable
    from mcm.program.types import Value

# The most pairs of a configuration and the thread that went last that the search for the least schedule visits.
MOST_VISITED: Final = 10_000
_MUCH_LONGER: Final = 20


class Shortened(Struct, frozen=True):
    """A schedule for a state. `is_least`: no other has fewer switches, or as many switches and fewer steps."""

    schedule: Schedule
    is_least: bool


# The last step of a run and the steps before it; None before the first.
_Trail = tuple["tuple[int, Choice]", "_Trail"] | None


def shortened(
    machine: Machine[Any],
    schedule: Schedule,
    observed: Sequence[Observable],
    state: tuple[Value, ...],
    limit: int = MOST_VISITED,
) -> Shortened:
    """The least schedule that ends in the state; if the search is too long, the given one with fewer switches."""
    # Where threads spin, runs can be of any length; the least schedule is rarely much longer than a recorded one.
    found = least(machine, observed, state, 2 * len(schedule) + _MUCH_LONGER, limit)
    if found is None:
        return Shortened(with_fewer_switches(machine, schedule, observed, state), is_least=False)
    return found


def least(
    machine: Machine[Any], observed: Sequence[Observable], state: tuple[Value, ...], longest: int, limit: int
) -> Shortened | None:
    """The schedule with the fewest switches that ends in a state, and of those the shortest; None beyond the limit.

    A shortest-path search over pairs of a configuration and the thread that went last. It follows every order of steps:
    of two orders that lead to the same configuration, one may have fewer switches. Runs are cut off after `longest`
    steps; if one was, `is_least` is false.
    """
    serial = count()
    # Switches, steps, a serial number that breaks ties, the pair that was reached, and the steps that lead to it.
    waiting: list[tuple[int, int, int, tuple[Configuration[Any], int | None], _Trail]] = [
        (0, 0, next(serial), (machine.start().after, None), None)
    ]
    visited: set[tuple[Configuration[Any], int | None]] = set()
    is_least = True
    while waiting and len(visited) < limit:
        switched, length, _, node, trail = heappop(waiting)
        if node in visited:
            continue
        visited.add(node)
        now, last = node
        runnable = machine.runnable(now)
        if machine.has_finished(now) and state in machine.finals(now, observed):
            return Shortened(_walked(trail), is_least)
        if runnable and length == longest:
            is_least = False
            continue
        for thread in runnable:
            cost = switched + (last not in {None, thread})
            for choice in machine.choices(now, thread):
                try:
                    after = machine.step(now, thread, choice).after
                except ComputationLimitError:
                    continue
                heappush(waiting, (cost, length + 1, next(serial), (after, thread), ((thread, choice), trail)))
    return None


def _walked(trail: _Trail) -> Schedule:
    steps: list[tuple[int, Choice]] = []
    while trail is not None:
        step, trail = trail
        steps.append(step)
    return tuple(reversed(steps))


def with_fewer_switches(
    machine: Machine[Any], schedule: Schedule, observed: Sequence[Observable], state: tuple[Value, ...]
) -> Schedule:
    """A schedule that ends in the same state, in which no block of steps can be moved to save a switch.

    It is a local minimum, not necessarily the least schedule.
    """
    improved = True
    while improved:
        improved = False
        for candidate in _neighbours(schedule):
            if switches(candidate) < switches(schedule):
                taken = _taken(machine, candidate, observed, state)
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


def _taken(
    machine: Machine[Any], schedule: Schedule, observed: Sequence[Observable], state: tuple[Value, ...]
) -> Schedule | None:
    """The steps of a schedule that are taken before the run ends in the state; None if it does not."""
    try:
        done = run(machine, ReplayScheduler(schedule), observed)
    except ReplayError:
        return None
    return done.schedule if done.ending is Ending.FINISHED and state in done.states else None
