"""How many runs of the machine are made before an engine is asked about a large program."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from bench.registry import FAMILIES
from mcm import Verdict, asking, check_all, confirm
from mcm.answer.answer import Answer
from mcm.answer.query import Query
from mcm.answer.result import FIRST_PROBLEM
from mcm.base.deadline import TIMEOUT
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.engine import choose
from mcm.engine.choose import OpenEvents
from mcm.execution.elaborate import elaborate
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test

if TYPE_CHECKING:
    from mcm import Result

# 8 work-groups of 64: barriers settle all but what the last of them may read.
LAST = FAMILIES["last-block"].litmus(8)
# More threads than are searched without a run, and nothing to be settled.
RACING = """OPENCL racing
{ }
kernel K (global atomic_int* x, global atomic_int* y) {
  atomic_exchange_explicit(x, (int)get_global_id(0), memory_order_relaxed, memory_scope_device);
  atomic_store_explicit(y, 1, memory_order_relaxed, memory_scope_device);
}
launch K global 20, local 1, dev 0;
exists (x=1)
"""
UNKNOWN = Answer(engine="smt", states=(), flags=(), faults=(), bounded=(), reachable=None, undecided=TIMEOUT)


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A list of one item for each run that is made."""
    made: list[int] = []
    recorded = confirm.recorded

    def counted(*given: object, **named: object) -> object:
        made.append(len(made))
        return recorded(*given, **named)

    monkeypatch.setattr(confirm, "recorded", counted)
    return made


def result_of(text: str) -> Result:
    (result,) = check_all(Source("large", text))
    return result


def open_events_of(text: str) -> OpenEvents:
    program = read_test(Source("large", text)).program
    query = Query(elaborate(program), registry.get("opencl-3.0"), observed_by(program), wants_witnesses=False)
    return choose.open_events(query)


def test_few_or_many_events_are_open() -> None:
    # Who is the last is known, if what it reads is settled.
    assert open_events_of(LAST) is OpenEvents.FEW
    assert open_events_of(LAST.replace("acq_rel", "release")) is OpenEvents.FEW_OF_MANY
    assert open_events_of(RACING.replace("global 20", "global 100")) is OpenEvents.MANY


@pytest.mark.parametrize(("open_", "before"), [(OpenEvents.FEW, 1), (OpenEvents.FEW_OF_MANY, 1), (OpenEvents.MANY, 5)])
def test_further_runs_are_made_first_where_many_events_are_open(
    open_: OpenEvents, before: int, runs: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    made_before: list[int] = []
    monkeypatch.setattr(asking, "open_events", lambda _: open_)
    decide = choose.decide
    monkeypatch.setattr(asking, "decide", lambda *given: made_before.append(len(runs)) or decide(*given))

    assert result_of(LAST).verdict is Verdict.ALLOWED
    assert made_before == [before]


def test_no_further_runs_are_made_where_the_engine_has_found_a_problem(
    runs: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "open_events", lambda _: OpenEvents.FEW_OF_MANY)
    monkeypatch.setattr(choose, "_decide_by_both", lambda *_: replace(UNKNOWN, undecided=FIRST_PROBLEM))

    result_of(RACING)

    assert len(runs) == 1


def test_where_few_of_many_are_open_further_runs_are_made_if_the_engine_does_not_know(
    runs: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "open_events", lambda _: OpenEvents.FEW_OF_MANY)
    monkeypatch.setattr(choose, "_decide_by_both", lambda *_: UNKNOWN)

    result = result_of(RACING)

    assert result.verdict is Verdict.UNDECIDED
    # Some are for problems, the others for states.
    assert len(result.states) > 1
    assert len(runs) > 5
