"""Answers about contests are the same where who wins is a choice and where all executions are looked at.

`MCM_CONTESTS_COUNT` and `MCM_CONTESTS_SEED` choose how many random kernels are compared, and which.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import pytest
from contests_generate import kernel_of_contests
from msgspec.structs import replace
from solver_queries import MODELS, SHORT, assert_no_news, query_about

from mcm.engine.explicit.decide import decide as decide_by_search
from mcm.engine.explicit.findings import watched
from mcm.engine.explicit.settled.winners import with_winners
from mcm.engine.smt.decide import decide

if TYPE_CHECKING:
    from mcm.answer.query import Query

pytestmark = pytest.mark.slow

SEED: Final = os.environ.get("MCM_CONTESTS_SEED", "2026")
COUNT: Final = int(os.environ.get("MCM_CONTESTS_COUNT", "6"))


def query_of(number: int) -> Query:
    return query_about(kernel_of_contests(SEED, number), number, MODELS, bound=2)


def decided(query: Query) -> Query | None:
    """The query about who wins, if that decides everything; whatever the size of its skeletons."""
    found = [with_winners(skeleton, query.model, watched(query)) for skeleton in query.skeletons]
    left = tuple(skeleton for skeleton in found if skeleton is not None)
    return replace(query, skeletons=left) if len(left) == len(found) else None


@pytest.mark.parametrize("number", range(COUNT))
def test_who_wins_decides_everything(number: int) -> None:
    query, text = query_of(number), kernel_of_contests(SEED, number)
    one = decided(query)
    if one is None:
        pytest.skip("something else may matter")

    searched = decide_by_search(query, many_events=1 << 60)
    solved = decide(replace(query, limits=SHORT))
    for answer in (decide_by_search(one), decide(one)):
        assert_no_news(answer, (searched, solved), text)


def test_in_many_of_these_kernels_who_wins_decides_everything() -> None:
    found = [decided(query_of(number)) is not None for number in range(30)]

    assert 6 <= sum(found) <= 24
