"""The machine and the models are written apart: what the machine does must be what the models allow."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import pytest

from mcm.answer.query import Query
from mcm.base.source import Source
from mcm.engine.choose import EngineName, decide
from mcm.execution.elaborate import elaborate
from mcm.explain.observed import observed_by
from mcm.machine.build import build
from mcm.machine.clover import CloverScheduler
from mcm.machine.exhaustive import Budget, explore
from mcm.machine.run import run
from mcm.machine.schedule import RandomScheduler, ReplayScheduler
from mcm.models import registry
from mcm.program.resolve import resolve
from mcm.syntax.parse import parse
from oracle.corpora import COUNT, PEERS, SEED, SHIPPED, identify, program_of, random_program

if TYPE_CHECKING:
    from pathlib import Path

    from mcm.answer.answer import Answer
    from mcm.program.program import Program
    from mcm.program.types import Value

CHUNK: Final = 100

_CYCLE: Final = "a read comes before the write that it sees: a cycle of program order and reads-from"
_ORDER_S: Final = "S runs against program order, between global and local memory (HB-SEP); here S is how they execute"
BEYOND_THE_MACHINE: Final = {
    **dict.fromkeys(("LB", "LB.rlx", "LB.three", "LB+rlx", "LB+ctrl", "LB+data", "SB.legacy"), _CYCLE),
    **dict.fromkeys(("OOTA.global-local", "OOTA-1.mixed", "OOTA-1.relaxed"), _CYCLE),
    **dict.fromkeys(("SB.sc.global-local", "SW-SC.store-buffering"), _ORDER_S),
}
"""The race-free programs that have states which views never show, and why."""

BUDGET: Final = Budget(configurations=20_000, operations=100)


def answer_of(program: Program, model: str) -> Answer:
    query = Query(skeletons=elaborate(program), model=registry.get(model), observed=observed_by(program))
    return decide(query, EngineName.AUTO)


def raised(answer: Answer) -> set[str]:
    return {flag.name for flag in answer.flags} | {raised.fault.kind for raised in answer.faults}


def own_model(program: Program) -> str:
    return registry.default_model(program.dialect)


def beyond(program: Program, memory: str, model: str) -> set[tuple[Value, ...]]:
    """States of the machine that the model does not allow, by whatever scheduler."""
    answer = answer_of(program, model)
    if answer.bounded:
        return set()
    machine, observed = build(program, memory), observed_by(program)
    found = explore(machine, observed, BUDGET)
    if "unsequenced_race" in raised(answer):
        # What is not sequenced the machine does in some order; it says so, and then anything goes.
        assert "unsequenced-race" in {finding.kind for finding in found.findings}
        return set()
    seen = set(found.states)
    seen.update(run(machine, CloverScheduler(), observed, 500).states)
    scheduler = RandomScheduler(SEED)
    for _ in range(3):
        seen.update(run(machine, scheduler, observed, 500).states)
    return seen - {state.values for state in answer.states}


@pytest.mark.parametrize("path", SHIPPED, ids=identify)
def test_every_state_of_views_is_allowed(path: Path) -> None:
    program = program_of(path)
    if program is not None:
        assert beyond(program, "views", own_model(program)) == set()


@pytest.mark.parametrize("path", SHIPPED, ids=identify)
def test_interleaving_is_sequential_consistency(path: Path) -> None:
    program = program_of(path)
    # A group function of the machine waits for the group, that of the model does not (COLL-1).
    if program is None or path.stem == "COLL-1":
        return
    answer = answer_of(program, "sc")
    found = explore(build(program, "interleaving"), observed_by(program), BUDGET)
    states = {state.values for state in answer.states}
    if "barrier-divergence" in raised(answer):
        assert "barrier-divergence" in {finding.kind for finding in found.findings}
        assert set(found.states) <= states
    elif answer.bounded:
        assert set(found.states) >= states
    else:
        assert set(found.states) == states
        assert found.is_complete


@pytest.mark.parametrize("path", SHIPPED, ids=identify)
def test_races_are_found(path: Path) -> None:
    program = program_of(path)
    if program is None:
        return
    answer = answer_of(program, own_model(program))
    found = explore(build(program, "views"), observed_by(program), BUDGET)
    if found.is_complete and "barrier-divergence" not in raised(answer):
        kinds = {finding.kind for finding in found.findings}
        assert ("data_race" in raised(answer)) == ("data-race" in kinds)


def test_views_reach_nearly_all_states_of_race_free_programs() -> None:
    reached, missing = 0, Counter[str]()
    for path in SHIPPED:
        program = program_of(path)
        if program is None:
            continue
        answer = answer_of(program, own_model(program))
        if raised(answer) or answer.bounded:
            continue
        seen = set(explore(build(program, "views"), observed_by(program), BUDGET).states)
        states = {state.values for state in answer.states}
        reached += len(states & seen)
        if states - seen:
            missing[path.stem] += len(states - seen)
    assert reached / (reached + missing.total()) >= 0.98
    assert set(missing) == BEYOND_THE_MACHINE.keys()


@pytest.mark.parametrize("path", SHIPPED, ids=identify)
def test_a_state_comes_with_a_schedule_that_leads_to_it(path: Path) -> None:
    program = program_of(path)
    if program is None:
        return
    machine, observed = build(program, "views"), observed_by(program)
    found = explore(machine, observed, BUDGET)
    for state, schedule in list(found.states.items())[:3]:
        assert state in run(machine, ReplayScheduler(schedule), observed).states


@pytest.mark.parametrize(
    "path", [path for path in SHIPPED if path.parent.name in {"barriers", "kernels"}], ids=identify
)
def test_clover_gives_the_one_outcome_of_programs_that_have_one(path: Path) -> None:
    program = program_of(path)
    assert program is not None
    answer = answer_of(program, own_model(program))
    for memory in ("interleaving", "views"):
        found = run(build(program, memory), CloverScheduler(), observed_by(program))
        if "barrier-divergence" in raised(answer):
            assert {finding.kind for finding in found.findings} >= {"barrier-divergence"}
        elif not raised(answer):
            assert set(found.states) <= {state.values for state in answer.states}
            assert len(found.states) == 1


@pytest.mark.skipif(not PEERS.is_dir(), reason=f"the peer tests are not here: no folder {PEERS.parts[-2:]}")
@pytest.mark.parametrize("suite", ["opencl", "c11"])
def test_peer_programs(suite: str) -> None:
    paths = sorted((PEERS / suite).rglob("*.litmus"))
    assert paths
    for path in paths:
        program = program_of(path)
        if program is not None:
            assert beyond(program, "views", own_model(program)) == set(), path
            assert beyond(program, "interleaving", "sc") == set(), path


@pytest.mark.parametrize("start", range(0, COUNT, CHUNK))
def test_random_programs(start: int) -> None:
    print(f"MCM_RANDOM_SEED={SEED}, programs {start} to {min(start + CHUNK, COUNT) - 1}")  # noqa: T201 (the seed)
    for number in range(start, min(start + CHUNK, COUNT)):
        program = random_program(number)
        assert beyond(program, "views", "opencl-3.0") == set(), number
        assert beyond(program, "interleaving", "sc") == set(), number


def test_a_release_sequence_that_was_used_is_not_broken_afterwards() -> None:
    """P2 has learnt of `*x = 1` through 1 and 3 of one thread: the foreign 2 can no longer come in between (RS-3)."""
    order, scope = "memory_order_{}", "memory_scope_work_group"
    load = f"atomic_load_explicit(y, {order}, {scope})"
    store = f"atomic_store_explicit(y, {{}}, {order}, {scope});"
    relaxed = load.format("relaxed")
    text = f"""OPENCL t
{{}}
P0 (global int* x, global atomic_int* y) {{ *x = 1; {store.format(1, "release")} {store.format(3, "relaxed")} }}
P1 (global atomic_int* y) {{ {store.format(2, "relaxed")} }}
P2 (global int* x, global atomic_int* y) {{
  int r0 = {load.format("acquire")};
  int r1 = -1;
  if (r0 == 3) {{ r1 = *x; }}
}}
P3 (global atomic_int* y) {{ int a = {relaxed}; int b = {relaxed}; int c = {relaxed}; }}
exists (2:r0=3 /\\ 2:r1=1 /\\ 3:a=1 /\\ 3:b=2 /\\ 3:c=3)
"""
    source = Source("t", text)
    program = resolve(parse(source), source)

    assert beyond(program, "views", "opencl-3.0") == set()
    states = set(explore(build(program, "views"), observed_by(program), BUDGET).states)
    assert {(3, 1, 2, 1, 3), (3, 0, 1, 2, 3)} <= states
