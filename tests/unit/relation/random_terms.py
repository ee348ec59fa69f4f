"""Random terms, as Hypothesis strategies."""

from __future__ import annotations

from hypothesis import strategies as st

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
    RelationTerm,
    SetDifference,
    SetIntersection,
    SetTerm,
    SetUnion,
    Union,
)

SETS = ("R", "W", "F")
RELATIONS = ("po", "rf", "mo")


def set_terms(depth: int) -> st.SearchStrategy[SetTerm]:
    leaves = st.one_of(st.sampled_from(SETS).map(BaseSet), st.just(Everything()))
    if depth == 0:
        return leaves
    inner, relations = set_terms(depth - 1), relation_terms(depth - 1)
    return st.one_of(
        leaves,
        st.just(Nothing()),
        *(st.tuples(inner, inner).map(lambda p, c=c: c(*p)) for c in (SetUnion, SetIntersection, SetDifference)),
        *(relations.map(lambda r, c=c: c(r)) for c in (Domain, Range)),
    )


def relation_terms(depth: int) -> st.SearchStrategy[RelationTerm]:
    leaves = st.sampled_from(RELATIONS).map(Base)
    if depth == 0:
        return leaves
    inner, sets = relation_terms(depth - 1), set_terms(depth - 1)
    return st.one_of(
        leaves,
        sets.map(Identity),
        st.tuples(sets, sets).map(lambda p: Product(*p)),
        *(st.tuples(inner, inner).map(lambda p, c=c: c(*p)) for c in (Union, Intersection, Difference, Compose)),
        inner.map(Inverse),
        inner.map(Closure),
        inner.map(lambda r: Union(r, Identity(Everything()))),
        st.just(Empty()).map(Inverse),
    )
