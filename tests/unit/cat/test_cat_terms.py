"""What expressions of cat denote."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcm.cat.model import Shape
from mcm.relation.show import show
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
    RecursionVariable,
    Recursive,
    SetDifference,
    SetUnion,
    Term,
    Union,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.cat.model import Model

po, rf, mo, loc = (Base(name) for name in ("po", "rf", "mo", "loc"))
R, W = BaseSet("R"), BaseSet("W")
_ = Everything()
ID = Identity(_)

RELATIONS: dict[str, Term] = {
    "po | rf ; mo": Union(po, Compose(rf, mo)),
    "po ; rf \\ mo": Compose(po, Difference(rf, mo)),
    "po \\ rf & mo": Difference(po, Intersection(rf, mo)),
    "po & R * W": Intersection(po, Product(R, W)),
    "po \\ rf \\ mo": Difference(Difference(po, rf), mo),
    "po ; rf ; mo": Compose(Compose(po, rf), mo),
    "[R | W]": Identity(SetUnion(R, W)),
    "rf^-1": Inverse(rf),
    "rf?": Union(rf, ID),
    "rf+": Closure(rf),
    "rf*": Union(Closure(rf), ID),
    "rf^+": Closure(rf),
    "rf^* ; po": Compose(Union(Closure(rf), ID), po),
    "~rf": Difference(Product(_, _), rf),
    "!rf": Difference(Product(_, _), rf),
    "~po+": Difference(Product(_, _), Closure(po)),
    "_ * ~R": Product(_, SetDifference(_, R)),
    "R*W": Product(R, W),
    "rf* & po": Intersection(Union(Closure(rf), ID), po),
    "[domain(rf)]": Identity(Domain(rf)),
    "po \\ id": Difference(po, ID),
    "0 | po": po,
    "po & 0": Empty(),
    "po \\ 0": po,
    "[emptyset]": Identity(Nothing()),
    "[0]": Identity(Nothing()),
    "[{}]": Identity(Nothing()),
    "toid(R) ; co": Compose(Identity(R), mo),
    "emptyrel | rf": rf,
}


@pytest.mark.parametrize("text", RELATIONS)
def test_expression_denotes(text: str, model: Callable[..., Model]) -> None:
    (check,) = model(f"acyclic {text} as c").checks
    assert check.term is RELATIONS[text]


def test_star_before_the_next_statement_is_a_closure(model: Callable[..., Model]) -> None:
    loaded = model("let a = po*\nlet b = rf*\nacyclic a ; b*\n~empty b* as some\nirreflexive a*")
    assert [show(check.term) for check in loaded.checks] == ["a ; b*", "b*", "a*"]


def test_definitions_keep_their_names(model: Callable[..., Model]) -> None:
    loaded = model("let reads = R\nlet origin = [reads] ; po\nacyclic origin")
    reads = DefinedSet("reads", R)
    source = Compose(Identity(reads), po)
    assert [(d.name, d.term) for d in loaded.definitions] == [("reads", R), ("origin", source)]
    assert loaded.checks[0].term is Defined("origin", source)


def test_bindings_of_one_let_do_not_see_each_other(model: Callable[..., Model]) -> None:
    loaded = model("let a = po\nlet a = rf and b = a\nacyclic b")
    assert loaded.checks[0].term is Defined("b", Defined("a", po))


def test_later_definitions_hide_earlier_ones_and_standard_names(model: Callable[..., Model]) -> None:
    loaded = model("acyclic fr as standard\nlet fr = po\nacyclic fr as own")
    assert [show(c.term) for c in loaded.checks] == ["fr", "fr"]
    assert loaded.checks[0].term is not loaded.checks[1].term
    assert loaded.checks[1].term is Defined("fr", po)


def test_functions_are_expanded_where_they_were_written(model: Callable[..., Model]) -> None:
    loaded = model("let s = R\nlet on(r, t) = [s] ; r ; [t]\nlet s = W\nacyclic on(po, s)")
    (check,) = loaded.checks
    inner = Compose(Compose(Identity(DefinedSet("s", R)), po), Identity(DefinedSet("s", W)))
    assert check.term is Defined("on(po, s)", inner)
    assert [d.name for d in loaded.definitions] == ["s", "s"]


def test_functions_take_sets_and_relations_alike(model: Callable[..., Model]) -> None:
    loaded = model("let both(a, b) = a & b\nacyclic both(po, rf) ; [both(R, W)]")
    assert show(loaded.checks[0].term) == "both(po, rf) ; [both(R, W)]"


def test_recursion_is_a_least_solution(model: Callable[..., Model]) -> None:
    loaded = model("let rec a = po | (b ; a) and b = rf | a\nacyclic b")
    equations = (
        ("a", Union(po, Compose(RecursionVariable("b"), RecursionVariable("a")))),
        ("b", Union(rf, RecursionVariable("a"))),
    )
    assert loaded.checks[0].term is Defined("b", Recursive("b", equations))
    assert [d.name for d in loaded.definitions] == ["a", "b"]


def test_checks_and_flags(model: Callable[..., Model]) -> None:
    loaded = model(
        """Name of "the model"
        acyclic po as order
        ~irreflexive rf as odd
        empty R as none
        flag ~empty rf as seen
        flag empty rf as blind
        undefined_unless empty mo as Race
        undefined_unless ~empty mo as Calm
        acyclic po
        acyclic rf as order
        """
    )
    assert loaded.title == "the model"
    assert [(c.name, c.shape, c.negated) for c in loaded.checks] == [
        ("order", Shape.ACYCLIC, False),
        ("odd", Shape.IRREFLEXIVE, True),
        ("none", Shape.EMPTY, False),
        ("acyclic", Shape.ACYCLIC, False),
        ("order-2", Shape.ACYCLIC, False),
    ]
    assert [(f.name, f.negated) for f in loaded.flags] == [
        ("seen", True),
        ("blind", False),
        ("Race", True),
        ("Calm", False),
    ]


def test_linearisation(model: Callable[..., Model]) -> None:
    loaded = model("with S from linearisations(SC & (R | W), po | mo)\nirreflexive S ; rf")
    (order,) = loaded.linearisations
    assert (order.name, show(order.events), show(order.order)) == ("S", "SC & (R | W)", "po | mo")
    assert loaded.checks[0].term is Compose(Base("S"), rf)


@pytest.mark.parametrize("header", ["", '"a title"', "RC11", "C RC11", 'C "a title"'])
def test_header_is_optional(header: str, model: Callable[..., Model]) -> None:
    loaded = model(f"{header}\nacyclic po")
    assert loaded.title == (header.split('"')[1] if '"' in header else header)


def test_includes_share_definitions(model: Callable[..., Model]) -> None:
    loaded = model('include "part.cat"\ninclude "cos.cat"\nacyclic step', part="let step = po\nacyclic rf as inner")
    assert [c.name for c in loaded.checks] == ["inner", "acyclic"]
    assert loaded.checks[0].span.source.name == "part.cat"


def test_comments_of_all_kinds_and_show_are_passed_over(model: Callable[..., Model]) -> None:
    loaded = model(
        '(* one (* inside *) "two *)\nlet a = po // po | let\nshow a \\ id as x, rf\nunshow rf\nacyclic a (**)'
    )
    assert [d.name for d in loaded.definitions] == ["a"]
