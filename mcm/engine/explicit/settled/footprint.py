"""Which pairs of a term may have a settled access as an end, and whether the others need one in the middle.

Settled are some plain accesses of objects that are not atomic: for some locations all of their accesses. The *others*
are all other events. A term is *exact* if its pairs of others are the same in an execution and in what is left of it
when the settled accesses are removed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, assert_never

from msgspec import Struct

from mcm.execution.vocabulary import SETS
from mcm.relation.term import (
    Base,
    BaseSet,
    Closure,
    Compose,
    Defined,
    DefinedSet,
    Difference,
    Domain,
    Empty,
    Everything,
    Identity,
    Intersection,
    Inverse,
    Nothing,
    Product,
    Range,
    RecursionVariable,
    Recursive,
    SetDifference,
    SetIntersection,
    SetTerm,
    SetUnion,
    Union,
)

if TYPE_CHECKING:
    from mcm.relation.term import RelationTerm

# The base sets that plain accesses of objects that are not atomic can be in; those that all of them are in.
PLAIN: Final = frozenset(
    (
        *("R", "W", "M", "IW", "INDETERMINATE", "H", "G", "L", "C"),
        *("BUFFER", "COARSE", "PROG", "FINE", "FINE_ATOMICS", "SYSTEM", "SYSTEM_ATOMICS"),
    )
)
ALWAYS: Final = frozenset({"M"})
# Relations between accesses of one location; between barriers; between a read and what depends on it.
_OF_ONE_LOCATION: Final = frozenset({"rf", "mo", "loc"})
_OF_BARRIERS: Final = frozenset({"syncbar"})
_DEPENDENCIES: Final = frozenset({"data", "addr", "ctrl"})


class Members(Struct, frozen=True):
    """Of a set: whether settled accesses may be members, whether all are, whether it is empty, whether it is exact."""

    some: bool
    every: bool
    is_empty: bool = False
    exact: bool = True


class Footprint(Struct, frozen=True):
    """Of a relation: whether it may have pairs of two settled accesses, into one from another event, out of one."""

    inside: bool = False
    into: bool = False
    out: bool = False
    exact: bool = True
    is_empty: bool = False

    @property
    def is_free(self) -> bool:
        """Whether no pair has a settled access as an end."""
        return not (self.inside or self.into or self.out)

    def __or__(self, other: Footprint) -> Footprint:
        """That of a union."""
        return Footprint(
            self.inside or other.inside,
            self.into or other.into,
            self.out or other.out,
            self.exact and other.exact,
            self.is_empty and other.is_empty,
        )

    def __and__(self, other: Footprint) -> Footprint:
        """That of an intersection."""
        if self.is_empty or other.is_empty:
            return NOWHERE
        return Footprint(
            self.inside and other.inside,
            self.into and other.into,
            self.out and other.out,
            self.exact and other.exact,
        )


NOWHERE: Final = Footprint(is_empty=True)
_ANYWHERE: Final = Footprint(inside=True, into=True, out=True)
_UNKNOWN: Final = Footprint(inside=True, into=True, out=True, exact=False)


class Footprints:
    """Works out footprints; `empty` are the base sets without members, `orders` the linearisations of the model.

    `carried` are the closures that may lead from one other event to another through settled accesses. They are taken
    to be exact here: that a settled access in the middle can be left out has to be shown for each.
    """

    def __init__(self, empty: frozenset[str], orders: frozenset[str]) -> None:
        self._empty: Final = empty
        self._orders: Final = orders
        self._sets: Final[dict[SetTerm, Members]] = {}
        self._relations: Final[dict[RelationTerm, Footprint]] = {}
        self.carried: Final[dict[Closure, None]] = {}

    def set(self, term: SetTerm) -> Members:
        """What is known of a set."""
        found = self._sets.get(term)
        if found is None:
            found = self._sets[term] = self._of_set(term)
        return found

    def relation(self, term: RelationTerm) -> Footprint:
        """What is known of a relation."""
        found = self._relations.get(term)
        if found is None:
            found = self._relations[term] = self._of_relation(term)
        return found

    def _of_set(self, term: SetTerm) -> Members:
        match term:
            case BaseSet(name):
                return Members(name in PLAIN or name not in SETS, name in ALWAYS, name in self._empty)
            case Everything():
                return Members(some=True, every=True)
            case Nothing():
                return Members(some=False, every=False, is_empty=True)
            case SetUnion(left, right):
                one, other = self.set(left), self.set(right)
                is_empty = one.is_empty and other.is_empty
                return Members(one.some or other.some, one.every or other.every, is_empty, one.exact and other.exact)
            case SetIntersection(left, right):
                one, other = self.set(left), self.set(right)
                is_empty = one.is_empty or other.is_empty
                return Members(one.some and other.some, one.every and other.every, is_empty, one.exact and other.exact)
            case SetDifference(left, right):
                one, other = self.set(left), self.set(right)
                some, every = one.some and not other.every, one.every and not other.some
                return Members(some, every, one.is_empty, one.exact and other.exact)
            case Domain(relation):
                inner = self.relation(relation)
                return _ends(inner, some=inner.out, lost=inner.into)
            case Range(relation):
                inner = self.relation(relation)
                return _ends(inner, some=inner.into, lost=inner.out)
            case DefinedSet(_, body):
                return self.set(body)
            case _:
                assert_never(term)

    def _of_relation(self, term: RelationTerm) -> Footprint:
        match term:
            case Base(name):
                return self._of_base(name)
            case Empty():
                return NOWHERE
            case Identity(events):
                of = self.set(events)
                return NOWHERE if of.is_empty else Footprint(inside=of.some, exact=of.exact)
            case Product(first, second):
                return _product(self.set(first), self.set(second))
            case Union(one, other):
                return self.relation(one) | self.relation(other)
            case Intersection(one, other):
                return self.relation(one) & self.relation(other)
            case Difference(one, other):
                return _without(self.relation(one), self.relation(other))
            case Compose(one, other):
                return _composed(self.relation(one), self.relation(other))
            case Inverse(body):
                inner = self.relation(body)
                return Footprint(inner.inside, inner.out, inner.into, inner.exact, inner.is_empty)
            case Closure(body):
                inner = self.relation(body)
                if not (inner.into or inner.out):
                    return inner
                self.carried[term] = None
                return Footprint(inside=True, into=True, out=True, exact=inner.exact)
            case Defined(_, body):
                return self.relation(body)
            case RecursionVariable() | Recursive():
                return _UNKNOWN
            case _:
                assert_never(term)

    def _of_base(self, name: str) -> Footprint:
        if name in self._orders or name in _OF_BARRIERS:
            return Footprint()
        if name in _OF_ONE_LOCATION:
            return Footprint(inside=True)
        return _UNKNOWN if name in _DEPENDENCIES else _ANYWHERE


def _ends(relation: Footprint, *, some: bool, lost: bool) -> Members:
    """The first or second events of pairs; `lost`: others may be ends only of pairs with settled accesses."""
    return Members(relation.inside or some, every=False, is_empty=relation.is_empty, exact=relation.exact and not lost)


def _product(one: Members, other: Members) -> Footprint:
    if one.is_empty or other.is_empty:
        return NOWHERE
    return Footprint(one.some and other.some, other.some, one.some, one.exact and other.exact)


def _without(one: Footprint, other: Footprint) -> Footprint:
    return Footprint(one.inside, one.into, one.out, one.exact and other.exact, one.is_empty)


def _composed(one: Footprint, other: Footprint) -> Footprint:
    """That of a composition: what is in the middle may be settled too."""
    if one.is_empty or other.is_empty:
        return NOWHERE
    return Footprint(
        inside=(one.inside and other.inside) or (one.out and other.into),
        into=(one.into and other.inside) or other.into,
        out=(one.inside and other.out) or one.out,
        exact=one.exact and other.exact and not (one.into and other.out),
    )
