"""Where problems are not explained, a test has the same kinds of problems, and is judged alike."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from mcm import Options, Session

SHIPPED = Path(__file__).parents[3] / "litmus" / "opencl"
TESTS = ["races/wg-scope", "barriers/divergence", "host/CC-1"]
RACE = """OPENCL race
{ [x] = 0; }
P0@wg 0 (global int* x) { *x = 1; }
P1@wg 1 (global int* x) { int r0 = *x; int r1 = 1 / r0; }
exists (1:r0 = 1)
"""


@pytest.mark.parametrize("test", [RACE, *(SHIPPED / f"{name}.litmus" for name in TESTS)], ids=["race", *TESTS])
def test_kinds_are_those_of_explained_problems(test: str | Path) -> None:
    options = Options()
    (explained,) = Session().results(test, options)
    (brief,) = Session().results(test, replace(options, explains=False))
    assert explained.undefined or explained.impl_defined
    for name in ("undefined", "impl_defined", "flags"):
        full, kinds = getattr(explained, name), getattr(brief, name)
        assert {problem.kind for problem in full} == {problem.kind for problem in kinds}
        assert not any(problem.sites or problem.why for problem in kinds)
    assert (brief.verdict, brief.as_expected) == (explained.verdict, explained.as_expected)
