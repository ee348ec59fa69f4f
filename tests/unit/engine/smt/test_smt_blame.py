from __future__ import annotations

import pytest
from smt_inputs import LB_DATA, MP, SB, counters, query

from mcm.answer.query import Limits
from mcm.engine.smt.blame import blame
from mcm.engine.smt.budget import UndecidedError
from mcm.engine.smt.decide import decide
from mcm.models import registry
from mcm.models.registry import get

CASES = [
    (SB, "rc11"),
    (SB, "sc"),
    (MP, "c11"),
    (MP, "rc11"),
    (LB_DATA, "rc11"),
    (counters(3), "c11"),
]


def without(model: str, *names: str) -> object:
    whole = get(model)
    kept = tuple(check for check in whole.checks if check.name not in names)
    orders = tuple(order for order in whole.linearisations if order.name not in names)
    return type(whole)(whole.name, whole.title, whole.definitions, orders, kept, whole.flags)


def only(model: str, *names: str) -> object:
    whole = get(model)
    others = {each.name for each in (*whole.checks, *whole.linearisations)} - set(names)
    return without(model, *others)


@pytest.mark.parametrize(("text", "model"), CASES)
def test_the_blamed_rules_forbid_it_and_none_is_superfluous(text: str, model: str) -> None:
    blamed = blame(query(text, model))
    assert blamed
    assert decide(query(text, only(model, *blamed))).reachable is False
    for name in blamed:
        assert decide(query(text, only(model, *(other for other in blamed if other != name)))).reachable is True


def test_what_can_be_reached_has_nobody_to_blame() -> None:
    assert blame(query(LB_DATA, "c11")) is None


def test_thin_air_is_forbidden_by_the_rule_against_it() -> None:
    assert blame(query(LB_DATA, "rc11")) == ("no-thin-air",)


def test_values_alone_can_be_to_blame() -> None:
    assert blame(query(SB.replace("0:r0=0", "0:r0=7"), "c11")) == ()


def test_the_names_are_those_of_the_model() -> None:
    blamed = blame(query(SB, "c11"))
    model = registry.get("c11")
    assert blamed is not None
    assert set(blamed) <= {each.name for each in (*model.checks, *model.linearisations)}


def test_a_limit_that_does_not_suffice_is_an_error() -> None:
    with pytest.raises(UndecidedError, match="timeout"):
        blame(query(SB, "c11", limits=Limits(seconds=0)))
