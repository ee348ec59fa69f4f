from __future__ import annotations

import subprocess
import sys
from itertools import chain, repeat
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from mcm import Options, Undecided, Verdict, shared_session
from mcm.answer.query import Limits, Query
from mcm.base.source import Source
from mcm.catalogue.registry import get
from mcm.engine import choose
from mcm.engine.choose import EngineName
from mcm.engine.smt import decide as solver
from mcm.engine.smt import domain
from mcm.engine.smt.budget import UndecidedError
from mcm.engine.smt.states import StateSearch
from mcm.execution.elaborate import elaborate
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test

if TYPE_CHECKING:
    from mcm.answer.answer import Answer

STORES = "".join(
    f"P{number} (atomic_int* x, atomic_int* y) {{ int r0 = atomic_exchange(x, {number}); int r1 = atomic_load(y); }}\n"
    for number in range(3)
)
_found = StateSearch._found
SOURCE = Source("t", f"C t\n{{ }}\n{STORES}exists (0:r0=1)\n")


@pytest.mark.parametrize("counts", [False, True])
def test_what_is_beyond_the_budget_goes_to_the_solver(monkeypatch: pytest.MonkeyPatch, counts: bool) -> None:
    (within,) = shared_session().results(SOURCE, Options(counts=counts))
    monkeypatch.setattr(choose, "NODE_BUDGET", 2)
    (beyond,) = shared_session().results(SOURCE, Options(counts=counts))

    assert (within.engine, beyond.engine) == ("explicit", "smt")
    assert within.states == beyond.states
    assert all((state.executions is not None) == counts for state in beyond.states)


def test_what_no_formula_says_the_search_goes_on_with(monkeypatch: pytest.MonkeyPatch) -> None:
    source = Source("t", SOURCE.text.replace("atomic_load(y)", "atomic_exchange(y, r0 * 2)"))
    (within,) = shared_session().results(source, Options())
    monkeypatch.setattr(choose, "NODE_BUDGET", 2)
    monkeypatch.setattr(domain, "MOST_VALUES", 2)
    (alone,) = shared_session().results(source, Options(engine=EngineName.SMT))
    (beyond,) = shared_session().results(source, Options())

    assert isinstance(alone, Undecided)
    assert alone.reason == "more than 2 values are possible in one place"
    assert (beyond.engine, beyond.states) == ("explicit", within.states)


def test_a_smaller_limit_of_the_query_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choose, "NODE_BUDGET", 10**9)

    (result,) = shared_session().results(SOURCE, Options(limits=Limits(nodes=2)))

    assert result.engine == "smt"


def test_a_search_that_is_likely_to_end_is_not_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    # Two threads take a lock once each: the states are found, and what is left are executions in which they wait.
    text = (Path(__file__).parents[3] / "litmus/opencl/locks/semaphore.2.litmus").read_text(encoding="utf-8")
    source = Source("semaphore", text)
    (likely,) = shared_session().results(source, Options())
    monkeypatch.setattr(choose, "LIKELY_TO_END", choose.NODE_BUDGET)
    (given_up,) = shared_session().results(source, Options())

    assert (likely.engine, given_up.engine) == ("explicit", "smt")
    assert likely.states == given_up.states


def test_where_the_search_takes_all_the_time_that_is_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choose, "perf_counter", chain([0.0], repeat(60.0)).__next__)

    (result,) = shared_session().results(SOURCE, Options(limits=Limits(seconds=30, nodes=2)))

    assert (result.engine, result.reason) == ("explicit", "timeout")


@pytest.mark.parametrize("counts", [False, True])
def test_a_compare_exchange_that_is_tried_again_is_searched_for_like_anything_else(
    monkeypatch: pytest.MonkeyPatch, counts: bool
) -> None:
    loop = "P0 (atomic_int* x) { int e = 0; while (!atomic_compare_exchange_strong(x, &e, 1)) { } }\n"
    source = Source("t", f"C t\n{{ }}\n{loop}P1 (atomic_int* x) {{ atomic_store(x, 2); }}\nexists (x=1)\n")
    (within,) = shared_session().results(source, Options(counts=counts))
    monkeypatch.setattr(choose, "NODE_BUDGET", 1)
    (beyond,) = shared_session().results(source, Options(counts=counts))

    assert (within.engine, beyond.engine) == ("explicit", "smt")
    assert within.states == beyond.states


