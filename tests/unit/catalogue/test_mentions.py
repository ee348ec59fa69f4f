"""Which definitions terms mention."""

from __future__ import annotations

from mcm.catalogue import registry
from mcm.catalogue.mentions import Mentions, named
from mcm.catalogue.rules import without
from mcm.relation.term import Base, Union


def test_a_term_mentions_its_definitions_and_theirs() -> None:
    mentions = Mentions(registry.get("c11"))
    by_name = {definition.name: definition for definition in mentions.definitions}
    inner, outer = by_name["rs"], by_name["hb"]

    own = mentions.own_mask(named(inner))

    assert own.bit_count() == 1
    assert mentions.mask(named(outer)) & own
    assert not mentions.mask(named(inner)) & mentions.own_mask(named(outer))
    assert mentions.mask(Union(Base("po"), Base("rf"))) == 0
    assert mentions.definition(named(outer)) is outer


def test_what_does_not_mention_a_rule_stays_as_it_is() -> None:
    model = registry.get("opencl-3.0")
    less = without(model, ["SW-G-2"])
    kept = {definition.name: definition for definition in less.definitions}

    changed = [d.name for d in model.definitions if kept[d.name] is not d]

    assert "sw-g-2" in changed
    assert "gsw" in changed
    assert "sw-l-1" not in changed
