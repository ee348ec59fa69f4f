"""Answers are the same where atomics that barriers order are taken for relaxed ones, and where none are.

`MCM_EASED_COUNT` and `MCM_EASED_SEED` choose how many random kernels are compared, and which.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import pytest
from eased_generate import counting_kernel
from msgspec.structs import replace
from solver_queries import SHORT, assert_no_news, query_about

from mcm.engine.explicit.decide import decide, open_skeleton
from mcm.engine.explicit.findings import watched
from mcm.engine.explicit.settled import easing
from mcm.engine.explicit.settled.easing import with_relaxed
from mcm.engine.explicit.settled.settling import settled_of_any_order
from mcm.engine.smt.decide import decide as decide_with_solver

if TYPE_CHECKING:
    from mcm.answer.query import Query

pytestmark = pytest.mark.slow

SEED: Final = os.environ.get("MCM_EASED_SEED", "2026")
COUNT: Final = int(os.environ.get("MCM_EASED_COUNT", "11"))
MODELS: Final = ("opencl-3.0", "sycl-2020", "opencl-3.1", "c11", "opencl-3.0+sc-both", "c20", "opencl-scoped")
NEVER: Final = 1 << 60


def query_of(number: int) -> Query:
    return query_about(counting_kernel(SEED, number), number, MODELS, nodes=20_000)


def eases(query: Query) -> bool:
    """Whether some atomics are taken for relaxed ones."""
    for skeleton in query.skeletons:
        whatever = settled_of_any_order(skeleton, query.model, watched(query))
        if whatever is not None and with_relaxed(skeleton, query.model, watched(query), whatever) is not skeleton:
            return True
    return False


@pytest.mark.parametrize("number", range(COUNT))
def test_the_search_says_the_same_where_atomics_are_eased(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    query = query_of(number)
    eased = decide(query, many_events=0)
    monkeypatch.setattr(easing, "with_relaxed", lambda skeleton, *_: skeleton)
    others = decide(query, many_events=0), decide(query, many_events=NEVER)
    if eased.undecided is not None:
        pytest.skip("too many executions")

    assert_no_news(eased, others, counting_kernel(SEED, number))


@pytest.mark.parametrize("number", range(COUNT // 4))
def test_the_solver_says_the_same_of_all_and_of_what_is_left(number: int) -> None:
    query = replace(query_of(number), limits=SHORT)
    left = tuple(open_skeleton(skeleton, query, 0) for skeleton in query.skeletons)

    whole = decide_with_solver(query)
    assert_no_news(decide_with_solver(replace(query, skeletons=left)), (whole,), counting_kernel(SEED, number))


def test_many_of_these_kernels_have_atomics_that_are_eased_and_many_do_not() -> None:
    found = [eases(query_of(number)) for number in range(28)]

    assert 6 <= sum(found) <= 22
