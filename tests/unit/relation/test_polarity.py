"""Polarity: the table for small terms, and its meaning for random ones."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from random_terms import RELATIONS, SETS, relation_terms

from mcm.relation.evaluate import Evaluator, Structure
from mcm.relation.polarity import Polarity, polarity
from mcm.relation.term import (
    Base,
    BaseSet,
    Closure,
    Compose,
    Defined,
    Difference,
    Domain,
    Everything,
    Identity,
    Intersection,
    Inverse,
    Product,
    RecursionVariable,
    Recursive,
    RelationTerm,
    SetDifference,
    Union,
)

po, rf, mo = (Base(name) for name in ("po", "rf", "mo"))
DYNAMIC = frozenset({"rf", "mo"})
UNIVERSE = Product(Everything(), Everything())
x, y = RecursionVariable("x"), RecursionVariable("y")

TABLE: list[tuple[RelationTerm, str]] = [
    (po, "constant"),
    (rf, "increasing"),
    (Difference(po, rf), "decreasing"),
    (Difference(rf, po), "increasing"),
    (Difference(mo, rf), "mixed"),
    (Difference(UNIVERSE, Difference(UNIVERSE, rf)), "increasing"),
    (Compose(Inverse(rf), mo), "increasing"),
    (Closure(Union(po, Identity(Domain(rf)))), "increasing"),
    (Identity(SetDifference(BaseSet("R"), Domain(rf))), "decreasing"),
    (Intersection(Defined("fresh", Difference(po, mo)), po), "decreasing"),
    (Intersection(Defined("fresh", Difference(po, mo)), mo), "mixed"),
    (Recursive("x", (("x", Union(po, Compose(x, x))),)), "constant"),
    (Recursive("x", (("x", Union(po, y)), ("y", Union(rf, Compose(y, x))))), "increasing"),
    (Difference(UNIVERSE, Recursive("x", (("x", Union(rf, x)),))), "decreasing"),
    (Recursive("x", (("x", Union(Difference(po, rf), Compose(x, mo))),)), "mixed"),
]


@pytest.mark.parametrize(("term", "expected"), TABLE)
def test_polarity(term: RelationTerm, expected: str) -> None:
    assert polarity(term, DYNAMIC) is Polarity(expected)


def test_sets_and_the_universe_may_grow_too() -> None:
    assert polarity(Identity(BaseSet("R")), frozenset({"R"})) is Polarity.INCREASING
    assert polarity(Identity(SetDifference(Everything(), BaseSet("R"))), frozenset({"R"})) is Polarity.DECREASING
    assert polarity(Identity(Everything()), frozenset({"_"})) is Polarity.INCREASING


def test_a_free_variable_grows_when_it_is_named() -> None:
    assert polarity(Difference(po, x), frozenset({"x"})) is Polarity.DECREASING
    assert polarity(Difference(po, x), frozenset({"y"})) is Polarity.CONSTANT


SIZE = 3
ROWS = st.tuples(*[st.integers(0, 2**SIZE - 1)] * SIZE)


@settings(max_examples=200, derandomize=True, deadline=None)
@given(relation_terms(3), st.data())
def test_polarity_says_what_happens_when_bases_grow(term: RelationTerm, data: st.DataObject) -> None:
    found = polarity(term, frozenset(RELATIONS))
    assume(found is not Polarity.MIXED)
    small = {name: data.draw(ROWS) for name in RELATIONS}
    large = {name: tuple(a | b for a, b in zip(rows, data.draw(ROWS), strict=True)) for name, rows in small.items()}
    sets = {name: data.draw(st.integers(0, 2**SIZE - 1)) for name in SETS}
    before, after = (Evaluator(Structure(SIZE, 2**SIZE - 1, sets, bases)).relation(term) for bases in (small, large))
    pairs = list(zip(before, after, strict=True))
    if found is not Polarity.DECREASING:
        assert all(a & ~b == 0 for a, b in pairs)
    if found is not Polarity.INCREASING:
        assert all(b & ~a == 0 for a, b in pairs)
