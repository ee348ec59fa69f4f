"""Why a pair is in a relation: every operator of terms, and that wrong derivations are found out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from mcm.answer.explanation import Derivation, How
from mcm.explain.derivation import Mark, why
from mcm.explain.derivation_check import holds
from mcm.explain.paths import shortest_cycle, shortest_path
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
    SetTerm,
    SetUnion,
    Union,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.relation.term import RelationTerm, Term

SIZE = 5
R, S, A, B = Base("r"), Base("s"), BaseSet("A"), BaseSet("B")


def structure(r: set[tuple[int, int]], s: set[tuple[int, int]] = frozenset(), a: int = 0, b: int = 0) -> Structure:
    relations = {
        name: tuple(sum(1 << y for x, y in of if x == i) for i in range(SIZE)) for name, of in (("r", r), ("s", s))
    }
    return Structure(SIZE, (1 << SIZE) - 1, {"A": a, "B": b}, relations)


CHAIN = structure({(0, 1), (1, 2), (2, 3), (0, 4), (4, 2)}, {(1, 3), (3, 3), (0, 1)}, a=0b00011, b=0b00110)

# The term, the pair, and the outline of its derivation.
CASES: list[tuple[Term, tuple[int, int], str]] = [
    (A, (1, 1), "A"),
    (Everything(), (3, 3), "_"),
    (SetUnion(B, A), (0, 0), "union(A)"),
    (SetIntersection(A, B), (1, 1), "intersection(A B)"),
    (SetDifference(A, B), (0, 0), "difference(A not B)"),
    (Domain(S), (1, 1), "domain(1s3)"),
    (Range(R), (4, 4), "range(0r4)"),
    (DefinedSet("named", A), (0, 0), "named:definition(A)"),
    (R, (0, 1), "0r1"),
    (Identity(A), (0, 0), "identity(A)"),
    (Product(A, B), (0, 2), "product(A B)"),
    (Union(S, R), (1, 2), "union(1r2)"),
    (Intersection(R, S), (0, 1), "intersection(0r1 0s1)"),
    (Difference(R, S), (1, 2), "difference(1r2 not s)"),
    (Compose(R, S), (0, 3), "composition(0r1 1s3)"),
    (Inverse(R), (1, 0), "inverse(0r1)"),
    (Closure(R), (0, 3), "closure(0r1 1r2 2r3)"),
    (Closure(S), (1, 3), "closure(1s3)"),
    (Defined("hb", R), (0, 1), "hb:definition(0r1)"),
    (
        Recursive("t", (("t", Union(R, Compose(R, RecursionVariable("t")))),)),
        (0, 2),
        "t:recursion(union(composition(0r1 t:variable(union(1r2)))))",
    ),
    (
        Recursive(
            "even",
            (
                ("even", Compose(R, RecursionVariable("odd"))),
                ("odd", Union(R, Compose(R, RecursionVariable("even")))),
            ),
        ),
        (0, 2),
        "even:recursion(composition(0r1 odd:variable(union(1r2))))",
    ),
]
NOT_IN: list[tuple[Term, tuple[int, int]]] = [
    (A, (2, 2)),
    (A, (0, 1)),
    (Nothing(), (0, 0)),
    (Empty(), (0, 1)),
    (SetDifference(A, B), (1, 1)),
    (Identity(A), (0, 1)),
    (Difference(R, S), (0, 1)),
    (Closure(R), (3, 0)),
    (Recursive("t", (("t", RecursionVariable("t")),)), (0, 1)),
]


def outline(derivation: Derivation) -> str:
    if derivation.how is How.BASE:
        return derivation.name if derivation.is_of_set else f"{derivation.first}{derivation.name}{derivation.last}"
    if derivation.how is How.EVERYTHING:
        return "_"
    if derivation.how is How.ABSENT:
        return f"not {derivation.name}"
    named = derivation.how in {How.DEFINITION, How.RECURSION, How.VARIABLE}
    parts = " ".join(map(outline, derivation.parts))
    return f"{derivation.name + ':' if named else ''}{derivation.how.value}({parts})"


def nodes(derivation: Derivation) -> Iterator[Derivation]:
    yield derivation
    for part in derivation.parts:
        yield from nodes(part)


@pytest.mark.parametrize(("term", "pair", "expected"), CASES, ids=lambda value: str(value)[:40])
def test_each_operator_has_its_reason(term: Term, pair: tuple[int, int], expected: str) -> None:
    derivation = why(term, *pair, CHAIN)

    assert derivation is not None
    assert outline(derivation) == expected
    assert (derivation.term, derivation.first, derivation.last) == (term, *pair)
    assert holds(derivation, CHAIN)


@pytest.mark.parametrize(("term", "pair"), NOT_IN)
def test_there_is_no_reason_for_what_is_not_so(term: Term, pair: tuple[int, int]) -> None:
    assert why(term, *pair, CHAIN) is None


def test_rules_and_words_come_from_the_model() -> None:
    named = Defined("hb", Closure(R))

    derivation = why(Compose(named, R), 0, 3, CHAIN, {named: Mark(("HB-1",), "{a} is before {b}")})

    assert derivation is not None
    assert derivation.all_rules() == ("HB-1",)
    assert derivation.parts[0].phrase == "{a} is before {b}"


@pytest.mark.parametrize(("term", "pair", "expected"), CASES, ids=lambda value: str(value)[:40])
def test_a_derivation_of_something_else_is_refused(term: Term, pair: tuple[int, int], expected: str) -> None:
    del expected
    derivation = why(term, *pair, CHAIN)
    assert derivation is not None
    for event in range(SIZE):
        if event != derivation.last and derivation.parts:
            assert not holds(replace(derivation, last=event), CHAIN)
    for how in How:
        if how is not derivation.how:
            assert not holds(replace(derivation, how=how), CHAIN)
    if derivation.parts:
        assert not holds(replace(derivation, parts=derivation.parts[1:]), CHAIN)
        assert not holds(replace(derivation, parts=(*derivation.parts, derivation.parts[0])), CHAIN)


def test_an_edge_that_is_not_there_is_refused() -> None:
    derivation = why(Closure(R), 0, 3, CHAIN)
    assert derivation is not None

    assert not holds(derivation, structure({(0, 1), (1, 2)}))


def test_gaps_count_only_where_they_are_allowed_and_real() -> None:
    missing = Derivation(Base("r"), 3, 0, How.MISSING)
    whole = Derivation(Compose(R, R), 2, 0, How.COMPOSITION, (why(R, 2, 3, CHAIN), missing))

    assert holds(whole, CHAIN, with_gaps=True)
    assert not holds(whole, CHAIN)
    assert not holds(replace(missing, first=0, last=1), CHAIN, with_gaps=True)


# --- random terms -----------------------------------------------------------------------------------------------------

PAIRS = st.sets(st.tuples(st.integers(0, SIZE - 1), st.integers(0, SIZE - 1)), max_size=8)
LEAVES = st.sampled_from((R, S, Empty(), Identity(A), Product(A, B)))


def grown(inner: st.SearchStrategy[RelationTerm]) -> st.SearchStrategy[RelationTerm]:
    sets = st.one_of(
        st.sampled_from((A, B, Everything(), SetUnion(A, B), SetDifference(Everything(), A))),
        inner.map(Domain),
        inner.map(Range),
    )
    return st.one_of(
        *(st.builds(operator, inner, inner) for operator in (Union, Intersection, Difference, Compose)),
        inner.map(Inverse),
        inner.map(Closure),
        inner.map(lambda body: Defined("named", body)),
        inner.map(lambda body: Recursive("v", (("v", Union(body, Compose(RecursionVariable("v"), body))),))),
        sets.map(Identity),
        st.builds(Product, sets, sets),
    )


TERMS = st.recursive(LEAVES, grown, max_leaves=7)
MASKS = st.integers(0, (1 << SIZE) - 1)


@pytest.mark.slow
@settings(derandomize=True, max_examples=300, deadline=None)
@given(term=TERMS, r=PAIRS, s=PAIRS, a=MASKS, b=MASKS)
def test_what_holds_has_a_reason_and_nothing_else(
    term: RelationTerm, r: set[tuple[int, int]], s: set[tuple[int, int]], a: int, b: int
) -> None:
    values = structure(r, s, a, b)
    rows = Evaluator(values).relation(term)

    for first in range(SIZE):
        for last in range(SIZE):
            derivation = why(term, first, last, values)
            assert (derivation is not None) == bool(rows[first] >> last & 1)
            assert derivation is None or holds(derivation, values)
            assert derivation is None or all(
                isinstance(leaf.term, SetTerm | Base) or leaf.how is How.ABSENT for leaf in derivation.leaves()
            )


@settings(derandomize=True, max_examples=100, deadline=None)
@given(r=PAIRS)
def test_paths_are_as_short_as_those_of_a_graph_library(r: set[tuple[int, int]]) -> None:
    rows = structure(r).relations["r"]
    graph = nx.DiGraph(sorted(r))

    for first in range(SIZE):
        for last in range(SIZE):
            path = shortest_path(rows, first, last)
            assert all(edge in r for edge in path)
            if first != last and first in graph and last in graph and nx.has_path(graph, first, last):
                assert len(path) == nx.shortest_path_length(graph, first, last)
            elif first != last:
                assert path == ()
    girths = [len(cycle) for cycle in nx.simple_cycles(graph)]
    assert len(shortest_cycle(rows)) == min(girths, default=0)
