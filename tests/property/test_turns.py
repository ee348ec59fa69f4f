"""Answers about loops that groups leave together are the same where it is looked at what is settled, and where not.

`MCM_TURNS_COUNT` and `MCM_TURNS_SEED` choose how many random kernels are compared, and which.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import pytest
from msgspec.structs import replace
from solver_queries import MODELS, SHORT, assert_no_news, query_about
from turns_generate import kernel_of_turns

from mcm.engine.explicit.decide import decide as decide_by_search
from mcm.engine.explicit.decide import open_skeleton
from mcm.engine.explicit.findings import watched
from mcm.engine.explicit.settled.settling import look_at
from mcm.engine.smt.decide import decide

if TYPE_CHECKING:
    from mcm.answer.query import Query

pytestmark = pytest.mark.slow

SEED: Final = os.environ.get("MCM_TURNS_SEED", "2026")
COUNT: Final = int(os.environ.get("MCM_TURNS_COUNT", "5"))


def query_of(number: int) -> Query:
    query = query_about(kernel_of_turns(SEED, number), number, MODELS, bound=2)
    return query if number % 3 else replace(query, observed=(query.observed[0], query.observed[-1]))


@pytest.mark.parametrize("number", range(COUNT))
def test_what_is_settled_turn_by_turn_changes_nothing(number: int) -> None:
    query = query_of(number)
    fewer = replace(query, skeletons=tuple(open_skeleton(each, query, many_events=1) for each in query.skeletons))

    searched = decide_by_search(replace(query, limits=replace(query.limits, seconds=30)), many_events=1 << 60)
    solved = decide(replace(query, limits=SHORT))
    for answer in (decide_by_search(fewer, many_events=1 << 60), decide(fewer)):
        if answer.undecided is not None:
            pytest.skip("too many executions")
        assert_no_news(answer, (searched, solved), kernel_of_turns(SEED, number))


def test_in_many_of_these_kernels_some_turns_are_settled() -> None:
    opened = 0
    for number in range(25):
        query = query_of(number)
        (skeleton,) = query.skeletons
        looked = look_at(skeleton, query.model, watched(query))
        opened += looked is not None and bool(looked[1].begun or skeleton.choices)

    assert opened >= 5
