"""What is settled is taken out, and nothing else: a case for each condition."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest
from settled_programs import GLOBAL, LOCAL, RELAXED, accessed, add, exchange, reduced, skeleton_of

from mcm.answer.query import Query
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.catalogue.rules import without as leave_out
from mcm.engine.explicit.decide import MANY_EVENTS, decide, open_skeleton
from mcm.engine.explicit.settled.reduction import without_settled
from mcm.execution.elaborate import elaborate
from mcm.execution.evaluate import reads_of
from mcm.execution.event import EventKind
from mcm.execution.expression import Constant
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test
from mcm.program.types import Location

if TYPE_CHECKING:
    from mcm.execution.skeleton import Skeleton


def test_a_phase_is_settled() -> None:
    left = reduced(skeleton_of(exchange(LOCAL), "exists (0:r=0 /\\ 1:r=0)"))

    assert left.events == ()
    assert [value for name, value in left.registers.items() if name.register == "r"] == [Constant(6), Constant(5)]


def test_a_barrier_settles_memory_of_its_flags_only() -> None:
    assert accessed(reduced(skeleton_of(exchange(GLOBAL)))) == {"t"}
    assert accessed(reduced(skeleton_of(exchange(f"{LOCAL} | {GLOBAL}")))) == set()
    # In SYCL the older barrier may be of one space, too.
    assert accessed(reduced(skeleton_of(exchange(GLOBAL)), "sycl-2020")) == {"t"}
    assert accessed(reduced(skeleton_of(exchange(f"{LOCAL} | {GLOBAL}")), "sycl-2020")) == set()


def test_what_a_group_function_returns_is_known_where_what_all_have_read_is() -> None:
    """The first item writes what the others have read: they read before, as the call waits for all of them."""
    body = f"int sum = work_group_reduce_add(a[l]); if (l == 0) t[0] = sum; {PHASE} r = t[0];"
    left = reduced(skeleton_of(body, "locations [0:r; 3:r; t@wg0[0];]", 4))

    assert left.events == ()
    assert [value for name, value in left.registers.items() if name.register == "r"] == [Constant(8)] * 2
    assert list(left.finals.values()) == [Constant(8)]


def test_an_address_that_a_group_function_makes_known_is_one_location() -> None:
    """Else what may be read there stays open for ever."""
    skeleton = skeleton_of("int first = work_group_reduce_add(0); r = t[first & 1];", "locations [0:r;]", 3)

    assert {len(event.locations) for event in skeleton.events if event.kind is EventKind.READ} == {1}
    query = Query((skeleton,), registry.get("c11-simp"), observed_by(skeleton.program), wants_witnesses=False)
    assert decide(query).undecided is None


def test_what_one_item_after_the_other_makes_known_is_settled() -> None:
    """A segmented scan: whether an item reads its neighbour's value depends on what that one has read before."""
    body = f"""
  t[l] = l; t[16 + l] = l == 0; {PHASE}
  for (int d = 1; d < 16; d = d * 2) {{
    int x = t[l]; int h = t[16 + l];
    if (l >= d && h == 0) {{ x = x + t[l - d]; h = t[16 + l - d]; }}
    {PHASE} t[l] = x; t[16 + l] = h; {PHASE}
  }}
  r = t[l];"""
    left = reduced(skeleton_of(body, "exists (15:r=0)", 16, elements=32))

    assert left.events == ()
    assert [value for name, value in left.registers.items() if name.register == "r"] == [Constant(120)]


RANK: Final = "int at = atomic_fetch_add_explicit(c, 1, memory_order_relaxed, memory_scope_work_group); t[at & 3] = l;"
TOTAL: Final = "r = atomic_load_explicit(c, memory_order_relaxed, memory_scope_work_group);"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param(f"{RANK} work_group_barrier({GLOBAL}); {TOTAL}", [Constant(2)] * 2, id="all have counted"),
        pytest.param(f"{RANK} {TOTAL}", None, id="somebody may count yet"),
        pytest.param(f"{RANK} work_group_barrier({LOCAL}); {TOTAL}", None, id="a barrier of other memory"),
        pytest.param(
            f"atomic_store(f, l); if (atomic_load(f) == 0) {{ {RANK} }} work_group_barrier({GLOBAL}); {TOTAL}",
            None,
            id="who counts is open",
        ),
        pytest.param(
            f"{RANK} atomic_fetch_or(c, 4); work_group_barrier({GLOBAL}); {TOTAL}", None, id="updates do not commute"
        ),
    ],
)
def test_what_was_counted_is_known_where_what_updates_return_is_used(
    body: str, expected: list[Constant] | None
) -> None:
    left = reduced(skeleton_of(body, "exists (0:r=2 /\\ 1:r=2)"))
    totals = [value for name, value in left.registers.items() if name.register == "r"]

    assert "c" in accessed(left)
    assert (totals == expected) is (expected is not None)
    assert any(isinstance(value, Constant) for value in totals) is (expected is not None)


