"""A search whose relations would not fit into memory does not begin."""

from __future__ import annotations

import pytest

from mcm.answer.query import Limits
from mcm.engine.explicit.budget import ExhaustedError, NodeBudget


def test_relations_have_to_fit() -> None:
    budget = NodeBudget(Limits(megabytes=100))
    budget.check_size(events=2_000, slots=300)
    with pytest.raises(ExhaustedError) as caught:
        budget.check_size(events=20_000, slots=300)

    assert caught.value.reason == "memory"
    NodeBudget(Limits()).check_size(events=20_000, slots=300)
