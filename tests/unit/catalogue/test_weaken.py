"""Models with some rules only: taking one away never forbids anything."""

from __future__ import annotations

import pytest

from mcm.catalogue import registry
from mcm.catalogue.weaken import _weakenings, is_nothing, removable_rules, replacement_of, weakened, with_only
from mcm.relation.show import show
from mcm.relation.term import Base, Defined, Difference


def test_a_rule_is_taken_away_where_that_forbids_less() -> None:
    model = weakened(registry.get("opencl-3.0"), ["INIT-1"])
    (check,) = (check for check in model.checks if check.name == "visible-side-effect")

    assert isinstance(check.term, Difference)
    kept = check.term.right
    assert isinstance(kept, Defined)
    assert isinstance(kept.body, Difference)
    # What is visible still knows initial writes; what hides does not.
    assert "initial-g" in names_in(kept.body.left)
    assert "initial-g" not in names_in(kept.body.right)


def names_in(term: Base) -> set[str]:
    from mcm.relation.term import children  # noqa: PLC0415

    found, waiting = set(), [term]
    while waiting:
        inner = waiting.pop()
        found |= {inner.name} if isinstance(inner, Defined) else set()
        waiting += children(inner)
    return found


@pytest.mark.parametrize("name", registry.names())
def test_without_any_rule_hardly_anything_is_forbidden(name: str) -> None:
    model = registry.get(name)
    rules = removable_rules(model)

    bare = with_only(model, ())

    assert [check.name for check in bare.checks if not is_nothing(check.term)] == []
    assert with_only(model, rules) == weakened(model, ())
    assert {show(check.term) for check in with_only(model, rules).checks} <= {
        show(check.term) for check in model.checks
    }


def test_what_was_made_without_other_rules_changes_nothing() -> None:
    name = "opencl-3.0"
    rules = ("SB-1", "SW-G-1", "HB-G", "VIS-1")
    apart = []
    for rule in rules:
        _weakenings.cache_clear()
        apart.append(with_only(registry.get(name), set(rules) - {rule}))

    _weakenings.cache_clear()
    together = [with_only(registry.get(name), set(rules) - {rule}) for rule in rules]

    assert together == apart


def test_what_is_more_without_a_rule_stays_where_more_forbids_more() -> None:
    model = registry.get("opencl-3.0")
    (local,) = (d for d in model.definitions if d.name == "hb-local")

    replacement = replacement_of(local)

    # Without DR-7 more than local happens-before orders the accesses of local memory.
    assert replacement.less is None
    assert replacement.more is local.without
