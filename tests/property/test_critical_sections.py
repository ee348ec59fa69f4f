"""Answers are the same whether or not what critical sections do to one location is taken for an update.

`MCM_SECTIONS_COUNT` and `MCM_SECTIONS_SEED` choose how many random kernels are compared, and which.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import pytest
from msgspec.structs import replace
from sections_generate import locking_kernel
from solver_queries import SHORT, assert_no_news, query_about

from mcm.engine.explicit.decide import decide as decide_by_search
from mcm.engine.explicit.settled import sections
from mcm.engine.explicit.settled.reduction import without_settled
from mcm.engine.smt.decide import decide

if TYPE_CHECKING:
    from mcm.answer.query import Query

pytestmark = pytest.mark.slow

SEED: Final = os.environ.get("MCM_SECTIONS_SEED", "2026")
COUNT: Final = int(os.environ.get("MCM_SECTIONS_COUNT", "12"))
# Of so many kernels the first is taken in which sections are taken for updates, or else the last.
TRIED: Final = 6


def kernel_of(number: int) -> tuple[str, Query, bool]:
    """A kernel, what is asked about it, and whether sections are taken for updates in it."""
    for at in range(TRIED):
        text = locking_kernel(SEED, number * TRIED + at)
        query = query_about(text, number, nodes=8_000)
        left = [
            without_settled(skeleton, query.model, query.observed, filtered=query.filter is not None)
            for skeleton in query.skeletons
        ]
        is_locked = any(one.waiting for one in left)
        if is_locked or at + 1 == TRIED:
            return text, query, is_locked
    raise AssertionError


@pytest.mark.parametrize("number", range(COUNT))
def test_that_sections_are_updates_is_no_news(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    text, query, is_locked = kernel_of(number)
    known = decide_by_search(query, many_events=1)
    if known.undecided is not None and not is_locked:
        pytest.skip("too many executions")
    solved = decide(replace(query, limits=SHORT))
    monkeypatch.setattr(sections, "where_sections_are_updates", lambda *_: None)
    unknown = decide_by_search(query, many_events=1)
    searched = decide_by_search(query)

    assert_no_news(known, (unknown, searched, solved), text)


def test_in_many_of_these_kernels_sections_are_updates() -> None:
    assert sum(is_locked for _, _, is_locked in map(kernel_of, range(10))) >= 4
