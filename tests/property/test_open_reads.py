"""Random kernels have the same answers whether states of independent reads are combined or searched.

`MCM_OPEN_READS_COUNT` and `MCM_OPEN_READS_SEED` choose how many random kernels are compared, and which.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import pytest
from open_reads_generate import kernel_with_open_reads

from mcm.answer.query import Limits, Query
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.engine.explicit.combinations import Combinations
from mcm.engine.explicit.decide import decide
from mcm.execution.elaborate import elaborate
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test

if TYPE_CHECKING:
    from mcm.answer.answer import Answer

pytestmark = pytest.mark.slow

SEED: Final = os.environ.get("MCM_OPEN_READS_SEED", "2026")
COUNT: Final = int(os.environ.get("MCM_OPEN_READS_COUNT", "9"))
MODELS: Final = ("opencl-3.0", "opencl-scoped", "opencl-3.1", "sycl-2020", "c11", "sc")
# Nodes alone: how much is searched must not depend on time.
LIMITS: Final = Limits(nodes=400)
NEVER: Final = 1 << 60


def query_of(number: int) -> Query:
    program = read_test(Source(f"reads-{number}", kernel_with_open_reads(SEED, number))).program
    model = registry.get(MODELS[number % len(MODELS)])
    return Query(elaborate(program, 2), model, observed_by(program), limits=LIMITS, wants_witnesses=False)


def said(answer: Answer) -> tuple[object, ...]:
    states = [(state.values, state.satisfies, state.thin_air, state.varying) for state in answer.states]
    return states, [(flag.name, flag.events) for flag in answer.flags], answer.complete_exists


@pytest.mark.parametrize("number", range(COUNT))
def test_answers_are_the_same_without_combinations(number: int) -> None:
    query = query_of(number)
    combined, searched = (decide(query, many_ways=ways) for ways in (2, NEVER))
    if combined.undecided is not None or searched.undecided is not None:
        pytest.skip("too many executions")

    assert said(combined) == said(searched), kernel_with_open_reads(SEED, number)


def test_many_of_these_kernels_have_independent_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[bool] = []
    add = Combinations.add
    monkeypatch.setattr(Combinations, "add", lambda *given: tried.append(add(*given)) or tried[-1])

    found = 0
    for number in range(10):
        tried.clear()
        decide(query_of(number), many_ways=2)
        found += any(tried)

    assert found >= 2