def test_threads_may_have_numbers_of_any_size() -> None:
    text = """OPENCL numbered
{ int a[2]; x = 0; y = 0; }
kernel K (global int* a, global int* x) {
  int l = get_local_id(0);
  a[l] = 7; work_group_barrier(CLK_GLOBAL_MEM_FENCE); *x = a[1];
}
launch K global 2, local 2, dev 0;
P77@wg 5, dev 0 (global int* y) { *y = 1; *y = *y + 1; }
exists (y=2)
"""
    (skeleton,) = elaborate(read_test(Source("numbered", text)).program)

    left = reduced(skeleton)

    assert accessed(left) == {"x"}
    assert list(left.finals.values()) == [Constant(2)]


def test_accesses_of_another_group_are_not_ordered_by_a_barrier() -> None:
    body = f"a[get_group_id(0)] = 1; work_group_barrier({GLOBAL}); r = a[1 - get_group_id(0)];"

    assert accessed(reduced(skeleton_of(body, items=1, groups=2))) == {"a"}


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("t[0] = l;", id="two writes"),
        pytest.param(f"if (l == 0) t[0] = 1; work_group_barrier({LOCAL}); r = t[0]; t[0] = 2;", id="write after reads"),
        pytest.param("r = t[l];", id="an indeterminate value"),
        pytest.param("if (atomic_load(c) == 1) { t[l] = 1; } r = t[l];", id="executed or not"),
        pytest.param("t[atomic_load(c) & 3] = 1;", id="an address that is not known"),
        pytest.param(
            f"t[l] = l; if (l == 0) atomic_store(c, 1); work_group_barrier({LOCAL}); "
            "if (atomic_load(c) == 1) { r = t[0]; } if (l == 1) t[0] = 2;",
            id="a write after what is read or not",
        ),
    ],
)
def test_what_is_open_stays(body: str) -> None:
    skeleton = skeleton_of(body)

    assert "t" in accessed(reduced(skeleton))


def test_what_is_written_in_any_case_is_settled_though_it_may_not_be_read() -> None:
    body = f"t[l] = l + 2; work_group_barrier({LOCAL}); if (atomic_load(c) == 1) {{ atomic_store(&c[t[l] - 2], 5); }}"
    left = reduced(skeleton_of(body))

    assert accessed(left) == {"c"}
    assert all(len(event.locations) == 1 for event in left.events if event.kind.is_access)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("if (o == 1) { t[l] = 5; r = t[l]; }", id="read by its unit"),
        pytest.param(
            f"if (o == 1) {{ t[l] = 5; work_group_barrier({LOCAL}); r = t[l ^ 1]; }}", id="read behind a barrier"
        ),
        pytest.param(
            f"if (o == 1) {{ t[l] = 5; work_group_barrier({LOCAL}); if (l == 0) {{ t[0] += t[1]; }} }} u[l] = 1;",
            id="added up",
        ),
        pytest.param(
            "if (l == 0) { while (atomic_load(c) == 0) { } t[0] = 7; } " + f"work_group_barrier({LOCAL}); r = t[0];",
            id="behind a wait",
        ),
    ],
)
def test_what_is_written_whenever_it_is_read_is_settled(body: str) -> None:
    # All of a group read the same of what one of them has loaded.
    load = (
        f"if (l == 0) u[0] = atomic_load(c); else atomic_store(c, 1); work_group_barrier({LOCAL}); "
        f"int o = u[0]; work_group_barrier({LOCAL}); "
    )
    left = reduced(skeleton_of(load + body))

    assert accessed(left) == {"c"}


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("if (o == 1) { t[l] = 5; } r = t[l];", id="read in any case"),
        pytest.param(f"if (o == 1) {{ t[l] = 5; }} work_group_barrier({LOCAL}); if (o == 2) r = t[l];", id="read else"),
        pytest.param(
            f"if (o == 1) {{ t[l] = 5; work_group_barrier({LOCAL}); }} if (o < 2) r = t[l ^ 1];", id="read behind it"
        ),
        pytest.param(f"t[l] = 5; if (o == 1) {{ work_group_barrier({LOCAL}); }} r = t[l ^ 1];", id="ordered or not"),
        pytest.param(
            f"if (atomic_load(c) == 1) {{ t[l] = 5; work_group_barrier({LOCAL}); r = t[l ^ 1]; }}", id="who diverges"
        ),
    ],
)
def test_what_is_written_or_not_stays_where_it_is_read_in_other_cases(body: str) -> None:
    load = (
        f"if (l == 0) u[0] = atomic_load(c); else atomic_store(c, 1); work_group_barrier({LOCAL}); "
        f"int o = u[0]; work_group_barrier({LOCAL}); "
    )
    left = reduced(skeleton_of(load + body))

    assert "t" in accessed(left)


