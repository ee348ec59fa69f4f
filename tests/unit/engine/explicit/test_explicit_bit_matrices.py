"""Packed relations behave as plain rows do."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcm.base.bits import listed, mask_of, members
from mcm.engine.explicit.bit_matrices import BitMatrices, matrices_of
from mcm.engine.explicit.closing import closed_rows
from mcm.relation import evaluate

SIZE = 5
ROWS = st.tuples(*[st.integers(0, (1 << SIZE) - 1)] * SIZE)
SETS = st.integers(0, (1 << SIZE) - 1)
MATRICES = BitMatrices(SIZE)


def unpacked(relation: int) -> evaluate.Rows:
    return tuple(MATRICES.successors(relation, event) for event in range(SIZE))


@pytest.mark.slow
@settings(derandomize=True, max_examples=200, deadline=None)
@given(first=ROWS, second=ROWS)
def test_operations_on_relations(first: evaluate.Rows, second: evaluate.Rows) -> None:
    one, other = MATRICES.pack(first), MATRICES.pack(second)
    assert unpacked(one) == first
    assert unpacked(MATRICES.compose(one, other)) == evaluate.compose(first, second)
    assert unpacked(MATRICES.inverse(one)) == evaluate.inverse(first)
    assert unpacked(MATRICES.closure(one)) == evaluate.closure(first)
    assert list(MATRICES.pairs(one)) == [(a, b) for a, row in enumerate(first) for b in members(row)]
    assert MATRICES.range(one) == evaluate.union_of(first)
    assert MATRICES.domain(one) == evaluate.union_of(evaluate.inverse(first))


@settings(derandomize=True, max_examples=100, deadline=None)
@given(first=SETS, second=SETS)
def test_relations_made_of_sets(first: int, second: int) -> None:
    pairs = {(a, b) for a in members(first) for b in range(SIZE)}
    assert set(MATRICES.pairs(MATRICES.starting_in(first))) == pairs
    assert set(MATRICES.pairs(MATRICES.ending_in(first))) == {(b, a) for a, b in pairs}
    assert MATRICES.product(first, second) == MATRICES.starting_in(first) & MATRICES.ending_in(second)


@settings(derandomize=True, max_examples=300, deadline=None)
@given(size=st.integers(1, 20), data=st.data())
def test_every_size(size: int, data: st.DataObject) -> None:
    matrices = BitMatrices(size)
    rows = tuple(data.draw(st.lists(st.integers(0, (1 << size) - 1), min_size=size, max_size=size)))
    events = data.draw(st.integers(0, (1 << size) - 1))
    relation = matrices.pack(rows)
    assert matrices.domain(relation) == evaluate.union_of(evaluate.inverse(rows))
    assert matrices.range(relation) == evaluate.union_of(rows)
    assert listed(events) == tuple(members(events))
    assert list(matrices.pairs(matrices.column(events))) == [(event, 0) for event in members(events)]


def test_no_event_has_no_pairs() -> None:
    matrices = BitMatrices(0)
    assert (matrices.range(0), matrices.column(0), matrices.compose(0, 0), matrices.closure(0)) == (0, 0, 0, 0)
    assert matrices.domain(0) == 0


def test_memory_of_results_is_bounded() -> None:
    matrices = BitMatrices(8)
    for relation in range(30_000):
        matrices.closure(relation)
    remembering: Any = matrices.closure
    assert 0 < remembering.cache_info().currsize <= 20_000


def test_small_programs_of_one_size_share_what_is_remembered() -> None:
    assert matrices_of(5) is matrices_of(5)
    assert matrices_of(5) is not matrices_of(6)
    assert matrices_of(300) is not matrices_of(300)


@pytest.mark.parametrize("size", [1, 2, 7, 300])
def test_relations_are_packed_by_rows_and_of_sets(size: int) -> None:
    matrices = BitMatrices(size)
    rows = [1 << (event * 3) % size | 1 << event for event in range(size)]
    sets = [mask_of({0, size // 2}), mask_of({size - 1})]

    assert set(matrices.pairs(matrices.pack(rows))) == {
        (a, b) for a, row in enumerate(rows) for b in range(size) if row >> b & 1
    }
    assert set(matrices.pairs(matrices.squares(sets))) == {
        (a, b) for each in sets for a in range(size) for b in range(size) if each >> a & each >> b & 1
    }
    assert matrices.squares([]) == 0


@settings(derandomize=True, max_examples=200, deadline=None)
@given(first=ROWS)
def test_a_closure_row_by_row(first: evaluate.Rows) -> None:
    assert tuple(closed_rows(first)) == evaluate.closure(first)


@pytest.mark.parametrize("size", [199, 200, 257])
@pytest.mark.parametrize("degree", [0.5, 2, 30])
def test_relations_of_many_events(size: int, degree: float) -> None:
    random = Random(f"{size} {degree}")  # noqa: S311 - nothing secret
    matrices = BitMatrices(size)
    first, second = (
        tuple(sum(1 << b for b in range(size) if random.random() < degree / size) for _ in range(size))
        for _ in range(2)
    )
    one, other = matrices.pack(first), matrices.pack(second)
    assert matrices.closure(one) == matrices.pack(evaluate.closure(first))
    assert matrices.compose(one, other) == matrices.pack(evaluate.compose(first, second))


def test_pairs_of_many_events_come_in_order() -> None:
    matrices = BitMatrices(300)
    pairs = sorted({(number * 7 % 300, number * 31 % 299) for number in range(900)})

    assert list(matrices.pairs(sum(matrices.pair(*pair) for pair in pairs))) == pairs
    assert not list(matrices.pairs(0))
