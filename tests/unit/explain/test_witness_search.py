"""What the executions that were met already answer, and where an engine has to be asked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from mcm import Source, load_model, parse
from mcm.catalogue.weaken import with_only
from mcm.engine.choose import NODE_BUDGET, EngineName
from mcm.engine.equations.conflicts import ConflictFinder
from mcm.engine.explicit.ways import Ways
from mcm.execution.elaborate import elaborate
from mcm.explain import witness_search
from mcm.explain.forbidden import Exclusions
from mcm.explain.witness_search import OpenError, WitnessSearch, goal_of
from mcm.queries import Options, query_for, skeletons_for

if TYPE_CHECKING:
    from mcm.answer.conflict import Conflict
    from mcm.answer.query import Query
    from mcm.engine.equations.decided import DecidedExecution

TWO_THREADS = r"""OPENCL two-threads
{ [x]=0; [y]=0; queue q = in_order dev 0; }
kernel A (global int* x, global int* y) { *x = 1; *y = 1; }
kernel B (global int* x, global int* y) { int r0 = *x; int r1 = *y; }
P0@host () { clEnqueueNDRangeKernel(q, A, 1, 1); }
P1@host () { clEnqueueNDRangeKernel(q, B, 1, 1); }
exists (B[0]:r0=1 /\ B[0]:r1=0)
"""
C11 = Path(__file__).parents[3] / "litmus" / "c11"


def query_of(file: str, model: str = "c11") -> Query:
    chosen = load_model(model)
    test = parse(Source(file, (C11 / file).read_text(encoding="utf-8")))
    skeletons = skeletons_for(chosen.model, lambda **how: elaborate(test.program, 2, limit=2000, **how))
    return replace(query_for(test, chosen, Options(), skeletons), proposition=goal_of(test.program.condition))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Query]:
    """What the engine is asked."""
    queries: list[Query] = []
    decide = witness_search.decide

    def counting(query: Query, engine: EngineName) -> object:
        queries.append(query)
        return decide(query, engine)

    monkeypatch.setattr(witness_search, "decide", counting)
    return queries


def test_an_execution_that_was_met_answers_for_models_that_allow_it(asked: list[Query]) -> None:
    query = query_of("CoRR.litmus")
    search = WitnessSearch(query, EngineName.EXPLICIT)
    assert search.find(with_only(query.model, ())) is not None

    # Without read-read coherence nothing else excludes it.
    assert search.is_possible(with_only(query.model, ("MO-1", "COH-WW", "COH-WR")))
    assert len(asked) == 1


def test_where_none_is_consistent_an_engine_is_asked(asked: list[Query]) -> None:
    query = query_of("CoRR.litmus")
    search = WitnessSearch(query, EngineName.EXPLICIT)
    assert search.find(with_only(query.model, ())) is not None

    assert not search.is_possible(query.model)
    assert len(asked) == 2


def test_an_execution_without_the_order_of_a_model_says_nothing_of_it(asked: list[Query]) -> None:
    query = query_of("SB+sc.litmus")
    search = WitnessSearch(query, EngineName.EXPLICIT)
    unordered = replace(query.model, linearisations=(), checks=())
    assert query.model.linearisations
    assert search.find(unordered) is not None

    bare = with_only(query.model, ())
    assert search.is_possible(bare)
    assert len(asked) == 2
    assert search.is_possible(bare)
    assert len(asked) == 2


def test_ways_are_found_in_one_short_search(asked: list[Query], monkeypatch: pytest.MonkeyPatch) -> None:
    query = query_of("CoRR.litmus")
    ways, nodes = witness_search.ways, []
    monkeypatch.setattr(witness_search, "ways", lambda q, most: (nodes.append(q.limits.nodes), ways(q, most))[1])
    assert list(WitnessSearch(query, EngineName.AUTO).ways(with_only(query.model, ()), 3))
    assert nodes == [3 * NODE_BUDGET]
    assert not asked


def test_the_solver_finds_a_way_where_the_short_search_found_none(
    asked: list[Query], monkeypatch: pytest.MonkeyPatch
) -> None:
    query = query_of("CoRR.litmus")
    monkeypatch.setattr(witness_search, "ways", lambda _query, _most: Ways((), "nodes"))
    ways = WitnessSearch(query, EngineName.AUTO).ways(with_only(query.model, ()), 3)
    assert next(ways).reads_from
    with pytest.raises(OpenError, match="nodes"):
        next(ways)
    assert len(asked) == 1


def test_no_more_is_looked_for_where_the_solver_says_that_there_is_no_way(monkeypatch: pytest.MonkeyPatch) -> None:
    query = query_of("CoRR.litmus")
    monkeypatch.setattr(witness_search, "ways", lambda _query, _most: Ways((), "nodes"))
    assert not list(WitnessSearch(query, EngineName.AUTO).ways(query.model, 3))


@pytest.mark.parametrize(
    "file",
    [
        "c11/CoRR.litmus",
        "c11/SB+sc.litmus",
        "opencl/patterns/LB.litmus",
        "opencl/patterns/MP.dv.litmus",
        "opencl/patterns/IRIW.sc.litmus",
        "opencl/locks/lock.flag.2.litmus",
    ],
)
def test_engines_find_the_same_ways(file: str) -> None:
    """One searches for all at once, the other is asked for one after the other."""
    query = query_of(f"../{file}", "c11" if file.startswith("c11") else "opencl-3.0")
    bare = with_only(query.model, ())
    found = [
        [frozenset(way.reads_from.items()) for way in WitnessSearch(query, engine).ways(bare, 200)]
        for engine in (EngineName.EXPLICIT, EngineName.SMT)
    ]
    assert len(found[0]) == len(set(found[0])) == len(found[1])
    assert set(found[0]) == set(found[1])


def test_ways_that_were_found_are_told_where_a_short_search_finds_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    query = query_of("CoRR.litmus")
    monkeypatch.setattr(witness_search, "NODE_BUDGET", 0)
    exclusions = Exclusions(WitnessSearch(query, EngineName.AUTO), query.model)
    ways = exclusions.ways(exclusions.rule_sets()[0].rules)
    assert ways.executions
    assert not ways.is_all


def test_ways_are_found_in_every_order_of_calls() -> None:
    """Two threads of the host enqueue: the kernel that reads may be the first, and then it reads otherwise, too."""
    chosen = load_model("opencl-3.0")
    test = parse(Source("two-threads.litmus", TWO_THREADS))
    skeletons = skeletons_for(chosen.model, lambda **how: elaborate(test.program, 2, limit=2000, **how))
    assert len(skeletons) == 2
    query = replace(query_for(test, chosen, Options(), skeletons), proposition=goal_of(test.program.condition))
    search = WitnessSearch(query, EngineName.EXPLICIT)

    ways = list(search.ways(with_only(query.model, ()), 8))
    assert len(ways) == 2
    assert ways[0].reads_from == ways[1].reads_from
    assert ways[0].skeleton is not ways[1].skeleton


COUNT = """C count
{ [x] = 0; }
P0 (atomic_int* x) { int r0 = atomic_fetch_add_explicit(x, 1, memory_order_relaxed); }
P1 (atomic_int* x) { int r0 = atomic_fetch_add_explicit(x, 1, memory_order_relaxed); }
P2 (atomic_int* x) { int r0 = atomic_fetch_add_explicit(x, 1, memory_order_relaxed); }
exists (x = 4)
"""


def test_what_was_learned_of_values_holds_under_the_next_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without rules updates may read from each other in circles, none of which has values: that is learned once."""
    decided: list[object] = []
    find = ConflictFinder.of

    def of(finder: ConflictFinder, execution: DecidedExecution) -> Conflict | None:
        decided.append(execution)
        return find(finder, execution)

    monkeypatch.setattr(ConflictFinder, "of", of)
    chosen, test = load_model("c11"), parse(Source("count", COUNT))
    skeletons = skeletons_for(chosen.model, lambda **how: elaborate(test.program, 2, limit=2000, **how))
    query = replace(query_for(test, chosen, Options(), skeletons), proposition=goal_of(test.program.condition))
    search = WitnessSearch(query, EngineName.SMT)
    assert not search.is_possible(with_only(query.model, ()))
    assert decided
    decided.clear()
    assert not search.is_possible(with_only(query.model, ("COH-WW",)))
    assert decided == []


def test_where_the_solver_answers_it_is_asked_at_once(asked: list[Query], monkeypatch: pytest.MonkeyPatch) -> None:
    """The search gives up for each of them: a question that it answered would be asked of it again."""
    monkeypatch.setattr("mcm.engine.choose.NODE_BUDGET", 1)
    engines: list[EngineName] = []
    decide = witness_search.decide

    def noting(query: Query, engine: EngineName) -> object:
        engines.append(engine)
        return decide(query, engine)

    monkeypatch.setattr(witness_search, "decide", noting)
    query = query_of("CoRR.litmus")
    search = WitnessSearch(query, EngineName.AUTO)
    for _ in range(4):
        assert search.find(query.model) is None
    assert engines == [*[EngineName.AUTO] * 3, EngineName.SMT]
    assert len(asked) == len(engines)
