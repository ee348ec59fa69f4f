"""Terms as text, and the text read back."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from random_terms import relation_terms

from mcm.base.source import Source
from mcm.cat.load import load
from mcm.cat.scope import Vocabulary
from mcm.relation.show import show
from mcm.relation.term import (
    Base,
    BaseSet,
    Closure,
    Compose,
    Defined,
    DefinedSet,
    Difference,
    Everything,
    Identity,
    Intersection,
    Inverse,
    Product,
    RecursionVariable,
    Recursive,
    RelationTerm,
    SetDifference,
    SetUnion,
    Union,
)

po, rf, mo = (Base(name) for name in ("po", "rf", "mo"))
R, W = BaseSet("R"), BaseSet("W")
_ = Everything()


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (Union(Union(po, rf), mo), "po | rf | mo"),
        (Union(po, Union(rf, mo)), "po | (rf | mo)"),
        (Compose(Union(po, rf), mo), "(po | rf) ; mo"),
        (Intersection(po, Product(R, W)), "po & R * W"),
        (Difference(po, Difference(rf, mo)), "po \\ (rf \\ mo)"),
        (Difference(Product(_, _), Compose(po, rf)), "~(po ; rf)"),
        (Closure(Difference(Product(_, _), po)), "(~po)+"),
        (Inverse(Closure(po)), "po+^-1"),
        (Union(Closure(po), Identity(_)), "po*"),
        (Identity(SetUnion(R, SetDifference(_, W))), "[R | ~W]"),
        (Identity(_), "id"),
        (Defined("hb", Compose(po, rf)), "hb"),
        (Identity(DefinedSet("sync", R)), "[sync]"),
        (Compose(Recursive("a", (("a", Union(po, RecursionVariable("a"))),)), rf), "a ; rf"),
    ],
)
def test_text(term: RelationTerm, text: str) -> None:
    assert show(term) == text


VOCABULARY = Vocabulary(frozenset({"R", "W", "F"}), frozenset({"po", "rf", "mo"}), {})
PRELUDE = Source("stdlib.cat", "let id = [_]")


@settings(max_examples=150, derandomize=True, deadline=None)
@given(relation_terms(4))
def test_text_reads_back_as_the_term(term: RelationTerm) -> None:
    # The loader folds `0` away, so an empty relation is hidden behind a name here.
    text = show(term).replace("0", "empty-relation")
    prelude = Source("stdlib.cat", f"{PRELUDE.text}\nlet empty-relation = po & 0")
    model = load(Source("m.cat", f"empty ({text}) as c"), "m", lambda _name: None, VOCABULARY, prelude)
    assert show(model.checks[0].term) == show(term)
    if "0" not in show(term):
        assert model.checks[0].term is term
