"""Answers are the same whether or not those who try until they succeed are supposed to succeed at once.

`MCM_RETRIES_COUNT` and `MCM_RETRIES_SEED` choose how many random kernels are compared, and which.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import pytest
from msgspec.structs import replace
from retries_generate import retrying_kernel
from solver_queries import SHORT, assert_no_news, query_about

from mcm.engine.explicit.decide import decide as decide_by_search
from mcm.engine.explicit.settled import retries
from mcm.engine.explicit.settled.reduction import without_settled
from mcm.engine.smt.decide import decide

if TYPE_CHECKING:
    from mcm.answer.query import Query

pytestmark = pytest.mark.slow

SEED: Final = os.environ.get("MCM_RETRIES_SEED", "2026")
COUNT: Final = int(os.environ.get("MCM_RETRIES_COUNT", "40"))


def query_of(number: int) -> Query:
    return query_about(retrying_kernel(SEED, number), number, nodes=20_000)


@pytest.mark.parametrize("number", range(COUNT))
def test_that_all_succeed_at_once_is_no_news(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    query = query_of(number)
    known = decide_by_search(query, many_events=1)
    solved = decide(replace(query, limits=SHORT))
    monkeypatch.setattr(retries, "where_all_succeed", lambda *_: None)
    unknown = decide_by_search(query, many_events=1)
    searched = decide_by_search(query)

    assert_no_news(known, (unknown, searched, solved), retrying_kernel(SEED, number))


def test_in_many_of_these_kernels_all_are_supposed_to_succeed(monkeypatch: pytest.MonkeyPatch) -> None:
    count = 0
    for number in range(40):
        query = query_of(number)
        found = [without_settled(skeleton, query.model, query.observed) for skeleton in query.skeletons]
        with monkeypatch.context() as patched:
            patched.setattr(retries, "where_all_succeed", lambda *_: None)
            alone = [without_settled(skeleton, query.model, query.observed) for skeleton in query.skeletons]
        count += found != alone

    assert count >= 8
