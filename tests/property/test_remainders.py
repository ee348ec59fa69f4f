"""Random kernels whose last work-group is smaller: both engines say the same of them, and the machine does no more.

`MCM_REMAINDER_COUNT` says how many.
"""

from __future__ import annotations

import os
import re
from typing import Final

import pytest
from agreement import agreed_answer, problems, program_of
from kernels_generate import kernel_from_seed

import mcm

pytestmark = pytest.mark.slow

COUNT: Final = int(os.environ.get("MCM_REMAINDER_COUNT", "6"))
_LAUNCH: Final = re.compile(r"launch K global (\d+), local (\d+)")


def text_of(number: int) -> str:
    """A kernel on one work-item less than makes whole groups."""
    text = kernel_from_seed("remainders", number)
    sizes = _LAUNCH.search(text)
    assert sizes is not None
    last = int(sizes[1]) - 1
    text = _LAUNCH.sub(rf"launch K global {last}, local \2", text)
    return re.sub(rf"(?<!\d){last}:r\d;", "", text)


@pytest.mark.parametrize("number", range(COUNT))
def test_engines_agree_and_the_machine_does_no_more(number: int) -> None:
    text = text_of(number)
    answer = agreed_answer(program_of(f"remainders-{number}", text), text)

    found = mcm.run(mcm.Source(f"remainders-{number}", text), runs=300, seed=number)

    assert {problem.kind for problem in found.problems} <= problems(answer), text
    if "barrier-divergence" not in problems(answer):
        allowed = {tuple(state.values) for state in answer.states}
        assert {tuple(state.state.values.values()) for state in found.states} <= allowed, text
