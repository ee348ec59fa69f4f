"""States that are found are kept once, with the best that is known of them."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from mcm.answer.answer import State, Varying
from mcm.answer.many_states import ManyStates
from mcm.answer.query import Query
from mcm.catalogue import registry
from mcm.engine.explicit.found_states import FoundStates
from mcm.program.condition import And, Comparison, Fixed, Not, Observed, Or, RegisterName

NAMES = tuple(RegisterName(0, f"r{number}") for number in range(3))
ONE = Comparison("=", Observed(NAMES[0]), Fixed(1))
ABOVE = Comparison(">", Observed(NAMES[1]), Fixed(0))
QUERY = Query((), registry.get("c11"), NAMES, And(ONE, Or(ABOVE, Not(ONE))))


def test_a_state_is_thin_air_only_if_all_its_executions_are() -> None:
    found = FoundStates(QUERY)
    for thin_air in (True, True, False, True):
        found.add((1, 0, 0), None, thin_air=thin_air)
        assert found.is_known((1, 0, 0), thin_air=True)

    assert found.is_known((1, 0, 0), thin_air=False)
    assert found.sorted() == (State((1, 0, 0), satisfies=False),)


def test_packed_states_clear_what_was_thin_air_and_keep_what_they_are_examples_of() -> None:
    found = FoundStates(QUERY)
    varying = (Varying(0),)
    found.add_example((1, 1, 0), None, varying)
    assert not found.is_known((1, 1, 0), thin_air=False)
    found.add_packed([found.packed.pack((1, 1, 0)), found.packed.pack((0, 0, 0))])

    assert found.sorted() == (State((0, 0, 0), satisfies=False), State((1, 1, 0), satisfies=True, varying=varying))
    assert len(found) == 2


def test_executions_are_counted() -> None:
    found = FoundStates(replace(QUERY, counts=True))
    found.add((0, 0, 0), None, thin_air=False)
    found.add((0, 0, 0), None, thin_air=False)
    found.count_more([lambda values: 3 if values == (0, 0, 0) else 0])

    assert [state.executions for state in found.sorted()] == [5]


@pytest.mark.parametrize("counts", [False, True])
def test_many_states_are_packed(counts: bool) -> None:
    found, few = FoundStates(replace(QUERY, counts=counts), many=8), FoundStates(replace(QUERY, counts=counts))
    for values in [(a, b, c) for a in (2, 1) for b in (1, 0) for c in (5, -5)]:
        found.add(values, None, thin_air=False)
        few.add(values, None, thin_air=False)

    assert isinstance(found.sorted(), ManyStates)
    assert found.sorted() == few.sorted()
    assert [state.satisfies for state in few.sorted()] == [False, False, True, True, *[False] * 4]
