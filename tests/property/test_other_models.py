"""Under models that nobody has thought of answers are the same with and without what the explicit engine settles.

What it settles it derives from the terms of the model. `MCM_MODELS_COUNT` and `MCM_MODELS_SEED` choose how many models
are compared, and which.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import pytest
from eased_generate import counting_kernel
from kernels_generate import kernel_from_seed, synchronising
from mixed_generate import mixing_kernel
from models_generate import other_model
from msgspec.structs import replace
from solver_queries import query_about, said

from mcm.answer.query import Limits
from mcm.engine.explicit.decide import decide
from mcm.engine.explicit.settled.reduction import without_settled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.answer.query import Query

pytestmark = pytest.mark.slow

SEED: Final = os.environ.get("MCM_MODELS_SEED", "2026")
COUNT: Final = int(os.environ.get("MCM_MODELS_COUNT", "12"))
NEVER: Final = 1 << 60
# Of so many kernels those are asked about of which something is settled, and of these so many.
TRIED, ASKED = 12, 2
MOST_EVENTS: Final = 45
LIMITS: Final = Limits(nodes=1500, seconds=600)


def kernel(number: int) -> str:
    """A kernel of one of several kinds."""
    makers = (
        lambda: mixing_kernel(SEED, number),
        lambda: synchronising(kernel_from_seed(SEED, number), f"{SEED} {number}"),
        lambda: counting_kernel(SEED, number),
        lambda: kernel_from_seed(SEED, number),
    )
    return makers[number % len(makers)]()


def queries(number: int) -> Iterator[tuple[str, Query]]:
    """Kernels of which something is settled under the model of a number, and what is asked about them."""
    model, changes = other_model(SEED, number)
    for at in range(number * TRIED, number * TRIED + TRIED):
        text = kernel(at)
        query = replace(query_about(text, 0), model=model, limits=LIMITS)
        every = sum(len(skeleton.events) for skeleton in query.skeletons)
        if every > MOST_EVENTS:
            continue
        left = sum(
            len(without_settled(skeleton, model, query.observed, filtered=query.filter is not None).events)
            for skeleton in query.skeletons
        )
        if left < every:
            yield f"{changes}\n{text}", query


@pytest.mark.parametrize("number", range(COUNT))
def test_answers_are_the_same_without_what_is_settled_under_any_model(number: int) -> None:
    compared = 0
    for text, query in queries(number):
        reduced = decide(query, many_events=0)
        searched = decide(query, many_events=NEVER)
        if reduced.undecided is not None or searched.undecided is not None:
            continue
        assert said(reduced) == said(searched), text
        compared += 1
        if compared == ASKED:
            return
    if not compared:
        pytest.skip("nothing is settled, or too many executions")


def test_under_many_of_these_models_something_is_settled() -> None:
    assert sum(next(queries(number), None) is not None for number in range(8)) >= 4
