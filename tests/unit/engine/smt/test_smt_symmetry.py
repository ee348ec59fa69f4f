from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from smt_inputs import assert_witnessed, counters, query

from mcm.answer.query import Limits
from mcm.engine.explicit.decide import decide as decide_by_search
from mcm.engine.smt.automorphism import Compared
from mcm.engine.smt.decide import decide
from mcm.engine.smt.decode import final_state
from mcm.engine.smt.symmetry import Symmetry
from mcm.execution.algebra import FALSE
from mcm.execution.event import EventKind
from mcm.program.types import Location

if TYPE_CHECKING:
    from mcm.answer.answer import Answer

LOCK = """OPENCL lock
{ [l]=0; [p]=0; }
kernel K (global atomic_int* l, global int* p) {
  int e = 0;
  while (!atomic_compare_exchange_strong_explicit(
      l, &e, 1, memory_order_acquire, memory_order_relaxed, memory_scope_device)) {
    e = 0;
  }
  *p = *p + 1;
  atomic_store_explicit(l, 0, memory_order_RELEASE, memory_scope_device);
}
launch K global 3, local 1, dev 0;
exists (p=3)
"""


def symmetry(text: str) -> Symmetry:
    asked = query(text, "sc")
    return Symmetry(Compared(asked.skeletons[0], asked.model), asked.observed)


def pairs(text: str) -> int:
    return len(symmetry(text).ordered)


def test_equal_threads_are_ordered_by_their_first_writes() -> None:
    assert pairs(counters(4)) == 3


def test_observed_registers_tell_threads_apart() -> None:
    assert pairs(counters(2).replace("{ atomic", "{ int r = atomic").replace("(c=1)", "(0:r=1)")) == 0


def test_other_values_tell_threads_apart() -> None:
    assert pairs(counters(3, "1 + {}")) == 0


def test_other_orders_tell_threads_apart() -> None:
    text = counters(3)
    first = text.index("relaxed")
    assert pairs(text[:first] + text[first:].replace("relaxed", "acquire", 1)) == 1


def test_work_groups_tell_threads_apart_where_a_scope_does() -> None:
    add = "atomic_fetch_add_explicit(c, 1, memory_order_relaxed, SCOPE);"
    text = f"""OPENCL groups
{{ [c]=0; }}
P0@wg 0, dev 0 (global atomic_int* c) {{ {add} }}
P1@wg 0, dev 0 (global atomic_int* c) {{ {add} }}
P2@wg 1, dev 0 (global atomic_int* c) {{ {add} }}
exists (c=2)
"""
    for scope, expected in (("memory_scope_work_group", 1), ("memory_scope_device", 2)):
        asked = query(text.replace("SCOPE", scope), "opencl-3.0")
        assert len(Symmetry(Compared(asked.skeletons[0], asked.model), asked.observed).ordered) == expected


def test_threads_that_try_again_are_ordered_by_what_succeeds() -> None:
    text = """C pop
{ [top]=3; int next[4] = {0, 0, 1, 2}; }
P0 (atomic_int* top, int* next) { CODE }
P1 (atomic_int* top, int* next) { CODE }
P2 (atomic_int* top, int* next) { CODE }
exists (top=0)
"""
    code = "int t = atomic_load(top); while (t != 0 && !atomic_compare_exchange_strong(top, &t, next[t])) { }"
    found = symmetry(text.replace("CODE", code))
    assert len(found.ordered) == 2
    assert all(len(found.attempts[write]) > 1 for pair in found.ordered for write in pair)

    once = symmetry(text.replace("CODE", "atomic_fetch_sub(top, 1); atomic_fetch_sub(top, 1);"))
    assert len(once.ordered) == 2
    assert not once.attempts


def test_choices_are_exchanged_with_their_threads() -> None:
    text = """C cas
{ [x]=0; [y]=0; }
P0 (atomic_int* x, atomic_int* y) { atomic_fetch_add(y, 1); int e = 0; atomic_compare_exchange_weak(x, &e, 1); }
P1 (atomic_int* x, atomic_int* y) { atomic_fetch_add(y, 1); int e = 0; atomic_compare_exchange_weak(x, &e, 1); }
exists (x=1)
"""
    assert pairs(text) == 1


def test_threads_without_a_write_in_common_are_left_alone() -> None:
    text = """C readers
{ [x]=0; }
P0 (atomic_int* x) { int r = atomic_load(x); }
P1 (atomic_int* x) { int r = atomic_load(x); }
exists (x=1)
"""
    assert pairs(text) == 0


