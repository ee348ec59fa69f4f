"""Intervals of terms hold the values that terms have in all structures between two."""

from __future__ import annotations

from functools import partial

from hypothesis import given, settings
from hypothesis import strategies as st
from random_terms import RELATIONS, SETS, relation_terms

from mcm.relation.evaluate import Evaluator, Rows, Structure
from mcm.relation.interval import interval
from mcm.relation.term import Base, Closure, Difference, RecursionVariable, Recursive, RelationTerm, Union

SIZE = 4
ALL = (1 << SIZE) - 1
MASKS = st.integers(0, ALL)
ROWS = st.tuples(*[MASKS] * SIZE)

# An event that is known to come before another one, and a third of which nothing is known.
LEAST = Structure(3, 0b011, dict.fromkeys(SETS, 0), dict.fromkeys(RELATIONS, (0b010, 0, 0)))
GREATEST = Structure(3, 0b111, dict.fromkeys(SETS, 0b111), dict.fromkeys(RELATIONS, (0b110, 0b100, 0b111)))
rf, mo, x = Base("rf"), Base("mo"), RecursionVariable("x")


def within(least: Rows, greatest: Rows) -> bool:
    return all(a & ~b == 0 for a, b in zip(least, greatest, strict=True))


def between(least: int, greatest: int, chosen: int) -> int:
    return least | greatest & chosen


@settings(max_examples=400, derandomize=True, deadline=None)
@given(relation_terms(3), st.data())
def test_the_value_lies_between(term: RelationTerm, data: st.DataObject) -> None:
    high_sets = {name: data.draw(MASKS) for name in SETS}
    high_relations = {name: data.draw(ROWS) for name in RELATIONS}
    low_sets = {name: mask & data.draw(MASKS) for name, mask in high_sets.items()}
    low_relations = {name: tuple(map(int.__and__, rows, data.draw(ROWS))) for name, rows in high_relations.items()}
    structure = partial(Structure, SIZE, ALL)
    low, high = structure(low_sets, low_relations), structure(high_sets, high_relations)
    some = structure(
        {name: between(low_sets[name], high_sets[name], data.draw(MASKS)) for name in SETS},
        {name: tuple(map(between, low_relations[name], high_relations[name], data.draw(ROWS))) for name in RELATIONS},
    )

    least, greatest = interval(term, low, high)

    value = Evaluator(some).relation(term)
    assert within(least, value)
    assert within(value, greatest)
    assert interval(term, some, some) == (value, value)


def test_what_is_taken_away_may_be_more_or_less() -> None:
    assert interval(rf, LEAST, GREATEST) == ((0b010, 0, 0), (0b110, 0b100, 0b111))
    assert interval(Difference(rf, mo), LEAST, GREATEST) == ((0, 0, 0), (0b100, 0b100, 0b111))
    assert interval(Closure(rf), LEAST, GREATEST) == ((0b010, 0, 0), (0b111, 0b111, 0b111))


def test_nothing_is_said_of_recursions() -> None:
    term = Recursive("x", (("x", Union(rf, x)),))
    assert interval(term, LEAST, GREATEST) == ((0, 0, 0), (0b111, 0b111, 0b111))
    assert interval(Difference(rf, term), LEAST, GREATEST)[0] == (0, 0, 0)
