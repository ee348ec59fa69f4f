"""The functional part of cat: evaluated when a model is loaded, so that terms are all that is left."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcm.relation.show import show
from mcm.relation.term import Defined, RelationTerm, map_children

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.base.diagnostic import Diagnostic
    from mcm.cat.model import Model

    Load = Callable[..., Model]


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("let a = po and b = rf in a ; b", "po ; rf"),
        ("let a = po in let a = a ; rf in a | a", "po ; rf | po ; rf"),
        ("let a = po in (let b = a in b) ; a", "po ; po"),
        ("let f = fun r -> r ; r in f po", "po ; po"),
        ("let twice f = fun r -> f (f r) in twice (fun r -> r ; rf) po", "po ; rf ; rf"),
        ("let (a, b) = (po, rf) in b ; a", "rf ; po"),
        ("let pair = (po, rf) in let join(a, b) = a ; b in join pair", "po ; rf"),
        ("let first (a, _) = a in first (po, rf)", "po"),
        ("let rec r = po | r ; r in r | rf", "r | rf"),
        ("try nowhere with po", "po"),
        ("try po with rf", "po"),
        ("try toid(po) with po", "po"),
        ("try (try nowhere with elsewhere) with rf", "rf"),
        ('if "some-variant" then nowhere else po', "po"),
        ("match 0 with {} -> po || e ++ S -> rf end", "po"),
        ("toid R ; po", "[R] ; po"),
        ("domain rf * range po", "domain(rf) * range(po)"),
        ("R^2 & po", "R * R & po"),
        ("po^-1+ ^-1", "po^-1+^-1"),
        ("(R & W)^2", "(R & W) * (R & W)"),
        ("po* & rf", "po* & rf"),
        ("emptyset & po | po", "po"),
        ("po \\ emptyset", "po"),
    ],
)
def test_value(body: str, text: str, model: Load) -> None:
    loaded = model(f"let x = {body}\nacyclic x")

    assert show(_without_names(loaded.definitions[0].term)) == text


def _without_names(term: RelationTerm) -> RelationTerm:
    if isinstance(term, Defined):
        return _without_names(term.body)
    return map_children(term, lambda events: events, _without_names)


@pytest.mark.parametrize(
    "text",
    [
        # What is used twice by what is used twice, and so on.
        "let x = let a = po in " + "let a = a ; a in " * 80 + "a let y = toid(domain(x))",
        "let f = fun a -> a ; a let x = " + "f(" * 40 + "po" + ")" * 40 + " let y = f(x)",
    ],
)
def test_sharing_costs_nothing(text: str, model: Load) -> None:
    assert len(model(text + " acyclic x").checks) == 1


@pytest.mark.parametrize(
    "text",
    ["let cross = " + "(" * 500 + "po" + "+)" * 500, 'if "a" else ' * 500 + "acyclic po " + "end " * 500],
)
def test_depth_ends_in_a_complaint(text: str, complaints: Callable[..., tuple[Diagnostic, ...]]) -> None:
    assert [complaint.code for complaint in complaints(text)] == ["E312"]


def test_comments_to_the_end_of_the_line(model: Load) -> None:
    loaded = model('# a title\n"m" #ppo\nlet x = po # ; rf\n#acyclic rf\nacyclic x // | rf')

    assert (loaded.title, [show(check.term) for check in loaded.checks]) == ("m", ["x"])


def test_procedures_state_checks_of_their_arguments(model: Load) -> None:
    loaded = model(
        "procedure inclusion(r, s) = let both = r \\ s empty both end\n"
        "procedure total(r, E) = call inclusion((E * E), r | r^-1) end\n"
        "let both = rf call inclusion(rf, po) as one call total(po, W)\nacyclic both as two"
    )

    assert [(check.name, show(check.term)) for check in loaded.checks] == [
        ("one", "both"),
        ("empty", "both"),
        ("two", "both"),
    ]
    bodies = [show(check.term.body) for check in loaded.checks]  # type: ignore[union-attr]
    assert bodies == ["rf \\ po", "W * W \\ (po | po^-1)", "rf"]


def test_statements_of_a_variant_are_not_read(model: Load) -> None:
    loaded = model('if "cos-opt" include "absent.cat" else acyclic po as kept end if "other" acyclic rf end')

    assert [check.name for check in loaded.checks] == ["kept"]


def test_options_behind_the_title(model: Load) -> None:
    loaded = model('"m" withinit withsc withco\nirreflexive S ; rf')

    (order,) = loaded.linearisations
    assert (order.name, show(order.events), show(order.order)) == ("S", "SC", "0")


def test_without_an_option_there_is_no_s(complaints: Callable[..., tuple[object, ...]]) -> None:
    assert len(complaints('"m" withoutsc\nirreflexive S ; rf')) == 1


def test_undefined_unless_makes_undefined(model: Load) -> None:
    loaded = model("undefined_unless empty po as Dr\nflag ~empty rf as seen")

    assert [(flag.name, flag.negated, flag.undefined) for flag in loaded.flags] == [
        ("Dr", True, True),
        ("seen", True, False),
    ]


def test_a_model_that_only_shows_is_a_model(model: Load) -> None:
    assert model("show po, rf as source").checks == ()


def test_recursive_functions_end_in_a_complaint(complaints: Callable[..., tuple[object, ...]]) -> None:
    assert len(complaints("let rec f x = f (x ; po)\nacyclic f(po)")) == 1
