"""Models without what is empty in a program say the same of it, without some of their rules too."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from mcm import Source, load_model, parse
from mcm.catalogue import registry
from mcm.catalogue.empty_parts import empty_in, without_empty
from mcm.catalogue.rules import without
from mcm.catalogue.weaken import removable_rules, weakened
from mcm.engine.choose import EngineName
from mcm.execution.elaborate import elaborate
from mcm.explain.witness_search import WitnessSearch, goal_of
from mcm.queries import Options, query_for, skeletons_for
from mcm.relation.term import Empty

LITMUS = Path(__file__).parents[3] / "litmus"


def search_of(path: str) -> WitnessSearch:
    test = parse(Source(path, (LITMUS / path).read_text(encoding="utf-8")))
    chosen = load_model(test.header.dialect.default_model)
    skeletons = skeletons_for(chosen.model, lambda **how: elaborate(test.program, 2, limit=2000, **how))
    query = query_for(test, chosen, Options(), skeletons)
    return WitnessSearch(replace(query, proposition=goal_of(test.program.condition)), EngineName.EXPLICIT)


@pytest.mark.parametrize("path", ["c11/MP+rel+acq.litmus", "c11/CoRR.litmus", "opencl/spec/SCOPE-6.litmus"])
def test_rules_forbid_what_they_forbid(path: str) -> None:
    search = search_of(path)
    model = replace(search.query.model, flags=())
    less = without_empty(model, empty_in(search.query.skeletons))

    assert len(less.definitions) < len(model.definitions)
    for rule in [
        rule for rule in removable_rules(model) if rule in {"SCOPE-2", "SCOPE-6", "SW-G-1", "INIT-1", "HB", "RS-1"}
    ]:
        for removed in (weakened, without):
            whole, part = (search.find(removed(one, (rule,))) is None for one in (model, less))
            assert whole == part, (rule, removed)


def test_what_is_empty_goes_unless_it_is_not_without_its_rule() -> None:
    less = without_empty(registry.get("opencl-3.0"), frozenset({"SG", "WG", "DV", "ALL", "F"}))

    kept = {definition.name: definition.term for definition in less.definitions}

    assert "sw-g-2" not in kept
    # Without SCOPE-6 any two scopes agree.
    assert kept["scopes-agree(SG, WG, DV, ALL)"] is Empty()


def test_only_the_names_that_are_empty_in_all_skeletons_count() -> None:
    (one,) = search_of("c11/MP+rel+acq.litmus").query.skeletons
    (other,) = search_of("opencl/patterns/MP.fences.litmus").query.skeletons

    assert "F" in empty_in([one])
    assert "F" not in empty_in([one, other])
    assert empty_in([]) == frozenset()
    assert "rf" not in empty_in([one])