def test_an_atomic_object_that_is_initialised_or_not_stays() -> None:
    load = f"if (l == 0) {{ if (atomic_load_explicit(c, {RELAXED})) {{ %s r = atomic_load_explicit(f, {RELAXED}); }} }}"
    add_to = f"else {{ {add('c')} }}"

    assert accessed(reduced(skeleton_of(f"{load % 'atomic_init(f, 5);'} {add_to}"))) == {"c", "f"}
    assert accessed(reduced(skeleton_of(f"{load % ''} {add_to}"))) == {"c"}


def test_what_comes_after_a_write_that_may_be_absent_comes_after_what_is_before_that() -> None:
    """Work-items 0 and 3 are of different sub-groups, so their writes are ordered by the barrier for all only."""
    text = f"""OPENCL settled
{{ [c] = 0; }}
kernel K (global atomic_int* c, local int* t, local int* o) {{
  int l = get_local_id(0);
  if (l == 0) {{ *o = atomic_load(c); }}
  if (l == 1) {{ atomic_store(c, 1); }}
  barrier({LOCAL});
  int k = *o;
  if (l == 0) {{ *t = 5; }}
  if (k == 1) {{ barrier({LOCAL}); if (l == 2) {{ *t = 2; }} }}
  sub_group_barrier({LOCAL});
  if (l == 3) {{ *t = 3; }}
}}
launch K global 4, local 4, sub 2, dev 0;
locations [c;]
"""
    (one,) = elaborate(read_test(Source("settled", text)).program)
    (other,) = elaborate(read_test(Source("settled", text.replace("sub_group_barrier", "barrier"))).program)

    assert accessed(reduced(one)) == {"c", "t"}
    assert accessed(reduced(other)) == {"c"}


def test_reads_of_what_nobody_writes_are_settled_and_addresses_follow() -> None:
    skeleton = skeleton_of(f"t[a[l]] = 7; work_group_barrier({LOCAL}); if (l == 1) r = t[3 - 2];")

    assert accessed(reduced(skeleton)) == set()


EXCHANGE: Final = "if (l % 2 == 0) { int x = t[l], y = t[l + 1]; if (x > y) { t[l] = y; t[l + 1] = x; } }"
PHASE: Final = f"work_group_barrier({LOCAL});"


def test_what_was_read_in_earlier_phases_decides_what_is_written() -> None:
    """As where elements are sorted: each phase settles what the next one does."""
    shift = "if (l % 2 == 1 && l < 3 && t[l] > t[l + 1]) { int x = t[l]; t[l] = t[l + 1]; t[l + 1] = x; }"
    steps = PHASE.join((EXCHANGE, shift, EXCHANGE, shift))
    left = reduced(skeleton_of(f"t[l] = 7 - 2 * l; {PHASE} {steps} {PHASE} r = t[l];", "exists (0:r=0 /\\ 3:r=0)", 4))

    assert left.events == ()
    assert [value for name, value in left.registers.items() if name.register == "r"] == [Constant(1), Constant(7)]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(f"{EXCHANGE} {EXCHANGE.replace('l % 2 == 0', 'l == 1')}", id="no barrier between two exchanges"),
        pytest.param(f"{EXCHANGE} if (l == 3) {{ t[1] = 9; }}", id="written by another"),
        pytest.param(f"u[l & 1] = l; {PHASE} if (u[0] == 0 && t[l] > 1) {{ t[l] = 1; }}", id="what decides it is open"),
        pytest.param("if (t[l ^ 1] > 3) { t[l] = 1; }", id="left out in a run that reads it before"),
    ],
)
def test_what_is_written_stays_where_it_is_not_decided(body: str) -> None:
    skeleton = skeleton_of(f"t[l] = 3 - l; {PHASE} {body} {PHASE} r = t[l];", "exists (0:r=0 /\\ 3:r=0)", 4)

    assert "t" in accessed(reduced(skeleton))


