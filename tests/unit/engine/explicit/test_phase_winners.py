"""Choices say who wins a contest between barriers: a case for each condition."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest
from msgspec.structs import replace

from mcm.answer.query import Query
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.engine.explicit.decide import decide, open_skeleton
from mcm.engine.explicit.findings import watched
from mcm.engine.explicit.settled.phase_winners import where_winners_are_chosen
from mcm.execution.elaborate import elaborate
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test

if TYPE_CHECKING:
    from mcm.execution.skeleton import Skeleton

SET: Final = "if (me == 0) { taken = 0; other = 0; leader = 8; } barrier(CLK_LOCAL_MEM_FENCE);"
TRY: Final = "won = atomic_cmpxchg(&taken, 0, 1) == 0;"
OTHER: Final = "won2 = atomic_cmpxchg(&other, 0, 1) == 0;"
LEADS: Final = "if (won) { leader = me; } barrier(CLK_LOCAL_MEM_FENCE); out[g] = leader;"
ATOMIC: Final = "atomic_store(&taken, 0); atomic_store(&other, 0);"
RELAXED: Final = "memory_order_relaxed, memory_scope_work_group"


def query_of(
    body: str,
    *,
    tries: str = TRY,
    before: str = SET,
    objects: str = "int",
    others: str = "",
    items: int = 3,
    sub: int = 8,
    model: str = "opencl-3.0",
) -> Query:
    program = read_test(
        Source(
            "contest",
            f"""OPENCL contest
{{ [n]=0; [m]=7; int out[8]; }}
kernel K (global atomic_int* n, global int* m, global int* out) {{
  local {objects} taken; local {others or objects} other; local int leader; local int data[4];
  int me = get_local_id(0); int g = get_global_id(0); int x = 0; int won = 0; int won2 = 0;
  {before}
  {tries}
  {body}
}}
launch K global {items}, local {items}, sub {sub}, dev 0;
locations [n; out;]
""",
        )
    ).program
    return Query(elaborate(program, 1, waiting=True), registry.get(model), observed_by(program), wants_witnesses=False)


def left(query: Query) -> Skeleton | None:
    (skeleton,) = query.skeletons
    return where_winners_are_chosen(skeleton, query.model, watched(query))


def assert_ends_alike(query: Query) -> Skeleton:
    """Assert that choices say who wins, and that the answer is that about all executions; what is left."""
    skeleton = left(query)
    assert skeleton is not None

    one, every = (decide(asked, many_events=1 << 60) for asked in (replace(query, skeletons=(skeleton,)), query))

    assert [state.values for state in one.states] == [state.values for state in every.states]
    assert (every.undecided, every.flags, every.faults, every.bounded) == (None, (), (), ())
    return skeleton


BODIES: Final = {
    "the first is the leader": LEADS,
    "the first writes the same whoever it is": LEADS.replace("= me", "= 5"),
    "others write elsewhere": LEADS.replace("barrier", "else { out[g] = 1; } barrier", 1),
    "others leave something": "if (!won) { data[me] = 4; } else { data[me] = 3; } barrier(CLK_LOCAL_MEM_FENCE);"
    "out[g] = data[(me + 1) % 3];",
    "what is read may be what was there": LEADS.replace("won", "won && me"),
    "two conditions": "if (won) { if (me) { leader = me; } else { leader = 6; } } barrier(CLK_LOCAL_MEM_FENCE);"
    "out[g] = leader;",
    "first one and then the other": "if (me == 1 && won) { leader = 1; } barrier(CLK_LOCAL_MEM_FENCE); x = leader;"
    "barrier(CLK_LOCAL_MEM_FENCE); if (me == 1 && !won) { leader = 2; } barrier(CLK_LOCAL_MEM_FENCE);"
    "out[g] = 10 * x + leader;",
    "what the object has then": "barrier(CLK_LOCAL_MEM_FENCE); out[g] = taken + 10 * won;",
}
TRIES: Final = {
    "exchange": ("int", "won = atomic_xchg(&taken, 1) == 0;"),
    "one bit": ("int", "won = atomic_or(&taken, 4) == 0;"),
    "each its own value": ("int", "x = atomic_cmpxchg(&taken, 0, me + 4); won = x == 0;"),
    "with a total order": ("atomic_int", "won = atomic_compare_exchange_strong(&taken, &x, 1);"),
    "relaxed": ("atomic_int", f"won = atomic_exchange_explicit(&taken, 1, {RELAXED}) == 0;"),
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_what_the_first_does_is_read_behind_the_next_barrier(body: str) -> None:
    skeleton = assert_ends_alike(query_of(body))

    assert all(event.thread is None for event in skeleton.events)


@pytest.mark.parametrize(("objects", "tries"), TRIES.values(), ids=TRIES)
def test_there_are_several_ways_to_be_the_first(objects: str, tries: str) -> None:
    before = SET if objects == "int" else f"if (me == 0) {{ {ATOMIC} leader = 8; }} barrier(CLK_LOCAL_MEM_FENCE);"

    skeleton = assert_ends_alike(query_of(LEADS, tries=tries, objects=objects, before=before))

    assert skeleton.choices == 2


def test_the_first_of_each_group_may_do_what_is_left_open() -> None:
    body = "if (won) { leader = atomic_fetch_add(n, 2); } barrier(CLK_LOCAL_MEM_FENCE); out[g] = leader;"

    skeleton = assert_ends_alike(query_of(body))

    assert any(event.thread is not None for event in skeleton.events)


def test_a_contest_may_follow_another_one() -> None:
    second = OTHER + " if (won2) { data[0] = me; } barrier(CLK_LOCAL_MEM_FENCE);"

    skeleton = assert_ends_alike(query_of(f"{LEADS} {second} out[g] = leader + 10 * data[0];"))

    assert skeleton.choices == 4


OTHERWISE: Final = {
    "in circles": (
        f"if (me == 1) {{ {OTHER} {TRY} }} else {{ {TRY} {OTHER} }}",
        "out[g] = won + 2 * won2;",
    ),
    "some come later": (
        f"if (me) {{ {TRY} }} barrier(CLK_LOCAL_MEM_FENCE); if (!me) {{ {TRY} }}",
        "out[g] = won;",
    ),
    "twice": (f"{TRY} won2 = atomic_cmpxchg(&taken, 0, 1) == 0;", "out[g] = won + 2 * won2;"),
    "nobody finds what is expected": ("won = atomic_cmpxchg(&taken, 3, 1) == 3;", "out[g] = won;"),
    "what is expected is written behind them": (
        "x = 5; won = atomic_compare_exchange_strong(n, &x, 1); barrier(CLK_GLOBAL_MEM_FENCE);",
        "if (me == 0) { atomic_store(n, 5); } out[g] = won;",
    ),
    "who comes later waits": ("while (atomic_cmpxchg(&taken, 0, 1) != 0) { }", "out[g] = 1;"),
    "losers write": (TRY, "if (!won) { leader = me; } barrier(CLK_LOCAL_MEM_FENCE); out[g] = leader;"),
    "one writes beside": (TRY, f"if (me == 0) {{ leader = 6; }} {LEADS}"),
    "what is read may have no value": (
        TRY,
        "if (!won) { data[me] = 1; } barrier(CLK_LOCAL_MEM_FENCE); out[g] = data[0];",
    ),
    "the first may not write": (TRY, LEADS.replace("won", "won && me")),
    "who was the first may not have been so again": (
        f"{TRY} if (won && me) {{ *m = 0; }} barrier(CLK_GLOBAL_MEM_FENCE);",
        "out[g] = atomic_cmpxchg(m, 0, 1) == 0;",
    ),
    "it is set again": (TRY, "barrier(CLK_LOCAL_MEM_FENCE); if (won) { taken = 2; } out[g] = won;"),
    "not all take part for certain": ("if (atomic_load(n) == 0) { " + TRY + " }", "atomic_store(n, 1); out[g] = won;"),
    "no order is said of what is read": (TRY, "if (won) { leader = me; } out[g] = leader;"),
    "all write": (TRY, "leader = me; barrier(CLK_LOCAL_MEM_FENCE); out[g] = leader;"),
    "what is open decides": (
        TRY,
        "if (won && atomic_fetch_add(n, 1) == 0) { leader = me; } barrier(CLK_LOCAL_MEM_FENCE); out[g] = leader;",
    ),
}


@pytest.mark.parametrize(("tries", "body"), OTHERWISE.values(), ids=OTHERWISE)
def test_what_is_no_such_contest_is_told_by_all_executions(tries: str, body: str) -> None:
    query = query_of(body, tries=tries, before=SET.replace("leader = 8; ", ""))
    skeleton = left(query)
    every = decide(query, many_events=1 << 60)

    # What is chosen may be right where it decides less.
    one = every if skeleton is None else decide(replace(query, skeletons=(skeleton,)), many_events=1 << 60)

    assert [state.values for state in one.states] == [state.values for state in every.states]
    assert [flag.name for flag in one.flags] == [flag.name for flag in every.flags]
    assert (one.waits, one.bounded) == (every.waits, every.bounded)


def test_what_comes_before_a_try_may_order_it() -> None:
    tries = f"""
  if (me == 1) {{ won2 = atomic_load_explicit(&other, memory_order_acquire, memory_scope_work_group); }}
  {TRY}
  if (me == 0) {{ atomic_store_explicit(&other, 1, memory_order_release, memory_scope_work_group); }}"""
    before = "if (me == 0) { taken = 0; atomic_store(&other, 0); } barrier(CLK_LOCAL_MEM_FENCE);"
    query = query_of("out[g] = won + 2 * won2;", tries=tries, before=before, others="atomic_int")

    assert left(query) is None

    # Who reads that another one has tried finds that, too: out[1] is never 3.
    states = decide(query, many_events=1 << 60).states
    assert {state.values[2] for state in states} == {0, 1, 2}


def test_tries_that_something_orders_are_no_contest() -> None:
    tries = f"if (me != 1) {{ {TRY} }} sub_group_barrier(CLK_LOCAL_MEM_FENCE); if (me == 1) {{ {TRY} }}"
    query = query_of("out[g] = won;", tries=tries, items=4, sub=2)

    assert left(query) is None

    # Of the first two the second one tries when the first one has.
    assert all(state.values[2] == 0 for state in decide(query, many_events=1 << 60).states)


def test_contests_in_circles_are_told_by_all_executions() -> None:
    one = "x = 0; won = atomic_compare_exchange_strong(&taken, &x, 1);"
    two = "x = 0; won2 = atomic_compare_exchange_strong(&other, &x, 1);"
    tries = f"if (me == 1) {{ {two} {one} }} else {{ {one} {two} }}"
    before = f"if (me == 0) {{ {ATOMIC} }} barrier(CLK_LOCAL_MEM_FENCE);"
    query = query_of("out[g] = won + 2 * won2;", tries=tries, before=before, objects="atomic_int")

    assert left(query) is None

    # Who is the first where the others come first has been so where he comes first himself: out[1] is never 1.
    states = decide(query, many_events=1 << 60).states
    assert {state.values[2] for state in states} == {0, 2, 3}


def test_tries_that_stay_are_no_contest() -> None:
    # Of SYCL's model atomics are settled only where everything is.
    body = "if (won) { leader = me; } barrier(CLK_LOCAL_MEM_FENCE); if (leader == me) { out[7] = 5; }"
    before = "if (me == 0) { atomic_init(&taken, 0); leader = 8; } barrier(CLK_LOCAL_MEM_FENCE);"
    tries = f"won = atomic_compare_exchange_strong_explicit(&taken, &x, me + 1, memory_order_relaxed, {RELAXED});"
    query = query_of(body, tries=tries, before=before, objects="atomic_int", items=4, model="sycl-2020")

    assert left(query) is None


def test_a_large_kernel_has_as_many_ways_as_members() -> None:
    query = query_of(LEADS, items=8)

    skeleton = open_skeleton(query.skeletons[0], query)

    assert (skeleton.choices, len(decide(query).states)) == (3, 8)
