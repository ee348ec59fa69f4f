"""What excludes all executions that end as asked is told from evaluating them; engines say the same."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
from msgspec.structs import replace

from mcm import Source, load_model, parse
from mcm.catalogue.weaken import removable_rules, weakened, with_only
from mcm.engine.choose import EngineName
from mcm.execution.elaborate import elaborate
from mcm.explain import witness_search
from mcm.explain.all_executions import AllExecutions, all_executions
from mcm.explain.forbidden import Exclusions
from mcm.explain.witness_search import WitnessSearch, goal_of
from mcm.queries import Options, query_for, skeletons_for

LITMUS = Path(__file__).parents[3] / "litmus"

WEAK_EXCHANGE = """C weak
{}
P0 (atomic_int* x) {
  int e = 0;
  int r = atomic_compare_exchange_weak_explicit(x, &e, 1, memory_order_relaxed, memory_order_relaxed);
}
exists (0:r=1 /\\ x=2)
"""


def search_of(text: str, engine: EngineName = EngineName.AUTO) -> WitnessSearch:
    test = parse(Source("test", text))
    chosen = load_model(test.header.dialect.default_model)
    skeletons = skeletons_for(chosen.model, lambda **how: elaborate(test.program, 2, limit=2000, **how))
    query = query_for(test, chosen, Options(), skeletons)
    return WitnessSearch(replace(query, proposition=goal_of(test.program.condition)), engine)


def text_of(path: str) -> str:
    return (LITMUS / path).read_text(encoding="utf-8")


def found(search: WitnessSearch) -> AllExecutions | None:
    bare = with_only(search.query.model, ())
    return all_executions(search, bare, list(search.ways(bare, 12)))


@pytest.mark.parametrize("path", ["c11/MP+rel+acq.litmus", "c11/CoRR.litmus", "c11/CoWW.litmus"])
def test_they_are_excluded_by_what_an_engine_says_forbids_the_outcome(path: str) -> None:
    search = search_of(text_of(path))
    executions = found(search)
    (first, *_) = Exclusions(search_of(text_of(path), EngineName.EXPLICIT), search.query.model).rule_sets(1)

    assert executions is not None
    model = search.query.model
    assert executions.are_excluded_by(model) is (search.find(model) is None)
    for size in (1, len(first.rules) - 1, len(first.rules)):
        for rules in combinations(first.rules, size):
            fewer = with_only(model, rules, definitions=False)
            assert executions.are_excluded_by(fewer) is (search.find(fewer) is None), rules


def test_where_a_choice_is_free_they_are_not_known() -> None:
    assert found(search_of(WEAK_EXCHANGE)) is None


def test_where_values_may_depend_on_themselves_they_are_not_known() -> None:
    assert found(search_of(text_of("opencl/patterns/LB.litmus"))) is None


def test_where_some_rules_cannot_be_taken_away_they_are_not_known() -> None:
    search = search_of(text_of("c11/CoRR.litmus"))
    model = search.query.model

    assert all_executions(search, weakened(model, removable_rules(model)[:1]), []) is None


def test_an_order_of_several_events_is_left_to_the_engines() -> None:
    search = search_of(text_of("c11/SB+sc.litmus"))
    executions = found(search)

    assert executions is not None
    assert search.find(search.query.model) is None
    assert not executions.are_excluded_by(search.query.model)


def test_no_engine_is_asked_about_sets_of_rules_unless_one_was_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    decide, ways, asked = witness_search.decide, witness_search.ways, []
    monkeypatch.setattr(witness_search, "decide", lambda query, engine: (asked.append(query), decide(query, engine))[1])
    monkeypatch.setattr(witness_search, "ways", lambda query, most: (asked.append(query), ways(query, most))[1])
    counts = {}
    for engine in (EngineName.AUTO, EngineName.EXPLICIT):
        search = search_of(text_of("opencl/patterns/MP.dv.litmus"), engine)
        asked.clear()
        sets = Exclusions(search, search.query.model).rule_sets()
        counts[engine] = len(asked)
        assert len(sets) == 1
        assert len(sets[0].rules) == 7

    # All ways to the outcome.
    assert counts[EngineName.AUTO] == 1
    assert counts[EngineName.EXPLICIT] > 4
