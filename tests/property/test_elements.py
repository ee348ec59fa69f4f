"""The solver says the same of elements that counters hand out, told apart before and not, and the search says it too.

`MCM_ELEMENTS_COUNT` and `MCM_ELEMENTS_SEED` choose how many random kernels are compared, and which.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import pytest
from elements_generate import handing_out
from msgspec.structs import replace
from solver_queries import assert_no_news, query_about, said

from mcm.answer.query import Limits
from mcm.engine.explicit.decide import decide as decide_by_search
from mcm.engine.explicit.decide import open_skeleton
from mcm.engine.smt import encode
from mcm.engine.smt.apart import apart
from mcm.engine.smt.decide import decide

if TYPE_CHECKING:
    from mcm.answer.query import Query
    from mcm.engine.smt.apart import Taken
    from mcm.execution.skeleton import Skeleton

pytestmark = pytest.mark.slow

SEED: Final = os.environ.get("MCM_ELEMENTS_SEED", "2026")
COUNT: Final = int(os.environ.get("MCM_ELEMENTS_COUNT", "5"))
MODELS: Final = ("opencl-3.0", "opencl-scoped", "c11", "opencl-3.0", "sycl-2020", "rc11")


def query_of(number: int) -> Query:
    return query_about(handing_out(SEED, number), number, MODELS, nodes=1000)


def without_settled(query: Query) -> Query:
    """The query about what is left of its skeletons, however small these are."""
    return replace(query, skeletons=tuple(open_skeleton(skeleton, query, 0) for skeleton in query.skeletons))


@pytest.mark.parametrize("number", range(COUNT))
def test_elements_that_are_told_apart_are_no_news(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    query = query_of(number)
    told_apart, of_the_rest = decide(query), decide(without_settled(query))
    searched = decide_by_search(query)
    monkeypatch.setattr(encode, "taken", lambda _: ())
    not_told_apart = decide(replace(query, limits=Limits(seconds=60)))

    text = handing_out(SEED, number)
    assert told_apart.undecided is of_the_rest.undecided is None
    assert said(told_apart) == said(of_the_rest), text
    assert_no_news(told_apart, (not_told_apart, searched), text)


def test_in_many_of_these_kernels_elements_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[tuple[bool, bool]] = []

    def seen(skeleton: Skeleton, counters: Taken) -> dict[int, int]:
        found.append((bool(apart(skeleton, counters)), bool(skeleton.bases)))
        return apart(skeleton, counters)

    monkeypatch.setattr(encode, "apart", seen)
    for number in range(0, 60, 3):
        decide(without_settled(query_of(number)))

    assert sum(any_ for any_, _ in found) >= 7
    assert sum(any_ and by_barriers for any_, by_barriers in found) >= 3
