from __future__ import annotations

import pytest
from smt_inputs import LB_DATA, MP, SB, counters, query

from mcm.answer.query import Limits
from mcm.catalogue import registry
from mcm.catalogue.registry import get
from mcm.engine.smt.budget import UndecidedError
from mcm.engine.smt.decide import decide
from mcm.engine.smt.unsat_core import forbidding_rules

# What is read has to be 42, which is no constant of the program.
FORTY_TWO = """C forty-two
{ x = 0; y = 0; }
P0 (atomic_int* x, atomic_int* y) {
  int r0 = atomic_load_explicit(x, memory_order_relaxed);
  int ok = r0 - 2 == 40;
  atomic_store_explicit(y, r0, memory_order_relaxed);
}
P1 (atomic_int* x, atomic_int* y) {
  int r0 = atomic_load_explicit(y, memory_order_relaxed);
  atomic_store_explicit(x, r0, memory_order_relaxed);
}
exists (0:ok=1)
"""

CASES = [
    (SB, "rc11"),
    (SB, "sc"),
    (MP, "c11"),
    (MP, "rc11"),
    (LB_DATA, "rc11"),
    (FORTY_TWO, "rc11"),
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
def test_the_rules_forbid_it_and_none_is_superfluous(text: str, model: str) -> None:
    forbidding = forbidding_rules(query(text, model))
    assert forbidding
    assert decide(query(text, only(model, *forbidding))).reachable is False
    for name in forbidding:
        assert decide(query(text, only(model, *(other for other in forbidding if other != name)))).reachable is True


def test_what_can_be_reached_is_forbidden_by_no_rule() -> None:
    assert forbidding_rules(query(LB_DATA, "c11")) is None


def test_thin_air_is_forbidden_by_the_rule_against_it() -> None:
    assert forbidding_rules(query(LB_DATA, "rc11")) == ("no-thin-air",)


def test_thin_air_is_no_matter_of_the_constants_that_a_program_has() -> None:
    assert forbidding_rules(query(FORTY_TWO, "c11")) is None
    assert forbidding_rules(query(FORTY_TWO, "rc11")) == ("no-thin-air",)
    assert forbidding_rules(query(FORTY_TWO.replace("ok=1", "ok=2"), "rc11")) == ()


def test_values_alone_can_make_it_unreachable() -> None:
    assert forbidding_rules(query(SB.replace("0:r0=0", "0:r0=7"), "c11")) == ()


def test_the_names_are_those_of_the_model() -> None:
    forbidding = forbidding_rules(query(SB, "c11"))
    model = registry.get("c11")
    assert forbidding is not None
    assert set(forbidding) <= {each.name for each in (*model.checks, *model.linearisations)}


def test_a_limit_that_does_not_suffice_is_an_error() -> None:
    with pytest.raises(UndecidedError, match="timeout"):
        forbidding_rules(query(SB, "c11", limits=Limits(seconds=0)))
