"""Threads that wait or loop for ever are found, on both memories, by searches and by single runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcm.explain.observed import observed_by
from mcm.machine.blocked import Obstacle
from mcm.machine.build import build
from mcm.machine.clover import CloverScheduler
from mcm.machine.run import Ending
from mcm.machine.schedule import RandomScheduler, ReplayScheduler
from mcm.machine.threads import run_on_threads

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Test
    from mcm.machine.blocked import Blocked

MEMORIES = ("interleaving", "views")
BARRIER = "work_group_barrier(CLK_GLOBAL_MEM_FENCE);"
TO_X = "atomic_store_explicit(x, {}, memory_order_release, memory_scope_device);"
OF_X = "atomic_load_explicit(x, memory_order_acquire, memory_scope_device)"


def units(*bodies: str, scope: str = "wg") -> str:
    parameters = "(global atomic_int* x, global atomic_int* y, global int* d)"
    threads = [f"P{n}@wg {n if scope == 'dv' else 0} {parameters} {{\n{body}\n}}" for n, body in enumerate(bodies)]
    return "\n".join(("{ int x = 0; int y = 0; int d = 0; }", *threads, "exists (x=0)"))


def told(test: Test, blocked: Blocked) -> list[tuple[str, int, Obstacle, list[str]]]:
    return [
        (
            one.site.name,
            one.site.span.line,
            one.obstacle,
            [test.program.show_location(location) for location, _ in one.reads],
        )
        for one in blocked.threads
    ]


# Bodies, and the threads that never finish: name, line, obstacle, locations.
PROGRAMS = {
    "nobody writes": ([f"while ({OF_X} == 0) {{ }}", "*d = 1;"], [("P0", 4, Obstacle.VALUE, ["x"])]),
    "the wrong value": ([f"while ({OF_X} != 2) {{ }}", TO_X.format(1)], [("P0", 4, Obstacle.VALUE, ["x"])]),
    "plain": (["while (*d == 0) { }", "int r = 0;"], [("P0", 4, Obstacle.VALUE, ["d"])]),
    "two wait for each other": (
        [f"while ({OF_X} == 0) {{ }} atomic_store(y, 1);", f"while (atomic_load(y) == 0) {{ }} {TO_X.format(1)}"],
        [("P0", 4, Obstacle.VALUE, ["x"]), ("P1", 7, Obstacle.VALUE, ["y"])],
    ),
    "compare-exchange": (
        ["int e = 1; while (!atomic_compare_exchange_strong(x, &e, 2)) { e = 1; }", TO_X.format(5)],
        [("P0", 4, Obstacle.VALUE, ["x"])],
    ),
    "the outer loop": (
        [f"while (1) {{\n  if ({OF_X} == 1) break;\n  if (atomic_load(y) == 1) break;\n}}"],
        [("P0", 4, Obstacle.VALUE, ["x", "y"])],
    ),
    "do": ([f"int r;\ndo {{ r = {OF_X}; }} while (r == 0);"], [("P0", 5, Obstacle.VALUE, ["x"])]),
    "no operations": (["*d = 1;\nfor (;;) ;"], [("P0", 5, Obstacle.LOOP, [])]),
    "no operations at all": (["while (1) { }"], [("P0", 4, Obstacle.LOOP, [])]),
    "a cycle of values": (
        ["int i = 0; for (;;) { i = (i + 1) % 7; }", "*d = 1;"],
        [("P0", 4, Obstacle.LOOP, [])],
    ),
    "a barrier that is never met": (
        [f"{BARRIER}\n", f"while ({OF_X} == 0) {{ }}\n{BARRIER}"],
        [("P0", 4, Obstacle.GROUP, []), ("P1", 8, Obstacle.VALUE, ["x"])],
    ),
    "a barrier and a loop without operations": (
        [f"{BARRIER}\n", f"while (1) {{ }}\n{BARRIER}"],
        [("P0", 4, Obstacle.GROUP, []), ("P1", 8, Obstacle.LOOP, [])],
    ),
    "a loop around a barrier that is never met": (
        [f"while (1) {{ while ({OF_X} == 0) {{ }} {BARRIER} }}", f"{BARRIER}"],
        [("P0", 4, Obstacle.VALUE, ["x"]), ("P1", 7, Obstacle.GROUP, [])],
    ),
}


@pytest.mark.parametrize("memory", MEMORIES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_search_finds_who_never_finishes(program: Callable[[str], Test], memory: str, name: str) -> None:
    bodies, expected = PROGRAMS[name]
    test = program(units(*bodies))
    for reduced in (True, False):
        found = test.explore(memory, reduced=reduced)
        assert found.limit is None
        assert [told(test, blocked) for blocked in found.blocked] == [expected]
        assert found.states == {}
        assert "barrier-divergence" not in {finding.kind for finding in found.findings}


@pytest.mark.parametrize("memory", MEMORIES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_run_finds_who_never_finishes_and_can_be_replayed(
    program: Callable[[str], Test], memory: str, name: str
) -> None:
    bodies, expected = PROGRAMS[name]
    test = program(units(*bodies))
    for seed in range(3):
        run = test.run(memory, RandomScheduler(seed))
        assert run.ending is Ending.BLOCKED
        assert run.blocked is not None
        assert told(test, run.blocked) == expected
        assert test.run(memory, ReplayScheduler(run.schedule)) == run
    for blocked, schedule in test.explore(memory).blocked.items():
        assert test.run(memory, ReplayScheduler(schedule)).blocked == blocked


@pytest.mark.parametrize("memory", MEMORIES)
@pytest.mark.parametrize(
    "bodies",
    [
        [f"while ({OF_X} == 0) {{ }}", TO_X.format(1)],
        [f"while ({OF_X} != 2) {{ }}", f"{TO_X.format(1)} {TO_X.format(2)}"],
        [f"while ({OF_X} == 0) {{ }} atomic_store(y, 1);", f"{TO_X.format(1)} while (atomic_load(y) == 0) {{ }}"],
        [f"while ({OF_X} == 0) {{ }} {BARRIER}", f"{TO_X.format(1)} {BARRIER}"],
        ["for (int i = 0; i < 5000; i++) { }"],
        ["int i = 0; while (1) { i++; if (i == 3000) break; }"],
    ],
)
def test_who_is_let_go_on_is_not_blocked(program: Callable[[str], Test], memory: str, bodies: list[str]) -> None:
    test = program(units(*bodies))
    found = test.explore(memory)

    assert found.is_complete
    assert found.blocked == {}
    assert found.states
    for seed in range(5):
        assert test.run(memory, RandomScheduler(seed)).ending is Ending.FINISHED


@pytest.mark.parametrize("memory", MEMORIES)
def test_some_schedules_end_and_some_do_not(program: Callable[[str], Test], memory: str) -> None:
    """Whoever comes second overwrites what the third waits for."""
    test = program(units(f"while ({OF_X} != 1) {{ }}", TO_X.format(1), TO_X.format(2), scope="dv"))
    found = test.explore(memory)

    assert found.is_complete
    assert set(found.states) == {(1,), (2,)}
    assert [told(test, blocked) for blocked in found.blocked] == [[("P0", 4, Obstacle.VALUE, ["x"])]]


def test_barriers_in_opposite_orders_block_without_divergence(program: Callable[[str], Test]) -> None:
    """Each work-item might still come to the barrier at which the other one waits."""
    for loop in ("", "for (int i = 0; i < 2; i++) "):
        bodies = (f"{loop}{{ B1: {BARRIER} B2: {BARRIER} }}", f"{loop}{{ B2: {BARRIER} B1: {BARRIER} }}")
        test = program(units(*bodies))
        for memory in MEMORIES:
            found = test.explore(memory)
            assert [told(test, blocked) for blocked in found.blocked] == [
                [("P0", 4, Obstacle.GROUP, []), ("P1", 7, Obstacle.GROUP, [])]
            ]
            assert found.findings == {}


@pytest.mark.parametrize(
    "bodies",
    [
        (f"B1: {BARRIER}", f"B2: {BARRIER}"),
        (f"B1: {BARRIER} B2: {BARRIER}", f"B2: {BARRIER}"),
        tuple(f"for (int i = 0; i < 2; i++) {{ if (i == {n}) {{ B: {BARRIER} }} }}" for n in range(2)),
        (f"B1: {BARRIER}", f"for (int i = 0; i < 2; i++) {{ B2: {BARRIER} }}"),
    ],
)
def test_a_barrier_that_somebody_does_not_come_to_any_more_diverges(
    program: Callable[[str], Test], bodies: tuple[str, ...]
) -> None:
    found = program(units(*bodies)).explore("interleaving")

    assert [finding.kind for finding in found.findings] == ["barrier-divergence"]
    assert len(found.blocked) == 1


def test_a_barrier_of_another_branch_blocks_and_diverges(program: Callable[[str], Test]) -> None:
    test = program(units(f"if (*d == 0) {{\n{BARRIER}\n}}", f"if (*d == 1) {{ {BARRIER} }} else {{ {BARRIER} }}"))
    for memory in MEMORIES:
        found = test.explore(memory)
        expected = [("P0", 5, Obstacle.GROUP, []), ("P1", 9, Obstacle.GROUP, [])]
        assert [told(test, blocked) for blocked in found.blocked] == [expected]
        assert {finding.kind for finding in found.findings} == {"barrier-divergence"}


@pytest.mark.parametrize("body", ["atomic_fetch_xor(x, 1);", "atomic_store(x, 1 - atomic_load(y));"])
def test_a_loop_that_writes_is_left_by_nobody_on_one_store(program: Callable[[str], Test], body: str) -> None:
    test = program(units(f"while (1) {{ {body} }}"))
    (blocked,) = test.explore("interleaving").blocked

    assert [(name, obstacle) for name, _, obstacle, _ in told(test, blocked)] == [("P0", Obstacle.LOOP)]


def test_who_writes_the_same_in_each_attempt_waits(program: Callable[[str], Test]) -> None:
    test = program(units(f"int r; do {{ *d = 3; r = {OF_X}; }} while (r == 0);"))
    (blocked,) = test.explore("interleaving").blocked

    assert told(test, blocked) == [("P0", 4, Obstacle.VALUE, ["x"])]


@pytest.mark.parametrize("memory", MEMORIES)
def test_a_lock_that_its_holder_does_not_give_back(program: Callable[[str], Test], memory: str) -> None:
    test = program(units("while (atomic_exchange(x, 1)) { }", "while (atomic_exchange(x, 1)) { }"))
    found = test.explore(memory)

    assert found.is_complete
    assert sorted(told(test, blocked) for blocked in found.blocked) == [
        [("P0", 4, Obstacle.VALUE, ["x"])],
        [("P1", 7, Obstacle.VALUE, ["x"])],
    ]
    assert test.run(memory, RandomScheduler(0)).ending is Ending.BLOCKED


@pytest.mark.parametrize("memory", MEMORIES)
def test_several_threads_wait_for_a_lock(program: Callable[[str], Test], memory: str) -> None:
    """An exchange that only acquires adds nothing to what the others read."""
    acquire = "while (atomic_exchange_explicit(x, 1, memory_order_acquire, memory_scope_work_group)) { }"
    found = program(units(*[acquire] * 3)).explore(memory)

    assert found.is_complete
    assert sorted([one.site.name for one in blocked.threads] for blocked in found.blocked) == [
        ["P0", "P1"],
        ["P0", "P2"],
        ["P1", "P2"],
    ]
    store = "atomic_store_explicit(x, 0, memory_order_release, memory_scope_work_group);"
    given_back = program(units(*[f"{acquire} *d = *d + 1; {store}"] * 3).replace("exists (x=0)", "exists (d=3)"))
    assert given_back.states(memory) == {(3,)}
    assert given_back.explore(memory).blocked == {}
    assert given_back.explore(memory).findings == {}


@pytest.mark.parametrize("memory", MEMORIES)
def test_threads_of_the_system_that_wait_for_ever_are_recognised(program: Callable[[str], Test], memory: str) -> None:
    test = program(units(f"while ({OF_X} == 0) {{ }}", "while (atomic_load(y) == 0) { }", scope="dv"))
    run = run_on_threads(build(test.program, memory), observed_by(test.program), longest=100)

    assert run.blocked is not None
    assert told(test, run.blocked) == [("P0", 4, Obstacle.VALUE, ["x"]), ("P1", 7, Obstacle.VALUE, ["y"])]


def test_under_clover_nobody_goes_on_behind_a_thread_that_waits(program: Callable[[str], Test]) -> None:
    """The run does not end, but other schedules may: that is not said to be blocked."""
    test = program(units(f"while ({OF_X} == 0) {{ }}", TO_X.format(1)))

    assert test.run("views", CloverScheduler()).ending is Ending.LIMIT


def test_many_threads_that_wait_are_recognised_at_once(program: Callable[[str], Test]) -> None:
    body = "while (atomic_load_explicit(f, memory_order_acquire, memory_scope_work_group) == 0) { }"
    test = program(f"{{}}\nkernel k (global atomic_int* f) {{ {body} }}\nlaunch k global 64;\nexists (f=0)")
    for memory in MEMORIES:
        run = test.run(memory, RandomScheduler(0))
        assert run.blocked is not None
        assert len(run.blocked.threads) == 64
        assert len(run.schedule) < 1_000
