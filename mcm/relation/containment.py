"""Which terms can be seen to be contained in which others, whatever the execution."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from mcm.relation.term import (
    Closure,
    Defined,
    DefinedSet,
    Difference,
    Empty,
    Everything,
    Intersection,
    Nothing,
    Product,
    SetDifference,
    SetIntersection,
    SetUnion,
    Union,
)

if TYPE_CHECKING:
    from mcm.relation.term import Term


@lru_cache(maxsize=1 << 13)
def is_within(one: Term, other: Term) -> bool:
    """Whether it can be seen from two terms that the first is contained in the second, whatever the execution."""
    match one, other:
        case _ if one is other:
            return True
        case ((Empty() | Nothing()), _) | (_, (Everything() | Product(Everything(), Everything()))):
            return True
        case ((Union(left, right) | SetUnion(left, right)), _):
            return is_within(left, other) and is_within(right, other)
        case ((Closure(body) | Defined(_, Closure(body))), Closure()) if is_within(body, other):
            return True
        case Intersection(left, right), Intersection(more, most) if is_within(left, more) and is_within(right, most):
            return True
        case _:
            return _is_part(one, other) or _exceeds(one, other)


def _parts(union: Term) -> list[Term]:
    """What a union is of, from left to right."""
    if isinstance(union, Union | SetUnion):
        return [*_parts(union.left), *_parts(union.right)]
    return [union]


def _exceeds(one: Term, other: Term) -> bool:
    """Whether something that contains the first is within the second."""
    match one:
        case Intersection(left, right) | SetIntersection(left, right):
            return is_within(left, other) or is_within(right, other)
        case Difference(left, _) | SetDifference(left, _):
            return is_within(left, other)
        case Defined(_, body) | DefinedSet(_, body):
            return is_within(body, other)
        case _:
            return False


def _is_part(one: Term, other: Term) -> bool:
    """Whether the first is within something that the second contains."""
    match other:
        case Union() | SetUnion():
            # What stands there as it is spares the search of all the others.
            parts = _parts(other)
            return any(part is one for part in parts) or any(is_within(one, part) for part in parts)
        case Intersection(left, right) | SetIntersection(left, right):
            return is_within(one, left) and is_within(one, right)
        case Closure(body) | Defined(_, body) | DefinedSet(_, body):
            return is_within(one, body)
        case _:
            return False
