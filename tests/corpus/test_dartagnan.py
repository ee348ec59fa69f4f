"""Dartagnan's kernels, transcribed, have the results that its benchmarks state for `opencl.cat`.

Where the benchmarks say UNKNOWN, their bound was not enough; here there is an answer all the same.
"""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from mcm import Judged, check, read_source

if TYPE_CHECKING:
    from mcm import Result

ROOT: Final = Path(__file__).resolve().parents[2]
FILES: Final = ROOT / "litmus" / "opencl" / "dartagnan"
STATED: Final = ROOT.parent / "shared" / "peers" / "kernels" / "expected.csv"
MODEL: Final = "opencl-scoped"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not STATED.is_file(), reason="the results of Dartagnan are not beside the repository"),
]


def rows() -> list[tuple[str, str, str]]:
    """Test class, program and result of each benchmark."""
    if not STATED.is_file():
        return []
    with STATED.open(encoding="utf-8") as stream:
        lines = [line for line in stream if not line.startswith("#")]
    return [(kind, name, result) for kind, name, _, result in csv.reader(lines)]


@cache
def judged(name: str) -> Result:
    return check(read_source(FILES / f"{name}.litmus"), MODEL)


@pytest.mark.parametrize(("kind", "name", "stated"), rows())
def test_the_result_is_the_one_stated(kind: str, name: str, stated: str) -> None:
    result = judged(name)
    assert isinstance(result, Judged)
    if kind == "SpirvRacesTest":
        holds = "data-race" not in {problem.kind for problem in result.undefined}
    else:
        assert result.condition is not None
        holds = result.holds is True
    assert {problem.kind for problem in result.undefined} <= {"data-race"}
    assert stated == "UNKNOWN" or holds is (stated == "PASS")


def test_every_file_is_compared() -> None:
    assert {name for _, name, _ in rows()} == {path.stem for path in FILES.glob("*.litmus")}
