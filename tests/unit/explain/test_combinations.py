"""Several rules off at once: what is worked out is what a check says, and what is asked stays within the limit."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcm import Options
from mcm.answer.page import Effect, Switch
from mcm.answer.result import Judged, Verdict
from mcm.explain.combinations import MOST_COMBINATIONS, combinations
from mcm.explain.switches import is_same
from mcm.session import Session

PATTERNS = Path(__file__).parents[3] / "litmus" / "opencl" / "patterns"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["MP.dv", "LB.acq+rel"])
def test_combinations_say_what_the_model_without_the_rules_says(name: str) -> None:
    session = Session(200)
    path = PATTERNS / f"{name}.litmus"
    (view,) = session.page(path, Options()).views
    changing = [switch.identifiers[0] for switch in view.switches if switch.effect is Effect.CHANGES]

    assert len(view.combinations) >= len(changing) * (len(changing) - 1) // 2
    for one in view.combinations:
        other = session.check(path, without=list(one.rules))
        if one.result is not None:
            assert is_same(other, one.result)
        else:
            assert one.like is not None
            assert is_same(other, session.check(path, without=list(one.like)))


def test_rules_that_stand_in_for_each_other_are_off_together() -> None:
    (view,) = Session().page(PATTERNS / "LB.acq+rel.litmus", Options()).views
    effects = {switch.identifiers[0]: switch.effect for switch in view.switches}
    (one,) = [each for each in view.combinations if each.rules == ("HB-ACYC", "VIS-3")]

    assert effects["HB-ACYC"] is effects["VIS-3"] is Effect.NONE
    assert view.result.verdict is Verdict.FORBIDDEN
    assert one.result is not None
    assert one.result.verdict is Verdict.ALLOWED


def asked(effects: dict[str, Effect], sets: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The combinations that are asked for."""
    result = Session().check(PATTERNS / "MP.dv.litmus")
    assert isinstance(result, Judged)
    questions: list[tuple[str, ...]] = []

    def judge(rules: tuple[str, ...]) -> Judged:
        questions.append(rules)
        return result

    switches = [Switch((rule,), "", "", effect) for rule, effect in effects.items()]
    found = combinations(result, switches, sets, judge)
    assert [one.rules for one in found] == questions
    assert {one.like for one in found} <= {()}
    return questions


def test_it_takes_a_rule_of_each_set() -> None:
    effects = dict.fromkeys("ABCD", Effect.NONE)

    # A is in both sets: alone it is enough.
    assert asked(effects, [("A", "B"), ("A", "C", "D")]) == [("B", "C"), ("B", "D")]
    assert asked(effects, [("A", "B")]) == []


def test_rules_that_cannot_matter_are_not_asked_about() -> None:
    effects = {"A": Effect.CHANGES, "B": Effect.CHANGES, "C": Effect.IDLE, "D": Effect.UNKNOWN, "E": Effect.NONE}

    assert asked(effects, [("A", "C"), ("B", "D")]) == [("A", "B")]


def test_there_is_a_limit() -> None:
    assert len(asked({f"R{number}": Effect.CHANGES for number in range(20)}, [])) == MOST_COMBINATIONS
