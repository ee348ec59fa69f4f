from __future__ import annotations

from mcm.base.source import Source, Span
from mcm.cat.model import Check, Model, Shape
from mcm.engine.smt.wellfounded import AcyclicTerms
from mcm.relation.term import (
    Base,
    Closure,
    Compose,
    Defined,
    Difference,
    Everything,
    Identity,
    Intersection,
    Union,
)

SPAN = Span(Source("model.cat", ""), 0, 0)
po, rf, mo, loc = (Base(name) for name in ("po", "rf", "mo", "loc"))


def acyclic_in(term: object, *, shape: Shape = Shape.ACYCLIC, negated: bool = False) -> AcyclicTerms:
    return AcyclicTerms(Model("m", "m", (), (), (Check("c", shape, negated, term, None, SPAN),), ()))


def test_parts_of_what_is_acyclic_are_acyclic() -> None:
    known = acyclic_in(Defined("hb", Union(po, Union(rf, mo))))
    assert known(po)
    assert known(Union(rf, po))
    assert known(Intersection(rf, loc))
    assert known(Difference(mo, loc))
    assert known(Closure(Union(po, mo)))
    assert not known(loc)
    assert not known(Union(po, loc))
    assert not known(Compose(po, rf))


def test_an_irreflexive_closure_has_an_acyclic_base() -> None:
    assert acyclic_in(Closure(po), shape=Shape.IRREFLEXIVE)(po)
    assert acyclic_in(Union(rf, Defined("hb", Closure(po))), shape=Shape.IRREFLEXIVE)(po)
    maybe = Union(mo, Identity(Everything()))
    assert acyclic_in(Compose(Closure(po), maybe), shape=Shape.IRREFLEXIVE)(po)
    assert acyclic_in(Compose(maybe, Closure(po)), shape=Shape.IRREFLEXIVE)(po)
    assert not acyclic_in(Compose(Closure(po), mo), shape=Shape.IRREFLEXIVE)(po)
    assert not acyclic_in(po, shape=Shape.IRREFLEXIVE)(po)


def test_other_checks_say_nothing() -> None:
    assert not acyclic_in(po, negated=True)(po)
    assert not acyclic_in(po, shape=Shape.EMPTY)(po)
