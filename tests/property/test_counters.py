"""The solver says the same of counters with and without what is asserted of them, and the search says it too.

`MCM_COUNTERS_COUNT` and `MCM_COUNTERS_SEED` choose how many random kernels are compared, and which.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import pytest
from counters_generate import counting_kernel
from msgspec.structs import replace
from solver_queries import SHORT, assert_no_news, query_about

from mcm.engine.explicit.decide import decide as decide_by_search
from mcm.engine.smt import encode
from mcm.engine.smt.counters import Counting
from mcm.engine.smt.decide import decide

if TYPE_CHECKING:
    from mcm.answer.query import Query

pytestmark = pytest.mark.slow

SEED: Final = os.environ.get("MCM_COUNTERS_SEED", "2026")
COUNT: Final = int(os.environ.get("MCM_COUNTERS_COUNT", "3"))


def query_of(number: int) -> Query:
    return query_about(counting_kernel(SEED, number), number)


@pytest.mark.parametrize("number", range(COUNT))
def test_what_counters_return_is_no_news(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    query = query_of(number)
    counted = decide(query)
    searched = decide_by_search(query)
    monkeypatch.setattr(Counting, "require", lambda _: None)
    monkeypatch.setattr(encode, "taken", lambda _: ())
    not_counted = decide(replace(query, limits=SHORT))

    text = counting_kernel(SEED, number)
    assert_no_news(counted, (not_counted, searched), text)


def test_most_of_these_kernels_have_counters(monkeypatch: pytest.MonkeyPatch) -> None:
    asserted: list[object] = []
    require_from = Counting._require_from
    monkeypatch.setattr(
        Counting, "_require_from", lambda self, *given: asserted.append(given) or require_from(self, *given)
    )

    counts = 0
    for number in range(8):
        asserted.clear()
        decide(query_of(number))
        counts += bool(asserted)

    assert counts >= 3
