"""Which relations are symmetric, as far as their terms show."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, assert_never

from mcm.relation.term import (
    Base,
    Closure,
    Compose,
    Defined,
    Difference,
    Empty,
    Identity,
    Intersection,
    Inverse,
    Product,
    RecursionVariable,
    Recursive,
    Union,
)

if TYPE_CHECKING:
    from mcm.relation.term import RelationTerm


@lru_cache(maxsize=1024)
def is_symmetric(term: RelationTerm, symmetric: frozenset[str]) -> bool:
    """Whether a relation has each pair in both directions; `symmetric` are the base relations that have.

    False also where the term alone does not show it.

    >>> is_symmetric(Union(Base("po"), Inverse(Base("po"))), frozenset())
    True
    """
    match term:
        case Base(name):
            return name in symmetric
        case Empty() | Identity():
            return True
        case Product(left, right):
            return left is right
        case Union(left, right):
            return _is_inverse(left, right) or (is_symmetric(left, symmetric) and is_symmetric(right, symmetric))
        case Intersection(left, right) | Difference(left, right):
            return is_symmetric(left, symmetric) and is_symmetric(right, symmetric)
        case Defined(_, body) | Inverse(body) | Closure(body):
            return is_symmetric(body, symmetric)
        case Compose() | RecursionVariable() | Recursive():
            return False
        case _:
            assert_never(term)


def _is_inverse(one: RelationTerm, other: RelationTerm) -> bool:
    """Whether one of two terms is written as the inverse of the other."""
    match one, other:
        case Product(a, b), Product(c, d):
            return a is d and b is c
        case (Inverse(body), written) | (written, Inverse(body)):
            return body is written
        case _:
            return False