def test_the_solver_does_not_look_for_states_that_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    program = read_test(SOURCE).program
    query = Query(elaborate(program, 2), get("c11"), observed_by(program))
    answer = choose.decide(query, EngineName.EXPLICIT)
    found: list[object] = []
    monkeypatch.setattr(StateSearch, "_found", lambda search: found.append(1) or _found(search))

    assert choose.decide(query, EngineName.SMT).states == answer.states
    assert len(found) == len(answer.states)
    found.clear()
    assert choose.decide(replace(query, known=answer.states[2:]), EngineName.SMT).states == answer.states
    assert len(found) == 2


def test_a_small_test_loads_no_solver() -> None:
    # In a process of its own, because other tests load it into this one.
    code = (
        "import sys; from mcm.base.source import Source; from mcm import Options, shared_session;"
        f"shared_session().results(Source('t', {SOURCE.text!r}), Options());"
        "print(sorted({'z3', 'networkx', 'numpy', 'click', 'rich'} & set(sys.modules)))"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert ended.stdout.strip() == "[]"


@pytest.mark.parametrize("engine", list(EngineName))
def test_every_engine_gives_the_same_states(engine: EngineName) -> None:
    (result,) = shared_session().results(SOURCE, Options(engine=engine))

    assert result.states == shared_session().results(SOURCE, Options(engine=EngineName.EXPLICIT))[0].states


# Each work-item writes its element before a barrier, and reads its neighbour's after it; what is stored to x is open.
PARTLY_SETTLED = Source(
    "t",
    """OPENCL t
{ int a[16]; [x]=0; int seen[1]; }
kernel K (global int* a, global atomic_int* x, global int* seen) {
  int me = get_local_id(0);
  a[me] = me + 5;
  work_group_barrier(CLK_GLOBAL_MEM_FENCE);
  int r0 = a[(me + 1) % 16];
  if (me == 0) { atomic_store_explicit(x, r0, memory_order_relaxed); }
  if (me == 1) { seen[0] = atomic_load_explicit(x, memory_order_relaxed); }
}
launch K global 16, local 16, dev 0;
exists (seen[0]=6)
""",
)


@pytest.mark.parametrize(
    ("engine", "asked", "is_left"),
    [
        (EngineName.AUTO, {}, True),
        (EngineName.SMT, {}, False),
        (EngineName.AUTO, {"counts": True}, False),
        (EngineName.AUTO, {"wants_witnesses": True}, False),
    ],
    ids=["chosen", "asked for", "counting", "with executions"],
)
def test_the_solver_is_asked_about_what_barriers_leave_open_where_mcm_chooses_it(
    engine: EngineName, asked: dict[str, bool], is_left: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[int] = []
    by_solver = solver.decide
    monkeypatch.setattr(choose, "NODE_BUDGET", 1)
    monkeypatch.setattr(
        solver, "decide", lambda query: events.append(len(query.skeletons[0].events)) or by_solver(query)
    )
    program = read_test(PARTLY_SETTLED).program
    query = Query(elaborate(program), get("opencl-3.0"), observed_by(program), **{"wants_witnesses": False, **asked})

    answer = choose.decide(query, engine)

    assert events, "the solver is asked"
    assert [count < 20 for count in events] == [is_left] * len(events)
    assert [state.values for state in answer.states] == [(0,), (6,)]


KERNEL = """OPENCL exchange
{ [x]=0; [y]=0; }
kernel K (global atomic_int* x, global int* y) {
  int r = atomic_exchange_explicit(x, get_global_id(0) + 1, memory_order_relaxed, memory_scope_device);
  BODY
}
launch K global 3, local 1, dev 0;
CONDITION
"""


def listed_until_time_ended(body: str, condition: str) -> tuple[Query, Answer]:
    """A query, and the answer of a search that time ended after two states."""
    program = read_test(Source("t", KERNEL.replace("BODY", body).replace("CONDITION", condition))).program
    proposition = None if program.condition is None else program.condition.proposition
    query = Query(elaborate(program, 2), get("opencl-3.0"), observed_by(program), proposition)
    answer = choose.decide(query, EngineName.EXPLICIT)
    assert len(answer.states) > 2
    ended = replace(answer, states=answer.states[:2], flags=(), reachable=None, undecided="timeout")
    assert choose.was_listing(query, ended)
    return query, ended


def test_where_states_are_too_many_everything_else_is_found_out() -> None:
    query, ended = listed_until_time_ended("", "")

    answer = choose.with_all_else(query, ended)

    assert (answer.undecided, answer.states_left, answer.flags) == (None, "timeout", ())
    assert answer.states == ended.states
    assert answer.complete_exists


@pytest.mark.parametrize(
    ("condition", "satisfying", "missing"),
    [
        ("exists (x=3)", 0, True),
        ("exists (x=1)", 1, None),
        ("forall (x<3)", 2, False),
        ("forall (x<4)", 2, None),
        ("exists (x=4)", 0, None),
    ],
)
def test_a_state_is_added_of_the_truth_value_that_was_not_found(
    condition: str, satisfying: int, missing: bool | None
) -> None:
    query, ended = listed_until_time_ended("", condition)
    assert sum(state.satisfies for state in ended.states) == satisfying

    answer = choose.with_all_else(query, ended)

    new = [state for state in answer.states if state not in ended.states]
    assert [state.satisfies for state in new] == ([] if missing is None else [missing])
    assert answer.reachable is any(state.satisfies for state in answer.states)
    assert answer.states_left == "timeout"


def test_problems_that_were_not_found_before_are() -> None:
    query, ended = listed_until_time_ended("*y = r;", "")

    answer = choose.with_all_else(query, ended)

    assert {flag.name for flag in answer.flags} == {"data_race"}
    assert (answer.undecided, answer.states) == ("timeout", ended.states)


def test_where_the_rest_is_not_decided_nothing_is(monkeypatch: pytest.MonkeyPatch) -> None:
    query, ended = listed_until_time_ended("", "")
    monkeypatch.setattr(choose, "NODE_BUDGET", 0)

    def gives_up(_: Query) -> Answer:
        return replace(ended, undecided="memory")

    monkeypatch.setattr(solver, "decide", gives_up)

    assert choose.with_all_else(query, ended) is ended


@pytest.mark.parametrize("condition", ["", "exists (x=3)", "exists (x=4)", "forall (x<4)"])
def test_the_solver_knows_all_else_when_time_ends_the_list(condition: str, monkeypatch: pytest.MonkeyPatch) -> None:
    query, _ = listed_until_time_ended("", condition)
    monkeypatch.setattr(solver, "_MANY_STATES", 2)
    looks: list[int] = []
    look = solver._SkeletonSearch._look_at_all_else

    def look_and_end(search: solver._SkeletonSearch, *given: object) -> None:
        look(search, *given)
        looks.append(search._findings.states)
        if search._findings.looked_at:
            raise UndecidedError("timeout")

    monkeypatch.setattr(solver._SkeletonSearch, "_look_at_all_else", look_and_end)

    answer = choose.decide(query, EngineName.SMT)

    assert looks
    assert (answer.undecided, answer.states_left, answer.flags) == (None, "timeout", ())
    assert len(answer.states) >= 2
    if query.proposition is not None:
        assert answer.reachable is (condition != "exists (x=4)")


def test_all_else_is_asked_for_where_the_solver_takes_long_to_show_that_no_state_is_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    query, ended = listed_until_time_ended("", "")
    monkeypatch.setattr(choose, "NODE_BUDGET", 1)
    by_solver, given = choose._by_solver, []

    def ends_with_states(asked: Query) -> Answer:
        if not asked.wants_states:
            return by_solver(asked)
        given.append(asked.limits.seconds)
        return ended

    monkeypatch.setattr(choose, "_by_solver", ends_with_states)

    answer = choose.decide(replace(query, limits=Limits(seconds=100)), EngineName.AUTO)

    assert given
    assert all(seconds < 90 for seconds in given)
    assert (answer.undecided, answer.states_left, answer.flags) == (None, "timeout", ())
    assert answer.states == ended.states


def test_without_states_and_without_a_condition_one_is_enough() -> None:
    test = Source("t", KERNEL.replace("BODY", "").replace("CONDITION", ""))
    (result,) = shared_session().results(test, Options(wants_states=False, limits=Limits(nodes=10)))

    assert (result.verdict, result.states, result.complete, result.engine) == (Verdict.ALLOWED, (), True, "explicit")


@pytest.mark.parametrize(("few", "engine"), [(20, "explicit"), (3, "smt")])
def test_the_search_goes_on_with_few_events_that_the_solver_takes_long_over(
    monkeypatch: pytest.MonkeyPatch, few: int, engine: str
) -> None:
    (within,) = shared_session().results(SOURCE, Options())
    monkeypatch.setattr(choose, "NODE_BUDGET", 2)
    monkeypatch.setattr(choose, "_FEW_TO_SEARCH", few)
    given: list[float | None] = []

    def gives_up(query: Query) -> Answer:
        given.append(query.limits.seconds)
        return replace(choose._NOTHING, engine="smt")

    monkeypatch.setattr(solver, "decide", gives_up)
    (result,) = shared_session().results(SOURCE, Options(limits=Limits(seconds=30)))

    assert result.engine == engine
    assert isinstance(result, Undecided) == (engine == "smt")
    assert engine == "smt" or (given[0] is not None and given[0] <= 10 and result.states == within.states)
