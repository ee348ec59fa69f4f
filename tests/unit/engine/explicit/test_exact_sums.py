"""Updates that add floats may come in any order where no sum is rounded, and only there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from mcm.answer.query import Query
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.engine.explicit.decide import decide
from mcm.engine.explicit.settled.reduction import without_settled
from mcm.engine.smt.decide import decide as decide_with_solver
from mcm.execution.elaborate import elaborate
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test

if TYPE_CHECKING:
    from mcm.answer.answer import Answer
    from mcm.execution.skeleton import Skeleton

ORDERS: Final = "memory_order_relaxed, memory_order_relaxed, memory_scope_device"
ADDED: Final = "atomic_fetch_add_explicit(s, x[me], memory_order_relaxed, memory_scope_device);"
SUBTRACTED: Final = "atomic_fetch_sub_explicit(s, x[me], memory_order_relaxed, memory_scope_device);"
EXCHANGED: Final = f"""float v = x[me]; union {{ uint u; float f; }} o, n;
  o.u = atomic_load_explicit(b, memory_order_relaxed, memory_scope_device);
  do {{ n.f = o.f + v; }} while (!atomic_compare_exchange_weak_explicit(b, &o.u, n.u, {ORDERS}));"""


def skeleton_of(body: str, numbers: str, initial: str = "0.0", items: int = 3, local: int = 1) -> Skeleton:
    text = f"""OPENCL sums
{{ atomic_float s = {initial}; atomic_uint b = 0; float x[{items}] = {{{numbers}}}; }}
kernel K (global atomic_float* s, global atomic_uint* b, global float* x) {{
  int me = get_global_id(0);
  {body}
}}
launch K global {items}, local {local}, dev 0;
locations [s; b;]
"""
    (skeleton,) = elaborate(read_test(Source("sums", text)).program, waiting=True)
    return skeleton


def query_about(skeleton: Skeleton) -> Query:
    return Query((skeleton,), registry.get("opencl-3.0"), observed_by(skeleton.program), wants_witnesses=False)


def states(answer: Answer) -> list[tuple[object, ...]]:
    assert answer.undecided is None
    return [state.values for state in answer.states]


def is_settled(skeleton: Skeleton) -> bool:
    found = without_settled(skeleton, registry.get("opencl-3.0"), observed_by(skeleton.program))
    return all(event.thread is None for event in found.events)


@pytest.mark.parametrize("body", [ADDED, SUBTRACTED, EXCHANGED])
@pytest.mark.parametrize(
    ("numbers", "initial"),
    [
        ("1.0, 2.0, 3.0", "0.0"),
        ("0.5, 0.25, -8.0", "1.0"),
        ("1.0, -1.0, 0.0", "0.0"),
        ("16777215.0, 0.0, 1.0", "0.0"),
        ("1e30, 0.0, 0.0", "0.0"),
        ("-0.0, 0.0, -0.0", "-0.0"),
        ("-0.0, -0.0, -0.0", "-0.0"),
    ],
)
def test_what_is_not_rounded_comes_in_any_order(body: str, numbers: str, initial: str) -> None:
    skeleton = skeleton_of(body, numbers, initial)
    query = query_about(skeleton)

    assert is_settled(skeleton)
    assert states(decide(query, many_events=1)) == states(decide_with_solver(query))


@pytest.mark.parametrize("body", [ADDED, EXCHANGED])
@pytest.mark.parametrize(
    "numbers",
    [
        pytest.param("1.0, 16777216.0, 1.0", id="too-many-digits"),
        pytest.param("1.0, 0.1, 0.2", id="tenths"),
        pytest.param("1e30, -1e30, 1.0", id="nothing-left-of-the-smaller"),
        pytest.param("3e38, 3e38, -3e38", id="too-large"),
    ],
)
def test_what_may_be_rounded_is_open(body: str, numbers: str) -> None:
    skeleton = skeleton_of(body, numbers)
    query = query_about(skeleton)

    assert not is_settled(skeleton)
    assert states(decide(query, many_events=1)) == states(decide_with_solver(query))


def test_numbers_that_others_leave_are_looked_at() -> None:
    """The addends are known once what was written before a barrier is."""
    body = f"x[me] = me + 1; barrier(CLK_GLOBAL_MEM_FENCE); {ADDED}"
    skeleton = skeleton_of(body, "0.1, 0.1, 0.1")
    assert is_settled(skeleton)
    assert states(decide(query_about(skeleton), many_events=1)) == [(6.0, 0)]


def test_what_is_read_of_rounded_sums_is_open_where_others_write_later() -> None:
    barrier = "barrier(CLK_GLOBAL_MEM_FENCE);"
    order = "memory_order_relaxed, memory_scope_device"
    read = f"if (me == 0) {{ atomic_store_explicit(b, (uint)atomic_load_explicit(s, {order}), {order}); }}"
    later = f"if (me < 2) {{ atomic_store_explicit(s, me, {order}); }}"
    skeleton = skeleton_of(f"{ADDED} {barrier} {read} {barrier} {later}", "1.0, 16777216.0, 1.0", local=3)
    query = query_about(skeleton)

    found = states(decide(query, many_events=1))
    assert found == states(decide_with_solver(query))
    assert {state[1] for state in found} == {16777216, 16777218}


@pytest.mark.parametrize("body", [ADDED, EXCHANGED])
def test_sums_of_sixteen_take_a_moment(body: str) -> None:
    numbers = ", ".join(f"{number}.0" for number in range(16))
    (found,) = states(decide(query_about(skeleton_of(body, numbers, items=16))))
    assert 120.0 in found or 0x42F00000 in found
