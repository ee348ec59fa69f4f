"""Units that only wait at barriers are left out, if others pass on all that they do: a case for each condition."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from mcm.answer.query import Query
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.catalogue.rules import without as leave_out
from mcm.engine.explicit.decide import decide
from mcm.engine.explicit.settled.idle import idle_units
from mcm.engine.explicit.settled.reduction import without_settled
from mcm.execution.elaborate import elaborate
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test
from mcm.program.types import Flag

if TYPE_CHECKING:
    from mcm.execution.skeleton import Skeleton

LOCAL, GLOBAL = "CLK_LOCAL_MEM_FENCE", "CLK_GLOBAL_MEM_FENCE"
ADD = "r = atomic_fetch_add_explicit(c, 1, memory_order_relaxed, memory_scope_device);"
# The first two of four work-items count, before and after two barriers.
BODY = f"if (l < 2) {ADD} work_group_barrier({GLOBAL}); work_group_barrier({GLOBAL}); if (l < 2) {ADD}"


def skeleton_of(body: str, items: int = 4, launch: str = "") -> Skeleton:
    text = f"""OPENCL idle
{{ }}
kernel K (global atomic_int* c, local int* t) {{
  int l = get_local_id(0);
  int r = 0;
  {body}
}}
launch K global {items}, local {items}, dev 0{launch};
locations [0:r; 1:r; c;]
"""
    (skeleton,) = elaborate(read_test(Source("idle", text)).program)
    return skeleton


def idle(skeleton: Skeleton, model: str = "opencl-3.0") -> frozenset[int]:
    return idle_units(skeleton, registry.get(model), skeleton.events)


@pytest.mark.parametrize("model", ["opencl-3.0", "opencl-3.1", "sycl-2020", "opencl-scoped"])
def test_units_that_only_wait_are_idle(model: str) -> None:
    assert idle(skeleton_of(BODY), model) == {2, 3}


@pytest.mark.parametrize("model", ["opencl-3.0", "opencl-3.1", "opencl-scoped"])
def test_units_that_only_wait_in_group_functions_are_idle(model: str) -> None:
    told = "work_group_reduce_add(l);"

    assert idle(skeleton_of(f"{told} {BODY} {told}"), model) == {2, 3}


@pytest.mark.parametrize("model", ["sc", "sycl-2020"])
def test_a_unit_is_not_idle_under_a_model_in_which_group_functions_order_memory(model: str) -> None:
    assert not idle(skeleton_of(f"work_group_reduce_add(l); {BODY}"), model)


def test_their_events_are_taken_out_and_the_answer_stays() -> None:
    skeleton = skeleton_of(BODY)
    left = without_settled(skeleton, registry.get("opencl-3.0"), observed_by(skeleton.program))
    query = Query((skeleton,), registry.get("opencl-3.0"), observed_by(skeleton.program), wants_witnesses=False)
    reduced, searched = decide(query, many_events=0), decide(query, many_events=1 << 30)

    # What nothing happens in is settled; the counter is not.
    assert {event.thread for event in left.events} == {None, 0, 1}
    assert [state.values for state in reduced.states] == [state.values for state in searched.states]
    assert len(reduced.states) == 2


def test_a_barrier_of_a_smaller_group_is_passed_on_by_the_larger_one() -> None:
    body = f"if (l == 0) {ADD} sub_group_barrier({GLOBAL}); work_group_barrier({GLOBAL}); if (l == 3) {ADD}"

    assert idle(skeleton_of(body, launch=", sub 2")) == {1, 2}


def test_who_does_anything_else_is_not_idle() -> None:
    fence = "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);"

    assert idle(skeleton_of(f"{BODY} if (l == 3) {fence}")) == {2}


def test_who_is_named_is_not_idle() -> None:
    skeleton = skeleton_of(BODY)

    assert idle_units(skeleton, registry.get("opencl-3.0"), skeleton.events, frozenset({2})) == {3}


def test_nobody_is_idle_where_somebody_does_not_come() -> None:
    body = f"if (l < 2) {ADD} if (l < 3) work_group_barrier({GLOBAL}); if (l < 2) {ADD}"

    assert not idle(skeleton_of(body))


def test_nobody_is_idle_where_members_enter_a_barrier_in_different_ways() -> None:
    # One call, whose flags depend on who calls, would order other memory for one than for the other.
    skeleton = skeleton_of(BODY)
    events = skeleton.events
    other = next(e for e in events if e.thread == 2 and e.barrier is not None)
    both = replace(skeleton.sets["L"], events=skeleton.sets["L"].events | 1 << other.identifier)
    changed = replace(other, flags=other.flags | {Flag.LOCAL})
    different = replace(
        skeleton,
        sets={**skeleton.sets, "L": both},
        events=(*events[: other.identifier], changed, *events[other.identifier + 1 :]),
    )

    assert not idle(different)


def test_nobody_is_idle_where_the_closures_may_have_cycles() -> None:
    skeleton = skeleton_of(BODY)
    model = leave_out(registry.get("opencl-3.0"), ("HB-ACYC",))

    assert not idle_units(skeleton, model, skeleton.events)
