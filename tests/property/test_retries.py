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
COUNT: Final = int(os.environ.get("MCM_RETRIES_COUNT", "11"))


# Of so many kernels the first is taken in which some are supposed to succeed, or else the last.
TRIED: Final = 5


def kernel_of(number: int) -> tuple[str, Query, bool]:
    """A kernel, what is asked about it, and whether some are supposed to succeed at once in it."""
    for at in range(TRIED):
        text = retrying_kernel(SEED, number * TRIED + at)
        query = query_about(text, number, nodes=8_000)
        tried = [retries.where_all_succeed(skeleton, query.model, query.observed) for skeleton in query.skeletons]
        left = [None if one is None else without_settled(one, query.model, query.observed) for one in tried]
        is_tried = any(one is not None and not one.paired for one in left)
        if is_tried or at + 1 == TRIED:
            return text, query, is_tried
    raise AssertionError


@pytest.mark.parametrize("number", range(COUNT))
def test_that_all_succeed_at_once_is_no_news(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    text, query, _ = kernel_of(number)
    known = decide_by_search(query, many_events=1)
    solved = decide(replace(query, limits=SHORT))
    monkeypatch.setattr(retries, "where_all_succeed", lambda *_: None)
    unknown = decide_by_search(query, many_events=1)
    searched = decide_by_search(query)

    assert_no_news(known, (unknown, searched, solved), text)


def test_in_many_of_these_kernels_all_are_supposed_to_succeed() -> None:
    assert sum(is_tried for _, _, is_tried in map(kernel_of, range(10))) >= 4
