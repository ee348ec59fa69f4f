"""Terms over finite tables mean what the same words mean over sets of pairs."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcm.base.bits import members
from mcm.relation import evaluate
from mcm.relation.evaluate import Evaluator, Structure
from mcm.relation.term import (
    Base,
    BaseSet,
    Closure,
    Compose,
    Defined,
    DefinedSet,
    Difference,
    Domain,
    Empty,
    Everything,
    Identity,
    Intersection,
    Inverse,
    Nothing,
    Product,
    Range,
    RecursionVariable,
    Recursive,
    SetDifference,
    SetIntersection,
    SetUnion,
    Union,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcm.relation.evaluate import Rows
    from mcm.relation.term import RelationTerm, SetTerm, Term

Events = frozenset[int]
Pairs = frozenset[tuple[int, int]]

SIZE = 4
UNIVERSE = 0b1011
EVENTS = frozenset({0, 1, 3})

PAIRS = st.frozensets(st.tuples(st.sampled_from(sorted(EVENTS)), st.sampled_from(sorted(EVENTS))), max_size=6)
SETS = st.frozensets(st.sampled_from(sorted(EVENTS)))
set_leaves = st.sampled_from((BaseSet("A"), BaseSet("B"), Everything(), Nothing()))
relation_leaves = st.sampled_from((Base("r"), Base("s"), Empty()))


def set_terms(relations: st.SearchStrategy[RelationTerm]) -> st.SearchStrategy[SetTerm]:
    def grow(inner: st.SearchStrategy[SetTerm]) -> st.SearchStrategy[SetTerm]:
        return st.one_of(
            *(st.builds(operator, inner, inner) for operator in (SetUnion, SetIntersection, SetDifference)),
            st.builds(DefinedSet, st.just("named"), inner),
            st.builds(Domain, relations),
            st.builds(Range, relations),
        )

    return st.recursive(set_leaves, grow, max_leaves=3)


def grown(inner: st.SearchStrategy[RelationTerm]) -> st.SearchStrategy[RelationTerm]:
    return st.one_of(
        *(st.builds(operator, inner, inner) for operator in (Union, Intersection, Difference, Compose)),
        st.builds(Inverse, inner),
        st.builds(Closure, inner),
        st.builds(Defined, st.just("named"), inner),
        st.builds(Identity, set_terms(inner)),
        st.builds(Product, set_terms(inner), set_terms(inner)),
    )


RELATIONS = st.recursive(relation_leaves, grown, max_leaves=8)


def transitive(pairs: Pairs) -> Pairs:
    while True:
        more = pairs | {(a, d) for a, b in pairs for c, d in pairs if b == c}
        if more == pairs:
            return pairs
        pairs = more


def meaning(term: Term, base: Mapping[str, Events | Pairs]) -> Events | Pairs:
    """The textbook semantics over sets of events and of pairs."""
    match term:
        case BaseSet(name) | Base(name):
            return base[name]
        case Everything():
            return EVENTS
        case Nothing() | Empty():
            return frozenset()
        case SetUnion(a, b) | Union(a, b):
            return meaning(a, base) | meaning(b, base)
        case SetIntersection(a, b) | Intersection(a, b):
            return meaning(a, base) & meaning(b, base)
        case SetDifference(a, b) | Difference(a, b):
            return meaning(a, base) - meaning(b, base)
        case Domain(r):
            return frozenset(a for a, _ in meaning(r, base))
        case Range(r):
            return frozenset(b for _, b in meaning(r, base))
        case DefinedSet(_, body) | Defined(_, body):
            return meaning(body, base)
        case Identity(s):
            return frozenset((a, a) for a in meaning(s, base))
        case Product(a, b):
            return frozenset((x, y) for x in meaning(a, base) for y in meaning(b, base))
        case Compose(r, s):
            return frozenset((a, d) for a, b in meaning(r, base) for c, d in meaning(s, base) if b == c)
        case Inverse(r):
            return frozenset((b, a) for a, b in meaning(r, base))
        case Closure(r):
            return transitive(meaning(r, base))
    raise AssertionError(term)


def as_rows(pairs: Pairs) -> Rows:
    return tuple(sum(1 << b for a, b in pairs if a == i) for i in range(SIZE))


def as_pairs(rows: Rows) -> Pairs:
    return frozenset((i, j) for i, row in enumerate(rows) for j in members(row))


def reading_of(
    r: Pairs = frozenset(), s: Pairs = frozenset(), a: Events = frozenset(), b: Events = frozenset()
) -> Evaluator:
    sets = {"A": sum(1 << e for e in a), "B": sum(1 << e for e in b)}
    return Evaluator(Structure(SIZE, UNIVERSE, sets, {"r": as_rows(r), "s": as_rows(s)}))


@pytest.mark.slow
@settings(derandomize=True, max_examples=300, deadline=None)
@given(term=RELATIONS, r=PAIRS, s=PAIRS, a=SETS, b=SETS)
def test_rows_and_pairs_agree(term: RelationTerm, r: Pairs, s: Pairs, a: Events, b: Events) -> None:
    evaluator = reading_of(r, s, a, b)
    assert as_pairs(evaluator.relation(term)) == meaning(term, {"r": r, "s": s, "A": a, "B": b})


@settings(derandomize=True, max_examples=100, deadline=None)
@given(r=PAIRS, s=PAIRS)
def test_recursion_is_the_least_solution(r: Pairs, s: Pairs) -> None:
    x, y = RecursionVariable("x"), RecursionVariable("y")
    equations = (("x", Union(Base("r"), Compose(y, Base("s")))), ("y", Union(Base("s"), Compose(x, Base("r")))))
    evaluator = reading_of(r, s)
    solution_x = as_pairs(evaluator.relation(Recursive("x", equations)))
    solution_y = as_pairs(evaluator.relation(Recursive("y", equations)))

    def after(first: Pairs, second: Pairs) -> Pairs:
        return frozenset((a, d) for a, b in first for c, d in second if b == c)

    expected_x, expected_y = r, s
    for _ in range(SIZE * SIZE * 2):
        expected_x, expected_y = r | after(expected_y, s), s | after(expected_x, r)
    assert (solution_x, solution_y) == (expected_x, expected_y)


@settings(derandomize=True, max_examples=100, deadline=None)
@given(r=PAIRS)
def test_shapes(r: Pairs) -> None:
    rows = as_rows(r)
    assert evaluate.is_empty(rows) == (not r)
    assert evaluate.is_irreflexive(rows) == all(a != b for a, b in r)
    assert evaluate.is_acyclic(rows) == all(a != b for a, b in transitive(r))


@settings(derandomize=True, max_examples=100, deadline=None)
@given(st.integers(0, 9).flatmap(lambda size: st.tuples(*[st.integers(0, (1 << size) - 1)] * size)))
def test_a_closure_has_all_paths_whether_there_are_circles_or_not(rows: Rows) -> None:
    reached = list(rows)
    for _ in rows:
        for first, row in enumerate(reached):
            for middle, beyond in enumerate(rows):
                if row >> middle & 1:
                    reached[first] |= beyond

    assert evaluate.closure(rows) == tuple(reached)
    assert evaluate.is_acyclic(rows) is not any(row >> event & 1 for event, row in enumerate(reached))


@pytest.mark.parametrize("size", [60, 80])
@pytest.mark.parametrize("density", [0.02, 0.5, 0.98])
def test_relations_of_many_elements(density: float, size: int) -> None:
    random = Random(density)  # noqa: S311 - a relation, and no secret
    # Half of the rows of the second are the same, as those of work-items are.
    first, second = (
        [sum(1 << n for n in range(size) if random.random() < density) for _ in range(size)] for _ in range(2)
    )
    second[::2] = [second[0]] * (size // 2)
    composed = [
        sum(1 << c for c in range(size) if any(row >> b & second[b] >> c & 1 for b in range(size))) for row in first
    ]
    assert evaluate.compose(tuple(first), tuple(second)) == tuple(composed)
    turned = [sum(1 << a for a in range(size) if first[a] >> b & 1) for b in range(size)]
    assert evaluate.inverse(tuple(first)) == tuple(turned)
