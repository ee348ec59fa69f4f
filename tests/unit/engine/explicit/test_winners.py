"""Who wins a contest decides everything, where nothing else is in the way: a case for each condition."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from msgspec.structs import replace

from mcm.answer.query import Query
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.catalogue.rules import without as leave_out
from mcm.engine.explicit.decide import decide, open_skeleton
from mcm.engine.explicit.findings import watched
from mcm.engine.explicit.settled.attempts import comparison, reads
from mcm.engine.explicit.settled.contests import contests_of
from mcm.engine.explicit.settled.winners import with_winners
from mcm.execution.algebra import TRUE, negation
from mcm.execution.elaborate import elaborate
from mcm.execution.event import EventKind
from mcm.execution.expression import Constant, ReadValue
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test
from mcm.program.types import Location, Scalar

if TYPE_CHECKING:
    from mcm.cat.model import Model
    from mcm.execution.skeleton import Skeleton

EXCHANGE: Final = "won = atomic_compare_exchange_strong(a, &x, 1);"
SCOPED: Final = "memory_order_acq_rel, memory_order_acquire, memory_scope_device"
RELAXED: Final = "memory_order_relaxed, memory_scope_device"
BOTH: Final = "won = atomic_compare_exchange_strong(a, &x, 1); x = 0; won2 = atomic_compare_exchange_strong(b, &x, 1);"

OTHER_WAY: Final = BOTH.replace("(a,", "(c,").replace("(b,", "(a,").replace("(c,", "(b,")


def query_of(
    body: str,
    *,
    tries: str = EXCHANGE,
    other: str = "",
    items: int = 3,
    local: int = 1,
    model: str = "opencl-3.0",
    seen: str = "a; b; n; who; out;",
    bound: int = 1,
) -> Query:
    program = read_test(
        Source(
            "contest",
            f"""OPENCL contest
{{ [a]=0; [b]=0; [n]=0; [who]=7; int out[8]; int in[4] = {{1, 0, 2, 1}}; }}
kernel K (global atomic_int* a, global atomic_int* b, global atomic_int* n, global int* who, global int* out,
          global const int* in) {{
  int me = get_global_id(0); int x = 0; int won = 0; int won2 = 0;
  {tries}
  {body}
}}
launch K global {items}, local {local}, dev 0;
{other}
locations [{seen}]
exists (n=1)
""",
        )
    ).program
    return Query(
        elaborate(program, bound, waiting=True), registry.get(model), observed_by(program), wants_witnesses=False
    )


def left(query: Query, model: Model | None = None) -> Skeleton | None:
    (skeleton,) = query.skeletons
    return with_winners(skeleton, model or query.model, watched(query))


def assert_ends_alike(query: Query) -> None:
    """Assert that who wins decides everything, and that the answer is that about all executions."""
    skeleton = left(query)
    assert skeleton is not None
    assert all(event.thread is None for event in skeleton.events)

    one, every = decide(replace(query, skeletons=(skeleton,))), decide(query, many_events=1 << 60)

    assert [state.values for state in one.states] == [state.values for state in every.states]
    assert len(every.states) > 1
    assert (every.flags, every.faults, every.bounded) == ((), (), ())


BODIES: Final = {
    "the first leaves its number": "if (won) { *who = me; }",
    "others note that they were not": "if (won) { *who = me; out[me] = 1; } else { out[me] = 2; }",
    "what was found": "out[me] = 10 * x + won;",
    "an update by the first": "if (won) { atomic_fetch_add(n, me); }",
    "the first exchanges": "if (won) { atomic_exchange(n, me); }",
    "updates of all": "atomic_fetch_add(n, won ? me : 4);",
    "updates of the others": "if (!won) { atomic_fetch_or(n, 1 << me); }",
    "where it is written depends on it": "out[2 * me + won] = 5;",
    "who comes first is told by a condition": "out[me] = 3; if (x == 0) { *who = me + 1; }",
    "a fence": "if (won) { atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device); }"
    "if (won) { *who = me; }",
}
TRIES: Final = {
    "compare-exchange": EXCHANGE,
    "with orders": f"won = atomic_compare_exchange_strong_explicit(a, &x, 1, {SCOPED});",
    "exchange": f"x = atomic_exchange_explicit(a, 1, {RELAXED}); won = x == 0;",
    "one bit": f"x = atomic_fetch_or_explicit(a, 4, {RELAXED}); won = x == 0;",
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_who_wins_decides_everything(body: str) -> None:
    assert_ends_alike(query_of(body))


@pytest.mark.parametrize("tries", TRIES.values(), ids=TRIES)
def test_there_are_several_ways_to_be_the_first(tries: str) -> None:
    assert_ends_alike(query_of("if (won) { *who = me; }", tries=tries))


def test_each_may_write_something_else() -> None:
    assert_ends_alike(query_of("out[me] = x;", tries="won = atomic_compare_exchange_strong(a, &x, me + 1);"))


def test_members_of_a_group_may_take_part() -> None:
    assert_ends_alike(query_of("if (won) { *who = me; }", local=3))


def test_the_first_may_update_an_object_twice() -> None:
    assert_ends_alike(query_of("if (won) { atomic_fetch_add(n, me); atomic_fetch_add(n, 1); }"))


def test_it_may_depend_on_two_contests() -> None:
    assert_ends_alike(query_of("if (won && !won2) { *who = me; } if (won2) { atomic_fetch_add(n, me); }", tries=BOTH))


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("if (won) { atomic_fetch_add(n, 3); }", 3),
        ("if (!won) { atomic_fetch_add(n, 3); }", 21),
        ("if (!won) { atomic_fetch_add(n, 3); } if (won) { atomic_fetch_sub(n, 1); }", 20),
        ("if (!won) { atomic_fetch_add(n, 3); atomic_fetch_add(n, 3); }", None),
        ("if (!won) { atomic_fetch_add(n, me & 1); }", None),
        ("if (!won && me > 0) { atomic_fetch_add(n, 2); }", None),
    ],
)
def test_it_may_be_the_same_whoever_wins(body: str, count: int | None) -> None:
    query = query_of(body, items=8, seen="a; n;")
    skeleton = left(query)
    assert skeleton is not None
    n = skeleton.finals[Location(2, 0)]

    assert n is Constant(count) if count is not None else not isinstance(n, Constant)
    assert_ends_alike(query_of(body + " if (won) { *who = me; }"))


def test_there_may_be_several_contests() -> None:
    assert_ends_alike(
        query_of("if (won) { *who = me; } if (won2) { out[0] = me; } out[me + 1] = won == won2;", tries=BOTH)
    )


OTHERWISE: Final = {
    "two participants": query_of("if (won) { *who = me; }", items=2),
    "the others write where the first does": query_of("*who = won ? me : 8;"),
    "two write": query_of("if (!won) { *who = me; }"),
    "the first reads what it writes": query_of("if (won) { *who = me; out[me] = *who; }"),
    "the others read what the first writes": query_of("if (won) { *who = me; } else { out[me] = *who; }"),
    "what an update returns is used": query_of("out[me] = atomic_fetch_add(n, 1);"),
    "updates that do not commute": query_of("if (won) { atomic_fetch_or(n, 1); } else { atomic_fetch_add(n, 1); }"),
    "an exchange by the others": query_of("if (!won) { atomic_exchange(n, me); }"),
    "somebody reads": query_of("out[me] = atomic_load(a);"),
    "somebody else reads": query_of("", other="P0@wg 9, dev 0 (global atomic_int* a) { int q = atomic_load(a); }"),
    "somebody else writes": query_of("", other="P0@wg 9, dev 0 (global atomic_int* a) { atomic_store(a, 7); }"),
    "not all take part": query_of("if (won) { *who = me; }", tries=f"if (atomic_load(n) == 0) {{ {EXCHANGE} }}"),
    "one takes part twice": query_of("", tries=f"{EXCHANGE} x = 0; {EXCHANGE}"),
    "nobody can succeed": query_of("", tries="x = 4; won = atomic_compare_exchange_strong(a, &x, 1);"),
    "nothing is changed": query_of("", tries="won = atomic_compare_exchange_strong(a, &x, 0);"),
    "it may fail by chance": query_of("", tries="won = atomic_compare_exchange_weak(a, &x, 1);"),
    "each exchanges something else": query_of("out[me] = x;", tries="x = atomic_exchange(a, me + 1);"),
    "each adds one": query_of("out[me] = x;", tries="x = atomic_fetch_add(a, 1);"),
    "contests in different orders": query_of(
        "out[me] = won + 2 * won2;",
        tries=f"if (me & 1) {{ {BOTH} }} else {{ {OTHER_WAY} }}",
    ),
    "where it is written depends on who wins": query_of(
        "out[x] = 1;", tries="won = atomic_compare_exchange_strong(a, &x, me + 1);"
    ),
    "whether it is written depends on who wins": query_of(
        "if (x == 2) { out[me] = 1; }", tries="won = atomic_compare_exchange_strong(a, &x, me + 1);"
    ),
    "some may not take part": query_of("", tries="if (in[me] > 0) { x = atomic_exchange(a, 1); }"),
    "it is open at which object": query_of("", tries="x = atomic_exchange(in[me] > 0 ? a : b, 1);"),
    "what is written is open": query_of("", tries="x = atomic_exchange(a, in[me] + 1);"),
    "a barrier": query_of("barrier(CLK_GLOBAL_MEM_FENCE); out[me] = 1;", local=3),
    "an asynchronous copy": query_of(
        "local int l[4]; event_t e = async_work_group_copy(l, in, 4, 0); wait_group_events(1, &e);"
    ),
    "an index out of bounds": query_of("if (won) { out[9 * me] = 1; }"),
    "one waits": query_of("while (!won && atomic_load(n) == 0) { } if (won) { atomic_store(n, 1); }"),
    "updates of groups that race": query_of(
        "atomic_fetch_add_explicit(n, 1, memory_order_relaxed, memory_scope_work_group);"
    ),
    "a race of groups": query_of(
        "if (won) { *who = me; }",
        tries="won = atomic_compare_exchange_strong_explicit("
        "a, &x, 1, memory_order_relaxed, memory_order_relaxed, memory_scope_work_group);",
    ),
}


@pytest.mark.parametrize("query", OTHERWISE.values(), ids=OTHERWISE)
def test_otherwise_all_is_looked_at(query: Query) -> None:
    assert left(query) is None


def test_updates_have_to_read_the_write_before() -> None:
    query = query_of("if (won) { *who = me; }")
    assert left(query) is not None
    assert left(query, leave_out(query.model, ["RMW-1"])) is None


def test_updates_have_to_be_one_event() -> None:
    query = query_of("if (won) { *who = me; }")
    assert left(query, replace(query.model, splits_updates=True)) is None


@pytest.mark.parametrize(
    ("added", "holds"),
    [
        ("empty rf as nothing-is-read", False),
        ("acyclic mo | rf^-1 as reads-first", False),
        ("flag ~empty rf & ext as read-from-others", False),
        ("flag ~empty (F * F) & loc as fences-of-one-location", True),
    ],
)
def test_other_rules_must_not_tell_executions_apart(added: str, *, holds: bool) -> None:
    text = f'"added"\ninclude "opencl-3.0.cat"\n{added}\n'
    model = registry.load_file(
        Path("added.cat"), lambda path: text if path.name == "added.cat" else registry.text_of(path)
    )
    assert (left(query_of("if (won) { *who = me; }"), model) is not None) is holds


@pytest.mark.parametrize("number", [0, 2], ids=["contest", "updates"])
def test_objects_have_to_be_atomic(number: int) -> None:
    query = query_of("atomic_fetch_add(n, me);")
    (skeleton,) = query.skeletons
    atomic = skeleton.sets["AO"]
    others = frozenset(location for location in atomic.locations if location.object != number)
    sets = {**skeleton.sets, "AO": replace(atomic, locations=others)}

    assert left(query) is not None
    assert left(replace(query, skeletons=(replace(skeleton, sets=sets),))) is None


def test_who_fails_is_who_does_not_succeed() -> None:
    query = query_of("if (won) { *who = me; }")
    (skeleton,) = query.skeletons
    failures = [event for event in skeleton.events if event.kind is EventKind.READ]
    always = {event.identifier: replace(event, guard=TRUE) for event in failures}
    events = tuple(always.get(event.identifier, event) for event in skeleton.events)
    asked = {comparison("!=", event, Constant(0), skeleton.constraints) for event in failures}
    others = [constraint for constraint in skeleton.constraints if constraint not in asked]
    constraints = (*others, *(reads("!=", event, Constant(0), Scalar.INT) for event in always.values()))
    assert len(failures) == len(asked) == 3
    assert contests_of(skeleton) is not None
    assert contests_of(replace(skeleton, events=events, constraints=constraints)) is None


def test_nothing_else_may_be_chosen_or_asked() -> None:
    query = query_of("if (won) { *who = me; }")
    (skeleton,) = query.skeletons
    more = replace(skeleton, choices=skeleton.choices + 1)
    asks = replace(skeleton, constraints=(*skeleton.constraints, negation(ReadValue(len(skeleton.events) - 1))))
    assert left(replace(query, skeletons=(more,))) is None
    assert left(replace(query, skeletons=(asks,))) is None


def test_nobody_asks_what_is_written_where_nobody_looks() -> None:
    body = "out[me] = atomic_fetch_add(n, 1);"
    assert left(query_of(body)) is None
    assert left(query_of(body, seen="a; n;")) is not None


def test_states_of_pipes_are_not_known() -> None:
    program = read_test(
        Source(
            "pipe",
            """OPENCL pipe
{ [a]=0; pipe int p[4]; }
kernel K (global atomic_int* a, write_only pipe int p) {
  int x = 0; int me = get_global_id(0);
  if (atomic_compare_exchange_strong(a, &x, 1)) { write_pipe(p, &me); }
}
launch K global 3, local 1, dev 0;
exists (a=1)
""",
        )
    ).program
    query = Query(elaborate(program, 1), registry.get("opencl-3.0"), observed_by(program), wants_witnesses=False)
    assert left(query) is None


def test_contests_of_few_count_as_large() -> None:
    query = query_of("if (won) { *who = me; }", items=7)
    (skeleton,) = query.skeletons

    assert all(event.thread is None for event in open_skeleton(skeleton, query).events)


def test_hundreds_take_part() -> None:
    answer = decide(query_of("if (won) { *who = me; }", items=200, seen="a; who;"))

    assert answer.undecided is None
    assert len(answer.states) == 200
