"""A recorded run made easier to read: the same final state with fewer switches between threads."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from mcm.machine.run import Ending, run
from mcm.machine.schedule import ReplayError, ReplayScheduler

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcm.machine.configuration import Machine
    from mcm.machine.schedule import Schedule
    from mcm.program.condition import Observable
    from mcm.program.types import Value


def with_fewest_switches(
    machine: Machine[Any], schedule: Schedule, observed: Sequence[Observable], state: tuple[Value, ...]
) -> Schedule:
    """A schedule that ends in the same state, and from which no step can be moved to save a switch.

    Steps of a thread are moved next to its others as long as the state stays; the result is minimal in this sense, not
    the least of all.
    """
    improved = True
    while improved:
        improved = False
        for candidate in _neighbours(schedule):
            if switches(candidate) < switches(schedule) and _leads_to(machine, candidate, observed, state):
                schedule, improved = candidate, True
                break
    return schedule


def switches(schedule: Schedule) -> int:
    """How often another thread goes on than the one before."""
    return sum(before[0] != after[0] for before, after in pairwise(schedule))


def _neighbours(schedule: Schedule) -> Iterator[Schedule]:
    """The schedule with one run of steps of a thread moved to another place."""
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


def _leads_to(
    machine: Machine[Any], schedule: Schedule, observed: Sequence[Observable], state: tuple[Value, ...]
) -> bool:
    try:
        done = run(machine, ReplayScheduler(schedule), observed)
    except ReplayError:
        return False
    return done.ending is Ending.FINISHED and state in done.states
