"""Answers about kernels whose groups wait for each other are the same with and without what is shown of that.

`MCM_AWAITED_COUNT` and `MCM_AWAITED_SEED` choose how many random kernels are compared, and which.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import pytest
from awaited_generate import flagging_kernel, turn_taking_kernel, waiting_kernel
from msgspec.structs import replace
from solver_queries import SHORT, assert_no_news, query_about

from mcm.engine import choose
from mcm.engine.explicit import decide as explicit
from mcm.engine.explicit.decide import decide as decide_by_search
from mcm.engine.smt.decide import decide

if TYPE_CHECKING:
    from mcm.answer.query import Query

pytestmark = pytest.mark.slow

SEED: Final = os.environ.get("MCM_AWAITED_SEED", "2026")
COUNT: Final = int(os.environ.get("MCM_AWAITED_COUNT", "5"))
# Those that settle something, and sequential consistency, which does not.
MODELS: Final = ("opencl-3.0", "opencl-3.0", "opencl-3.1", "sycl-2020", "opencl-scoped", "sc", "c11")


KERNELS: Final = {"rounds": waiting_kernel, "turns": turn_taking_kernel, "flags": flagging_kernel}


def query_of(number: int, kind: str = "rounds") -> Query:
    return query_about(KERNELS[kind](SEED, number), number, MODELS, bound=2)


def reduced(query: Query) -> Query:
    """The query about what is left where it is known what units wait for."""
    left = (explicit.open_skeleton(skeleton, query, many_events=1) for skeleton in query.skeletons)
    return replace(query, skeletons=tuple(choose.with_awaited(skeleton, query) for skeleton in left))


@pytest.mark.parametrize("kind", KERNELS)
@pytest.mark.parametrize("number", range(COUNT))
def test_what_is_awaited_is_no_news(number: int, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explicit, "MANY_EVENTS", 1)
    query = query_of(number, kind)
    left = reduced(query)
    whole = decide(replace(query, limits=SHORT))
    searched = decide_by_search(query, many_events=1 << 60)

    assert_no_news(decide(left), (whole, searched), KERNELS[kind](SEED, number))


@pytest.mark.parametrize("kind", KERNELS)
def test_much_is_shown_of_these_kernels(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explicit, "MANY_EVENTS", 1)
    shown = settled = 0
    for number in range(20):
        query = query_of(number, kind)
        left = reduced(query)
        shown += any(skeleton.shown is not None for skeleton in left.skeletons)
        settled += sum(len(s.events) for s in left.skeletons) < sum(len(s.events) for s in query.skeletons)

    assert shown >= 4
    assert settled >= 4
