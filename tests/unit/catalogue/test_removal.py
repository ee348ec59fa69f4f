"""Models without some of their rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcm.catalogue.registry import get, names
from mcm.catalogue.rules import rules, without
from mcm.relation.show import show
from mcm.relation.term import DefinedSet, Empty, Nothing

if TYPE_CHECKING:
    from mcm.cat.model import Model


def meaning(model: Model) -> tuple[object, ...]:
    tests = (*model.checks, *model.flags)
    return (tuple((t.name, t.term) for t in tests), model.linearisations)


def term_of(model: Model, name: str) -> object:
    return next(d.term for d in model.definitions if d.name == name)


def test_a_check_is_dropped() -> None:
    before = [check.name for check in get("opencl-3.0").checks]
    after = [check.name for check in without(get("opencl-3.0"), ["COH-RR"]).checks]
    assert after == [name for name in before if name != "read-read-coherence"]


def test_a_flag_is_dropped_by_any_of_its_rules() -> None:
    for identifier in ("DR-1", "DR-6"):
        assert "data_race" not in {flag.name for flag in without(get("c11"), [identifier]).flags}


def test_a_definition_becomes_empty_everywhere() -> None:
    model = without(get("opencl-3.0"), ["SW-G-2"])
    assert term_of(model, "sw-g-2") is Empty()
    assert term_of(without(get("opencl-3.0"), ["SCOPE-8"]), "narrowed-to-WG") is Nothing()
    assert meaning(model) != meaning(get("opencl-3.0"))


def test_a_definition_becomes_what_it_says() -> None:
    model = without(get("opencl-3.0"), ["RS-4"])
    assert show(term_of(model, "hypothetical-rs")) == "[W]"
    assert term_of(without(get("opencl-3.0"), ["HB-G"]), "ghb") is not term_of(get("opencl-3.0"), "ghb")


def test_linearisations_are_changed_too() -> None:
    (order,) = without(get("opencl-3.0"), ["SC-0"]).linearisations
    assert order.events is DefinedSet("ordered-by-S", Nothing())


def test_several_rules_at_once_are_as_one_after_the_other() -> None:
    model = get("opencl-3.0")
    both = without(model, ["SCOPE-6", "RS-1", "HB-SEP"])
    assert meaning(both) == meaning(without(without(without(model, ["HB-SEP"]), ["SCOPE-6"]), ["RS-1"]))


def test_unknown_rules_change_nothing() -> None:
    assert without(get("rc11"), ["BAR-DIV", "X-1"]) == get("rc11")


@pytest.mark.parametrize("name", names())
def test_every_removable_rule_changes_the_model_and_no_other_does(name: str) -> None:
    model = get(name)
    for entry in rules(model):
        changed = meaning(without(model, entry.rule.identifiers)) != meaning(model)
        assert changed == entry.removable or entry.name == "rs-own", (name, entry.name)
