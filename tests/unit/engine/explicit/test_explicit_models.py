"""Under models made at random, sensible or not, the search finds what enumeration finds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from naive import expected
from small_models import SPAN
from small_programs import Builder

from mcm.answer.query import Query
from mcm.cat.model import Check, Flag, Linearisation, Model, Shape
from mcm.engine.explicit.decide import decide
from mcm.execution.expression import ReadValue
from mcm.program.types import Location, Order
from mcm.relation.term import (
    Base,
    BaseSet,
    Closure,
    Compose,
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
    from mcm.execution.skeleton import Skeleton
    from mcm.relation.term import RelationTerm, SetTerm

    Terms = st.SearchStrategy[RelationTerm]

pytestmark = pytest.mark.slow

BASE_SETS = st.sampled_from([Everything(), Nothing(), *map(BaseSet, ("R", "W", "RMW", "IW", "SC", "A"))])


def sets(relations: Terms) -> st.SearchStrategy[SetTerm]:
    return st.one_of(
        BASE_SETS,
        BASE_SETS,
        *(st.builds(operator, BASE_SETS, BASE_SETS) for operator in (SetUnion, SetIntersection, SetDifference)),
        st.builds(Domain, relations),
        st.builds(Range, relations),
    )


def grown(inner: Terms) -> Terms:
    return st.one_of(
        *(st.builds(operator, inner, inner) for operator in (Union, Intersection, Difference, Compose, Compose)),
        st.builds(Inverse, inner),
        st.builds(Closure, inner),
        st.builds(lambda body: Union(body, Identity(Everything())), inner),
        st.builds(lambda events, body: Compose(Identity(events), body), sets(inner), inner),
        st.builds(lambda events, body: Compose(body, Identity(events)), sets(inner), inner),
        st.builds(lambda a, b, body: Intersection(body, Product(a, b)), BASE_SETS, BASE_SETS, inner),
        st.builds(
            lambda start, step: Recursive("x", (("x", Union(start, Compose(RecursionVariable("x"), step))),)),
            inner,
            inner,
        ),
    )


def terms(*names: str) -> Terms:
    return st.recursive(st.sampled_from([*(Base(name) for name in names), Empty()]), grown, max_leaves=6)


def checks(*names: str) -> st.SearchStrategy[Check]:
    return st.builds(
        lambda shape, negated, term: Check("check", shape, negated, term, None, SPAN),
        st.sampled_from([Shape.ACYCLIC, Shape.IRREFLEXIVE, Shape.IRREFLEXIVE, Shape.EMPTY]),
        st.sampled_from([False, False, False, False, True]),
        terms(*names),
    )


FLAGS = st.builds(
    lambda term: Flag("flag", Shape.EMPTY, True, term, None, SPAN),  # noqa: FBT003 - `flag ~empty`
    terms("po", "rf", "mo", "loc"),
)
PLAIN = st.builds(
    lambda demands, flag: Model("random", "", (), (), tuple(demands), (flag,)),
    st.lists(checks("po", "rf", "mo", "loc", "ext"), min_size=1, max_size=3),
    FLAGS,
)
ORDERED = st.builds(
    lambda demands, flag, order: Model("ordered", "", (), (order,), tuple(demands), (flag,)),
    st.lists(checks("po", "rf", "mo", "S"), min_size=1, max_size=3),
    FLAGS,
    terms("po", "rf", "mo").map(lambda inside: Linearisation("S", BaseSet("SC"), inside)),
)


def shapes() -> tuple[tuple[Skeleton, frozenset[int]], ...]:
    """Writers and an observer of one location; load buffering that copies; updates: with all values there can be."""
    first = Builder(locations=1)
    first.write(first.thread(), 0, 1, Order.SEQ_CST)
    first.write(first.thread(), 0, 2, Order.SEQ_CST)
    reader = first.thread()
    first.read(reader, 0, Order.SEQ_CST)
    first.read(reader, 0, Order.RELAXED)
    second = Builder(locations=2)
    second.constants |= {1}
    for place in (0, 1):
        thread = second.thread()
        read = second.read(thread, place, Order.SEQ_CST)
        second.write(thread, 1 - place, ReadValue(read), Order.RELAXED)
    third = Builder(locations=1)
    third.update(third.thread(), 0, 1, Order.SEQ_CST)
    third.update(third.thread(), 0, 1, Order.RELAXED)
    writer = third.thread()
    third.write(writer, 0, 2, Order.SEQ_CST)
    return (
        (first.skeleton(), frozenset({0, 1, 2})),
        (second.skeleton(), frozenset({0, 1})),
        (third.skeleton(), frozenset(range(5))),
    )


@settings(derandomize=True, max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(model=st.one_of(PLAIN, ORDERED), shape=st.sampled_from(shapes()))
def test_search_finds_what_enumeration_finds_under_any_model(
    model: Model, shape: tuple[Skeleton, frozenset[int]]
) -> None:
    skeleton, domain = shape
    observed = (*skeleton.registers, Location(0))
    answer = decide(Query((skeleton,), model, observed))
    naive = expected(skeleton, model, observed, domain)
    shown = {state.values: state.thin_air for state in answer.states}
    # One state stands for all values out of thin air of an execution; enumeration lists those of the domain.
    assert shown == {values: thin for values, thin in naive.states.items() if not thin or values in shown}
    assert shown.keys() == naive.states.keys() or any(state.varying for state in answer.states)
    assert {(flag.name, frozenset(flag.events)) for flag in answer.flags} == naive.pairs
