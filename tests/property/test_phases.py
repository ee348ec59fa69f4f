"""Answers from barrier to barrier, and from wait to wait, are those of a search of whole executions.

`MCM_PHASES_COUNT` and `MCM_PHASES_SEED` choose how many random programs are compared, and which.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import pytest
from buffers_generate import competing
from commands_generate import commands_program
from msgspec.structs import replace
from parts_generate import kernel_of_parts
from phases_generate import kernel_of_phases
from solver_queries import SHORT, query_about

from mcm.engine.explicit.decide import decide
from mcm.engine.explicit.findings import watched
from mcm.engine.phases.decide import decide_by_phases
from mcm.execution.shared import EventLimitError

if TYPE_CHECKING:
    from mcm.answer.answer import Answer
    from mcm.answer.query import Query

pytestmark = pytest.mark.slow

SEED: Final = os.environ.get("MCM_PHASES_SEED", "2026")
COUNT: Final = int(os.environ.get("MCM_PHASES_COUNT", "5"))
MODELS: Final = ("opencl-3.0", "sycl-2020", "opencl-3.1", "sycl-next", "opencl-2.0", "opencl-3.0+sc-both")
NOTHING_SETTLED: Final = 1 << 60


def text_of(number: int) -> str:
    """The program of a number: each kind with each model, one after the other."""
    match (number + number // 12) % 4:
        case 0:
            return kernel_of_phases(SEED, number)
        case 1:
            return kernel_of_parts(SEED, number)
        case 2:
            return competing(SEED, number)
        case _:
            return commands_program(SEED, number, loops=number % 12 == 3)


def query_of(number: int) -> Query:
    try:
        text = text_of(number)
        of_sycl = [model for model in MODELS if model.startswith("sycl")]
        return query_about(text, number, of_sycl if text.startswith("SYCL") else MODELS, bound=2)
    except EventLimitError:
        pytest.skip("a loop that never ends")


def by_phases(query: Query) -> Answer | None:
    return decide_by_phases(query, watched(query), lambda part: decide(part, many_events=NOTHING_SETTLED))


def said(answer: Answer) -> tuple[object, ...]:
    states = [(state.values, state.satisfies, state.thin_air) for state in answer.states]
    problems = [*answer.flags, *answer.faults, *answer.blocked]
    return states, problems, answer.bounded, answer.waits, answer.reachable, answer.complete_exists


@pytest.mark.parametrize("number", range(COUNT))
def test_phase_by_phase_is_the_same(number: int) -> None:
    query = query_of(number)
    found = by_phases(query)
    if found is None:
        pytest.skip("it does not fall apart, or has something to show")
    whole = decide(replace(query, limits=SHORT), many_events=NOTHING_SETTLED)
    if whole.undecided is not None:
        pytest.skip("too many executions")

    assert said(found) == said(whole), text_of(number)


def test_many_of_these_programs_fall_apart() -> None:
    assert sum(by_phases(query_of(number)) is not None for number in range(8)) >= 2
