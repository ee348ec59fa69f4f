"""Atomics that are settled are taken out, and no others: a case for each condition."""

from __future__ import annotations

from pathlib import Path

import pytest
from settled_programs import GLOBAL, LOCAL, ON_DEVICE, RELAXED, accessed, add, exchange, reduced, skeleton_of

from mcm.answer.query import Query
from mcm.catalogue import registry
from mcm.catalogue.rules import without as leave_out
from mcm.engine.explicit.decide import decide
from mcm.engine.explicit.settled.reduction import without_settled
from mcm.execution.expression import Constant
from mcm.explain.observed import observed_by


def test_updates_that_commute_have_one_result() -> None:
    body = f"{add('c')} work_group_barrier({GLOBAL}); r = atomic_load_explicit(c, {RELAXED});"
    left = reduced(skeleton_of(body, "exists (0:r=3 /\\ c=3)", items=3))

    assert left.events == ()
    assert set(left.registers.values()) == {Constant(6)}
    assert set(left.finals.values()) == {Constant(6)}


def test_several_updates_of_each_unit_are_one_layer() -> None:
    """A histogram whose work-items take several elements each."""
    loop = f"for (int n = 0; n < 2; n++) {add('c')}"
    body = f"{loop} work_group_barrier({GLOBAL}); r = atomic_load_explicit(c, {RELAXED});"
    left = reduced(skeleton_of(body, "exists (0:r=3 /\\ c=3)", items=3))

    assert left.events == ()
    assert set(left.registers.values()) == {Constant(12)}
    assert set(left.finals.values()) == {Constant(12)}


def test_several_updates_of_one_unit_alone_are_layers_of_their_own() -> None:
    body = f"if (l == 0) {{ {add('c')} r = {add('c')} }} work_group_barrier({GLOBAL}); {add('c')} {add('c')}"
    left = reduced(skeleton_of(body, "exists (0:r=1 /\\ c=8)"))

    assert left.events == ()
    assert {name.thread: value for name, value in left.registers.items()}[0] == Constant(1)
    assert set(left.finals.values()) == {Constant(8)}


@pytest.mark.parametrize(
    ("call", "rest", "is_settled"),
    [
        pytest.param("store", "", True, id="stores"),
        pytest.param("exchange", "", True, id="exchanges of which nothing uses the result"),
        pytest.param("exchange", f"r += atomic_exchange_explicit(c, 5, {RELAXED});", False, id="a result that is used"),
        pytest.param("store", f"atomic_store_explicit(c, 5 + l, {RELAXED});", False, id="another value"),
        pytest.param("store", add("c"), False, id="an update"),
        pytest.param("store", f"r += atomic_load_explicit(c, {RELAXED});", False, id="a load at the same time"),
    ],
)
def test_atomic_writes_of_one_constant_have_one_result(call: str, rest: str, *, is_settled: bool) -> None:
    body = f"atomic_{call}_explicit(c, 5, {RELAXED}); {rest} work_group_barrier({GLOBAL});"
    left = reduced(skeleton_of(f"{body} r += atomic_load_explicit(c, {RELAXED});", "exists (0:r=5 /\\ c=5)", items=3))

    assert ("c" not in accessed(left)) is is_settled
    if is_settled:
        assert left.events == ()
        assert set(left.registers.values()) == {Constant(5)}
        assert set(left.finals.values()) == {Constant(5)}


def test_a_plain_write_of_the_constant_races() -> None:
    left = reduced(skeleton_of(f"if (l == 0) *c = 5; else atomic_store_explicit(c, 5, {RELAXED});"))

    assert "c" in accessed(left)


def test_fences_publish_through_stores_of_one_constant() -> None:
    fence = f"atomic_work_item_fence({GLOBAL}, memory_order_acq_rel, memory_scope_work_group);"
    store, load = f"atomic_store_explicit(c, 5, {RELAXED});", f"atomic_load_explicit(c, {RELAXED})"
    body = f"if (l == 0) a[0] = 7; {fence} {store} {fence} if ({load} == 5) {{ {fence} r = a[0]; }}"

    assert "c" in accessed(reduced(skeleton_of(body)))


