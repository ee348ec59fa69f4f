"""Explanations of kernels at their real size: by executions that differ in one place from a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from mcm import Source, asking, load_model, parse
from mcm.answer.explanation import Kind
from mcm.base.deadline import TIMEOUT, LimitReachedError
from mcm.catalogue.evaluate import is_consistent, structure_of
from mcm.execution.elaborate import elaborate
from mcm.execution.evaluate import evaluate
from mcm.explain.deviations import deviations
from mcm.explain.forbidden import Exclusions
from mcm.explain.straight_run import straight_run
from mcm.explain.witness_search import OpenError, WitnessSearch, goal_of
from mcm.program.value_arithmetic import is_true
from mcm.queries import Options, query_for, skeletons_for
from mcm.relation.evaluate import Evaluator
from mcm.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.answer.answer import Answer
    from mcm.answer.query import Query
    from mcm.engine.choose import EngineName
    from mcm.execution.candidate import Candidate

LITMUS = Path(__file__).parents[3] / "litmus"
REDUCTION = """OPENCL reduction
{{ global int in[{items}] = {{ {values} }}; global int out = 0; }}
kernel reduce (global int* in, global int* out) {{
  local int tmp[{items}];
  int i = get_local_id(0);
  tmp[i] = in[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = {items} / 2; s > 0; s = s / 2) {{
    if (i < s) tmp[i] += tmp[i + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }}
  if (i == 0) *out = tmp[0];
}}
launch reduce global {items}, local {items};
{condition}
"""


def reduction(items: int, condition: str) -> Source:
    values = ", ".join(map(str, range(items)))
    return Source("reduction.litmus", REDUCTION.format(items=items, values=values, condition=condition))


def query_of(source: Source, model: str) -> Query:
    chosen, test = load_model(model), parse(source)
    skeletons = skeletons_for(chosen.model, lambda **how: elaborate(test.program, 2, limit=8000, **how))
    return replace(query_for(test, chosen, Options(), skeletons), proposition=goal_of(test.program.condition))


def assert_values_follow(candidate: Candidate) -> None:
    """Each value of an execution is what its events and the choice of reads-from make it."""
    reads, written = candidate.read_values, candidate.written_values
    for event in candidate.skeleton.events:
        number = event.identifier
        guard = evaluate(event.guard, reads, candidate.choices)
        assert guard is not None
        assert is_true(guard) is (number in candidate.executed)
        if number not in candidate.executed or event.address is None:
            continue
        place = evaluate(event.address, reads, candidate.choices)
        assert place == candidate.locations[number]
        if event.kind.reads:
            source = candidate.reads_from[number]
            assert candidate.locations[source] == place
            assert reads[number] == written[source]
        if event.kind.writes:
            assert event.value is not None
            assert written[number] == evaluate(event.value, reads, candidate.choices)
            assert number in candidate.modification_orders[place]


SMALL = [
    *sorted((LITMUS / "opencl" / "patterns").glob("*.litmus")),
    *sorted((LITMUS / "opencl" / "barriers").glob("*.litmus")),
    *sorted((LITMUS / "opencl" / "locks").glob("lock.*.2*.litmus")),
    *sorted((LITMUS / "opencl" / "waiting").glob("*.2*.litmus")),
    *sorted((LITMUS / "opencl" / "dartagnan").glob("*-1.1.2.litmus")),
    *sorted((LITMUS / "c11").glob("*.litmus")),
]


@pytest.mark.parametrize("path", SMALL, ids=lambda path: path.stem)
def test_runs_are_interleavings_and_deviations_are_executions(path: Path) -> None:
    query = query_of(Source(path.name, path.read_text(encoding="utf-8")), "sc")
    for skeleton in query.skeletons:
        run = straight_run(skeleton, query.model)
        if run is None:
            continue
        assert_values_follow(run)
        assert is_consistent(run, query.model, Evaluator(structure_of(run)))
        for deviation in deviations(run):
            assert_values_follow(deviation)
            moved = [read for read in run.reads_from if deviation.reads_from[read] != run.reads_from[read]]
            assert (len(moved) == 1) is (deviation.modification_orders == run.modification_orders)


@pytest.mark.slow
def test_most_small_tests_have_a_run() -> None:
    skeletons = [
        skeleton
        for path in SMALL
        for skeleton in query_of(Source(path.name, path.read_text(encoding="utf-8")), "sc").skeletons
    ]
    runs = [skeleton for skeleton in skeletons if straight_run(skeleton, load_model("sc").model) is not None]

    assert len(runs) > len(skeletons) * 3 // 4


@pytest.mark.slow
def test_a_forbidden_outcome_of_many_items_names_the_barrier() -> None:
    (explanation,) = Session().explanations(reduction(64, "exists (out != 2016)"), Options())
    told = "\n".join(one.text for story in explanation.stories for one in story.sentences)

    assert explanation.kind is Kind.FORBIDDEN
    assert "one barrier, with the local flag" in told
    assert not explanation.looked_at_all
    # No engine has said that these rules forbid all other ways.
    assert explanation.rule_sets == ()
    (conclusion,) = explanation.sentences
    assert conclusion.rules == ("SB-1", "BAR-3", "INIT-1", "HB-L", "VIS-1", "VIS-2")


@pytest.mark.slow
def test_rules_of_deviations_cannot_be_spared() -> None:
    source = reduction(16, "exists (out != 120)")
    query = query_of(source, "opencl-3.0")
    exclusions = Exclusions(WitnessSearch(query, Options().engine), query.model)
    few = exclusions.of_deviations()

    assert few is not None
    rules, ways = few
    assert len(ways.executions) > 4
    # Here the engines are quick enough to say the same of all ways.
    assert [one.rules for one in exclusions.rule_sets(1)] == [rules]


@pytest.mark.slow
def test_an_allowed_outcome_of_many_items_is_a_run() -> None:
    (explanation,) = Session().explanations(reduction(64, "exists (out = 2016)"), Options())

    assert explanation.kind is Kind.ALLOWED
    assert [one.text for one in explanation.stories[0].sentences] == ["an interleaving shows it, of 1215 steps"]
    assert [one.text for one in explanation.sentences] == ["mcm run --until-found shows it"]


def test_what_is_too_large_to_be_evaluated_is_named() -> None:
    query = query_of(reduction(16, "exists (out != 120)"), "opencl-3.0")
    search = WitnessSearch(query, Options().engine)
    search.events = 9000

    with pytest.raises(OpenError, match="executions of more than 8000 events are not evaluated"):
        Exclusions(search, query.model).of_deviations()


COUNTER = """OPENCL counter
{{ }}
kernel count (global atomic_int* c) {{ atomic_fetch_add_explicit(c, 1, memory_order_relaxed, memory_scope_device); }}
launch count global {items}, local 4;
exists (c != {items})
"""


def counter(items: int) -> Source:
    return Source("counter.litmus", COUNTER.format(items=items))


def test_orders_of_many_writes_are_not_all_kept() -> None:
    query = query_of(counter(16), "opencl-3.0")
    run = straight_run(query.skeletons[0], query.model)
    assert run is not None
    arrangements = WitnessSearch(replace(query, proposition=None), Options().engine).arrangements(run)

    # There are 16!, of which 120 are looked at.
    assert sum(1 for _ in arrangements) == 120


@pytest.mark.slow
def test_a_counter_of_many_items_is_explained_by_what_an_update_reads() -> None:
    (explanation,) = Session().explanations(counter(16), Options())

    assert [one.rules for one in explanation.rule_sets] == [("MO-1", "RMW-1")]


def test_where_engines_take_too_long_a_few_ways_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_long(*_: object) -> None:
        raise LimitReachedError(TIMEOUT)

    monkeypatch.setattr(Exclusions, "rule_sets", too_long)
    (explanation,) = Session().explanations(counter(16), Options())

    (conclusion,) = explanation.sentences
    assert conclusion.rules == ("MO-1", "RMW-1")
    assert conclusion.text.startswith("These ways are excluded by MO-1 and RMW-1: ")
    assert explanation.rule_sets == ()
    assert not explanation.looked_at_all


def test_states_are_not_listed_for_an_explanation(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []
    decide = asking.decide

    def recording(query: Query, engine: EngineName, seconds: Callable[[], float | None] | None = None) -> Answer:
        asked.append(query.wants_states)
        return decide(query, engine, seconds)

    monkeypatch.setattr(asking, "decide", recording)
    Session().explanations(counter(4), Options())

    assert asked
    assert not any(asked)
