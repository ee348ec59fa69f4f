"""What runs of the machine have met is told, whatever limit interrupts the search or the explanation of the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import mcm
from mcm import asking, pipeline
from mcm.base.deadline import LimitReachedError

if TYPE_CHECKING:
    from mcm.answer.result import Problem

# A limit makes mcm go on after the first race. No test waits for it: what ends is ended by hand.
ENOUGH = 86_400

RACY = """OPENCL racy
{ int bins[2]; }
kernel K (global int* bins) { bins[get_global_id(0) & 1] += 1; }
launch K global 17, local 17, dev 0;
exists (bins[0]=9)
"""


def interrupted(*_: object, **__: object) -> None:
    raise LimitReachedError("timeout")


def out_of_memory(*_: object, **__: object) -> None:
    raise MemoryError


@pytest.mark.parametrize(("interrupts", "reason"), [(interrupted, "timeout"), (out_of_memory, "memory")])
@pytest.mark.parametrize("stage", ["skeletons_for", "open_events", "decide"])
def test_a_race_that_was_met_is_told(
    stage: str, interrupts: object, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, stage, interrupts)
    if stage == "open_events":
        # It is asked where the first run has met nothing.
        run = asking.runs_met
        nothing_met = asking.Runs()
        monkeypatch.setattr(asking, "runs_met", lambda *given: nothing_met if given[2] == range(1) else run(*given))
        monkeypatch.setattr(asking, stage, lambda _: False)
        monkeypatch.setattr(asking, "decide", interrupts)

    result = mcm.check(RACY, timeout=ENOUGH)

    assert result.verdict is mcm.Verdict.UNDEFINED
    assert [problem.kind for problem in result.undefined] == ["data-race"]
    assert result.reason == reason


def test_without_a_race_an_interrupted_search_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "decide", interrupted)

    result = mcm.check(RACY.replace("int bins[2]", "int bins[32]").replace(" & 1", ""), timeout=ENOUGH)

    assert result.verdict is mcm.Verdict.UNDECIDED
    assert not result.undefined


def test_the_first_race_is_told_where_there_is_no_time_to_explain_all(monkeypatch: pytest.MonkeyPatch) -> None:
    explain = pipeline._problems

    def explain_few(flags: tuple[object, ...], *given: object, **named: object) -> tuple[tuple[Problem, ...], ...]:
        if len(flags) > 1:
            interrupted()
        return explain(flags, *given, **named)

    everything = mcm.check(RACY, timeout=ENOUGH)
    monkeypatch.setattr(pipeline, "_problems", explain_few)
    result = mcm.check(RACY, timeout=ENOUGH)

    assert len(everything.undefined) > 1
    assert everything.reason is None
    assert len(result.undefined) == 1
    assert result.reason == "timeout"
