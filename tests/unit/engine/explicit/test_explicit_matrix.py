"""Packed relations behave as plain rows do."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from mcm.base.bits import listed
from mcm.engine.explicit.matrix import Square
from mcm.relation import finite

SIZE = 5
ROWS = st.tuples(*[st.integers(0, (1 << SIZE) - 1)] * SIZE)
SETS = st.integers(0, (1 << SIZE) - 1)
SQUARE = Square(SIZE)


def unpacked(relation: int) -> finite.Rows:
    return tuple(SQUARE.successors(relation, event) for event in range(SIZE))


@settings(derandomize=True, max_examples=200, deadline=None)
@given(first=ROWS, second=ROWS)
def test_operations_on_relations(first: finite.Rows, second: finite.Rows) -> None:
    one, other = SQUARE.pack(first), SQUARE.pack(second)
    assert unpacked(one) == first
    assert unpacked(SQUARE.compose(one, other)) == finite.compose(first, second)
    assert unpacked(SQUARE.inverse(one)) == finite.inverse(first)
    assert unpacked(SQUARE.closure(one)) == finite.closure(first)
    assert list(SQUARE.pairs(one)) == [(a, b) for a, row in enumerate(first) for b in finite.members(row)]
    assert SQUARE.range(one) == finite.union_of(first)
    assert SQUARE.domain(one) == finite.union_of(finite.inverse(first))


@settings(derandomize=True, max_examples=100, deadline=None)
@given(first=SETS, second=SETS)
def test_relations_made_of_sets(first: int, second: int) -> None:
    pairs = {(a, b) for a in finite.members(first) for b in range(SIZE)}
    assert set(SQUARE.pairs(SQUARE.from_(first))) == pairs
    assert set(SQUARE.pairs(SQUARE.into(first))) == {(b, a) for a, b in pairs}
    assert SQUARE.product(first, second) == SQUARE.from_(first) & SQUARE.into(second)


@settings(derandomize=True, max_examples=300, deadline=None)
@given(size=st.integers(1, 20), data=st.data())
def test_every_size(size: int, data: st.DataObject) -> None:
    square = Square(size)
    rows = tuple(data.draw(st.lists(st.integers(0, (1 << size) - 1), min_size=size, max_size=size)))
    events = data.draw(st.integers(0, (1 << size) - 1))
    relation = square.pack(rows)
    assert square.domain(relation) == finite.union_of(finite.inverse(rows))
    assert square.range(relation) == finite.union_of(rows)
    assert listed(events) == tuple(finite.members(events))
    assert list(square.pairs(square.column(events))) == [(event, 0) for event in finite.members(events)]


def test_no_event_has_no_pairs() -> None:
    square = Square(0)
    assert (square.range(0), square.column(0), square.compose(0, 0), square.closure(0)) == (0, 0, 0, 0)
    assert square.domain(0) == 0


def test_memory_of_results_is_bounded() -> None:
    square = Square(8)
    for relation in range(30_000):
        square.closure(relation)
    assert len(square._closures) <= 20_000
