"""Random kernels with asynchronous copies: both engines say the same of them, and the machine does no more.

`MCM_COPIES_COUNT` says how many.
"""

from __future__ import annotations

import os
import random
from functools import cache
from typing import Final

import pytest
from agreement import MODEL, agreed_answer, explored, problems, program_of

from mcm.catalogue import registry
from mcm.catalogue.evaluate import evaluate_model
from mcm.confirm import execution_of
from mcm.machine.build import build
from mcm.machine.recording import recorded
from mcm.machine.schedule import RandomScheduler

pytestmark = pytest.mark.slow

COUNT: Final = int(os.environ.get("MCM_COPIES_COUNT", "8"))
# Work-items of a group take different ways, and the events of copies are waited for early, late, twice or never.
STATEMENTS: Final = (
    "e = async_work_group_copy(t, x, 2, 0);",
    "e = async_work_group_copy(x, t, 2, 0);",
    "f = async_work_group_copy(t + 1, x, 1, 0);",
    "f = async_work_group_copy(t, x + 1, 1, e);",
    "e = async_work_group_strided_copy(t, x, 1, 2, 0);",
    "wait_group_events(1, &e);",
    "wait_group_events(1, &e);",
    "wait_group_events(1, &f);",
    "barrier(CLK_LOCAL_MEM_FENCE);",
    "barrier(CLK_GLOBAL_MEM_FENCE);",
    "x[i] = 2 + i;",
    "if (i == 0) { t[1] = 7; }",
    "r = r + t[i];",
    "r = r + x[1 - i];",
)


@cache
def text_of(number: int) -> str:
    chosen = random.Random(f"copies {number}")  # noqa: S311 - nothing secret
    body = "\n".join(f"  {chosen.choice(STATEMENTS)}" for _ in range(chosen.randint(3, 6)))
    first = "event_t e = async_work_group_copy(t, x, 2, 0);"
    if number % 2:
        first += "\n  wait_group_events(1, &e);"
    return f"""OPENCL copies
{{ int x[2]={{1,1}}; local int t[2]={{0,0}}; }}
kernel K (global int* x, local int* t) {{
  int i = get_local_id(0);
  int r = 0;
  {first}
  event_t f = e;
{body}
}}
launch K global 2, local 2;
locations [x[0]; x[1]; t@wg0[0]; t@wg0[1]; 0:r; 1:r;]
exists (0:r=0)
"""


@pytest.mark.parametrize("number", range(COUNT))
def test_engines_agree_and_the_machine_does_no_more(number: int) -> None:
    text = text_of(number)
    program = program_of(f"copies-{number}", text)
    answer = agreed_answer(program, text)
    states = {state.values for state in answer.states}

    found = explored(program, text)
    kinds = {finding.kind for finding in found.findings}
    assert kinds <= problems(answer), text
    if "barrier-divergence" not in problems(answer):
        assert set(found.states) <= states, text


@pytest.mark.parametrize("number", range(COUNT))
def test_runs_are_executions(number: int) -> None:
    program, model = program_of(f"copies-{number}", text_of(number)), registry.get(MODEL)
    for seed in range(10):
        recording = recorded(build(program, "views"), RandomScheduler((number, seed)), 300, is_weak=True)
        evaluation = evaluate_model(execution_of(recording, program, model), model)

        assert evaluation.is_consistent, (text_of(number), seed, evaluation.violated)
        races = any(found.finding.kind == "data-race" for found in recording.findings)
        assert not races or "data_race" in evaluation.raised, (text_of(number), seed)
