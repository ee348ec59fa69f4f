from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Test

MP = """{{}}
P0 (global int* x, {region} atomic_int* y) {{
  *x = 1;
  atomic_store_explicit(y, 1, memory_order_release, {release});
}}
P1@{place} (global int* x, {region} atomic_int* y) {{
  int r0 = atomic_load_explicit(y, {acquire});
  int r1 = -1;
  if (r0 == 1) {{ r1 = *x; }}
}}
exists (1:r0=1 /\\ 1:r1=0)
"""
WG, DV = "memory_scope_work_group", "memory_scope_device"


def mp(
    region: str = "global", release: str = WG, acquire: str = f"memory_order_acquire, {WG}", place: str = "wg 0"
) -> str:
    return MP.format(region=region, release=release, acquire=acquire, place=place)


@pytest.mark.parametrize(
    ("text", "stale", "races"),
    [
        (mp(), False, False),
        (mp(acquire=f"memory_order_relaxed, {WG}"), True, True),
        (mp(place="wg 1"), True, True),
        (mp(release=DV, acquire=f"memory_order_acquire, {DV}", place="wg 1"), False, False),
        (mp(release=DV), True, True),
        (mp(region="local"), True, True),
    ],
    ids=["same scope", "relaxed", "other group", "device scope", "scopes differ", "local flag"],
)
def test_message_passing_under_views(program: Callable[[str], Test], text: str, stale: bool, races: bool) -> None:
    test = program(text)

    assert ((1, 0) in test.states("views")) == stale
    assert ("data-race" in test.kinds("views")) == races


def test_message_passing_under_interleaving_never_shows_the_old_value(program: Callable[[str], Test]) -> None:
    assert program(mp(place="wg 1")).states("interleaving") == {(0, -1), (1, 1)}


SB = """{{}}
P0 (global atomic_int* x, global atomic_int* y) {{
  atomic_store_explicit(x, 1, {store}, memory_scope_work_group);
  {fence}
  int r0 = atomic_load_explicit(y, {load}, memory_scope_work_group);
}}
P1 (global atomic_int* x, global atomic_int* y) {{
  atomic_store_explicit(y, 1, {store}, memory_scope_work_group);
  {fence}
  int r0 = atomic_load_explicit(x, {load}, memory_scope_work_group);
}}
exists (0:r0=0 /\\ 1:r0=0)
"""
FENCE = "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, {}, memory_scope_work_group);"


@pytest.mark.parametrize(
    ("store", "load", "fence", "both_old"),
    [
        ("memory_order_release", "memory_order_acquire", "", True),
        ("memory_order_seq_cst", "memory_order_seq_cst", "", False),
        ("memory_order_relaxed", "memory_order_relaxed", FENCE.format("memory_order_seq_cst"), False),
        ("memory_order_relaxed", "memory_order_relaxed", FENCE.format("memory_order_acq_rel"), True),
    ],
)
def test_store_buffering_under_views(
    program: Callable[[str], Test], store: str, load: str, fence: str, both_old: bool
) -> None:
    states = program(SB.format(store=store, load=load, fence=fence)).states("views")

    assert ((0, 0) in states) == both_old
    assert states >= {(0, 1), (1, 0), (1, 1)}


def test_a_write_may_come_before_one_that_is_not_known(program: Callable[[str], Test]) -> None:
    test = program("""{}
P0 (global atomic_int* x) { atomic_store_explicit(x, 1, memory_order_relaxed, memory_scope_work_group); }
P1 (global atomic_int* x) {
  atomic_store_explicit(x, 2, memory_order_relaxed, memory_scope_work_group);
  int r = atomic_load_explicit(x, memory_order_relaxed, memory_scope_work_group);
}
exists (1:r=1 /\\ x=2)
""")

    assert test.states("views") == {(2, 2), (2, 1), (1, 1)}


