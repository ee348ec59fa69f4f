"""The solver says the same whether or not it knows of updates that exclude each other, and the search says it too.

`MCM_EXCLUSIVE_COUNT` and `MCM_EXCLUSIVE_SEED` choose how many random kernels are compared, and which.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import pytest
from msgspec.structs import replace
from solver_queries import SHORT, assert_no_news, query_about
from winners_generate import winning_kernel

from mcm.engine.explicit.decide import decide as decide_by_search
from mcm.engine.smt import counters, encode
from mcm.engine.smt.decide import decide

if TYPE_CHECKING:
    from mcm.answer.query import Query

pytestmark = pytest.mark.slow

SEED: Final = os.environ.get("MCM_EXCLUSIVE_SEED", "2026")
COUNT: Final = int(os.environ.get("MCM_EXCLUSIVE_COUNT", "7"))


def query_of(number: int) -> Query:
    return query_about(winning_kernel(SEED, number), number)


@pytest.mark.parametrize("number", range(COUNT))
def test_that_some_updates_exclude_each_other_is_no_news(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    query = query_of(number)
    known = decide(query)
    searched = decide_by_search(query)
    monkeypatch.setattr(counters, "exclusions", lambda *_: {})
    alone = decide(replace(query, limits=SHORT))
    monkeypatch.setattr(encode, "exclude", lambda *_: {})
    unknown = decide(replace(query, limits=SHORT))

    assert_no_news(known, (alone, unknown, searched), winning_kernel(SEED, number))


def test_in_many_of_these_kernels_events_are_never_executed_together(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[bool] = []
    exclude = encode.exclude

    def noted(*given: object) -> dict[int, int]:
        result = exclude(*given)  # type: ignore[arg-type]
        found.append(bool(result))
        return result

    monkeypatch.setattr(encode, "exclude", noted)
    counts = 0
    for number in range(12):
        found.clear()
        decide(query_of(number))
        counts += any(found)

    assert counts >= 2


def test_in_many_of_these_kernels_updates_exclude_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[bool] = []
    exclusions = counters.exclusions

    def noted(*given: object) -> object:
        result = exclusions(*given)
        found.append(len({*result.values()}) < len(result))
        return result

    monkeypatch.setattr(counters, "exclusions", noted)
    counts = 0
    for number in range(12):
        found.clear()
        decide(query_of(number))
        counts += any(found)

    assert counts >= 3
