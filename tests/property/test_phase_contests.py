"""Answers about contests between barriers are the same where choices say who wins and where all orders are searched.

`MCM_PHASES_COUNT` and `MCM_PHASES_SEED` choose how many random kernels are compared, and which.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import pytest
from msgspec.structs import replace
from phase_contests_generate import kernel_of_phases
from solver_queries import MODELS, SHORT, assert_no_news, query_about

from mcm.engine.explicit.decide import decide as decide_by_search
from mcm.engine.explicit.findings import watched
from mcm.engine.explicit.settled import phase_winners
from mcm.engine.explicit.settled.phase_winners import where_winners_are_chosen
from mcm.engine.smt.decide import decide

if TYPE_CHECKING:
    from mcm.answer.query import Query

pytestmark = pytest.mark.slow

SEED: Final = os.environ.get("MCM_PHASES_SEED", "2026")
COUNT: Final = int(os.environ.get("MCM_PHASES_COUNT", "6"))


@pytest.fixture(autouse=True)
def _of_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(phase_winners, "_FEWEST", 2)


def query_of(number: int) -> Query:
    return query_about(kernel_of_phases(SEED, number), number, MODELS, bound=2)


def chosen(query: Query) -> Query | None:
    """The query about who wins and what is left then; whatever the size of its skeletons."""
    found = [where_winners_are_chosen(skeleton, query.model, watched(query)) for skeleton in query.skeletons]
    left = tuple(skeleton for skeleton in found if skeleton is not None)
    return replace(query, skeletons=left) if len(left) == len(found) else None


@pytest.mark.parametrize("number", range(COUNT))
def test_with_winners_chosen_the_answers_are_the_same(number: int) -> None:
    query, text = query_of(number), kernel_of_phases(SEED, number)
    one = chosen(query)
    if one is None:
        pytest.skip("something else may matter")

    searched = decide_by_search(query, many_events=1 << 60)
    solved = decide(replace(query, limits=SHORT))
    answers = [answer for answer in (decide_by_search(one, many_events=1 << 60), decide(one)) if not answer.undecided]
    if not answers:
        pytest.skip("too many executions are left")
    for answer in answers:
        assert_no_news(answer, (searched, solved), text)


def test_in_many_of_these_kernels_winners_are_chosen() -> None:
    found = [chosen(query_of(number)) is not None for number in range(30)]

    assert 6 <= sum(found) <= 28
