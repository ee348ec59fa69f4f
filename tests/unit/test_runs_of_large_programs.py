"""How many runs of the machine are made before an engine is asked about a large program."""

from __future__ import annotations

import pytest

from bench.registry import FAMILIES
from mcm import Result, Verdict, check_all, confirm
from mcm.answer.answer import Answer
from mcm.base.deadline import TIMEOUT
from mcm.base.source import Source
from mcm.engine import choose

# 8 work-groups of 64: barriers settle all but what the last of them may read.
OPEN = "last-block"
GROUPS = 8


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


def result_of_last_block() -> Result:
    (result,) = check_all(Source(OPEN, FAMILIES[OPEN].litmus(GROUPS)))
    return result


def test_where_few_of_many_events_are_open_an_engine_is_asked_after_one_run(runs: list[int]) -> None:
    assert result_of_last_block().verdict is Verdict.ALLOWED
    assert len(runs) == 1


def test_further_runs_are_made_where_the_engine_does_not_know(runs: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    unknown = Answer(engine="smt", states=(), flags=(), faults=(), bounded=(), reachable=None, undecided=TIMEOUT)
    monkeypatch.setattr(choose, "_decide_by_both", lambda *_: unknown)

    result = result_of_last_block()

    assert result.verdict is Verdict.UNDECIDED
    assert len(result.states) == 1
    # Five for problems, the others for states.
    assert len(runs) > 5
