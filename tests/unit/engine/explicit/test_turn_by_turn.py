"""Loops that a group leaves together: what is known of each turn, and of jobs that one member takes for all."""

from __future__ import annotations

from typing import Final

import pytest
from msgspec.structs import replace

from mcm.answer.query import Query
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.engine.explicit.decide import decide, open_skeleton
from mcm.engine.explicit.findings import watched
from mcm.engine.explicit.settled.openings import decided_choices
from mcm.engine.explicit.settled.settling import look_at
from mcm.execution.algebra import FALSE, TRUE, binary, conjunction, disjunction, negation
from mcm.execution.elaborate import elaborate
from mcm.execution.expression import Choice, Constant, ReadValue
from mcm.execution.substitution import Substitution
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test
from mcm.program.types import Scalar

BARRIER: Final = "barrier(CLK_LOCAL_MEM_FENCE);"
TAKE: Final = "atomic_fetch_add_explicit(head, 1, memory_order_relaxed, memory_scope_device)"


def query_of(
    body: str = "out[2 * t + l] = t;",
    *,
    says: str = TAKE,
    who: str = "l == 0",
    between: str = BARRIER,
    behind: str = BARRIER,
    ends: str = "t >= 2",
    bound: int = 3,
    seen: str = "head;",
) -> Query:
    program = read_test(
        Source(
            "turns",
            f"""OPENCL turns
{{ [head]=0; int out[8]; int in[8] = {{0, 0, 0, 0, 5, 5, 5, 5}}; }}
kernel K (global atomic_int* head, global int* out, global const int* in) {{
  local int said; int l = get_local_id(0); int turn = 0;
  for (;;) {{
    if ({who}) {{ said = {says}; }}
    {between}
    int t = said;
    {behind}
    if ({ends}) break;
    {body}
    turn++;
  }}
}}
launch K global 4, local 2, dev 0;
locations [{seen}]
exists (head=4)
""",
        )
    ).program
    return Query(elaborate(program, bound), registry.get("opencl-3.0"), observed_by(program), wants_witnesses=False)


def left(query: Query) -> int:
    """How many events of threads are left when all is looked at."""
    (skeleton,) = query.skeletons
    return sum(event.thread is not None for event in open_skeleton(skeleton, query, many_events=1).events)


def known_reads(query: Query) -> int:
    """Of how many reads of what is local it is known what they return."""
    (skeleton,) = query.skeletons
    looked = look_at(skeleton, query.model, watched(query))
    assert looked is not None
    known = looked[1].substitution
    reads = [event.identifier for event in skeleton.events if event.span.text == "said" and not event.kind.writes]
    return sum(known.apply(ReadValue(read)) is not ReadValue(read) for read in reads)


def test_what_one_member_takes_for_all_is_one_distribution() -> None:
    query = query_of(ends="t >= 1", bound=2)
    assert left(query_of()) == left(query) == 0

    (skeleton,) = query.skeletons
    one = decide(replace(query, skeletons=(open_skeleton(skeleton, query, many_events=1),)))
    every = decide(query, many_events=1 << 60)
    assert [state.values for state in one.states] == [state.values for state in every.states]
    assert not (every.flags)
    assert not (every.faults)
    assert not (every.bounded)


def test_each_turn_tells_of_the_next() -> None:
    assert known_reads(query_of()) == 4 * 4
    assert known_reads(query_of(bound=2)) == 4 * 3


def test_where_members_may_not_stay_together_turns_are_known_behind_barriers_that_all_have_entered() -> None:
    # Who does not stay leaves the others waiting: in a later turn they read only if all have come.
    assert known_reads(query_of(ends="t + l >= 2")) == 12


@pytest.mark.parametrize("missing", ["between", "behind"])
def test_without_a_barrier_nothing_is_known(missing: str) -> None:
    query = query_of(**{missing: ""})  # type: ignore[arg-type]
    assert known_reads(query) == 0
    assert left(query) > 0


def test_a_barrier_of_the_other_memory_orders_nothing() -> None:
    assert known_reads(query_of(between="barrier(CLK_GLOBAL_MEM_FENCE);")) == 0


def test_who_says_it_may_change() -> None:
    assert known_reads(query_of(who="l == (turn & 1)")) == 4 * 4
    # Jobs are looked at where each thread takes those of its own turns.
    assert left(query_of(who="l == (turn & 1)")) > 0


def test_two_who_say_it_race() -> None:
    assert known_reads(query_of(who="true")) == 0


def test_what_is_read_may_end_the_loop() -> None:
    query = query_of("out[4 * turn + 2 * (get_global_id(0) / 2) + l] = 1;", says="in[4 * turn + l]", ends="t == 5")
    assert left(query) == 0


def test_jobs_that_are_not_apart_stay() -> None:
    assert left(query_of("out[t] = l;")) > 0


# --- choices ----------------------------------------------------------------------------------------------------------

ONE, OTHER = Choice(0), Choice(1)
CONDITION: Final = binary("<", ReadValue(3), Constant(2), Scalar.INT)
BOTH: Final = conjunction(CONDITION, binary("!=", ReadValue(4), Constant(0), Scalar.INT))
NOTHING: Final = Substitution({})


def if_and_only_if(choice: Choice, condition: object) -> list[object]:
    return [disjunction(negation(choice), condition), disjunction(choice, negation(condition))]  # type: ignore[arg-type]


@pytest.mark.parametrize("condition", [CONDITION, BOTH, negation(CONDITION), disjunction(CONDITION, BOTH)])
def test_a_choice_that_constraints_decide_is_known(condition: object) -> None:
    assert decided_choices(if_and_only_if(ONE, condition), NOTHING) == {ONE: condition}  # type: ignore[arg-type]


def test_a_choice_that_is_decided_by_another_is_known_when_that_is() -> None:
    constraints = [*if_and_only_if(ONE, CONDITION), *if_and_only_if(OTHER, conjunction(ONE, BOTH))]
    first = decided_choices(constraints, NOTHING)  # type: ignore[arg-type]
    second = decided_choices(constraints, NOTHING.with_more(first))  # type: ignore[arg-type]

    assert first == {ONE: CONDITION}
    assert second == {OTHER: BOTH}


@pytest.mark.parametrize(
    "constraints",
    [
        [],
        [disjunction(negation(ONE), CONDITION)],
        [disjunction(ONE, negation(CONDITION))],
        [disjunction(negation(ONE), CONDITION), disjunction(ONE, negation(BOTH))],
        if_and_only_if(ONE, OTHER),
    ],
)
def test_other_choices_are_open(constraints: list[object]) -> None:
    assert not decided_choices(constraints, NOTHING)  # type: ignore[arg-type]


def test_conditions_and_their_negations_fold() -> None:
    assert conjunction(BOTH, negation(BOTH)) is FALSE
    assert disjunction(BOTH, negation(BOTH)) is TRUE
    assert conjunction(CONDITION, negation(BOTH)) is not FALSE
