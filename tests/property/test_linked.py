"""The solver says the same whether or not threads are exchanged with numbers that are copied from place to place.

So do the search, and the solver where states have no images. `MCM_LINKED_COUNT` and `MCM_LINKED_SEED` choose how many
random kernels are compared, and which.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import pytest
from linked_generate import linking_kernel
from msgspec.structs import replace
from solver_queries import SHORT, assert_no_news, query_about

from mcm.engine.explicit.decide import decide as decide_by_search
from mcm.engine.smt.decide import decide
from mcm.engine.smt.symmetry import Symmetry

if TYPE_CHECKING:
    from mcm.answer.query import Query

pytestmark = pytest.mark.slow

SEED: Final = os.environ.get("MCM_LINKED_SEED", "2026")
COUNT: Final = int(os.environ.get("MCM_LINKED_COUNT", "4"))


def query_of(number: int) -> Query:
    return query_about(linking_kernel(SEED, number), number)


@pytest.mark.parametrize("number", range(COUNT))
def test_exchanges_of_threads_and_images_of_states_lose_and_add_nothing(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = query_of(number)
    exchanged = decide(query)
    searched = decide_by_search(query)
    monkeypatch.setattr(Symmetry, "_exchange", lambda _, threads, *_rest, **_named: threads)
    plain = decide(replace(query, limits=SHORT))

    # Of executions with values out of thin air the engines do not show the same faults.
    others = (plain,) if any(state.thin_air for state in exchanged.states) else (plain, searched)
    assert_no_news(exchanged, others, linking_kernel(SEED, number))


@pytest.mark.parametrize("number", range(0, COUNT, 3))
def test_states_that_are_known_lose_none_of_the_others(number: int) -> None:
    query = query_of(number)
    whole = decide(query)
    known = tuple(state for state in whole.states if not state.thin_air)[number % 2 :: 2]
    rest = decide(replace(query, known=known, wants_witnesses=True))

    told = {(state.values, state.thin_air) for state in whole.states}
    assert {(state.values, state.thin_air) for state in rest.states} == told, linking_kernel(SEED, number)
    assert all(state.witness is not None for state in rest.states if state not in known)


def test_threads_of_many_of_these_kernels_are_exchanged_and_move_what_is_observed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found: list[Symmetry] = []
    init = Symmetry.__init__
    monkeypatch.setattr(Symmetry, "__init__", lambda *given, **named: init(*given, **named) or found.append(given[0]))

    counts = [0, 0]
    for number in range(6):
        found.clear()
        decide(replace(query_of(number), limits=SHORT))
        counts[0] += any(each.values is not None for symmetry in found for each in symmetry.generators)
        counts[1] += any(symmetry.moving for symmetry in found)

    assert counts[0] >= 2
    assert counts[1] >= 1
