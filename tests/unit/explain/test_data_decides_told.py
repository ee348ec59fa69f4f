"""Explanations of kernels in which data decides where work-items go: by runs in which one read has an older value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcm import Options, Source, parse, session
from mcm.answer.exhibit import ExhibitKind
from mcm.answer.explanation import Kind
from mcm.asked_runs import AskedRuns
from mcm.catalogue import registry
from mcm.explain.witness_search import goal_of
from mcm.session import Session

if TYPE_CHECKING:
    from mcm.answer.explanation import Explanation

SORT = """OPENCL sort
{{ int in[{items}] = {{{values}}}; int out[{items}]; }}
kernel merge_sort(global const int *in, global int *out, local int a[{items}], local int b[{items}]) {{
  int i = get_local_id(0), n = get_local_size(0);
  a[i] = in[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int width = 1; width < n; width *= 2) {{
    int x = a[i];
    int block = i / (2 * width) * (2 * width);
    int is_right = (i / width) & 1;
    int begin = is_right ? block : block + width;
    int low = begin, high = begin + width;
    while (low < high) {{
      int middle = (low + high) / 2;
      if (is_right ? a[middle] <= x : a[middle] < x) low = middle + 1; else high = middle;
    }}
    b[block + i % width + low - begin] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] = b[i];
    {barrier}
  }}
  out[i] = a[i];
}}
launch merge_sort global {items}, local {items};
{question}
"""
SECOND = "barrier(CLK_LOCAL_MEM_FENCE);"


def sort(items: int, question: str = "exists (out[0]=1)", barrier: str = SECOND) -> Source:
    values = ", ".join(str(i * 37 % 101) for i in range(items))
    return Source("sort.litmus", SORT.format(items=items, values=values, barrier=barrier, question=question))


def unsorted(items: int) -> str:
    values = sorted(i * 37 % 101 for i in range(items))
    return "exists (" + " \\/ ".join(f"out[{place}]!={value}" for place, value in enumerate(values)) + ")"


def explained(test: Source, **keywords: object) -> Explanation:
    return Session().explain(test, **keywords)  # type: ignore[arg-type]


def told(explanation: Explanation) -> str:
    return "\n".join(sentence.text for sentence in explanation.sentences)


def test_a_forbidden_outcome_is_told_by_reads_of_older_values() -> None:
    explanation = explained(sort(4, unsorted(4)))

    assert explanation.kind is Kind.FORBIDDEN
    assert explanation.rule_sets == ()
    assert not explanation.looked_at_all
    assert explanation.sentences[1].rules == ("SB-1", "BAR-3", "INIT-1", "HB-L", "VIS-1", "VIS-2")
    assert "In every execution that opencl-3.0 allows, 31 plain reads return what they return in a run" in told(
        explanation
    )
    # Only what makes the question true is told of the final state.
    for story in explanation.stories:
        assert sum(reading.observed is not None for reading in story.readings) == 1
        assert story.broken is not None


@pytest.mark.slow
@pytest.mark.parametrize("items", [16, 32])
def test_larger_ones_are_told_by_the_part_that_decides(items: int) -> None:
    explanation = explained(sort(items, unsorted(items)))

    assert explanation.kind is Kind.FORBIDDEN
    assert explanation.sentences[1].rules == ("SB-1", "BAR-3", "INIT-1", "HB-L", "VIS-1", "VIS-2")
    for story in explanation.stories:
        assert len(story.execution.events) < 700
        assert any("iteration" in reading.text for reading in story.readings)


def test_an_allowed_outcome_is_a_run() -> None:
    explanation = explained(sort(16, "exists (out[0]=0 /\\ out[1]=3)"))

    assert explanation.kind is Kind.ALLOWED
    assert [one.text for one in explanation.stories[0].sentences] == ["an interleaving shows it, of 741 steps"]
    assert [reading.observed for reading in explanation.stories[0].readings] == ["out[0]=0", "out[1]=3"]
    assert told(explanation) == "mcm run --until-found shows it"


@pytest.mark.slow
def test_where_no_older_value_leads_to_the_outcome_that_is_said() -> None:
    """Whatever one read returns, the least value comes first, or two work-items write one element."""
    explanation = explained(sort(8, "exists (out[0]!=0)"))

    assert explanation.kind is Kind.FORBIDDEN
    assert explanation.stories == ()
    assert "No way to the outcome is told" in told(explanation)
    assert "97 plain reads return what they return in a run." in told(explanation)


def test_a_race_of_many_work_items_needs_no_list_of_what_might_be_executed(monkeypatch: pytest.MonkeyPatch) -> None:
    def elaborate(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr("mcm.session.elaborate", elaborate)
    explanation = explained(sort(64, unsorted(64), barrier=""))

    assert explanation.kind is Kind.PROBLEM
    assert "no barrier of their work-group stands between the two" in "".join(
        sentence.text for story in explanation.stories for sentence in story.sentences
    )


@pytest.mark.slow
def test_a_race_of_few_work_items_is_told_before_much_is_elaborated(monkeypatch: pytest.MonkeyPatch) -> None:
    limits: list[int] = []
    elaborate = session.elaborate

    def limited(*arguments: object, limit: int, **others: object) -> object:
        limits.append(limit)
        return elaborate(*arguments, limit=limit, **others)  # type: ignore[arg-type]

    monkeypatch.setattr("mcm.session.elaborate", limited)
    explanation = explained(sort(16, unsorted(16), barrier=""))

    assert explanation.kind is Kind.PROBLEM
    assert max(limits) == 1000


@pytest.mark.slow
def test_two_models_that_forbid_an_outcome_are_not_compared_further() -> None:
    models = tuple(Session().load_model(name) for name in ("opencl-3.0", "opencl-3.1"))
    kinds = [one.kind for one in Session().explanations(sort(8, unsorted(8)), Options(models=models))]

    assert kinds == [Kind.FORBIDDEN, Kind.FORBIDDEN]


@pytest.mark.slow
def test_pages_show_a_run_and_how_other_outcomes_are_excluded() -> None:
    (view,) = Session().page(sort(8, unsorted(8)), Options(wants_executions=True), wants_rules=False).views
    kinds = [exhibit.kind for exhibit in view.exhibits]

    assert kinds[0] is ExhibitKind.STATE
    assert set(kinds[1:]) == {ExhibitKind.EXCLUDED}
    assert len(view.exhibits[0].execution.events) > 281


@pytest.mark.slow
def test_pages_tell_of_the_race_of_a_large_kernel() -> None:
    (view,) = Session().page(sort(64, unsorted(64), barrier=""), Options(), wants_rules=False).views

    assert [exhibit.kind for exhibit in view.exhibits] == [ExhibitKind.PROBLEM]
    assert view.exhibits[0].steps


def test_what_is_asked_of_registers_is_found_in_runs() -> None:
    text = sort(4, "exists (0:x=0)").text.replace("int x = a[i];", "x = a[i];").replace("n = get", "x = 0, n = get")
    test = parse(Source("sort.litmus", text))
    condition = test.program.condition
    assert condition is not None
    run = AskedRuns(test.program, registry.get("opencl-3.0"), goal_of(condition)).allowed()

    assert run is not None
    assert run.steps == 99


HAND_OUT = """OPENCL hand-out
{ int in[32]; int out[32]; }
kernel k (global const int* in, global int* out, local atomic_int n[1], local int a[32]) {
  int i = get_local_id(0);
  a[i] = in[i] + i % 4;
  if (i == 0) atomic_init(n, 0);
  barrier(CLK_LOCAL_MEM_FENCE);
  int x = a[(a[i] + i) % 32];
  barrier(CLK_LOCAL_MEM_FENCE);
  a[i] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
  int place = 0;
  if (a[i] > 0) place = atomic_fetch_add_explicit(n, 1, memory_order_relaxed, memory_scope_work_group);
  out[i] = place;
}
launch k global 32, local 32;
exists (QUESTION)
"""


def test_runs_in_other_orders_are_tried() -> None:
    explanation = explained(Source("hand-out.litmus", HAND_OUT.replace("QUESTION", "out[3]=15")))

    assert explanation.kind is Kind.ALLOWED
    assert len(explanation.stories) == 1


@pytest.mark.slow
def test_where_no_run_ends_as_asked_that_is_said() -> None:
    question = " /\\ ".join(f"out[{place}]={14 - number}" for number, place in enumerate((1, 5, 7, 13, 17)))
    explanation = explained(Source("hand-out.litmus", HAND_OUT.replace("QUESTION", question)))

    assert explanation.kind is Kind.ALLOWED
    assert explanation.stories == ()
    assert told(explanation).startswith("Some execution ends so, but none of a few runs")
