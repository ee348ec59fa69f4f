"""Which terms can be seen to be contained in others."""

from __future__ import annotations

import pytest

from mcm.relation.containment import is_within
from mcm.relation.term import (
    Base,
    BaseSet,
    Closure,
    Defined,
    Difference,
    Empty,
    Everything,
    Intersection,
    Product,
    SetUnion,
    Union,
)

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
        (Closure(A), Closure(NAMED), True),
        (Defined("closed", Closure(A)), Closure(Union(B, A)), True),
        (Closure(C), Closure(NAMED), False),
        (Closure(NAMED), Closure(A), False),
        (Intersection(Closure(A), C), Intersection(Closure(NAMED), C), True),
        (Intersection(Closure(NAMED), C), Intersection(Closure(A), C), False),
        (SetUnion(BaseSet("R"), BaseSet("W")), SetUnion(BaseSet("W"), BaseSet("R")), True),
    ],
)
def test_what_can_be_seen_to_be_contained(one: Base, other: Base, expected: bool) -> None:
    assert is_within(one, other) is expected
