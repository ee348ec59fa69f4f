"""What `with NAME from …` chooses: a total order, or an order of the accesses of each location."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from mcm.cat.built_in import is_nothing
from mcm.relation.term import (
    Base,
    BaseSet,
    Defined,
    DefinedSet,
    Difference,
    Empty,
    Intersection,
    Product,
    RelationTerm,
    SetIntersection,
    SetTerm,
    Union,
    map_children,
)
from mcm.relation.within import lies_within

if TYPE_CHECKING:
    from mcm.cat.scope import Scope, UnitedOrders


class OrderOfWrites(Struct, frozen=True):
    """An order of the writes of each location that is part of the modification order.

    `demanded` is what the modification order must contain beside what it always does; None if that is nothing.
    """

    term: RelationTerm
    demanded: RelationTerm | None


class TotalOrder(Struct, frozen=True):
    """A total order of events that contains a relation; `restriction` is the part of it that is meant."""

    events: SetTerm
    order: RelationTerm
    restriction: RelationTerm | None


def of_each_location(value: UnitedOrders, scope: Scope) -> RelationTerm | OrderOfWrites | TotalOrder:
    """The relation that orders the accesses of each location, in a way that engines know.

    An order that begins with the initial write and ends with the final one is part of the modification order, which is
    free otherwise. Any other is what some total order says of accesses of one location.
    """
    events, order = value.events, value.order
    if is_nothing(events):
        return Empty()
    together = Product(events, events)
    base = scope.get("co0")
    if lies_within(events, _is_of_writes) and isinstance(base, RelationTerm) and _includes(order, _plain(base)):
        term = Base("mo") if events == BaseSet("W") else Intersection(Base("mo"), together)
        is_base = _plain(order) == _plain(base)
        demanded = Difference(Intersection(Intersection(order, together), Base("loc")), Base("mo"))
        return OrderOfWrites(term, None if is_base else demanded)
    accesses = SetIntersection(events, BaseSet("M"))
    return TotalOrder(accesses, Intersection(order, Base("loc")), Base("loc"))


def _is_of_writes(events: SetTerm) -> bool:
    return isinstance(events, BaseSet) and events.name in {"W", "IW"}


def _includes(order: RelationTerm, base: RelationTerm) -> bool:
    """Whether a union has the base among its parts."""
    if _plain(order) == base:
        return True
    match order:
        case Defined(_, body):
            return _includes(body, base)
        case Union(left, right):
            return _includes(left, base) or _includes(right, base)
        case _:
            return False


def _plain(term: RelationTerm) -> RelationTerm:
    """The term without the names of definitions."""
    return _plain(term.body) if isinstance(term, Defined) else map_children(term, _plain_set, _plain)


def _plain_set(term: SetTerm) -> SetTerm:
    return _plain_set(term.body) if isinstance(term, DefinedSet) else map_children(term, _plain_set, _plain)