def test_updates_lose_nothing(program: Callable[[str], Test]) -> None:
    update = "atomic_fetch_add_explicit(x, 1, memory_order_relaxed, memory_scope_work_group);"
    test = program("{}\n" + "".join(f"P{n} (global atomic_int* x) {{ {update} }}\n" for n in range(3)) + "exists (x=3)")

    assert test.states("views") == test.states("interleaving") == {(3,)}


def test_a_weak_exchange_may_fail_although_nobody_interferes(program: Callable[[str], Test]) -> None:
    text = """{{}}
P0 (global atomic_int* x) {{
  int e = 0;
  int r = atomic_compare_exchange_{kind}_explicit(x, &e, 1, memory_order_relaxed, memory_order_relaxed,
                                                  memory_scope_work_group);
}}
exists (0:r=0)
"""
    for memory in ("views", "interleaving"):
        assert program(text.format(kind="strong")).states(memory) == {(1,)}
        assert program(text.format(kind="weak")).states(memory) == {(0,), (1,)}


def test_a_loop_that_writes_before_each_weak_exchange_comes_to_an_end(program: Callable[[str], Test]) -> None:
    push = """(global atomic_int* top, global int* next) {{
  int old = atomic_load_explicit(top, memory_order_relaxed, memory_scope_work_group);
  do {{
    next[{node}] = old;
  }} while (!atomic_compare_exchange_weak_explicit(top, &old, {node}, memory_order_release, memory_order_relaxed,
                                                  memory_scope_work_group));
}}"""
    both = "\n".join(f"P{node - 1} {push.format(node=node)}" for node in (1, 2))
    test = program(f"{{ int next[3]; }}\n{both}\nexists (top=2 /\\ next[1]=0 /\\ next[2]=1)")

    assert test.states("views") == test.states("interleaving") == {(0, 1, 2), (2, 0, 1)}


def test_of_racing_plain_writes_either_may_be_the_last(program: Callable[[str], Test]) -> None:
    test = program("{}\nP0 (global int* x) { *x = 1; }\nP1 (global int* x) { *x = 2; }\nexists (x=1)")

    assert test.states("views") == {(1,), (2,)}
    (finding,) = test.explore("views").findings
    assert [(site.name, site.span.text) for site in finding.sites] == [("P0", "*x = 1"), ("P1", "*x = 2")]


def test_the_operands_of_a_sum_are_evaluated_in_either_order(program: Callable[[str], Test]) -> None:
    add = "atomic_fetch_add_explicit(x, 1, memory_order_relaxed, memory_scope_work_group)"
    test = program(f"{{}}\nP0 (global atomic_int* x) {{ int r = {add} * 10 + {add}; }}\nexists (0:r=1)")

    for memory in ("views", "interleaving"):
        assert test.states(memory) == {(1,), (10,)}


def test_four_threads_of_iriw_are_explored_in_few_configurations(program: Callable[[str], Test]) -> None:
    def reader(number: int, first: str, second: str) -> str:
        load = "atomic_load_explicit({}, memory_order_acquire, memory_scope_device)"
        body = f"int r0 = {load.format(first)}; int r1 = {load.format(second)};"
        return f"P{number}@wg {number} (global atomic_int* x, global atomic_int* y) {{ {body} }}\n"

    def writer(number: int, name: str) -> str:
        store = f"atomic_store_explicit({name}, 1, memory_order_release, memory_scope_device);"
        return f"P{number}@wg {number} (global atomic_int* {name}) {{ {store} }}\n"

    units = writer(0, "x") + writer(1, "y") + reader(2, "x", "y") + reader(3, "y", "x")
    test = program("{}\n" + units + "exists (2:r0=1 /\\ 2:r1=0 /\\ 3:r0=1 /\\ 3:r1=0)")
    found = test.explore("views")

    assert found.is_complete
    assert found.configurations < 1000
    assert len(found.states) == 16
    assert len(test.states("interleaving")) == 15
