"""Real threads and replays do no more than the models allow; random, clover and all schedules are tested elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from mcm.answer.query import Query
from mcm.catalogue import registry
from mcm.engine.choose import EngineName, decide
from mcm.execution.elaborate import elaborate
from mcm.explain.observed import observed_by
from mcm.machine.build import MEMORIES, build
from mcm.machine.run import run
from mcm.machine.schedule import RandomScheduler, ReplayScheduler, read_schedule, show_schedule
from mcm.machine.threads import run_on_threads
from oracle.corpora import COUNT, PEERS, SEED, SHIPPED, identify, program_of, random_program

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mcm.answer.answer import Answer
    from mcm.machine.configuration import Configuration
    from mcm.machine.machine import Machine
    from mcm.machine.memory import Choice
    from mcm.machine.run import Run
    from mcm.machine.schedule import Scheduler
    from mcm.program.program import Program
    from mcm.program.types import Value

pytestmark = pytest.mark.slow

CHUNK: Final = 100
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


def answer_of(program: Program, model: str) -> Answer:
    query = Query(skeletons=elaborate(program), model=registry.get(model), observed=observed_by(program))
    return decide(query, EngineName.AUTO)


def allowed(program: Program, memory: str) -> set[tuple[Value, ...]] | None:
    """The states of consistent executions under the model of a memory; None where the answer is bounded."""
    answer = answer_of(program, "sc" if memory == "interleaving" else program.dialect.default_model)
    return None if answer.bounded else {state.values for state in answer.states}


def replayed(program: Program, memory: str, found: Run) -> Run:
    """The run again, by the text of its schedule, on a machine of its own."""
    schedule = read_schedule(show_schedule(found.schedule))
    return run(build(program, memory), ReplayScheduler(schedule), observed_by(program), LONGEST)


def check_threads(program: Program, memory: str) -> None:
    """A run on real threads shows a state of the model, and can be replayed."""
    found = run_on_threads(build(program, memory), observed_by(program), LONGEST)
    assert replayed(program, memory, found) == found
    states = allowed(program, memory)
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


# Every other program with one memory, the rest with the other.
@pytest.mark.parametrize(
    ("path", "memory"),
    [
        pytest.param(path, memory, id=f"{identify(path)}-{memory}")
        for number, memory in enumerate(MEMORIES)
        for path in SHIPPED[number :: len(MEMORIES)]
    ],
)
def test_shipped_programs(path: Path, memory: str) -> None:
    program = program_of(path)
    if program is not None:
        check_threads(program, memory)
        check_replay(program, memory, 0)


@pytest.mark.skipif(not PEERS.is_dir(), reason=f"the peer tests are not here: no folder {PEERS.parts[-2:]}")
@pytest.mark.parametrize("memory", MEMORIES)
@pytest.mark.parametrize("suite", ["opencl", "c11"])
def test_peer_programs(suite: str, memory: str) -> None:
    paths = sorted((PEERS / suite).rglob("*.litmus"))
    assert paths
    for path in paths:
        program = program_of(path)
        if program is not None:
            check_threads(program, memory)
            check_replay(program, memory, 0)


@pytest.mark.parametrize("start", range(0, COUNT, CHUNK))
def test_random_programs(start: int) -> None:
    print(f"MCM_RANDOM_SEED={SEED}, programs {start} to {min(start + CHUNK, COUNT) - 1}")  # noqa: T201 (the seed)
    for number in range(start, min(start + CHUNK, COUNT)):
        program = random_program(number)
        for memory in MEMORIES:
            check_threads(program, memory)
            check_replay(program, memory, number)
