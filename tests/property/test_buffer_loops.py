"""Commands on buffers in a loop do what its iterations do one after the other, and the machine does no more.

`MCM_BUFFERS_COUNT` and `MCM_BUFFERS_SEED` choose how many random programs are compared, and which.
"""

from __future__ import annotations

import os
from typing import Final

import pytest
from buffers_generate import program

from mcm import Judged, Source, check, run

pytestmark = pytest.mark.slow

SEED: Final = os.environ.get("MCM_BUFFERS_SEED", "2026")
COUNT: Final = int(os.environ.get("MCM_BUFFERS_COUNT", "8"))
# What the condition does not ask for.
TURNS: Final = "0:n"


def judged(text: str) -> Judged:
    found = check(Source("t.litmus", text), model="sycl-2020")
    assert isinstance(found, Judged)
    return found


def states_of(found: Judged) -> set[tuple[tuple[str, object], ...]]:
    return {
        tuple(sorted((name, value) for name, value in state.values.items() if name != TURNS)) for state in found.states
    }


@pytest.mark.parametrize("number", range(COUNT))
def test_a_loop_is_its_iterations(number: int) -> None:
    text = program(SEED, number, written_out=False)
    one, other = judged(text), judged(program(SEED, number, written_out=True))
    assert {problem.kind for problem in one.undefined} == {problem.kind for problem in other.undefined}, text
    if one.complete and other.complete:
        assert states_of(one) == states_of(other), text


@pytest.mark.parametrize("number", range(COUNT))
def test_the_machine_does_no_more(number: int) -> None:
    source = Source("t.litmus", program(SEED, number, written_out=False))
    ran, found = run(source, runs=30, seed=1), judged(source.text)
    assert {one.kind for one in ran.problems} <= {one.kind for one in found.undefined}
    if found.complete:
        assert {str(sorted(one.state.values.items())) for one in ran.states} <= {
            str(sorted(state.values.items())) for state in found.states
        }
