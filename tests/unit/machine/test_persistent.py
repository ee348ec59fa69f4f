"""Which threads a search has to follow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from mcm.machine.build import build
from mcm.machine.persistent import PersistentSets

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Test


def first_set(test: Test, memory: str = "interleaving") -> list[int]:
    machine = build(test.program, memory)
    now = machine.start().after
    return list(PersistentSets(machine).among(now, machine.runnable(now)))


STORE = "atomic_store_explicit({}, 1, {}, memory_scope_device);"
LOAD = "int r{} = atomic_load_explicit({}, {}, memory_scope_device);"
SC, RLX = "memory_order_seq_cst", "memory_order_relaxed"
FENCE = "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);"
BARRIER = "work_group_barrier(CLK_GLOBAL_MEM_FENCE);"


def units(*bodies: str, places: tuple[str, ...] = ()) -> str:
    given = places or ("wg 0",) * len(bodies)
    parameters = "global atomic_int* x, global atomic_int* y, global int* z"
    return "{}\n" + "\n".join(
        f"P{number}@{place} ({parameters}) {{ {body} }}"
        for number, (body, place) in enumerate(zip(bodies, given, strict=True))
    )


@pytest.mark.parametrize(
    ("bodies", "memory", "expected"),
    [
        ((STORE.format("x", RLX), STORE.format("y", RLX)), "interleaving", [0]),
        ((STORE.format("x", RLX), STORE.format("x", RLX)), "interleaving", [0, 1]),
        ((LOAD.format(0, "x", RLX), LOAD.format(0, "x", RLX)), "interleaving", [0]),
        # What comes later counts too.
        ((STORE.format("x", RLX), STORE.format("y", RLX) + LOAD.format(0, "x", RLX)), "interleaving", [1]),
        ((STORE.format("x", RLX), LOAD.format(0, "x", RLX) + STORE.format("y", RLX)), "interleaving", [0, 1]),
        # Plain objects show what happens before, whatever is executed meanwhile.
        (("*z = 1;", "*z = 2;"), "interleaving", [0, 1]),
        (("*z = 1;", "*z = 2;"), "views", [0]),
        # SC fences see all SC accesses, but only on weak memory.
        ((FENCE, STORE.format("x", SC)), "views", [0, 1]),
        ((FENCE, LOAD.format(0, "x", SC)), "views", [0, 1]),
        ((FENCE, FENCE), "views", [0, 1]),
        ((FENCE, STORE.format("x", RLX)), "views", [0]),
        ((FENCE, STORE.format("x", SC)), "interleaving", [0]),
        # A conflict behind a barrier is none while this thread has not arrived there.
        ((STORE.format("x", RLX) + BARRIER, BARRIER + STORE.format("x", RLX)), "interleaving", [0]),
    ],
)
def test_a_thread_brings_in_those_that_its_next_step_depends_on(
    program: Callable[[str], Test], bodies: tuple[str, ...], memory: str, expected: list[int]
) -> None:
    assert first_set(program(units(*bodies)), memory) == expected


def test_a_barrier_of_another_group_keeps_nobody_back(program: Callable[[str], Test]) -> None:
    places = ("wg 0", "wg 1", "wg 1")
    test = program(units(STORE.format("x", RLX), BARRIER + STORE.format("x", RLX), BARRIER + "*z = 1;", places=places))
    # P0 alone would miss what P1 does once P2 has arrived; an arrival commutes with everything.
    assert first_set(test) == [1]


_ON_ALL: Final = "memory_order_relaxed, memory_scope_all_svm_devices"


@pytest.mark.parametrize("memory", ["interleaving", "views"])
@pytest.mark.parametrize(
    ("kernel", "host"),
    [
        pytest.param("barrier(CLK_LOCAL_MEM_FENCE); int r = LOAD;", "", id="its-command-is-not-enqueued"),
        pytest.param("int r = LOAD;", "", id="and-begins-at-once"),
        pytest.param("STORE", "clFinish(q); int r = LOAD;", id="the-host-waits-for-a-command"),
    ],
)
def test_a_thread_that_is_held_brings_in_all_that_may_let_it_go_on(
    program: Callable[[str], Test], kernel: str, host: str, memory: str
) -> None:
    """P1 alone conflicts with what comes later, when P0 has enqueued a kernel, which another thread keeps busy."""
    load, store = f"atomic_load_explicit(c, {_ON_ALL})", "atomic_store_explicit({}, {}, " + _ON_ALL + ");"
    kernel = kernel.replace("LOAD", load).replace("STORE", store.format("d", 3))
    test = program(f"""{{
  fine_svm_atomics atomic_int c = 0; fine_svm_atomics atomic_int d = 0; queue q = in_order dev 0;
}}
kernel K (global atomic_int* c, global atomic_int* d) {{ {kernel} }}
P0@host (global atomic_int* c, global atomic_int* d) {{
  {store.format("d", 1)} clEnqueueNDRangeKernel(q, K, 2, 2); {host.replace("LOAD", load)}
}}
P1@host (global atomic_int* c) {{ {store.format("c", 1)} }}
P2@host (global atomic_int* d) {{ {store.format("d", 2)} }}
locations [ d; {"0:r;" if host else "K[0]:r; K[1]:r;"} ]
""")
    reduced, full = test.explore(memory), test.explore(memory, reduced=False)

    assert reduced.is_complete
    assert set(reduced.states) == set(full.states)
    assert len(full.states) == (4 if host else 8)
    assert reduced.configurations < full.configurations


def test_a_loop_that_goes_round_for_ever_does_not_hide_the_others(program: Callable[[str], Test]) -> None:
    spin = "while (atomic_load_explicit(x, memory_order_relaxed, memory_scope_device) == 0) { }"
    test = program(units(spin, "*z = 1; int n = 0; *z = 1 / n;"))
    found = test.explore("interleaving")

    assert found.is_complete
    assert found.states == {}
    assert {finding.kind for finding in found.findings} == {"unspecified-quotient"}


def test_the_search_is_smaller(program: Callable[[str], Test]) -> None:
    body = "z[get_global_id(0)] = 1; z[get_global_id(0)] = 2;"
    test = program(
        "{ int z[6]; }\nkernel k (global int* z) { " + body + " }\nlaunch k global 6, local 6;\nexists (z[0]=1)"
    )

    assert test.explore("interleaving").configurations == 13
    assert test.explore("interleaving", reduced=False).configurations == 3**6


def test_a_large_work_group_is_searched_in_as_many_configurations_as_it_has_steps(
    program: Callable[[str], Test],
) -> None:
    test = program("""{ int z[64]; }
