"""Walking through terms."""

from __future__ import annotations

from typing import get_args

from hypothesis import given, settings
from random_terms import relation_terms

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
    RelationTerm,
    SetDifference,
    SetIntersection,
    SetTerm,
    SetUnion,
    Term,
    Union,
    children,
    map_children,
)

po, rf = Base("po"), Base("rf")
R, W = BaseSet("R"), BaseSet("W")

# One term of every class, with its children.
EXAMPLES: dict[Term, tuple[Term, ...]] = {
    R: (),
    Everything(): (),
    Nothing(): (),
    SetUnion(R, W): (R, W),
    SetIntersection(R, W): (R, W),
    SetDifference(R, W): (R, W),
    Domain(rf): (rf,),
    Range(rf): (rf,),
    DefinedSet("reads", R): (R,),
    po: (),
    Empty(): (),
    Identity(R): (R,),
    Product(R, W): (R, W),
    Union(po, rf): (po, rf),
    Intersection(po, rf): (po, rf),
    Difference(po, rf): (po, rf),
    Compose(po, rf): (po, rf),
    Inverse(po): (po,),
    Closure(po): (po,),
    Defined("step", po): (po,),
    RecursionVariable("x"): (),
    Recursive("x", (("x", Union(po, RecursionVariable("y"))), ("y", rf))): (Union(po, RecursionVariable("y")), rf),
}


def test_every_class_has_an_example() -> None:
    assert {type(term) for term in EXAMPLES} == {*get_args(SetTerm), *get_args(RelationTerm)}


def test_children_are_the_direct_parts_in_order() -> None:
    assert {term: children(term) for term in EXAMPLES} == EXAMPLES


def test_map_gives_each_child_to_the_function_of_its_kind() -> None:
    # given: sets become the reads, relations become their inverses
    for term, parts in EXAMPLES.items():
        # when
        changed = map_children(term, lambda _: BaseSet("new"), Inverse)
        # then
        assert type(changed) is type(term)
        assert children(changed) == tuple(
            BaseSet("new") if isinstance(part, SetTerm) else Inverse(part) for part in parts
        )


@settings(max_examples=100, derandomize=True, deadline=None)
@given(relation_terms(4))
def test_map_with_the_identity_changes_nothing(term: RelationTerm) -> None:
    assert map_children(term, lambda part: part, lambda part: part) is term
