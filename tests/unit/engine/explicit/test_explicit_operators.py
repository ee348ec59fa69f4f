"""Every operator over bounds is sound: its bounds contain its value, and it narrows and traces nothing wrong."""

from __future__ import annotations

import inspect

import pytest
from operator_laws import SIZE, Kind, Law, check

from mcm.engine.explicit import operators
from mcm.engine.explicit.operators import Operator

Pairs = frozenset[tuple[int, int]]
Events = frozenset[int]
SET, RELATION = Kind.SET, Kind.RELATION


def composed(one: Pairs, other: Pairs) -> Pairs:
    return frozenset((a, c) for a, b in one for d, c in other if b == d)


def closed(body: Pairs) -> Pairs:
    closure = body
    for _ in range(SIZE):
        closure |= composed(closure, body)
    return closure


LAWS = [
    Law(operators.Union, (RELATION, RELATION), RELATION, lambda r, s: r | s),
    Law(operators.Union, (SET, SET), SET, lambda x, y: x | y),
    Law(operators.Intersection, (RELATION, RELATION), RELATION, lambda r, s: r & s),
    Law(operators.Difference, (RELATION, RELATION), RELATION, lambda r, s: r - s),
    Law(operators.Composition, (RELATION, RELATION), RELATION, composed),
    Law(operators.Inverse, (RELATION,), RELATION, lambda r: frozenset((b, a) for a, b in r)),
    Law(operators.Closure, (RELATION,), RELATION, closed),
    Law(operators.DomainRestriction, (RELATION, SET), RELATION, lambda r, x: frozenset(p for p in r if p[0] in x)),
    Law(operators.RangeRestriction, (RELATION, SET), RELATION, lambda r, x: frozenset(p for p in r if p[1] in x)),
    Law(operators.Product, (SET, SET), RELATION, lambda x, y: frozenset((a, b) for a in x for b in y)),
    Law(operators.Identity, (SET,), RELATION, lambda x: frozenset((a, a) for a in x)),
    Law(operators.Domain, (RELATION,), SET, lambda r: frozenset(a for a, _ in r)),
    Law(operators.Range, (RELATION,), SET, lambda r: frozenset(b for _, b in r)),
]


def test_every_operator_has_a_law() -> None:
    concrete = {
        found
        for _, found in inspect.getmembers(operators, inspect.isclass)
        if issubclass(found, Operator) and not inspect.isabstract(found)
    }
    assert {law.operator for law in LAWS} == concrete


@pytest.mark.parametrize("law", LAWS, ids=lambda law: f"{law.operator.__name__}-{law.result.name.lower()}")
def test_operator(law: Law) -> None:
    check(law)
