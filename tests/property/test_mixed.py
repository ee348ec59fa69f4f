"""Programs that mix regions, fences, widths, locks and commands: both engines and the machine say the same of them.

`MCM_MIXED_COUNT` and `MCM_MIXED_SEED` choose how many random programs are compared, and which.
"""

from __future__ import annotations

import os
from typing import Final

import pytest
from agreement import program_of
from mixed_generate import mixing_commands, mixing_kernel
from msgspec.structs import replace
from solver_queries import SHORT, assert_no_news, query_about

from mcm.engine.choose import decide as decide_as_chosen
from mcm.engine.explicit.decide import decide
from mcm.engine.explicit.findings import watched
from mcm.engine.phases.decide import decide_by_phases
from mcm.engine.smt.decide import decide as decide_with_solver
from mcm.explain.observed import observed_by
from mcm.machine.build import build
from mcm.machine.exhaustive import Budget, explore

pytestmark = pytest.mark.slow

SEED: Final = os.environ.get("MCM_MIXED_SEED", "2026")
COUNT: Final = int(os.environ.get("MCM_MIXED_COUNT", "12"))
MODELS: Final = ("opencl-3.0", "opencl-3.1", "sycl-2020", "opencl-scoped", "opencl-2.0", "c11", "sycl-next", "rc11")
NEVER: Final = 1 << 60
BUDGET: Final = Budget(configurations=4_000, operations=80)


def text_of(number: int) -> str:
    return (mixing_commands if number % 2 else mixing_kernel)(SEED, number)


@pytest.mark.parametrize("number", range(COUNT))
def test_engines_say_the_same(number: int) -> None:
    text = text_of(number)
    query = replace(query_about(text, number // 2, MODELS, bound=2), limits=replace(SHORT, nodes=8_000))
    settled = decide(query, many_events=0)
    if settled.undecided is not None:
        pytest.skip("too many executions")
    others = [decide(query, many_events=NEVER), decide_with_solver(query), decide_as_chosen(query)]
    by_phases = decide_by_phases(query, watched(query), decide)

    assert_no_news(settled, others if by_phases is None else [*others, by_phases], text)


@pytest.mark.parametrize("memory", ["views", "interleaving"])
@pytest.mark.parametrize("number", range(COUNT))
def test_the_machine_shows_nothing_that_the_model_does_not(number: int, memory: str) -> None:
    text = text_of(number)
    program = program_of("mixed", text)
    query = replace(query_about(text, 0, MODELS, bound=2), limits=replace(SHORT, nodes=8_000))
    answer = decide(query, many_events=0)
    if answer.undecided is not None or answer.bounded:
        pytest.skip("too many executions")
    if answer.flags or answer.faults:
        pytest.skip("undefined: whatever the machine shows is as good")
    found = explore(build(program, memory), observed_by(program), BUDGET)

    assert not found.findings, text
    assert set(found.states) <= {state.values for state in answer.states}, text
