"""Replacing definitions."""

from __future__ import annotations

from hypothesis import given, settings
from random_terms import relation_terms

from mcm.relation.occurrence import depth, free_variables, variables_in_sets
from mcm.relation.rewrite import Rewriter
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
    Identity,
    Nothing,
    RecursionVariable,
    Recursive,
    RelationTerm,
    Union,
)

po, rf = Base("po"), Base("rf")
R = BaseSet("R")


@settings(max_examples=100, derandomize=True, deadline=None)
@given(relation_terms(4))
def test_nothing_to_replace_changes_nothing(term: RelationTerm) -> None:
    assert Rewriter({}, {}).relation(term) is term


def test_definitions_are_replaced_everywhere_and_keep_their_names() -> None:
    step, reads = Defined("step", po), DefinedSet("reads", R)
    loop = Defined("loop", Closure(Union(step, Identity(reads))))
    rewriter = Rewriter({reads: Nothing()}, {step: Union(rf, po)})
    changed = rewriter.relation(Difference(Compose(loop, step), Identity(Domain(loop))).left)
    new_step = Defined("step", Union(rf, po))
    new_loop = Defined("loop", Closure(Union(new_step, Identity(DefinedSet("reads", Nothing())))))
    assert changed is Compose(new_loop, new_step)


def test_replacements_are_rewritten_too() -> None:
    inner = Defined("inner", po)
    outer = Defined("outer", Compose(inner, rf))
    changed = Rewriter({}, {inner: Empty(), outer: inner}).relation(outer)
    assert changed is Defined("outer", Defined("inner", Empty()))


def test_of_definitions_with_one_name_only_the_given_one_is_replaced() -> None:
    first, second = Defined("a", po), Defined("a", rf)
    assert Rewriter({}, {first: Empty()}).relation(Union(first, second)) is Union(Defined("a", Empty()), second)


def test_rewriting_reaches_into_recursion() -> None:
    step = Defined("step", po)
    loop = Recursive("x", (("x", Union(step, RecursionVariable("x"))),))
    changed = Rewriter({}, {step: rf}).relation(loop)
    assert changed is Recursive("x", (("x", Union(Defined("step", rf), RecursionVariable("x"))),))


def test_variables() -> None:
    x, y = RecursionVariable("x"), RecursionVariable("y")
    bound = Recursive("x", (("x", Union(po, Compose(x, y))),))
    assert free_variables(bound) == {"y"}
    assert free_variables(Union(x, bound)) == {"x", "y"}
    assert variables_in_sets(Compose(x, Identity(Domain(y)))) == {"y"}
    assert variables_in_sets(Recursive("x", (("x", Identity(Domain(x))),))) == frozenset()


def test_depth_counts_what_definitions_stand_for() -> None:
    assert depth(po, {}) == 1
    assert depth(Defined("a", Compose(po, Closure(rf))), {}) == 4
