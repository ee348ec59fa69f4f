"""The expectations of one test, judged."""

from __future__ import annotations

from typing import Final

import pytest

from mcm import Judgement, Standing, judge

# Message passing with a relaxed flag: the data races.
BODY: Final = """{ }
P0@wg 0 (global int* x, global atomic_int* y) {
  *x = 1;
  atomic_store_explicit(y, 1, ORDER, memory_scope_device);
}
P1@wg 1 (global int* x, global atomic_int* y) {
  int r0 = atomic_load_explicit(y, memory_order_acquire, memory_scope_device);
  int r1 = -1;
  if (r0 == 1) { r1 = *x; }
}
exists (1:r0=1 /\\ 1:r1=0)
"""

WRITES_AND_WAITS: Final = """OPENCL wait
Expect.opencl-3.0=Never
{ }
P0 (global atomic_int* x) {
  for (int i = 0; atomic_load(x) != 500; i++) { atomic_store(x, i); }
}
exists (x=700)
"""


def message_passing(*lines: str, order: str = "memory_order_relaxed") -> str:
    return "\n".join(["OPENCL MP", *lines, BODY.replace("ORDER", order)])


def only(text: str) -> Judgement:
    (judgement,) = judge(text)
    return judgement


def test_an_expectation_that_is_met() -> None:
    judgement = only(message_passing("Expect.opencl-3.0=Sometimes race"))

    assert judgement.standing is Standing.MET
    assert (judgement.stated, judgement.found) == ("Sometimes race", "Sometimes race")
    assert [finding.stated for finding in judgement.findings] == [True]


def test_a_race_that_the_test_excludes() -> None:
    judgement = only(message_passing("Expect.opencl-3.0=Never no-race"))

    assert judgement.standing is Standing.NOT_MET
    assert judgement.found == "Sometimes race"
    assert judgement.reason.startswith("data race on x: neither access is atomic")
    assert judgement.rules == ("DR-1",)
    assert judgement.states == ("1:r0=1; 1:r1=0",)
    assert judgement.restated == "Expect.opencl-3.0=Sometimes race"
    assert judgement.place is not None
    assert (judgement.place.line, judgement.place.column, judgement.place.length) == (2, 1, 31)
    assert [step.place.line for finding in judgement.findings for step in finding.steps] == [5, 11]


def test_something_undefined_that_the_test_excludes() -> None:
    judgement = only(message_passing("Expect.opencl-3.0=Sometimes defined"))

    assert judgement.standing is Standing.NOT_MET
    assert (judgement.stated, judgement.found) == ("Sometimes defined", "Sometimes undefined")
    assert judgement.reason.startswith("data race on x: neither access is atomic")
    assert judgement.restated == "Expect.opencl-3.0=Sometimes"


def test_an_outcome_that_a_rule_forbids() -> None:
    judgement = only(message_passing("Expect=Sometimes", order="memory_order_release"))

    assert judgement.standing is Standing.INVALID  # no model is named
    judgement = only(message_passing("Expect.c11=Sometimes", order="memory_order_release"))
    assert judgement.standing is Standing.NOT_MET
    assert judgement.rules
    assert judgement.reason.startswith(judgement.rules[0])
    assert judgement.states == ("1:r0=0; 1:r1=-1", "1:r0=1; 1:r1=1")


def test_a_rule_that_the_model_seems_to_have_lost() -> None:
    lines = ("Expect.opencl-3.0=Never no-race", "Without.SW-G-1=Sometimes race")

    first, second = judge(message_passing(*lines))

    assert first.rules == ("SW-G-1",)
    assert first.reason.endswith("; the test states this of the model without SW-G-1")
    assert (second.subject, second.standing) == ("opencl-3.0 without SW-G-1", Standing.MET)


def test_a_result_comment_is_about_the_default_model() -> None:
    judgement = only(message_passing("(* Result: Never *)"))

    assert (judgement.model, judgement.standing) == ("opencl-3.0", Standing.NOT_MET)
    assert judgement.restated == "Result: Sometimes"


def test_only_the_models_that_are_asked_about() -> None:
    text = message_passing("Expect.opencl-3.0=Sometimes race", "Expect.c11=Never")

    assert [(one.model, one.standing) for one in judge(text, ["c11"])] == [("c11", Standing.NOT_MET)]
    assert judge(text, ["sc"]) == ()


def test_nothing_stated_is_said() -> None:
    assert only(message_passing()).standing is Standing.UNSTATED


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (message_passing("Expect.opencl-9=Never"), "E146"),
        (message_passing("Expect.opencl-3.0=Never", order="memory_order_acquire"), "E108"),
        ("OPENCL broken\n{ }\nP0 () { x = ; }\n", "E040"),
    ],
)
def test_what_cannot_be_judged_is_invalid(text: str, code: str) -> None:
    judgement = only(text)

    assert judgement.standing is Standing.INVALID
    assert code in [complaint.code for complaint in judgement.complaints]


def test_an_unknown_rule_is_invalid() -> None:
    judgement = only(message_passing("Without.SW-G-9=Never"))

    assert judgement.standing is Standing.INVALID
    assert "SW-G-9" in judgement.reason


def test_a_limit_leaves_an_expectation_open() -> None:
    judgement = only(WRITES_AND_WAITS)

    assert judgement.standing is Standing.OPEN
    assert judgement.reason == "bound"
