"""Zeros of both signs and NaN: the same answers with and without what is settled, phase by phase, and of the solver.

`MCM_FLOATS_COUNT` and `MCM_FLOATS_SEED` choose how many random programs are compared, and which.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import pytest
from floats_generate import kernel_of_floats
from msgspec.structs import replace
from solver_queries import SHORT, query_about, said

from mcm.engine.explicit.decide import decide
from mcm.engine.explicit.findings import watched
from mcm.engine.phases.decide import decide_by_phases
from mcm.engine.smt.decide import decide as decide_with_solver

if TYPE_CHECKING:
    from mcm.answer.answer import Answer

pytestmark = pytest.mark.slow

SEED: Final = os.environ.get("MCM_FLOATS_SEED", "2026")
COUNT: Final = int(os.environ.get("MCM_FLOATS_COUNT", "16"))
MODELS: Final = ("opencl-3.0", "sycl-2020", "opencl-3.1", "sycl-next", "opencl-2.0")
NOTHING_SETTLED: Final = 1 << 60


def shown(answer: Answer) -> tuple[str, object]:
    """What an answer says: as text, since zeros are equal."""
    states, *others = said(answer)
    return str(states), others


@pytest.mark.parametrize("number", range(COUNT))
def test_equal_floats_stay_apart(number: int) -> None:
    text = kernel_of_floats(SEED, number)
    query = query_about(text, number, MODELS)
    whole = decide(query, many_events=NOTHING_SETTLED)
    if whole.undecided is not None:
        pytest.skip("too many executions")

    assert shown(decide(query, many_events=0)) == shown(whole), text
    by_phases = decide_by_phases(query, watched(query), lambda part: decide(part, many_events=NOTHING_SETTLED))
    assert by_phases is None or shown(by_phases) == shown(whole), text
    solved = decide_with_solver(replace(query, limits=SHORT))
    assert solved.undecided is not None or str([s.values for s in solved.states]) == str(
        [s.values for s in whole.states]
    ), text
