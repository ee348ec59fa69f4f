"""Expressions that are nested as deeply as a test may write them run on the machine."""

from __future__ import annotations

import pytest

from mcm import Source, run

EXPRESSIONS = {
    "sum": " + ".join(["*y"] * 190),
    "sum-to-the-right": "(*y + " * 190 + "0" + ")" * 190,
    "and": "(*y == 1 && " * 90 + "1" + ")" * 90,
    "or": "(*y == 0 || " * 90 + "1" + ")" * 90,
    "alternatives": "".join(f"*y == {number + 2} ? {number} : " for number in range(190)) + "190",
    "assignments": "(*y = " * 150 + "1" + ")" * 150,
}
RESULTS = {"sum": 190, "sum-to-the-right": 190, "and": 1, "or": 1, "alternatives": 190, "assignments": 1}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_a_nested_expression_has_its_value(name: str) -> None:
    text = f"OPENCL t\n{{ [y]=1; }}\nP0 (global int* y) {{ int r = {EXPRESSIONS[name]}; }}\nlocations [0:r;]\n"
    (found,) = run(Source("t.litmus", text), schedule="random", runs=3).states
    assert found.state.values["0:r"] == RESULTS[name]