def test_a_lock_taken_with_a_compare_exchange_is_ordered_by_what_frees_it() -> None:
    asked = query(LOCK.replace("RELEASE", "release"), "sc")
    events = asked.skeletons[0].events
    ordered = symmetry(LOCK.replace("RELEASE", "release")).ordered
    assert len(ordered) == 2
    assert {str(events[write].kind.value) for pair in ordered for write in pair} == {"write"}
    assert {events[write].atomic for pair in ordered for write in pair} == {True}


def test_what_is_tried_is_ordered_by_what_frees_it() -> None:
    text = """OPENCL try
{ [l]=0; [p]=0; }
kernel K (global atomic_int* l, global int* p) {
  int got = 0;
  for (int i = 0; i < 2 && !got; i++) {
    got = atomic_exchange_explicit(l, 1, memory_order_acquire, memory_scope_device) == 0;
  }
  if (got) {
    *p = *p + 1;
    atomic_store_explicit(l, 0, memory_order_release, memory_scope_device);
  }
}
launch K global 3, local 1, dev 0;
exists (p=1)
"""
    asked = query(text, "opencl-3.0", limits=Limits(nodes=5000))
    events = asked.skeletons[0].events
    ordered = symmetry(text).ordered
    assert len(ordered) == 2
    assert {events[write].kind for pair in ordered for write in pair} == {EventKind.WRITE}
    searched, solved = decide_by_search(asked), decide(asked)
    assert searched.undecided is None
    assert [state.values for state in solved.states] == [state.values for state in searched.states]
    assert problems(solved) == problems(searched)


def test_a_filter_tells_threads_apart() -> None:
    text = counters(3).replace("{ atomic_fetch", "{ int r = atomic_fetch", 1)
    for thread in (1, 2):
        text = text.replace(f"P{thread} (atomic_int* c) {{ atomic", f"P{thread} (atomic_int* c) {{ int r = atomic")
    asked = query(text.replace("exists (c=2)", "filter (0:r=2)\nexists (c=3)"), "sc")
    assert [state.values for state in decide(asked).states] == [(3,)]


def problems(answer: Answer) -> set[tuple[str, frozenset[int | None]]]:
    events = [(flag.name, [flag.witness.skeleton.events[e].thread for e in flag.events]) for flag in answer.flags]
    return {(name, frozenset(threads)) for name, threads in events}


def test_races_of_all_threads_are_found_where_one_order_is_looked_at() -> None:
    asked = query(
        """OPENCL first-and-second
{ [x]=0; [p]=0; }
kernel K (global atomic_int* x, global int* p) {
  int r = atomic_fetch_add_explicit(x, 1, memory_order_relaxed, memory_scope_device);
  if (r == 0) { *p = 1; }
  if (r == 1) { int s = *p; }
}
launch K global 3, local 1, dev 0;
exists (x=3)
""",
        "opencl-3.0",
    )
    # In the order in which they are looked at, only the first two race.
    found = problems(decide(asked))
    assert found == problems(decide_by_search(asked))
    assert {threads for name, threads in found if name == "data_race"} == {
        frozenset({0, 1}),
        frozenset({0, 2}),
        frozenset({1, 2}),
    }


def test_images_are_looked_for_or_order_is_not_assumed() -> None:
    found = symmetry(LOCK.replace("RELEASE", "release"))
    first, second = found.ordered[0]
    third = found.ordered[1][1]
    assert found.keeps_events({(first,), (second,), (third,)})
    assert not found.keeps_events({(first,), (second,)})
    assert found.images_of_events(frozenset({first})) == {first, second, third}
    assert found.keeps_places
    asked = query(LOCK.replace("RELEASE", "release"), "sc").skeletons[0]
    conditions = [stop.condition for stop in asked.stops]
    assert found.keeps_conditions(conditions)
    assert not found.keeps_conditions(conditions[:1])


def test_places_in_the_text_of_threads_of_their_own_differ() -> None:
    text = "C waiting\n{ [x]=0; }\n"
    for thread in range(2):
        text += f"P{thread} (atomic_int* x) {{ atomic_fetch_add(x, 1); while (atomic_load(x) == 0) {{ }} }}\n"
    found = symmetry(text + "exists (x=2)")
    assert found.ordered
    assert not found.keeps_places


def ring(number: int, neighbour: str = "(me + 1) % {}", condition: str = "r[0]=1") -> str:
    """Threads that write their element, arrive, and read another's."""
    return f"""OPENCL ring
{{ [x]=0; int a[{number}]; int r[{number}]; }}
kernel K (global atomic_int* x, global int* a, global int* r) {{
  int me = get_global_id(0);
  a[me] = 1;
  atomic_fetch_add_explicit(x, 1, memory_order_acq_rel, memory_scope_device);
  r[me] = a[{neighbour.format(number)}];
}}
launch K global {number}, local 1, dev 0;
exists ({condition})
"""


