"""Models with some rules only: taking one away never forbids anything."""

from __future__ import annotations

import pytest

from mcm.catalogue import registry
from mcm.catalogue.weaken import is_nothing, is_within, removable_rules, weakened, with_only
from mcm.relation.show import show
from mcm.relation.term import Base, Closure, Defined, Difference, Empty, Everything, Intersection, Product, Union

A, B, C = Base("a"), Base("b"), Base("c")
NAMED = Defined("named", Union(A, B))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (A, A, True),
        (A, B, False),
        (Empty(), A, True),
        (A, Product(Everything(), Everything()), True),
        (A, Union(B, A), True),
        (Union(A, B), Union(B, Union(C, A)), True),
        (Union(A, C), NAMED, False),
        (A, NAMED, True),
        (Intersection(C, A), NAMED, True),
        (Difference(A, C), NAMED, True),
        (NAMED, Closure(NAMED), True),
        (Closure(NAMED), NAMED, False),
        (A, Intersection(NAMED, Union(A, C)), True),
    ],
)
def test_what_can_be_seen_to_be_contained(one: Base, other: Base, expected: bool) -> None:
    assert is_within(one, other) is expected


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
