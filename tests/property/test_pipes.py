"""Random kernels at the ends of a pipe: both engines say the same of them, and the machine does no more.

`MCM_PIPES_COUNT` says how many.
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

COUNT: Final = int(os.environ.get("MCM_PIPES_COUNT", "5"))
# In these, calls come in so many orders that engines need minutes.
TOO_MANY_ORDERS: Final = frozenset({4, 25})
NUMBERS: Final = [number for number in range(COUNT) if number not in TOO_MANY_ORDERS]
_WRITE_BOTH: Final = "write_pipe(p, id, 0, &v); write_pipe(p, id, 1, &n); commit_write_pipe(p, id);"
_WRITE_OWN: Final = "write_pipe(p, id, i, &v); work_group_commit_write_pipe(p, id);"
_READ_OWN: Final = "read_pipe(p, id, i, &n); work_group_commit_read_pipe(p, id);"
WRITES: Final = (
    "write_pipe(p, &v); v = v + 1;",
    "if (write_pipe(p, &v) == 0) n = n + 1;",
    "if (i == 0) write_pipe(p, &v);",
    "id = reserve_write_pipe(p, 2); if (is_valid_reserve_id(id)) commit_write_pipe(p, id);",
    "id = reserve_write_pipe(p, 2); if (is_valid_reserve_id(id)) { REST }".replace("REST", _WRITE_BOTH),
    "id = work_group_reserve_write_pipe(p, 2); if (is_valid_reserve_id(id)) { REST }".replace("REST", _WRITE_OWN),
    "if (i == 0) { id = reserve_write_pipe(p, 1); write_pipe(p, id, 0, &v); commit_write_pipe(p, id); }",
    "x[i] = v;",
    "barrier(CLK_GLOBAL_MEM_FENCE);",
)
READS: Final = (
    "if (read_pipe(p, &v) == 0) n = n * 3 + v;",
    "n = n * 3 + read_pipe(p, &v);",
    "if (i == 0) read_pipe(p, &v);",
    "n = n + get_pipe_num_packets(p);",
    "id = reserve_read_pipe(p, 2); if (is_valid_reserve_id(id)) { read_pipe(p, id, 1, &n); commit_read_pipe(p, id); }",
    "id = work_group_reserve_read_pipe(p, 2); if (is_valid_reserve_id(id)) { REST }".replace("REST", _READ_OWN),
    "v = x[i];",
    "barrier(CLK_GLOBAL_MEM_FENCE);",
)


def _kernel(name: str, end: str, statements: tuple[str, ...], chosen: random.Random) -> str:
    body = "\n".join(f"  {chosen.choice(statements)}" for _ in range(chosen.randint(1, 2)))
    return f"""kernel {name} ({end} pipe int p, global int* x) {{
  int i = get_local_id(0); int v = i + {chosen.randint(1, 2)}; int n = 0; reserve_id_t id = CLK_NULL_RESERVE_ID;
{body}
}}"""


@cache
def text_of(number: int) -> str:
    """One or two kernels that write, and one that reads, in order or not."""
    chosen = random.Random(f"pipes {number}")  # noqa: S311 - nothing secret
    order = chosen.choice(("in_order", "out_of_order"))
    runs = chosen.choice((("W", "R"), ("W", "R"), ("W", "V", "R"), ("R", "W", "R")))
    size = chosen.choice((1, 2)) if len(runs) == 2 else 1
    calls = "\n".join(f"  clEnqueueNDRangeKernel(q, {name}, {size}, {size});" for name in runs)
    kernels = [_kernel("W", "write_only", WRITES, chosen), _kernel("R", "read_only", READS, chosen)]
    if "V" in runs:
        kernels.append(_kernel("V", "write_only", WRITES[:1], chosen))
    return f"""OPENCL pipes
{{ pipe int p[{chosen.randint(1, 3)}]; int x[2]={{0,0}}; queue q = {order} dev 0; }}
{chr(10).join(kernels)}
P0@host () {{
{calls}
}}
locations [R[0]:n; W[0]:n; R[0]:v; x[0];]
exists (R[0]:n=0)
"""


@pytest.mark.parametrize("number", NUMBERS)
def test_engines_agree_and_the_machine_does_no_more(number: int) -> None:
    text = text_of(number)
    program = program_of(f"pipes-{number}", text)
    answer = agreed_answer(program, text)
    states = {state.values for state in answer.states}

    found = explored(program, text)
    kinds = {finding.kind for finding in found.findings}
    assert kinds <= problems(answer), text
    assert set(found.states) <= states, text
    # Nothing else than PIPE-1 is found by looking at the order of commands.
    assert ("pipe-misuse" in kinds) == ("pipe-misuse" in problems(answer)), text


@pytest.mark.parametrize("number", NUMBERS)
def test_runs_are_executions(number: int) -> None:
    program, model = program_of(f"pipes-{number}", text_of(number)), registry.get(MODEL)
    for seed in range(5):
        recording = recorded(build(program, "views"), RandomScheduler((number, seed)), 300, is_weak=True)
        evaluation = evaluate_model(execution_of(recording, program, model), model)

        assert evaluation.is_consistent, (text_of(number), seed, evaluation.violated)
        misused = any(found.finding.kind == "pipe-misuse" for found in recording.findings)
        assert not misused or "pipe_misuse" in evaluation.raised, (text_of(number), seed)
