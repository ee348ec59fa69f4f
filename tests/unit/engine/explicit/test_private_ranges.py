"""Writes to places that nobody else has are left out, and faults that cannot be: a case for each condition."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from msgspec.structs import replace

from mcm.answer.query import Query
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.catalogue.rules import without as leave_out
from mcm.engine.explicit.decide import decide
from mcm.engine.explicit.findings import watched
from mcm.engine.explicit.settled.ranges import apart
from mcm.engine.explicit.settled.reduction import without_settled
from mcm.execution.awaited import Shown
from mcm.execution.elaborate import elaborate
from mcm.execution.event import EventKind
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test

if TYPE_CHECKING:
    from mcm.cat.model import Model
    from mcm.execution.skeleton import Skeleton

ADD: Final = "atomic_fetch_add_explicit({of}, {by}, memory_order_relaxed, memory_scope_device)"
TAKE: Final = "int b = " + ADD.format(of="head", by="n") + ";"
FILL: Final = "for (int k = 0; k < n; k++) { out[b + k] = me; }"
ELEMENT: Final = "int b = atomic_add(&out[{place}], 1);"


def query_of(body: str, *, seen: str = "head;", items: int = 3, first: int = 0, local: int = 1) -> Query:
    program = read_test(
        Source(
            "ranges",
            f"""OPENCL ranges
{{ [head]={first}; int out[6]; int far[12]; int wide[12]; int size[4] = {{2, 1, 3, 1}}; [done]=0; }}
kernel K (global atomic_int* head, global int* out, global int* far, global int* wide,
          global const int* size, global atomic_int* done) {{
  int me = get_global_id(0); int n = size[me];
  {body}
}}
launch K global {items}, local {local}, dev 0;
locations [{seen} done;]
exists (head=6)
""",
        )
    ).program
    return Query(elaborate(program, 2), registry.get("opencl-3.0"), observed_by(program), wants_witnesses=False)


def left(query: Query, rule: str = "") -> Skeleton | None:
    """The skeleton without what is left out; None where everything is looked at."""
    (skeleton,) = query.skeletons
    model = leave_out(query.model, [rule]) if rule else query.model
    return apart(without_settled(skeleton, model, watched(query)), model, watched(query))


def writes(skeleton: Skeleton) -> int:
    """How many plain writes there are."""
    return sum(event.kind is EventKind.WRITE and not event.atomic for event in skeleton.events)


PRIVATE: Final = {
    "ranges of several sizes": TAKE + FILL,
    "one place of each": TAKE + "out[b] = n;",
    "the last place of each": TAKE + "out[b + n - 1] = n;",
    "not more than fits": TAKE + "if (b + n <= 4) { for (int k = 0; k < n; k++) { out[b + k] = 1; } }",
    "from the end": TAKE + "for (int k = 0; k < n; k++) { out[5 - b - k] = 1; }",
    "one or the other": TAKE + "if (b < 2) { out[b] = 1; } else { out[b] = 2; }",
    "two of one place each": "int b = " + ADD.format(of="head", by="1") + "; out[2 * b] = 1; out[2 * b + 1] = 2;",
    "beside the counter": ELEMENT.format(place=5) + "out[b] = me;",
    "beside the counter, if it fits": ELEMENT.format(place=2) + "if (b < 2) { out[b] = me; }",
}


@pytest.mark.parametrize("body", PRIVATE.values(), ids=PRIVATE)
def test_what_nobody_else_has_is_left_out(body: str) -> None:
    query = query_of(body)
    skeleton = left(query)
    assert skeleton is not None
    assert not writes(skeleton)
    assert not skeleton.faults

    fewer, every = decide(replace(query, skeletons=(skeleton,))), decide(query, many_events=1 << 60)

    assert [state.values for state in fewer.states] == [state.values for state in every.states]
    assert not every.flags
    assert not every.faults


OPEN: Final = {
    "one place more": TAKE + "for (int k = 0; k <= n; k++) { out[b + k] = me; }",
    "one place before": TAKE + "if (b) { out[b - 1] = me; }  out[b + n - 1] = me;",
    "nothing is taken": "int b = " + ADD.format(of="head", by="0") + "; out[b] = me;",
    "less than is written": "int b = " + ADD.format(of="head", by="1") + ";" + FILL,
    "both ends, where they are the same": TAKE + "out[b] = me; out[b + n - 1] = me;",
    "steps that overlap": TAKE + "out[b] = me; out[2 * b] = me;",
    "places of its own besides": TAKE + FILL + "out[me] = 1;",
    "a read": TAKE + "out[b] = me; int r = out[b];",
    "a product": TAKE + "out[b * b] = me;",
    "a remainder": TAKE + "out[b % 4] = me;",
    "a choice": TAKE + "out[(b < 2) ? b : 5] = me;",
    "less and less": "int b = " + ADD.format(of="head", by="-n") + "; out[b + 6 - n] = me;",
    "no sum": "int b = atomic_fetch_max_explicit(head, n, memory_order_relaxed, memory_scope_device); out[b] = me;",
    "somebody writes the counter": TAKE + FILL + "if (me == 0) { atomic_store(head, 3); }",
    "an atomic write": TAKE + "atomic_xchg(&out[b], me);",
}


@pytest.mark.parametrize("body", OPEN.values(), ids=OPEN)
def test_what_somebody_else_may_have_stays(body: str) -> None:
    query = query_of(body)
    assert_all_stays(query)


def assert_all_stays(query: Query) -> None:
    (skeleton,) = query.skeletons
    found = left(query)
    # Faults that cannot be may have been left out all the same.
    assert found is None or writes(found) == writes(without_settled(skeleton, query.model, watched(query)))


@pytest.mark.parametrize("seen", ["out;", "out[5];"])
def test_what_is_asked_for_stays(seen: str) -> None:
    assert_all_stays(query_of(TAKE + FILL, seen=seen))


@pytest.mark.parametrize("rule", ["RMW-1", "VIS-1", "VIS-2", "HB-ACYC", "DR-4"])
def test_a_model_without_a_rule_that_is_used_leaves_nothing_out(rule: str) -> None:
    assert left(query_of(TAKE + FILL), rule) is None


def faults(query: Query) -> int | None:
    """How many faults there still may be; None where nothing is left out."""
    found = left(query)
    return None if found is None else len(found.faults)


@pytest.mark.parametrize(
    ("body", "first", "holds"),
    [
        ("out[b] = 1;", 0, True),
        ("out[b + n - 1] = 1;", 0, True),
        ("out[b + n] = 1;", 0, False),
        ("out[b] = 1;", 3, False),
        ("if (b < 6) { out[b] = 1; }", 3, True),
        ("if (b <= 6) { out[b] = 1; }", 3, False),
        ("if (b < 3 || b > 3 && n != 2 && 2 * b <= 10) { out[b] = 1; }", 3, True),
        ("if (b != 6) { out[b] = 1; }", 1, True),
        ("if (b == 6) { out[b - 1] = 1; }", 3, True),
        ("if (!(b >= 6)) { out[b] = 1; }", 3, True),
        ("out[(uchar) (b + 250)] = 1;", 0, False),
    ],
)
def test_faults_that_cannot_be_are_left_out(body: str, first: int, holds: bool) -> None:
    query = query_of(TAKE + body, first=first)
    assert (faults(query) == 0) is holds
    # What is said so is what the search finds.
    assert not (holds and decide(query, many_events=1 << 60).faults)


def test_a_write_that_may_hit_the_counter_makes_it_say_nothing() -> None:
    # The third one writes over the counter, so that others may find anything in it.
    assert faults(query_of(ELEMENT.format(place=2) + "out[b] = 9;")) is None
    assert faults(query_of(ELEMENT.format(place=5) + "out[b] = 9;")) == 0
    assert faults(query_of(ELEMENT.format(place=2) + "if (b < 2) { out[b] = 9; } out[b + 3] = 1;")) == 0


def test_where_a_write_is_by_a_counter_that_may_be_hit_is_not_known() -> None:
    query = query_of(ELEMENT.format(place=2) + "out[b] = 9; far[b] = 1;" + TAKE.replace("b", "h") + "wide[h] = 1;")
    skeleton = left(query)

    assert skeleton is not None
    far = {e.locations for e in skeleton.events if e.kind is EventKind.WRITE and e.span.text.startswith("far")}
    assert {len(locations) for locations in far} == {12}


def test_what_another_counter_says_is_no_reason_if_that_may_be_hit() -> None:
    both = "int a = atomic_add(&out[4], 1); int b = atomic_add(&out[5], 1);"
    assert faults(query_of(both + "out[b + 1] = 1;", items=2)) == 0
    assert faults(query_of(both + "out[a + b] = 1;", items=2)) is None


def test_who_is_told_of_a_counter_by_local_memory_may_hit_it() -> None:
    """The barrier orders nothing in global memory, so 5 is out of thin air: it is written where it was read."""
    taken = "local int b; if (me == 0) { b = atomic_add(&out[5], 1); } barrier(CLK_LOCAL_MEM_FENCE);"
    query = query_of(taken + "if (me == 1) { out[b] = 5; }", items=2, local=2)
    assert_all_stays(query)

    found = decide(query, many_events=0)

    assert {flag.name for flag in found.flags} == {"data_race"}
    assert [state.values for state in found.states] == [state.values for state in decide(query).states]


def test_a_counter_that_goes_round_says_nothing() -> None:
    assert faults(query_of(TAKE + "out[b - 2147483644] = 1;", first=2147483644)) is None


def test_who_has_been_shown_to_wait_keeps_what_it_needs() -> None:
    query = query_of(TAKE + "out[b] = 1;")
    (skeleton,) = query.skeletons
    written = frozenset(event.identifier for event in skeleton.events if event.kind is EventKind.WRITE)
    kept = apart(replace(skeleton, shown=Shown((), frozenset(), written)), query.model, watched(query))

    assert kept is not None
    assert writes(kept) == len(written)


def initial_writes_conflict() -> Model:
    """A model in which initial writes conflict with others, too: they race where nothing orders them."""
    texts = {Path(source.name).name: source.text for source in registry.load_text("opencl-3.0")[1]}
    races = texts["races.cat"].replace("(~IW \\ PIPES) * (~IW \\ PIPES)", "(_ \\ PIPES) * (_ \\ PIPES)")
    assert races != texts["races.cat"]
    texts["races.cat"] = races
    return registry.load_file(Path("opencl-3.0.cat"), lambda path: texts.get(path.name))


@pytest.mark.parametrize(("region", "is_ordered"), [("global ", True), ("", False)])
def test_what_may_race_with_the_initial_write_stays(region: str, is_ordered: bool) -> None:
    """What is in neither region comes after nothing."""
    text = f"""OPENCL initial
{{ c = 0; int out[2] = {{0, 0}}; }}
kernel K (global atomic_int* c, {region}int* out) {{ out[{ADD.format(of="c", by="1")}] = 1; }}
launch K global 2, local 2, dev 0;
locations [c;]
"""
    program = read_test(Source("initial", text)).program
    query = Query(elaborate(program), initial_writes_conflict(), observed_by(program), wants_witnesses=False)
    (skeleton,) = query.skeletons
    found = apart(without_settled(skeleton, query.model, watched(query)), query.model, watched(query))

    assert (found is not None and not writes(found)) is is_ordered
    assert bool(decide(query, many_events=0).flags) is bool(decide(query).flags) is not is_ordered


BASE: Final = """local atomic_int c; local int base; int p = 0; int l = get_local_id(0);
  if (l == 0) { atomic_store_explicit(&c, 0, memory_order_relaxed, memory_scope_work_group); }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (n != 2) { p = atomic_fetch_add_explicit(&c, 1, memory_order_relaxed, memory_scope_work_group); }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0) {
    int m = atomic_load_explicit(&c, memory_order_relaxed, memory_scope_work_group);
    base = atomic_fetch_add_explicit(head, BY, memory_order_relaxed, memory_scope_device); }
  barrier(CLK_LOCAL_MEM_FENCE);
"""


@pytest.mark.parametrize(
    ("by", "body", "is_apart"),
    [
        ("m", "if (n != 2) { out[base + p] = me; }", True),
        ("m", "if (n == 3) { out[base + p] = me; }", True),
        ("m + 1", "if (n != 2) { out[base + 1 + p] = me; }", True),
        ("2", "out[base + l] = me;", True),
        ("1", "out[base + l] = me;", False),
        ("m - 1", "if (n != 2) { out[base + p] = me; }", False),
        ("m", "if (n != 2) { out[base + p + l] = me; }", False),
        ("m", "if (n != 2) { out[base] = me; }", False),
    ],
)
def test_places_in_the_range_of_a_group(by: str, body: str, is_apart: bool) -> None:
    query = query_of(BASE.replace("BY", by) + body, items=4, local=2)
    found = left(query)

    assert (found is not None and not writes(found)) is is_apart
