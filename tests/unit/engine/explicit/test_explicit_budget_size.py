"""What a search may cost: by the size of its relations, by what it finds, and by how much of it is done."""

from __future__ import annotations

from contextlib import suppress

import pytest

from mcm.answer.query import Limits
from mcm.engine.explicit.budget import STATES_OF_UNDEFINED, ExhaustedError, NodeBudget


def test_relations_have_to_fit() -> None:
    budget = NodeBudget(Limits(megabytes=100))
    budget.check_size(events=2_000, slots=300)
    with pytest.raises(ExhaustedError) as caught:
        budget.check_size(events=20_000, slots=300)

    assert caught.value.reason == "memory"
    NodeBudget(Limits()).check_size(events=20_000, slots=300)


def test_alternatives_that_nothing_can_pay_for_end_a_search() -> None:
    budget = NodeBudget(Limits(nodes=50))
    budget.start(size=600, slots=256, symmetric_threads=1)
    budget.check_alternatives(0)
    with pytest.raises(ExhaustedError) as caught:
        budget.check_alternatives(1)

    assert caught.value.reason == "budget"
    budget.start(size=100, slots=256, symmetric_threads=1)
    budget.check_alternatives(9)
    # Where states are found, they pay.
    budget.start(size=600, slots=256, symmetric_threads=1)
    budget.credit_states(50)
    budget.check_alternatives(1)
    unlimited = NodeBudget(Limits())
    unlimited.start(size=600, slots=256, symmetric_threads=1)
    unlimited.check_alternatives(1)


def test_a_node_costs_by_what_its_relations_take() -> None:
    budget = NodeBudget(Limits(nodes=50))

    def cost(size: int, slots: int) -> int:
        budget.start(size, slots, symmetric_threads=1)
        return budget.node_cost

    assert cost(12, 343) == cost(41, 98) == 1
    assert 1 < cost(41, 343) < cost(80, 343)
    assert cost(80, 98) < cost(80, 343)


def test_of_states_that_mean_nothing_few_are_enough() -> None:
    budget = NodeBudget(Limits(nodes=50))
    budget.start(size=12, slots=98, symmetric_threads=1)
    budget.credit_states(STATES_OF_UNDEFINED - 1, is_decided=True)
    with pytest.raises(ExhaustedError) as caught:
        budget.credit_states(STATES_OF_UNDEFINED, is_decided=True)

    assert caught.value.reason == "budget"
    budget.credit_states(STATES_OF_UNDEFINED)
    # Whoever says how long to search wants them all.
    NodeBudget(Limits(seconds=60)).credit_states(STATES_OF_UNDEFINED, is_decided=True)


def spent_by(searched: float, limits: Limits, symmetric: int = 1) -> int:
    """How many nodes may be searched by one that has done so much of the tree, and gets no further."""
    budget = NodeBudget(limits)
    budget.start(1, 1, symmetric)
    budget.searched = searched
    with suppress(ExhaustedError):
        for _ in range(10_000):
            budget.charge_node()
    return budget.spent - 1


def test_a_search_that_ends_soon_goes_on() -> None:
    limits = Limits(nodes=50, nodes_in_all=200)

    assert spent_by(0.0, limits) == spent_by(0.25, limits) == 50
    assert spent_by(0.5, limits) == 100
    # A tree is done, and another is begun.
    assert spent_by(1.0, limits) == spent_by(1.5, limits) == 200
    assert spent_by(1.0, Limits(nodes=50)) == 50


def test_threads_that_can_be_exchanged_make_no_solver_take_longer_to_load() -> None:
    limits = Limits(nodes=50, nodes_in_all=200)

    assert spent_by(1.0, limits, symmetric=2) == 200
    assert spent_by(0.0, limits, symmetric=2) == 100
    assert spent_by(1.0, limits, symmetric=8) == 400
