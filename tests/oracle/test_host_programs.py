"""Random host programs: the machine does what the model allows, and every trace is an execution that it allows."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import pytest

from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.catalogue.evaluate import evaluate_model
from mcm.confirm import execution_of
from mcm.execution.elaborate import elaborate
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test
from mcm.machine.blocked import Obstacle
from mcm.machine.build import MEMORIES, build
from mcm.machine.clover import CloverScheduler
from mcm.machine.exhaustive import Budget, explore
from mcm.machine.recording import recorded
from mcm.machine.run import run
from mcm.machine.schedule import RandomScheduler, RoundRobinScheduler
from mcm.machine.threads import run_on_threads
from oracle.corpora import ROOT, SEED, identify
from oracle.host_generate import host_program
from oracle.test_machine_against_models import BEYOND_THE_MACHINE, answer_of, raised

if TYPE_CHECKING:
    from pathlib import Path

    from mcm.machine.exhaustive import Exploration
    from mcm.program.program import Program
    from mcm.program.types import Value

pytestmark = pytest.mark.slow

COUNT: Final = int(os.environ.get("MCM_RANDOM_COUNT", "150"))
CHUNK: Final = 50
MODEL: Final = "opencl-3.0"
BUDGET: Final = Budget(configurations=20_000, operations=100)
# What the machine finds in some schedule wherever the model finds it in some execution.
ALIKE: Final = ("data_race", "map_misuse", "unmapped_access", "overlapping_use", "implementation_defined")
SHIPPED: Final = sorted((ROOT / "litmus" / "opencl" / "host").rglob("*.litmus"))


def program_from(text: str) -> Program:
    return read_test(Source("host", text)).program


def compared(program: Program, name: str) -> Exploration:
    """The search on weak memory, held against the model: states, problems, races, who waits for ever."""
    answer = answer_of(program, MODEL)
    found = explore(build(program, "views"), observed_by(program), BUDGET)
    assert found.is_complete, name
    allowed = {state.values for state in answer.states}
    assert set(found.states) <= allowed, name
    if not raised(answer) & {"data_race", "barrier-divergence"}:
        # No read of these programs sees a write that comes later, but for those that are named.
        is_beyond = any(f"/{known}.litmus" in name for known in BEYOND_THE_MACHINE)
        assert (set(found.states) == allowed) is not is_beyond, name
    kinds = {finding.kind.replace("-", "_") for finding in found.findings}
    problems = {kind.replace("-", "_") for kind in raised(answer)}
    assert kinds <= problems, name
    for kind in ALIKE:
        assert (kind in kinds) == (kind in problems), (kind, name)
    # Whose group does not come has diverged, as the model says.
    waiting = [one for one in found.blocked if any(unit.obstacle is not Obstacle.GROUP for unit in one.threads)]
    assert bool(waiting) == bool(answer.blocked), name
    return found


def assert_trace_is_an_execution(program: Program, seed: object, name: str) -> None:
    """A random run on weak memory, up to its first race, is consistent, and races in the model if it does."""
    recording = recorded(build(program, "views"), RandomScheduler((SEED, seed)), 300, is_weak=True)
    evaluation = evaluate_model(execution_of(recording, program, registry.get(MODEL)), registry.get(MODEL))
    assert evaluation.is_consistent, (name, evaluation.violated)
    races = any(found.finding.kind == "data-race" for found in recording.findings)
    assert races == ("data_race" in evaluation.raised), name


def states_of_runs(program: Program, memory: str, seed: int) -> set[tuple[Value, ...]]:
    machine, observed = build(program, memory), observed_by(program)
    states = set(run(machine, CloverScheduler(), observed).states)
    states.update(run(machine, RoundRobinScheduler(), observed).states)
    states.update(run(machine, RandomScheduler((SEED, seed)), observed).states)
    return states


@pytest.mark.parametrize("start", range(0, COUNT, CHUNK))
def test_random_host_programs(start: int) -> None:
    print(f"MCM_RANDOM_SEED={SEED}, host programs {start} to {min(start + CHUNK, COUNT) - 1}")  # noqa: T201 (the seed)
    for number in range(start, min(start + CHUNK, COUNT)):
        text = host_program(SEED, number)
        program = program_from(text)
        found = compared(program, text)
        assert states_of_runs(program, "views", number) <= set(found.states), text
        if number % 4 == 0:
            assert_trace_is_an_execution(program, number, text)


@pytest.mark.parametrize("start", range(0, COUNT // 4, CHUNK))
def test_on_one_store_host_programs_are_sequentially_consistent(start: int) -> None:
    """The machine calls callbacks after they were registered."""
    for number in range(start, min(start + CHUNK, COUNT // 4)):
        text = host_program(f"{SEED}-sc", number)
        program = program_from(text)
        allowed = {state.values for state in answer_of(program, "sc").states}
        found = set(explore(build(program, "interleaving"), observed_by(program), BUDGET).states)
        assert found <= allowed, text
        assert states_of_runs(program, "interleaving", number) <= found, text
        # Models do not order a callback behind its registration, so that its effects may be seen before.
        if "clSetEventCallback" not in text:
            assert found == allowed, text


@pytest.mark.parametrize("start", range(0, COUNT // 40, CHUNK // 4))
def test_real_threads_run_host_programs(start: int) -> None:
    for number in range(start, min(start + CHUNK // 4, COUNT // 40)):
        text = host_program(SEED, number)
        program = program_from(text)
        for memory in MEMORIES:
            machine, observed = build(program, memory), observed_by(program)
            seen = run_on_threads(machine, observed).states
            assert set(seen) <= set(explore(machine, observed, BUDGET).states), text


@pytest.mark.parametrize("path", SHIPPED, ids=identify)
def test_shipped_host_programs(path: Path) -> None:
    program = program_from(path.read_text(encoding="utf-8"))
    found = compared(program, str(path))
    assert states_of_runs(program, "views", 0) <= set(found.states)
    for seed in range(5):
        assert_trace_is_an_execution(program, seed, str(path))


def test_random_host_programs_have_what_they_are_about() -> None:
    """Programs that race and that do not, with one outcome and with several, that end and that wait for ever."""
    found: list[Exploration] = []
    words = ("wait(", "Barrier", "Marker", "enqueue_kernel", "clSetEventCallback", "clEnqueueMapBuffer", "P1@host")
    texts = [host_program(SEED, number) for number in range(100)]
    for text in texts:
        program = program_from(text)
        found.append(explore(build(program, "views"), observed_by(program), BUDGET))
    assert all(sum(word in text for text in texts) >= 5 for word in words)
    assert 20 <= sum(bool(one.findings) for one in found) <= 80
    assert sum(len(one.states) > 1 for one in found) >= 10
    assert sum(bool(one.blocked) for one in found) >= 5
    assert len({len(elaborate(program_from(text))) for text in texts}) > 1
