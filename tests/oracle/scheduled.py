"""What a run on real threads and a replay of a recorded run must be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mcm.explain.observed import observed_by
from mcm.machine.build import build
from mcm.machine.run import run
from mcm.machine.schedule import RandomScheduler, ReplayScheduler, read_schedule, show_schedule
from mcm.machine.threads import run_on_threads
from oracle.corpora import SEED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.machine.configuration import Configuration
    from mcm.machine.machine import Machine
    from mcm.machine.memory import Choice
    from mcm.machine.run import Run
    from mcm.machine.schedule import Scheduler
    from mcm.program.program import Program
    from mcm.program.types import Value

LONGEST: Final = 300
"""Operations of a run: enough for every program that ends."""


class Watched:
    """A scheduler that remembers every configuration that it was asked about."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self.seen: list[Configuration[Any]] = []

    def begin(self) -> None:
        self._scheduler.begin()

    def pick(self, machine: Machine[Any], now: Configuration[Any], ready: int) -> int:
        self.seen.append(now)
        return self._scheduler.pick(machine, now, ready)

    def choose(self, choices: Sequence[Choice]) -> Choice:
        return self._scheduler.choose(choices)


def replayed(program: Program, memory: str, found: Run) -> Run:
    """The run again, by the text of its schedule, on a machine of its own."""
    schedule = read_schedule(show_schedule(found.schedule))
    return run(build(program, memory), ReplayScheduler(schedule), observed_by(program), LONGEST)


def check_threads(program: Program, memory: str, states: set[tuple[Value, ...]] | None) -> None:
    """A run on real threads shows one of the model's states (None: all are not known), and can be replayed."""
    found = run_on_threads(build(program, memory), observed_by(program), LONGEST)
    assert replayed(program, memory, found) == found
    # What is not sequenced is done in some order: whoever meets that says so, and then anything goes.
    if states is not None and "unsequenced-race" not in {finding.kind for finding in found.findings}:
        assert set(found.states) <= states


def check_replay(program: Program, memory: str, seed: int) -> None:
    """A recorded random run is repeated step for step."""
    recorded = Watched(RandomScheduler(f"{SEED}/{seed}"))
    found = run(build(program, memory), recorded, observed_by(program), LONGEST)
    again = Watched(ReplayScheduler(read_schedule(show_schedule(found.schedule))))
    assert run(build(program, memory), again, observed_by(program), LONGEST) == found
    assert again.seen == recorded.seen
