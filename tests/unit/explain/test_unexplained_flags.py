"""Where flags are not explained, a test has the same problems at the same places, and is judged alike."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from mcm import Judged, Options, Session
from mcm.report.summary import render_summary

SHIPPED = Path(__file__).parents[3] / "litmus" / "opencl"
TESTS = ["races/wg-scope", "barriers/divergence", "host/CC-1"]
RACE = """OPENCL race
{ [x] = 0; }
P0@wg 0 (global int* x) { *x = 1; }
P1@wg 1 (global int* x) { int r0 = *x; int r1 = 1 / r0; }
exists (1:r0 = 1)
"""


@pytest.mark.parametrize("test", [RACE, *(SHIPPED / f"{name}.litmus" for name in TESTS)], ids=["race", *TESTS])
def test_problems_are_the_same_without_reasons(test: str | Path) -> None:
    options = Options()
    (explained,) = Session().results(test, options)
    (brief,) = Session().results(test, replace(options, explains=False))
    assert explained.undefined or explained.impl_defined
    for name in ("undefined", "impl_defined", "flags"):
        full, bare = getattr(explained, name), getattr(brief, name)
        assert [(one.kind, one.sites) for one in full] == [(one.kind, one.sites) for one in bare]
    assert (brief.verdict, brief.as_expected) == (explained.verdict, explained.as_expected)


def test_it_is_not_worked_out_why_there_is_a_race() -> None:
    (brief,) = Session().results(RACE, Options(explains=False))
    assert {(problem.kind, problem.why) for problem in (*brief.undefined, *brief.impl_defined)} == {
        ("data-race", ""),
        ("unspecified-quotient", "the divisor is zero, so that the result may be any value"),
    }


def test_a_line_tells_the_same_where_nothing_is_explained() -> None:
    options = Options()
    (explained,) = Session().results(RACE, options)
    (brief,) = Session().results(RACE, replace(options, explains=False))
    assert isinstance(brief, Judged)
    assert isinstance(explained, Judged)
    assert render_summary([brief]) == render_summary([explained])
    assert (len(brief.states), brief.satisfying) == (len(explained.states), explained.satisfying)
    assert not any(state.values for state in brief.states)