kernel k (global int* z) {
  int i = get_global_id(0);
  z[i] = 1;
  work_group_barrier(CLK_GLOBAL_MEM_FENCE);
  int r = z[63 - i];
}
launch k global 64, local 64;
exists (z[0]=1)
""")
    for memory in ("interleaving", "views"):
        found = test.explore(memory)
        assert found.is_complete
        assert found.configurations == 3 * 64 + 1


def test_a_plain_read_of_an_atomic_object_reads_what_coherence_allows(program: Callable[[str], Test]) -> None:
    """P1 may have seen the store without knowing of it, as their scopes differ: its plain read goes on from there."""
    test = program("""{}
P0@wg 0, sg 0 (global atomic_int* x) {
  atomic_store_explicit(x, 1, memory_order_seq_cst, memory_scope_sub_group);
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
}
P1@wg 0, sg 1 (global atomic_int* x, global atomic_int* y) {
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  int r0 = atomic_load_explicit(x, memory_order_seq_cst, memory_scope_sub_group);
  int r1 = *x;
  atomic_store_explicit(y, 1, memory_order_relaxed, memory_scope_device);
}
P2@wg 1 (global atomic_int* y, global int* z) {
  int n = atomic_load_explicit(y, memory_order_relaxed, memory_scope_device);
  *z = 1 / n;
}
exists (1:r1=1)
""")
    found = test.explore("views")

    assert found.is_complete
    assert set(found.states) == {(1,)}
    assert {finding.kind for finding in found.findings} == {"data-race", "unspecified-quotient"}
