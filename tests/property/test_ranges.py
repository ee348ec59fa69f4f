"""Answers are the same with and without what threads write to places that nobody else has.

`MCM_RANGES_COUNT` and `MCM_RANGES_SEED` choose how many random kernels are compared, and which.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import pytest
from msgspec.structs import replace
from ranges_generate import kernel_of_ranges
from solver_queries import MODELS, SHORT, assert_no_news, query_about

from mcm.engine.explicit.decide import decide as decide_by_search
from mcm.engine.explicit.findings import watched
from mcm.engine.explicit.settled.ranges import apart
from mcm.engine.explicit.settled.reduction import without_settled
from mcm.engine.smt.decide import decide

if TYPE_CHECKING:
    from mcm.answer.query import Query
    from mcm.execution.skeleton import Skeleton

pytestmark = pytest.mark.slow

SEED: Final = os.environ.get("MCM_RANGES_SEED", "2026")
COUNT: Final = int(os.environ.get("MCM_RANGES_COUNT", "11"))


def query_of(number: int) -> Query:
    """What is asked about the counters, and about all else, in turn."""
    query = query_about(kernel_of_ranges(SEED, number), number, MODELS)
    return query if number % 4 == 0 else replace(query, observed=(query.observed[0], query.observed[-1]))


def left(query: Query) -> tuple[Skeleton | None, ...]:
    """The skeletons without what is left out; nothing for those of which everything is looked at."""
    seen = watched(query)
    open_ = (without_settled(skeleton, query.model, seen) for skeleton in query.skeletons)
    return tuple(apart(skeleton, query.model, seen) for skeleton in open_)


@pytest.mark.parametrize("number", range(COUNT))
def test_what_nobody_else_has_changes_nothing(number: int) -> None:
    query = query_of(number)
    found = left(query)
    if found == (None,) * len(found):
        pytest.skip("everything may matter")
    fewer = replace(query, skeletons=tuple(one or other for one, other in zip(found, query.skeletons, strict=True)))

    searched = decide_by_search(query, many_events=1 << 60)
    solved = decide(replace(query, limits=SHORT))
    for answer in (decide_by_search(fewer, many_events=1 << 60), decide(fewer)):
        assert_no_news(answer, (searched, solved), kernel_of_ranges(SEED, number))


def test_of_many_of_these_kernels_something_is_left_out() -> None:
    found = [left(query_of(number)) != (None,) for number in range(24)]

    assert 5 <= sum(found) <= 20