@pytest.mark.parametrize(
    "between",
    [
        pytest.param(f"r = atomic_load_explicit(c, {RELAXED});", id="a load"),
        pytest.param(f"atomic_fetch_or_explicit(c, 1, {RELAXED});", id="an update of another class"),
        pytest.param(f"atomic_work_item_fence({GLOBAL}, memory_order_acq_rel, memory_scope_work_group);", id="a fence"),
    ],
)
def test_updates_of_a_unit_with_something_between_compete_with_those_of_others(between: str) -> None:
    left = reduced(skeleton_of(f"if (l == 0) a[0] = 7; {add('c')} {between} {add('c')} r = a[0];"))

    assert "c" in accessed(left)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(f"r = {add('c')}", id="an old value that is used"),
        pytest.param(f"{add('c')} r = atomic_load_explicit(c, {RELAXED});", id="a load in the same phase"),
        pytest.param(f"if (l) {add('c')} else atomic_fetch_or_explicit(c, 1, {RELAXED});", id="different operators"),
        pytest.param(f"atomic_exchange_explicit(c, l, {RELAXED});", id="an exchange"),
        pytest.param(
            f"atomic_store_explicit(&f[l], 1, {RELAXED}); {add('c', 'memory_order_acq_rel, memory_scope_work_group')}"
            f" r = atomic_load_explicit(&f[1 - l], {RELAXED});",
            id="what synchronises, where something is open",
        ),
        pytest.param(f"atomic_store_explicit(c, l, {RELAXED});", id="stores"),
    ],
)
def test_atomics_that_compete_stay(body: str) -> None:
    assert "c" in accessed(reduced(skeleton_of(body)))


def test_updates_without_inclusive_scopes_race_and_stay() -> None:
    narrow, wide = (skeleton_of(add("c", how), items=1, groups=2) for how in (RELAXED, ON_DEVICE))

    assert accessed(reduced(narrow)) == {"c"}
    assert accessed(reduced(wide)) == set()


def test_an_update_that_is_alone_in_its_phase_has_a_known_result() -> None:
    body = f"if (l == 0) r = {add('c')} work_group_barrier({GLOBAL}); if (l == 1) r = {add('c')}"
    left = reduced(skeleton_of(body, "exists (0:r=0 /\\ 1:r=1)"))

    assert left.events == ()
    assert set(left.registers.values()) == {Constant(0), Constant(1)}


def test_updates_through_which_fences_synchronise_stay() -> None:
    fence = f"atomic_work_item_fence({GLOBAL}, memory_order_acq_rel, memory_scope_work_group);"
    passing = skeleton_of(f"if (l == 0) a[0] = 7; {fence} {add('c')} {fence} r = a[0];")
    before = skeleton_of(f"{fence} {add('c')}")

    assert "c" in accessed(reduced(passing))
    # There is nothing behind the updates that a fence could order.
    assert accessed(reduced(before)) == set()


def test_updates_through_which_fences_synchronise_where_nobody_meets_stay() -> None:
    fence = f"atomic_work_item_fence({GLOBAL}, memory_order_acq_rel, memory_scope_work_group);"
    flag = f"if (l == 0) u[0] = atomic_load_explicit(f, {RELAXED}); else atomic_store_explicit(f, 1, {RELAXED});"
    told = f"{flag} work_group_barrier({LOCAL} | {GLOBAL}); int o = u[0];"
    meet = f"work_group_barrier({GLOBAL});"
    passing = f"{told} if (l == 0) {{ a[0] = 7; {fence} }} {add('c')} %s {fence} if (l == 1) r = a[0];"

    assert accessed(reduced(skeleton_of(passing % meet))) == {"f"}
    assert accessed(reduced(skeleton_of(passing % f"if (o == 1) {{ {meet} }}"))) == {"a", "c", "f"}


def test_barriers_synchronise_through_updates_what_they_order_anyway() -> None:
    work_group = skeleton_of(f"work_group_barrier({GLOBAL}); {add('c')} work_group_barrier({GLOBAL});")

    assert accessed(reduced(work_group)) == set()


def test_seq_cst_operations_switch_atomics_off_and_plain_accesses_not() -> None:
    left = reduced(skeleton_of(f"{add('c')} atomic_fetch_add(c, 1); {exchange(LOCAL)}"))

    assert accessed(left) == {"c"}


@pytest.mark.parametrize("rule", ["COH-WW", "COH-WR", "RMW-1"])
def test_a_model_that_is_not_coherent_settles_no_atomics(rule: str) -> None:
    skeleton = skeleton_of(add("c"))
    left = without_settled(skeleton, leave_out(registry.get("opencl-3.0"), (rule,)), observed_by(skeleton.program))

    assert accessed(left) == {"c"}


@pytest.mark.parametrize(("seen", "is_settled"), [("R \\ A", True), ("R", False), ("A & RMW", False)])
def test_updates_that_need_visible_writes_do_not_come_in_any_order(seen: str, *, is_settled: bool) -> None:
    """Nothing orders what another unit adds before what it reads: no execution is consistent."""
    text = f'"seen"\ninclude "opencl-3.0.cat"\nempty (rf ; [{seen}]) \\ visible as seen\n'
    model = registry.load_file(
        Path("seen.cat"), lambda path: text if path.name == "seen.cat" else registry.text_of(path)
    )
    skeleton = skeleton_of(add("c"), "exists (c=3)")
    query = Query((skeleton,), model, observed_by(skeleton.program), wants_witnesses=False)

    assert (without_settled(skeleton, model, query.observed) is not skeleton) is is_settled
    for many_events in (0, 1 << 60):
        assert [state.satisfies for state in decide(query, many_events=many_events).states] == [True] * is_settled
