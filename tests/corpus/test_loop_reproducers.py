"""Programs that once got wrong answers or none: loops, unfinished executions, and expressions that grow."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from mcm import EngineName, Judged, Verdict, check, read_source

REPRODUCERS: Final = Path(__file__).parents[3] / "shared" / "reproducers"

pytestmark = pytest.mark.skipif(
    not REPRODUCERS.is_dir(), reason=f"no folder {REPRODUCERS.relative_to(REPRODUCERS.parents[1])}"
)

UNDEFINED, ALLOWED, FORBIDDEN = Verdict.UNDEFINED, Verdict.ALLOWED, Verdict.FORBIDDEN

# Verdict, and how many units wait for ever in some execution.
VERDICTS: Final = {
    "loops/D02-deadlock": (Verdict.NO_EXECUTION, 2),
    "loops/E44-swapped-barriers": (UNDEFINED, 2),
    "loops/S17-latch-deadlock-1-group": (Verdict.NO_EXECUTION, 4),
    "loops/histbug": (UNDEFINED, 0),
    "loops/prodcons-4-bug": (UNDEFINED, 0),
    "loops/v1": (UNDEFINED, 0),
    "loops/v2": (ALLOWED, 0),
    "loops/v3": (Verdict.VIOLATED, 0),
    "loops/v4": (UNDEFINED, 2),
    "loops/v5": (ALLOWED, 0),
    "loops/v6": (ALLOWED, 0),
    "loops/v7": (ALLOWED, 0),
    "loops/v8": (FORBIDDEN, 0),
    "limits/bound_1000000": (ALLOWED, 0),
    "limits/exp_ifs": (FORBIDDEN, 0),
    "limits/exp_nested_loops": (FORBIDDEN, 0),
}


@pytest.mark.parametrize("engine", [EngineName.EXPLICIT, EngineName.SMT])
@pytest.mark.parametrize("name", VERDICTS)
def test_verdict(name: str, engine: EngineName) -> None:
    result = check(read_source(REPRODUCERS / f"{name}.litmus"), engine=engine)
    verdict, waiting = VERDICTS[name]
    assert isinstance(result, Judged)
    assert result.verdict is verdict
    assert max((len(blocked.units) for blocked in result.blocked), default=0) == waiting