def test_threads_are_exchanged_with_the_elements_that_they_alone_access() -> None:
    found = symmetry(ring(4, "me", "x=4"))
    assert len(found.ordered) == 3
    assert found.turns == []


def test_observed_elements_tell_threads_apart() -> None:
    # The first is observed, so the three others are alike.
    assert len(symmetry(ring(4, "me")).ordered) == 2
    assert len(symmetry(ring(5, "me", "r[2]=1")).ordered) == 2


def test_a_ring_is_turned() -> None:
    asked = query(ring(4), "sc")
    skeleton = asked.skeletons[0]
    found = Symmetry(Compared(skeleton, asked.model), (), asked.observed)
    assert len(found.turns) == 3
    assert len({first for first, _ in found.ordered}) == 1
    images = [turn.image_of(asked.observed[0]) for turn in found.turns]
    assert images == [Location(2, 1), Location(2, 2), Location(2, 3)]
    assert Symmetry(Compared(skeleton, asked.model), asked.observed).turns == []


def test_of_a_ring_with_rounds_one_is_the_first_in_the_last_round() -> None:
    count = "atomic_fetch_add_explicit(x, 1, memory_order_acq_rel, memory_scope_device);"
    asked = query(ring(3).replace(count, f"{count} if (atomic_load(x) > 1) {{ {count} }}"), "opencl-3.0")
    found = Symmetry(Compared(asked.skeletons[0], asked.model), (), asked.observed)
    events = asked.skeletons[0].events
    last = [[e.identifier for e in events if e.thread == n and e.kind is EventKind.UPDATE][-1] for n in range(3)]
    assert found.ordered == [(last[0], last[1]), (last[0], last[2])]
    searched, solved = decide_by_search(asked), decide(asked)
    assert [state.values for state in solved.states] == [state.values for state in searched.states]
    assert problems(solved) == problems(searched)


def test_what_is_no_ring_is_not_turned() -> None:
    for neighbour in ("0", "(me * 3 + 1) % {}", "me < {} - 1 ? me + 1 : me"):
        assert symmetry(ring(4, neighbour, "x=4")).turns == [], neighbour


def test_initial_values_tell_elements_apart() -> None:
    text = ring(4, condition="x=4").replace("int a[4];", "int a[4] = {0, 0, 1, 0};")
    assert symmetry(text).turns == []
    assert symmetry(text.replace("0, 0, 1, 0", "1, 1, 1, 1")).turns != []


def test_addresses_that_are_computed_tell_elements_apart() -> None:
    text = ring(4, condition="x=4").replace("r[me] = ", "int other = atomic_load(x) % 4; r[me] = a[other] + ")
    assert symmetry(text).turns == []


@pytest.mark.parametrize("wants_states", [True, False])
@pytest.mark.parametrize("condition", ["r[0]=1", "r[0]=0 /\\ r[1]=1", "r[3]=0 /\\ a[1]=1"])
def test_states_of_a_ring_are_those_of_the_search(condition: str, *, wants_states: bool) -> None:
    asked = query(ring(4, condition=condition), "opencl-3.0", wants_states=wants_states)
    found, searched = decide(asked), decide_by_search(asked)
    assert found.reachable == searched.reachable
    assert problems(found) == problems(searched)
    if wants_states:
        assert [state.values for state in found.states] == [state.values for state in searched.states]
        assert_witnessed(found, asked.model)
        for state in found.states:
            assert final_state(state.witness, asked.observed) == state.values


def test_writes_that_are_never_executed_are_not_ordered() -> None:
    asked = query(
        """OPENCL never
{ [c]=0; [x]=0; }
kernel K (global int* x, global atomic_int* c) {
  int me = get_local_id(0);
  if (me == 0) { *x = 2; }
  work_group_barrier(CLK_GLOBAL_MEM_FENCE);
  if (*x == 1) { int r = atomic_fetch_add_explicit(c, 1, memory_order_relaxed, memory_scope_device); }
  if (me < 2) { atomic_store_explicit(c, me + 3, memory_order_relaxed, memory_scope_device); }
}
launch K global 4, local 4, dev 0;
exists (c=3)
""",
        "opencl-3.0",
        wants_witnesses=False,
    )
    (skeleton,) = asked.skeletons
    never = {event.identifier for event in skeleton.events if event.kind is EventKind.UPDATE}
    events = tuple(replace(e, guard=FALSE) if e.identifier in never else e for e in skeleton.events)
    known = replace(asked, skeletons=(replace(skeleton, events=events),))
    ordered = Symmetry(Compared(known.skeletons[0], known.model), known.observed).ordered

    assert any(second in never for _, second in ordered)
    assert [state.values for state in decide(known).states] == [(3,), (4,)]
