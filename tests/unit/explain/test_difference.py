from __future__ import annotations

from mcm import Judged, Undecided, Verdict
from mcm.catalogue.library import ChosenModel, Library
from mcm.explain.difference import separations

SUBJECT = {"file": "t.litmus", "test": "t", "bound": 2}


def never(model: ChosenModel, rule: str) -> Judged:
    message = f"{model.name} without {rule} is not asked for"
    raise AssertionError(message)


def test_results_without_a_verdict_are_not_compared() -> None:
    first, second = (Library().choose(name) for name in ("c11", "rc11"))
    undecided = Undecided(**SUBJECT, model="c11", reason="timeout")
    forbidden = Judged(**SUBJECT, model="rc11", verdict=Verdict.FORBIDDEN)

    assert separations([(first, undecided), (second, forbidden)], never) == ()


def test_a_rule_separates_if_a_model_without_it_says_what_the_other_says() -> None:
    first, second = (Library().choose(name) for name in ("opencl-3.0", "opencl-3.1"))
    allowed = Judged(**SUBJECT, model="opencl-3.0", verdict=Verdict.ALLOWED)
    forbidden = Judged(**SUBJECT, model="opencl-3.1", verdict=Verdict.FORBIDDEN)

    def judge(model: ChosenModel, rule: str) -> Judged:
        return forbidden if (model.name, rule) == ("opencl-3.0", "SCOPE-6") else allowed

    (found,) = separations([(first, allowed), (second, forbidden)], judge)

    assert (found.first, found.second) == ("opencl-3.0", "opencl-3.1")
    assert "SCOPE-6" in found.rules
