"""The solver says the same with and without what is asserted of locations that only grow, and the search says it too.

So it is with the order of threads that try again: it is that of the first attempt of each that succeeds.
`MCM_MONOTONE_COUNT` and `MCM_MONOTONE_SEED` choose how many random kernels are compared, and which.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import pytest
from msgspec.structs import replace
from solver_queries import SHORT, assert_no_news, query_about, said
from updates_generate import updating_kernel

from mcm.engine.explicit.decide import decide as decide_by_search
from mcm.engine.smt.counters import Counting
from mcm.engine.smt.decide import decide
from mcm.engine.smt.encode import Encoding
from mcm.engine.smt.monotone import Monotone
from mcm.engine.smt.symmetry import Symmetry

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.answer.query import Query

pytestmark = pytest.mark.slow

SEED: Final = os.environ.get("MCM_MONOTONE_SEED", "2026")
COUNT: Final = int(os.environ.get("MCM_MONOTONE_COUNT", "8"))


def query_of(number: int) -> Query:
    return query_about(updating_kernel(SEED, number), number)


@pytest.mark.parametrize("number", range(COUNT))
def test_that_values_only_grow_is_no_news(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    query = query_of(number)
    known = decide(query)
    searched = decide_by_search(query)
    monkeypatch.setattr(Monotone, "require", lambda *_: None)
    unknown = decide(replace(query, limits=SHORT))

    assert_no_news(known, (unknown, searched), updating_kernel(SEED, number))


@pytest.mark.parametrize("number", range(COUNT))
def test_the_order_of_threads_that_try_again_loses_nothing(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    query = query_of(number)
    ordered = decide(query)
    monkeypatch.setattr(Encoding, "in_order", lambda *_: [])
    assert said(ordered) == said(decide(query)), updating_kernel(SEED, number)


def _calls(
    monkeypatch: pytest.MonkeyPatch, owner: type, name: str, of_interest: Callable[..., bool] = lambda *_: True
) -> list[bool]:
    calls: list[bool] = []
    function = getattr(owner, name)

    def noted(*given: object, **options: object) -> object:
        result = function(*given, **options)
        calls.append(of_interest(*given))
        return result

    monkeypatch.setattr(owner, name, noted)
    return calls


def test_many_of_these_kernels_have_such_locations_and_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monotone = _calls(monkeypatch, Monotone, "_require")
    tried = _calls(monkeypatch, Symmetry, "__init__", lambda symmetry, *_: bool(symmetry.attempts))
    monkeypatch.setattr(Counting, "require", lambda _: None)

    counts = [0, 0]
    for number in range(12):
        monotone.clear()
        tried.clear()
        decide(query_of(number))
        counts[0] += any(monotone)
        counts[1] += any(tried)

    assert counts[0] >= 3
    assert counts[1] >= 1
