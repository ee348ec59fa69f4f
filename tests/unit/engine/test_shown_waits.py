"""What units wait for is shown of the part of a program that synchronises, and settles the rest: each condition."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from mcm.answer.query import Limits, Query, SolverName
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.engine.choose import with_awaited
from mcm.engine.explicit.settled.synchronising import synchronisation
from mcm.engine.smt.awaiting import shown_of
from mcm.execution.elaborate import elaborate
from mcm.execution.expression import Constant
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test

if TYPE_CHECKING:
    from mcm.execution.skeleton import Skeleton

DEVICE = "memory_scope_device"
ADDED = f"atomic_fetch_add_explicit(x, 1, memory_order_acq_rel, {DEVICE})"
RESET = f"atomic_store_explicit(x, 0, memory_order_relaxed, {DEVICE});"
FREED = f"atomic_store_explicit(y, sense, memory_order_release, {DEVICE});"
AWAITED = f"while (atomic_load_explicit(y, memory_order_acquire, {DEVICE}) != sense) {{ }}"
BARRIER = f"sense = !sense; if ({ADDED} == 2) {{ {RESET} {FREED} }} else {{ {AWAITED} }}"
ROUNDS = "for (int round = 0; round < 2; round++) {{ if (round == 0) a[me] = 1; else r[me] = a[next]; {} }}"
LOCKED = f"while (atomic_exchange_explicit(x, 1, memory_order_acquire, {DEVICE}) == 1) {{ }}"
UNLOCKED = f"atomic_store_explicit(x, 0, memory_order_release, {DEVICE});"


def skeleton_of(body: str, items: int = 1, observed: str = "r[0]=1 /\\ r[1]=1 /\\ r[2]=1") -> Skeleton:
    text = f"""OPENCL awaited
{{ [x]=0; [y]=0; [h]=0; int a[6]; int r[6]; }}
kernel K (global atomic_int* x, global atomic_int* y, global atomic_int* h, global int* a, global int* r) {{
  int me = get_global_id(0), next = (me + {items}) % {3 * items}, sense = 0;
  {body}
}}
launch K global {3 * items}, local {items}, dev 0;
forall ({observed})
"""
    (skeleton,) = elaborate(read_test(Source("awaited", text)).program, waiting=True)
    return skeleton


def query_about(skeleton: Skeleton, model: str = "opencl-3.0") -> Query:
    return Query((skeleton,), registry.get(model), observed_by(skeleton.program), wants_witnesses=False)


def left_of(skeleton: Skeleton, model: str = "opencl-3.0") -> Skeleton:
    return with_awaited(skeleton, query_about(skeleton, model))


def plain(skeleton: Skeleton) -> int:
    """How many plain accesses threads make."""
    return sum(e.kind.is_access and not e.atomic for e in skeleton.events if e.thread is not None)


def orders_of(skeleton: Skeleton) -> set[tuple[str, str]]:
    """The kinds of the writes that are shown to be in order."""
    assert skeleton.shown is not None
    events = skeleton.events
    return {(events[one].kind.value, events[other].kind.value) for one, other in skeleton.shown.orders}


def test_what_two_rounds_of_a_barrier_separate_is_settled() -> None:
    skeleton = skeleton_of(ROUNDS.format(BARRIER))
    left = left_of(skeleton)

    assert accesses(skeleton, "a") > 6
    assert accesses(left, "a") == 0
    # Whether units end is open, so the values in the end depend on what is executed.
    assert plain(left) == 0
    ends = {value for place, value in left.finals.items() if value is not Constant(0)}
    assert ends
    assert not any(isinstance(value, Constant) for value in ends)


def test_of_groups_what_the_items_that_wait_access_is_settled() -> None:
    """And so is what the others access, who wait at a barrier: whoever leaves it knows that all have entered."""
    whole = "work_group_barrier(CLK_GLOBAL_MEM_FENCE);"
    skeleton = skeleton_of(ROUNDS.format(f"{whole} if (get_local_id(0) == 0) {{ {BARRIER} }} {whole}"), items=2)

    assert accesses(skeleton, "a") > 0
    assert accesses(left_of(skeleton), "a") == 0


@pytest.mark.parametrize(
    ("usual", "instead"),
    [
        pytest.param("memory_order_acquire", "memory_order_relaxed", id="a load that does not acquire"),
        pytest.param("memory_order_release", "memory_order_relaxed", id="a store that does not release"),
        pytest.param("memory_order_acq_rel", "memory_order_relaxed", id="an update that does neither"),
        pytest.param("sense = !sense;", "", id="a sense that is not turned"),
    ],
)
def test_what_a_wrong_barrier_does_not_separate_is_left(usual: str, instead: str) -> None:
    assert accesses(left_of(skeleton_of(ROUNDS.format(BARRIER.replace(usual, instead)))), "a") > 0


def test_writes_are_in_order_where_all_executions_have_them_so() -> None:
    body = ROUNDS.format(BARRIER)

    assert ("update", "write") in orders_of(left_of(skeleton_of(body)))
    # Who sees that others may go on counts anew, before the counter is set back.
    late = left_of(skeleton_of(body.replace(f"{RESET} {FREED}", f"{FREED} {RESET}")))
    assert late.shown is None or ("write", "update") not in orders_of(late)


def test_nothing_is_asked_of_a_lock_whose_sections_have_no_order() -> None:
    skeleton = skeleton_of(f"{LOCKED} a[0] = a[0] + 1; {UNLOCKED}", observed="a[0]=3")

    assert synchronisation(skeleton, registry.get("opencl-3.0")) is None


def test_sections_of_two_rounds_are_in_no_order_either() -> None:
    section = f"{LOCKED} a[0] = a[0] + 1; {UNLOCKED}"

    assert plain(left_of(skeleton_of(f"{section} {section}", observed="a[0]=6"))) > 0


def test_a_model_that_settles_nothing_is_not_asked() -> None:
    assert synchronisation(skeleton_of(ROUNDS.format(BARRIER)), registry.get("sc")) is None


def test_plain_accesses_that_decide_what_is_said_stay_in_the_part() -> None:
    deciding = f"if (a[next] == 1) atomic_store_explicit(h, 1, memory_order_relaxed, {DEVICE});"
    found = synchronisation(skeleton_of(ROUNDS.format(BARRIER) + deciding), registry.get("opencl-3.0"))

    assert found is None or plain(found.part.skeleton) > 0


def test_events_that_something_was_shown_of_are_not_settled_by_it() -> None:
    """A counter between fences is relaxed: it could be settled if nothing rested on it."""
    fence = f"atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, {DEVICE});"
    relaxed = f"memory_order_relaxed, {DEVICE}"
    counted = f"atomic_fetch_add_explicit(x, 1, {relaxed});"
    awaited = f"while (atomic_load_explicit(x, {relaxed}) < 3 * (round + 1)) {{ }}"
    skeleton = skeleton_of(ROUNDS.format(f"{fence} {counted} {awaited} {fence}"))
    left = left_of(skeleton)

    assert accesses(left, "a") == 0
    assert accesses(left, "x") == accesses(skeleton, "x")


TURN = f"while (atomic_load_explicit(x, memory_order_acquire, {DEVICE}) != {{}}) {{{{ }}}}"
NEXT = f"atomic_store_explicit(x, {{}}, memory_order_release, {DEVICE});"
# Of a unit's own flag, and its neighbour's.
OWN = f"while (atomic_load_explicit(&f[me], memory_order_acquire, {DEVICE}) == 0) {{ }}"
OTHER = f"atomic_store_explicit(&f[me + 1], 1, memory_order_release, {DEVICE});"
LOCAL = "work_group_barrier(CLK_LOCAL_MEM_FENCE);"


@pytest.mark.parametrize(
    ("body", "local"),
    [
        pytest.param(f"{TURN.format('me')} r[0] += me; {NEXT.format('me + 1')}", 1, id="one after the other"),
        pytest.param(
            f"for (int i = 0; i < 2; i++) {{ {TURN.format('me')} r[0] += me; {NEXT.format('(me + 1) % 6')} }}",
            1,
            id="in turn, again and again",
        ),
        pytest.param(f"{OWN} r[0] += me; {OTHER}", 1, id="each with a flag of its own"),
        # Only atomics let fences synchronise: local barriers before a write and behind its readers order nothing else.
        pytest.param(
            f"{LOCAL} if (get_local_id(0) == 0) {{ {TURN.format('w')} r[w + 1] = r[w] + 1; {NEXT.format('w + 1')} }}"
            + LOCAL,
            2,
            id="groups between barriers",
        ),
    ],
)
def test_who_takes_turns_waits_for_what_others_do_later_in_the_text(body: str, local: int) -> None:
    text = f"""OPENCL turns
{{ [x]=0; atomic_int f[7] = {{1}}; int r[60]; }}
kernel K (global atomic_int* x, global atomic_int* f, global int* r) {{
  int me = get_global_id(0), w = get_group_id(0);
  {body}
}}
launch K global {6 * local}, local {local}, dev 0;
exists (r[0]=15)
"""
    (skeleton,) = elaborate(read_test(Source("turns", text)).program, waiting=True)

    assert accesses(left_of(skeleton), "r") == 0


def accesses(skeleton: Skeleton, name: str) -> int:
    objects = skeleton.program.objects
    return sum(name in {objects[place.object].name for place in event.locations} for event in skeleton.events)


def test_what_is_not_shown_in_time_is_not_said() -> None:
    model = registry.get("opencl-3.0")
    found = synchronisation(skeleton_of(ROUNDS.format(BARRIER)), model)
    assert found is not None

    assert shown_of(found.part, model, Limits(seconds=0), SolverName.AUTO) == (frozenset(), frozenset())


def test_nothing_is_left_out_where_executions_are_counted() -> None:
    skeleton = skeleton_of(ROUNDS.format(BARRIER))

    assert with_awaited(skeleton, replace(query_about(skeleton), counts=True)) is skeleton
