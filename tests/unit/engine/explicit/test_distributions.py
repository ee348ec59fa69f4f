"""One distribution of jobs stands for all where it does not matter who takes which: a case for each condition."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from msgspec.structs import replace

from mcm import check_all
from mcm.answer.query import Query
from mcm.answer.result import Judged, Undecided
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.catalogue.registry import load_file, text_of
from mcm.catalogue.rules import without as leave_out
from mcm.engine.explicit.decide import decide
from mcm.engine.explicit.findings import watched
from mcm.engine.explicit.settled.chains import most_iterations
from mcm.engine.explicit.settled.jobs import one_distribution
from mcm.execution.elaborate import elaborate
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test
from mcm.report.notes import notes_of

if TYPE_CHECKING:
    from mcm.cat.model import Model
    from mcm.execution.skeleton import Skeleton

TAKE: Final = "atomic_fetch_add_explicit(head, 1, memory_order_relaxed, memory_scope_device)"
LOOP: Final = "int i; while ((i = {take}) < 2) {{ {body} }}"
MODEL: Final = "opencl-3.0"


def query_of(
    body: str,
    *,
    take: str = TAKE,
    after: str = "",
    other: str = "",
    loop: str = LOOP,
    bound: int = 2,
    seen: str = "head;",
    items: int = 2,
) -> Query:
    program = read_test(
        Source(
            "jobs",
            f"""OPENCL jobs
{{ [head]=0; int out[4]; int in[4] = {{1, 0, 2, 1}}; atomic_int bins[4]; [done]=0; }}
kernel K (global atomic_int* head, global int* out, global const int* in, global atomic_int* bins,
          global atomic_int* done) {{
  int me = get_global_id(0); int k = 0;
  {loop.format(take=take, body=body)}
  {after}
}}
launch K global {items}, local 1, dev 0;
{other}
locations [{seen} out; bins; done;]
exists (done=1)
""",
        )
    ).program
    return Query(elaborate(program, bound), registry.get(MODEL), observed_by(program), wants_witnesses=False)


def left(query: Query, model: Model | None = None) -> Skeleton | None:
    (skeleton,) = query.skeletons
    return one_distribution(skeleton, model or query.model, watched(query))


WHOLE: Final = {
    "an element for each job": "out[i] = i;",
    "two elements for each": "out[2 * i] = i; out[2 * i + 1] = 7;",
    "not for all jobs": "if (i == 1) { out[0] = 5; }",
    "what the input says": "out[in[i]] = in[i] + 1;",
    "in steps": "for (int j = 2 * i; j < 2 * i + 2; j++) { out[j] = j; }",
    "atomic stores": "atomic_store(&bins[i], 3);",
    "sums": "atomic_fetch_add_explicit(done, in[i] + i, memory_order_relaxed, memory_scope_device);",
    "a histogram": "atomic_fetch_add(&bins[in[i]], 1);",
    "largest": "atomic_fetch_max(done, i);",
    "what some read": "int r = 5; if (i == 1) { r = in[i]; } out[i] = r;",
    "what some read, and others not": "if (i == 1 && in[i] == 0) { out[i] = 4; }",
    "unsequenced reads": "out[i] = in[i] + in[1 - i];",
    "a fence": "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device); out[i] = 1;",
    "nothing": "",
}


@pytest.mark.parametrize("body", WHOLE.values(), ids=WHOLE)
def test_one_distribution_ends_as_all_do(body: str) -> None:
    query = query_of(body)
    skeleton = left(query)
    assert skeleton is not None
    assert all(event.thread is None for event in skeleton.events)

    one, every = decide(replace(query, skeletons=(skeleton,))), decide(query, many_events=1 << 60)

    assert [state.values for state in one.states] == [state.values for state in every.states]
    assert len(every.states) == 1
    assert not (every.flags)
    assert not (every.faults)
    assert not (every.bounded)


ONCE: Final = "int i = {take}; {body}"


@pytest.mark.parametrize("body", ["out[i] = 7;", "out[i] = in[i] + i;", "atomic_fetch_add(&bins[in[i]], i);", ""])
@pytest.mark.parametrize("take", [TAKE, "atomic_fetch_add(head, 1)"])
def test_one_distribution_ends_as_all_do_where_each_takes_one(body: str, take: str) -> None:
    query = query_of(body, loop=ONCE, take=take)
    three = query_of(body, loop=ONCE, take=take, items=3)
    skeleton = left(three)
    assert left(query) is None, "two are soon searched"
    assert skeleton is not None

    one, every = decide(replace(three, skeletons=(skeleton,))), decide(three, many_events=1 << 60)

    assert [state.values for state in one.states] == [state.values for state in every.states]
    assert len(every.states) == 1


@pytest.mark.parametrize("body", ["out[i] = me;", "out[me] = i;", "if (i == 1) { out[0] = 1; } else { out[0] = 2; }"])
def test_who_takes_the_only_number_may_matter(body: str) -> None:
    assert left(query_of(body, loop=ONCE, items=3)) is None


def without_elements(query: Query) -> Query:
    """The query in which nobody asks what the elements of `out` and `bins` are."""
    return replace(query, observed=(query.observed[0], query.observed[-1]))


@pytest.mark.parametrize(
    "body",
    ["out[i] = me;", "out[me] = i;", "atomic_store(&bins[i], me + 1);", "out[i] = atomic_fetch_add(&bins[i], 1);"],
)
@pytest.mark.parametrize("loop", [ONCE, LOOP])
def test_what_is_written_does_not_matter_where_nobody_looks(body: str, loop: str) -> None:
    query = query_of(body, loop=loop, items=3)
    assert left(query) is None
    unseen = without_elements(query)
    skeleton = left(unseen)
    if loop is LOOP and body == "out[me] = i;":
        assert skeleton is None, "one element is written more than once"
        return
    assert skeleton is not None

    one, every = decide(replace(unseen, skeletons=(skeleton,))), decide(unseen, many_events=1 << 60)

    assert [state.values for state in one.states] == [state.values for state in every.states]
    assert len(every.states) == 1
    assert not every.flags
    assert not every.faults


@pytest.mark.parametrize(
    "body",
    [
        "if (i == 1) { out[0] = 1; } else { out[0] = 2; }",
        "out[i] = me; *done = out[i];",
        "out[i] = me; if (me == 1) { out[3] = out[i]; }",
        "out[in[i] + me] = 1;",
        "atomic_fetch_add(&bins[i], me); out[i] = bins[i];",
    ],
)
def test_where_it_is_written_and_what_is_read_matters(body: str) -> None:
    assert left(without_elements(query_of(body, loop=ONCE, items=3))) is None


TWO: Final = (
    "int i; if (me < 3) {{ i = {take}; }}"
    " else {{ i = atomic_fetch_add_explicit(done, 1, memory_order_relaxed, memory_scope_device) + OFFSET; }} {body}"
)


@pytest.mark.parametrize(
    ("body", "offset", "is_found"),
    [
        ("out[i] = me;", 3, True),
        ("if (i != 1) { out[i] = me; }", 3, True),
        ("atomic_fetch_add(&bins[0], i);", 0, True),
        ("out[me] = i;", 3, True),
        # Both counters give the same place.
        ("out[i] = me;", 2, False),
        # Beyond the array.
        ("out[i + 1] = me;", 3, False),
    ],
)
def test_each_may_take_from_one_of_several_counters(body: str, offset: int, is_found: bool) -> None:
    query = without_elements(query_of(body, loop=TWO.replace("OFFSET", str(offset)), items=4))
    skeleton = left(query)
    assert (skeleton is not None) is is_found
    if skeleton is not None:
        one, every = decide(replace(query, skeletons=(skeleton,))), decide(query, many_events=1 << 60)
        assert [state.values for state in one.states] == [state.values for state in every.states]
        assert not every.flags
        assert not every.faults


TAKING: Final = {
    "seq_cst": "atomic_fetch_add(head, 1)",
    "acquire": "atomic_fetch_add_explicit(head, 1, memory_order_acq_rel, memory_scope_device)",
}


@pytest.mark.parametrize("take", TAKING.values(), ids=TAKING)
def test_a_counter_may_order_what_it_likes(take: str) -> None:
    assert left(query_of("out[i] = i;", take=take)) is not None


def test_what_all_do_in_the_end_may_follow() -> None:
    assert left(query_of("out[i] = i;", after="atomic_fetch_add(done, 1);")) is not None


def test_who_gets_no_job_may_do_something_then() -> None:
    loop = "for (;;) {{ int i = {take}; if (i >= 2) {{ atomic_fetch_add(done, 1); break; }} {body} }}"
    assert left(query_of("out[i] = i;", loop=loop, bound=3)) is not None


MATTERS: Final = {
    "who takes it": "out[i] = me;",
    "whose element it is": "out[me] = i;",
    "how many were taken before": "out[i] = k; k++;",
    "what was taken before": "if (k == 0 || k - 1 == i) { out[i] = 1; } k = i + 1;",
    "what others have counted": "out[i] = atomic_fetch_add(done, 1);",
    "who came last": "atomic_exchange(done, i);",
    "one element for all jobs": "out[3] = i;",
    "one for two jobs": "atomic_store(&bins[0], i);",
    "an element that is read": "out[i] = out[1 - i];",
    "another operator": "if (i == 0) { atomic_fetch_add(done, 1); } else { atomic_fetch_or(done, 2); }",
    "an atomic read": "int q = atomic_load(done); atomic_fetch_add(done, 1);",
    "a store to what others update": "if (i == 0) { atomic_store(done, 1); } else { atomic_fetch_add(done, 1); }",
    "for one of them only": "if (me == 0) { out[i] = 1; }",
    "out of bounds": "out[4 * i] = 1;",
    "a division by zero": "out[i] = 1 / i;",
}


@pytest.mark.parametrize("body", MATTERS.values(), ids=MATTERS)
def test_all_distributions_are_looked_at_where_it_matters(body: str) -> None:
    assert left(query_of(body)) is None


OTHERS: Final = {
    "read": "P9@wg 9, dev 0 (global atomic_int* head) { int q = atomic_load(head); }",
    "written": "P9@wg 9, dev 0 (global atomic_int* head) { atomic_store(head, 0); }",
    "added to": "P9@wg 9, dev 0 (global atomic_int* head) { atomic_fetch_add(head, 5); }",
    "in the way": "P9@wg 9, dev 0 (global int* out) { out[1] = 0; }",
}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_nobody_else_may_interfere(other: str) -> None:
    assert left(query_of("out[i] = i;", other=other)) is None


def test_one_thread_has_to_be_able_to_take_all() -> None:
    assert left(query_of("out[i] = i;", bound=1)) is None


@pytest.mark.parametrize(
    ("body", "take", "expected"),
    [
        ("out[i] = i;", TAKE, 2),
        ("out[i] = me;", TAKE, 2),
        ("", TAKE.replace("1", "-1"), None),
        ("", TAKE.replace("1", "0"), None),
    ],
)
def test_the_bound_that_would_do_is_known(body: str, take: str, expected: int | None) -> None:
    (skeleton,) = query_of(body, take=take, bound=1).skeletons
    assert most_iterations(skeleton) == expected


def test_a_note_says_which_bound_would_do() -> None:
    text = query_of("out[i] = me;").skeletons[0].program.source.text
    (result,) = check_all(Source("jobs", text), bound=1)

    assert isinstance(result, Judged | Undecided)
    notes = list(notes_of(result, lambda span: f"line {span.line}"))
    assert any("(--bound 2 lets one unit take all jobs from the counter)" in note for note in notes)


WORKERS: Final = """OPENCL workers
{{ int out[12]; }}
kernel K (global atomic_int* head, global int* out) {{
  int i;
  while ((i = {take}) < 12) {{ out[i] = i * i + 1; }}
}}
launch K global 8, local 4;
locations [head; out;]
"""


def test_such_a_loop_needs_no_bound() -> None:
    (result,) = check_all(Source("workers", WORKERS.format(take=TAKE)))
    assert isinstance(result, Judged)
    assert not result.bounded
    (state,) = result.states
    assert list(dict(state.values).values()) == [*(i * i + 1 for i in range(12)), 20]


def test_numbers_behind_the_end_must_not_lead_on() -> None:
    loop = "for (;;) {{ int i = {take}; if (i == 1 || i == 3) {{ break; }} out[i & 3] = 1; }}"
    assert left(query_of("", loop=loop, bound=3)) is None


def test_the_scope_of_the_counter_must_not_race() -> None:
    narrow = "atomic_fetch_add_explicit(head, 1, memory_order_relaxed, memory_scope_work_group)"
    query = query_of("out[i] = i;", take=narrow)

    assert left(query) is None
    assert [flag.name for flag in decide(query).flags] == ["data_race"]


def test_what_is_updated_must_not_race() -> None:
    add = "atomic_fetch_add_explicit(done, 1, memory_order_relaxed, memory_scope_work_group);"
    assert left(query_of(add)) is None
    # Each of these is updated by one job.
    assert left(query_of(add.replace("done", "&bins[i]"))) is not None


def test_registers_that_are_seen_must_be_known() -> None:
    assert left(query_of("out[i] = i;", seen="K[0]:i;")) is None
    assert left(query_of("out[i] = i;", seen="K[0]:me;")) is not None


@pytest.mark.parametrize("rule", ["RMW-1", "COH-RW"])
def test_updates_have_to_read_the_write_before(rule: str) -> None:
    model = leave_out(registry.get(MODEL), [rule])
    assert (left(query_of("out[i] = i;"), model) is None) is (rule == "RMW-1")


@pytest.mark.parametrize(
    ("added", "holds"),
    [
        ("empty rf as nothing-is-read", False),
        ("flag ~empty (W * W) & ext & ~loc as two-write", False),
        ("flag ~empty rf & ext as read-from-others", False),
        ("flag ~empty (IW * IW) \\ id as two-initial", False),
        ("flag ~empty (F * F) & loc as fences-of-one-location", True),
        ("flag ~empty [SC] ; rf as read-from-sc", True),
        ("flag empty rf as nothing-is-read", False),
    ],
)
def test_other_rules_must_not_tell_executions_apart(added: str, *, holds: bool) -> None:
    text = f'"added"\ninclude "opencl-3.0.cat"\n{added}\n'
    model = load_file(Path("added.cat"), lambda path: text if path.name == "added.cat" else text_of(path))
    assert (left(query_of("out[i] = i;"), model) is not None) is holds
