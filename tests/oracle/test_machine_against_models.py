"""The machine and the models are written apart: what the machine does must be what the models allow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest
from msgspec.structs import replace

from mcm.answer.query import Query
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.engine.choose import EngineName, decide
from mcm.execution.algebra import negation
from mcm.execution.elaborate import elaborate
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test
from mcm.machine.blocked import Obstacle
from mcm.machine.build import build
from mcm.machine.clover import CloverScheduler
from mcm.machine.exhaustive import Budget, explore
from mcm.machine.run import run
from mcm.machine.schedule import RandomScheduler, ReplayScheduler
from oracle.corpora import COUNT, PEERS, SEED, SHIPPED, identify, program_of, random_program
from oracle.scheduled import check_replay, check_threads

if TYPE_CHECKING:
    from pathlib import Path

    from mcm.answer.answer import Answer
    from mcm.execution.expression import Expression
    from mcm.execution.skeleton import Skeleton
    from mcm.machine.exhaustive import Exploration
    from mcm.program.program import Program
    from mcm.program.types import Value

pytestmark = pytest.mark.slow

CHUNK: Final = 100

_CYCLE: Final = "a read comes before the write that it sees: a cycle of program order and reads-from"
_ORDER_S: Final = "S runs against program order, between global and local memory (HB-SEP); here S is how they execute"
BEYOND_THE_MACHINE: Final = {
    **dict.fromkeys(("LB", "LB.rlx", "LB.three", "LB+rlx", "LB+ctrl", "LB+data", "SB.legacy"), _CYCLE),
    "HOST-5.told-relaxed": _CYCLE,
    **dict.fromkeys(("OOTA.global-local", "OOTA-1.mixed", "OOTA-1.relaxed"), _CYCLE),
    **dict.fromkeys(("SB.sc.global-local", "SW-SC.store-buffering"), _ORDER_S),
}
"""The race-free programs that have a state which views never show, and why."""

BUDGET: Final = Budget(configurations=20_000, operations=100)


def program_from(text: str) -> Program:
    source = Source("t", text)
    return read_test(source).program


def answer_of(program: Program, model: str, skeletons: tuple[Skeleton, ...] | None = None) -> Answer:
    query = Query(
        skeletons=skeletons or elaborate(program),
        model=registry.get(model),
        observed=observed_by(program),
        # Of values that depend on themselves one state that satisfies the condition is listed, and one that does not.
        proposition=program.condition.proposition if program.condition else None,
    )
    return decide(query, EngineName.AUTO)


def states_of(answer: Answer) -> set[tuple[Value, ...]] | None:
    """The states of consistent executions; None where there may be more."""
    return None if answer.bounded else {state.values for state in answer.states}


def raised(answer: Answer) -> set[str]:
    return {flag.name for flag in answer.flags} | {raised.fault.kind for raised in answer.faults}


def own_model(program: Program) -> str:
    return program.dialect.default_model


def explored(program: Program) -> Exploration:
    return explore(build(program, "views"), observed_by(program), BUDGET)


def beyond(program: Program, answer: Answer, found: Exploration) -> set[tuple[Value, ...]]:
    """States of weak memory that the model does not allow, by whatever scheduler; what a run finds it reports too."""
    if answer.bounded:
        return set()
    machine, observed = build(program, "views"), observed_by(program)
    if "unsequenced_race" in raised(answer):
        # What is not sequenced the machine does in some order; it says so, and then anything goes.
        assert "unsequenced-race" in {finding.kind for finding in found.findings}
        return set()
    assert {finding.kind.replace("-", "_") for finding in found.findings} <= {
        kind.replace("-", "_") for kind in raised(answer)
    }
    seen = set(found.states)
    seen.update(run(machine, CloverScheduler(), observed, 500).states)
    scheduler = RandomScheduler(SEED)
    for _ in range(3):
        seen.update(run(machine, scheduler, observed, 500).states)
    return seen - {state.values for state in answer.states}


def beyond_model(program: Program, model: str) -> set[tuple[Value, ...]]:
    return beyond(program, answer_of(program, model), explored(program))


@pytest.mark.parametrize("path", SHIPPED, ids=identify)
def test_views_do_what_the_model_of_a_program_allows(path: Path) -> None:
    """No state and no race more, all races, all states but those above; each state has a schedule that leads to it."""
    program = program_of(path)
    if program is None:
        return
    answer, found = answer_of(program, own_model(program)), explored(program)
    assert beyond(program, answer, found) == set()
    if found.is_complete and "barrier-divergence" not in raised(answer):
        assert ("data_race" in raised(answer)) == ("data-race" in {finding.kind for finding in found.findings})
    if not raised(answer) and not answer.bounded:
        missing = {state.values for state in answer.states} - set(found.states)
        assert len(missing) == (path.stem in BEYOND_THE_MACHINE)
    machine, observed = build(program, "views"), observed_by(program)
    for state, schedule in list(found.states.items())[:3]:
        assert state in run(machine, ReplayScheduler(schedule), observed).states
    check_threads(program, "views", states_of(answer))
    check_replay(program, "views", 0)
    if path.parent.name in {"barriers", "kernels"}:
        assert_clover_agrees(program, answer)


def assert_clover_agrees(program: Program, answer: Answer) -> None:
    """A kernel that is right has one outcome, and Clover comes to it."""
    for memory in ("interleaving", "views"):
        found = run(build(program, memory), CloverScheduler(), observed_by(program))
        if "barrier-divergence" in raised(answer):
            assert {finding.kind for finding in found.findings} >= {"barrier-divergence"}
        elif not raised(answer):
            assert set(found.states) <= {state.values for state in answer.states}
            assert len(found.states) == 1


def assert_sequentially_consistent(program: Program, name: str) -> Answer:
    """The machine on one store reaches exactly the states of `sc`, whose answer is returned.

    A run in which somebody is missing at a barrier has no end, so the model is asked for the executions in which nobody
    is. (At barriers that are called with different flags the group meets, and both sides go on.) A loop that the model
    cuts the machine goes round as often as anything changes: no state needs more passes than the bound. Asynchronous
    copies the machine makes when they are called, and not at any time till they are waited for (ADR 40).
    """
    skeletons = elaborate(program)
    answer = answer_of(program, "sc", skeletons)
    missing = [(one, nobody_missing(one)) for one in skeletons]
    if any(conditions for _, conditions in missing):
        met = tuple(replace(one, constraints=(*one.constraints, *conditions)) for one, conditions in missing)
        states = {state.values for state in answer_of(program, "sc", met).states}
    else:
        states = {state.values for state in answer.states}
    found = explore(build(program, "interleaving"), observed_by(program), BUDGET)
    assert found.is_complete, name
    copies = any(event.asynchronous is not None for skeleton in skeletons for event in skeleton.events)
    assert set(found.states) == states or (copies and set(found.states) < states), name
    # Of those who wait for each other at different barriers a model may say that one would not come to the other's;
    # here they are blocked before that shows.
    if "barrier-divergence" in raised(answer):
        waits = any(one.obstacle is Obstacle.GROUP for blocked in found.blocked for one in blocked.threads)
        assert waits or "barrier-divergence" in {finding.kind for finding in found.findings}, name
    return answer


def nobody_missing(skeleton: Skeleton) -> list[Expression]:
    return [negation(fault.condition) for fault in skeleton.faults if fault.why.endswith("does not reach it")]


# Every second one, which takes half as long: all are held against views above, and peers and random programs below.
@pytest.mark.parametrize("path", SHIPPED[::2], ids=identify)
def test_interleaving_is_sequential_consistency(path: Path) -> None:
    program = program_of(path)
    if program is not None:
        answer = assert_sequentially_consistent(program, identify(path))
        check_threads(program, "interleaving", states_of(answer))
        check_replay(program, "interleaving", 0)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("atomic_store(x, 1); r = work_group_all(1);", "r = work_group_all(1) + atomic_load(x);"),
        (
            "r = work_group_any(atomic_load(x)) * 2 + atomic_load(y);",
            "atomic_store(x, 1); r = work_group_any(0); atomic_store(y, 1);",
        ),
        ("if (work_group_any(1)) { r = atomic_load(x); }", "atomic_store(x, 1); r = work_group_any(atomic_load(y));"),
        (
            "for (int i = 0; i < 2; i++) { r += work_group_any(i) + atomic_load(x); }",
            "for (int i = 0; i < 2; i++) { r = work_group_any(0); atomic_store(x, i); }",
        ),
        (
            "atomic_store(x, 1); r = sub_group_broadcast(atomic_load(y), 1);",
            "r = sub_group_broadcast(atomic_load(y), 1); r = r * 2 + atomic_load(x);",
        ),
        (
            "if (atomic_load(x)) { r = work_group_all(1); }",
            "if (atomic_load(y)) { r = work_group_all(1); } atomic_store(x, 1);",
        ),
    ],
    ids=["beside a load", "operands load", "condition", "loop", "broadcast", "may diverge"],
)
def test_group_functions_of_sc_wait_for_the_group(one: str, other: str) -> None:
    parameters = "global atomic_int* x, global atomic_int* y"
    units = [f"P{n}@wg 0, sg 0 ({parameters}) {{ int r = 0; {body} }}" for n, body in enumerate((one, other))]
    text = "\n".join(("OPENCL t", "{}", *units, "exists (0:r=1 /\\ 1:r=1)"))
    assert_sequentially_consistent(program_from(text), text)


@pytest.mark.parametrize("bound", [1, 2, 3])
def test_a_bound_counts_the_passes_that_a_run_makes(bound: int) -> None:
    """Where passes show in the state, the machine has those of the model and those with more passes than the bound."""
    program = program_from("""OPENCL t
{}
P0 (global atomic_int* x) { int n = 0; while (atomic_load(x) == 0) { n++; } }
P1 (global atomic_int* x) { atomic_store(x, 1); }
exists (0:n=0)
""")
    answer = answer_of(program, "sc", elaborate(program, bound))
    found = explore(build(program, "interleaving"), observed_by(program), Budget(operations=20))
    assert answer.bounded
    assert not found.is_complete
    assert {(n,) for n in range(bound + 1)} == {state.values for state in answer.states}
    assert set(found.states) > {state.values for state in answer.states}
    assert {state for state in found.states if state[0] <= bound} == {state.values for state in answer.states}


@pytest.mark.skipif(not PEERS.is_dir(), reason=f"the peer tests are not here: no folder {PEERS.parts[-2:]}")
@pytest.mark.parametrize("suite", ["opencl", "c11"])
def test_peer_programs(suite: str) -> None:
    paths = sorted((PEERS / suite).rglob("*.litmus"))
    assert paths
    for path in paths:
        program = program_of(path)
        if program is not None:
            assert beyond_model(program, own_model(program)) == set(), path
            assert_sequentially_consistent(program, identify(path))


@pytest.mark.parametrize("start", range(0, COUNT, CHUNK))
def test_random_programs(start: int) -> None:
    print(f"MCM_RANDOM_SEED={SEED}, programs {start} to {min(start + CHUNK, COUNT) - 1}")  # noqa: T201 (the seed)
    for number in range(start, min(start + CHUNK, COUNT)):
        program = random_program(number)
        assert beyond_model(program, "opencl-3.0") == set(), number
        assert_sequentially_consistent(program, f"program {number}")


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
    program = program_from(text)

    assert beyond_model(program, "opencl-3.0") == set()
    states = set(explored(program).states)
    assert {(3, 1, 2, 1, 3), (3, 0, 1, 2, 3)} <= states
