"""Tests that once ended in a stack overflow, or never: both engines answer them, and alike."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

from mcm import Invalid, Judged, Undecided, Verdict, check_all

HOSTILE = Path(__file__).parent / "hostile"
ENGINES: tuple[Literal["explicit", "smt"], ...] = ("explicit", "smt")

# The verdict and the values of the one register or location, of each file.
ANSWERS = {
    "exp_ifs": (Verdict.FORBIDDEN, {("0:r", 0), ("0:r", 2)}),
    "exp_nested_loops": (Verdict.FORBIDDEN, {("x", 0)}),
    "exp_square_chain": (Verdict.FORBIDDEN, {("0:r", -833855398), ("0:r", 833855397)}),
    "recursion_chain": (Verdict.FORBIDDEN, {("0:r", 481)}),
    "recursion_loop": (Verdict.FORBIDDEN, {("0:r", 600)}),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", ANSWERS)
def test_it_is_answered(name: str, engine: Literal["explicit", "smt"]) -> None:
    (result,) = check_all(HOSTILE / f"{name}.litmus", engine=engine)
    verdict, states = ANSWERS[name]
    assert isinstance(result, Judged)
    assert result.verdict is verdict
    assert {item for shown in result.states for item in shown.values.items()} == states


def test_a_bound_that_nothing_reaches_ends_at_the_limit_on_events() -> None:
    (result,) = check_all(HOSTILE / "bound_1000000.litmus", bound=1_000_000, events=200)
    assert isinstance(result, Undecided)
    assert result.reason == "events"


def test_a_type_that_nests_too_deeply_is_refused_where_it_stands() -> None:
    (result,) = check_all(HOSTILE / "recursion_pointer.litmus")
    assert isinstance(result, Invalid)
    (first, *_) = result.diagnostics
    assert (first.code, first.span.line) == ("E032", 4)


def test_every_file_is_looked_at() -> None:
    named = {*ANSWERS, "bound_1000000", "recursion_pointer"}
    assert named == {path.stem for path in HOSTILE.glob("*.litmus")}