def test_what_two_units_would_write_only_because_of_each_other_stays() -> None:
    how = "memory_order_relaxed, memory_scope_work_group"
    half = f"r = atomic_load_explicit(ONE, {how}); if (r == 1) {{ atomic_store_explicit(OTHER, 1, {how}); }}"
    one, other = half.replace("ONE", "c").replace("OTHER", "f"), half.replace("ONE", "f").replace("OTHER", "c")
    body = f"if (l == 0) {{ {one} }} else {{ {other} }}"
    skeleton = skeleton_of(body, "exists (0:r=1 /\\ 1:r=1)")
    query = Query((skeleton,), registry.get("opencl-3.0"), observed_by(skeleton.program), wants_witnesses=False)
    answers = [decide(query, many_events=many) for many in (0, 1000)]

    assert [[(state.values, state.thin_air) for state in answer.states] for answer in answers] == [
        [((0, 0), False), ((1, 1), True)]
    ] * 2


def test_the_final_value_of_a_watched_location_is_known() -> None:
    body = f"if (l == 0) a[0] = 8; work_group_barrier({GLOBAL}); if (l == 1) {{ r = a[0]; a[0] = 9; }}"
    left = reduced(skeleton_of(body, "exists (a[0]=9)"))

    assert left.finals == {Location(0, 0): Constant(9)}
    assert left.events == ()


def test_barriers_stay_where_anything_does() -> None:
    left = reduced(skeleton_of(f"atomic_store(c, l); work_group_barrier({GLOBAL}); {exchange(LOCAL)}"))

    assert accessed(left) == {"c"}
    assert sum(event.kind is EventKind.ENTRY for event in left.events) == 4


def test_dependencies_lead_through_what_is_taken_out() -> None:
    body = f"t[l] = atomic_load(c); work_group_barrier({LOCAL}); atomic_store(c, t[1 - l]);"
    left = reduced(skeleton_of(body))
    loads = [event.identifier for event in left.events if event.kind is EventKind.READ]
    stores = [event.identifier for event in left.events if event.kind is EventKind.WRITE]

    assert accessed(left) == {"c"}
    assert [left.relations["data"][load] for load in loads] == [1 << stores[1], 1 << stores[0]]


@pytest.mark.parametrize("rule", ["VIS-1", "VIS-2", "MO-2", "HB-ACYC", "DR-4"])
def test_a_model_without_a_rule_that_is_used_settles_nothing(rule: str) -> None:
    skeleton = skeleton_of(exchange(LOCAL))
    model = leave_out(registry.get("opencl-3.0"), (rule,))

    assert without_settled(skeleton, model, ()) is skeleton


def test_models_whose_order_on_sc_operations_looks_at_plain_accesses() -> None:
    plain, consistent = skeleton_of(exchange(LOCAL)), skeleton_of(f"atomic_store(c, l); {exchange(LOCAL)}")

    for model in ("opencl-scoped", "opencl-popl", "opencl-2.0-cond"):
        assert reduced(plain, model) is not plain
        assert reduced(consistent, model) is consistent
    assert reduced(consistent, "opencl-3.1") is not consistent
    assert reduced(plain, "sc") is plain


def c_skeleton(*threads: str) -> Skeleton:
    """C threads on the plain object `x` and the atomic counter `c`."""
    bodies = "\n".join(f"P{n} (int* x, atomic_int* c) {{ {body} }}" for n, body in enumerate(threads))
    (skeleton,) = elaborate(
        read_test(Source("c", f"C c\n{{ x = 0; c = 0; }}\n{bodies}\nexists (x=2 /\\ c=2)\n")).program
    )
    return skeleton


