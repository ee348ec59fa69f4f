"""The solver says the same whether or not updates that exclude each other count as one, and the search says it too.

`MCM_EXCLUSIVE_COUNT` and `MCM_EXCLUSIVE_SEED` choose how many random kernels are compared, and which.
"""

from __future__ import annotations

import os
from typing import Final

import pytest
from msgspec.structs import replace
from test_counters import assert_no_news
from winners_generate import winning_kernel

from mcm.answer.query import Limits, Query
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.engine.explicit.decide import decide as decide_by_search
from mcm.engine.smt import counters
from mcm.engine.smt.decide import decide
from mcm.execution.elaborate import elaborate
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test

pytestmark = pytest.mark.slow

SEED: Final = os.environ.get("MCM_EXCLUSIVE_SEED", "2026")
COUNT: Final = int(os.environ.get("MCM_EXCLUSIVE_COUNT", "24"))
MODELS: Final = ("opencl-3.0", "opencl-scoped", "c11", "sc", "opencl-3.1", "sycl-2020", "rc11")


def query_of(number: int) -> Query:
    program = read_test(Source(f"winners-{number}", winning_kernel(SEED, number))).program
    return Query(
        elaborate(program, 1, waiting=True),
        registry.get(MODELS[number % len(MODELS)]),
        observed_by(program),
        limits=Limits(nodes=2000, seconds=600),
        wants_witnesses=False,
    )


@pytest.mark.parametrize("number", range(COUNT))
def test_that_some_updates_exclude_each_other_is_no_news(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    query = query_of(number)
    known = decide(query)
    searched = decide_by_search(query)
    monkeypatch.setattr(counters, "exclusions", lambda *_: {})
    unknown = decide(replace(query, limits=Limits(seconds=20)))

    assert_no_news(known, (unknown, searched), winning_kernel(SEED, number))


def test_in_many_of_these_kernels_updates_exclude_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[bool] = []
    exclusions = counters.exclusions

    def noted(*given: object) -> object:
        result = exclusions(*given)
        found.append(len({*result.values()}) < len(result))
        return result

    monkeypatch.setattr(counters, "exclusions", noted)
    counts = 0
    for number in range(24):
        found.clear()
        decide(query_of(number))
        counts += any(found)

    assert counts >= 6
