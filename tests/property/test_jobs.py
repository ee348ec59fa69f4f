"""Answers about jobs from a counter are the same where one distribution is looked at and where all are.

`MCM_JOBS_COUNT` and `MCM_JOBS_SEED` choose how many random kernels are compared, and which.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import pytest
from jobs_generate import kernel_of_jobs
from msgspec.structs import replace
from places_generate import kernel_of_places
from solver_queries import MODELS, SHORT, assert_no_news, query_about

from mcm.engine.explicit.decide import decide as decide_by_search
from mcm.engine.explicit.findings import watched
from mcm.engine.explicit.settled.jobs import one_distribution
from mcm.engine.smt import encode
from mcm.engine.smt.decide import decide

if TYPE_CHECKING:
    from mcm.answer.query import Query

pytestmark = pytest.mark.slow

SEED: Final = os.environ.get("MCM_JOBS_SEED", "2026")
COUNT: Final = int(os.environ.get("MCM_JOBS_COUNT", "3"))


def query_of(number: int) -> Query:
    text, bound = kernel_of_jobs(SEED, number)
    return query_about(text, number, MODELS, bound=bound)


def distributed(query: Query) -> Query | None:
    """The query about one distribution, if that is the same; whatever the size of its skeletons."""
    found = [one_distribution(skeleton, query.model, watched(query)) for skeleton in query.skeletons]
    left = tuple(skeleton for skeleton in found if skeleton is not None)
    return replace(query, skeletons=left) if len(left) == len(found) else None


def assert_one_says_the_same(query: Query, text: str) -> None:
    """Compare what is said of one distribution, where it is enough, with what is said of all executions."""
    one = distributed(query)
    if one is None:
        pytest.skip("who takes what may matter")

    searched = decide_by_search(query, many_events=1 << 60)
    solved = decide(replace(query, limits=SHORT))
    for answer in (decide_by_search(one), decide(one)):
        assert_no_news(answer, (searched, solved), text)


@pytest.mark.parametrize("number", range(COUNT))
def test_one_distribution_ends_as_all_do(number: int) -> None:
    assert_one_says_the_same(query_of(number), kernel_of_jobs(SEED, number)[0])


@pytest.mark.parametrize("number", range(COUNT))
def test_what_is_written_does_not_matter_where_nobody_looks(number: int) -> None:
    seen = query_of(number)
    query = replace(seen, observed=(seen.observed[0], seen.observed[-1]))
    assert_one_says_the_same(query, kernel_of_jobs(SEED, number)[0])


def query_about_places(number: int) -> Query:
    """What is asked about the counters, and about all else, in turn."""
    query = query_about(kernel_of_places(SEED, number), number, MODELS)
    return query if number % 3 == 0 else replace(query, observed=(*query.observed[:3], query.observed[-1]))


@pytest.mark.parametrize("number", range(COUNT))
def test_one_who_takes_places_stands_for_all(number: int) -> None:
    assert_one_says_the_same(query_about_places(number), kernel_of_places(SEED, number))


def test_of_many_who_take_places_one_distribution_is_looked_at() -> None:
    found = [distributed(query_about_places(number)) is not None for number in range(20)]

    assert 4 <= sum(found) <= 16


@pytest.mark.parametrize("number", range(COUNT))
def test_how_many_numbers_are_taken_is_no_news(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    query = query_of(number)
    known = decide(query)
    searched = decide_by_search(query, many_events=1 << 60)
    monkeypatch.setattr(encode, "taken", lambda _: ())
    monkeypatch.setattr(encode, "follow_an_order", lambda *_: False)
    unknown = decide(replace(query, limits=SHORT))

    assert_no_news(known, (unknown, searched), kernel_of_jobs(SEED, number)[0])


def test_of_many_of_these_kernels_one_distribution_is_looked_at() -> None:
    found = [distributed(query_of(number)) is not None for number in range(20)]

    assert 7 <= sum(found) <= 16