@pytest.mark.parametrize("model", ["c11", "c11-simp", "c20"])
def test_models_of_c_settle_what_sequencing_orders_and_updates_that_commute(model: str) -> None:
    add = "atomic_fetch_add_explicit(c, 1, memory_order_relaxed);"
    left = reduced(c_skeleton(f"*x = 1; *x = 2; int r = *x; {add}", add), model)

    assert left.events == ()
    assert set(left.finals.values()) == {Constant(2)}


@pytest.mark.parametrize("model", ["c11", "c11-simp", "c20"])
def test_models_of_c_keep_what_races_and_what_synchronises(model: str) -> None:
    assert accessed(reduced(c_skeleton("*x = 1;", "*x = 2;"), model)) == {"x"}
    publish = "*x = 1; atomic_store_explicit(c, 1, memory_order_release);"
    follow = "int r = atomic_load_explicit(c, memory_order_acquire); if (r == 1) { int s = *x; }"
    assert accessed(reduced(c_skeleton(publish, follow), model)) == {"x", "c"}


def test_a_model_without_visible_side_effects_settles_nothing() -> None:
    skeleton = c_skeleton("*x = 1; *x = 2;")

    assert reduced(skeleton, "rc11") is skeleton


def test_an_answer_from_what_is_left_is_that_of_everything() -> None:
    body = f"t[l] = l; work_group_barrier({LOCAL}); r = atomic_fetch_add(c, t[1 - l]);"
    skeleton = skeleton_of(body, "exists (0:r=0 /\\ 1:r=0 /\\ c=0)")
    query = Query((skeleton,), registry.get("opencl-3.0"), observed_by(skeleton.program), wants_witnesses=False)
    taken_out, searched = decide(query, many_events=0), decide(query, many_events=1 << 30)

    assert [state.values for state in taken_out.states] == [state.values for state in searched.states]
    assert len(taken_out.states) == 2


@pytest.mark.parametrize(
    ("update", "is_opened"),
    [
        ("atomic_fetch_add(c, 1);", True),
        ("atomic_exchange(c, 1);", False),
        ("atomic_compare_exchange_strong(c, &r, 1);", False),
    ],
)
def test_few_accesses_are_taken_out_where_updates_commute(update: str, *, is_opened: bool) -> None:
    """Only of those that commute all orders would be looked at in vain."""
    body = f"t[l] = l; work_group_barrier({LOCAL}); r = t[1 - l]; {update} {update}"
    skeleton = skeleton_of(body, "exists (0:r=1)")
    query = Query((skeleton,), registry.get("opencl-3.0"), observed_by(skeleton.program), wants_witnesses=False)

    assert len(skeleton.events) < MANY_EVENTS
    assert "t" not in accessed(open_skeleton(skeleton, query, many_events=0))
    assert ("t" not in accessed(open_skeleton(skeleton, query))) is is_opened


def test_threads_that_differ_in_where_they_write_cannot_be_exchanged() -> None:
    skeleton = skeleton_of("a[l] = atomic_fetch_add(c, 1);", "exists (a[0]=0 /\\ a[1]=1 /\\ a[2]=2)", items=3)
    query = Query((skeleton,), registry.get("opencl-3.0"), observed_by(skeleton.program), wants_witnesses=False)
    taken_out, searched = decide(query, many_events=0), decide(query, many_events=1 << 30)

    assert accessed(reduced(skeleton)) == {"c"}
    assert [state.values for state in taken_out.states] == [state.values for state in searched.states]
    assert len(taken_out.states) == 6


def test_what_is_left_can_be_looked_at_again() -> None:
    # What is known to be left in memory is what an update returns, so the update stays.
    once = reduced(skeleton_of(f"a[l] = atomic_fetch_add_explicit(c, 1, {RELAXED});", "locations [ a; ]"))
    twice = reduced(once)

    assert any(reads_of(value) for value in once.finals.values())
    assert all(read in range(len(twice.events)) for value in twice.finals.values() for read in reads_of(value))


def test_what_is_never_executed_is_in_no_order() -> None:
    """All three leave the loop in the first round, and what they would do in a second one is not done in turn."""
    body = """if (l == 0) { t[0] = 0; }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < 2; i++) {
    if (l == 0) { t[0] = t[0] + 1; }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t[0] > 0) break;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
"""
    update = "r = atomic_fetch_add_explicit(c, 1, memory_order_acquire, memory_scope_work_group);"
    left = reduced(skeleton_of(body + update, "locations [c; 0:r;]", 3))

    assert accessed(left) == {"c"}
