"""What sets and relations can be at most, and are at least, in all executions of a program: bounds without a search."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from mcm.base.bits import members
from mcm.execution.algebra import TRUE
from mcm.execution.event import EventKind
from mcm.relation.evaluate import closure, compose, inverse, union_of
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
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from mcm.cat.model import Linearisation
    from mcm.execution.event import Event
    from mcm.execution.skeleton import Skeleton
    from mcm.relation.evaluate import Rows
    from mcm.relation.term import RelationTerm

# Lower and upper bound.
SetBounds = tuple[int, int]
Bounds = tuple["Rows", "Rows"]


class Reach:
    """Bounds of terms of a model with these linearisations over all executions of a skeleton, each term once.

    Which writes are read, and in which order writes come, is left wholly open.
    """

    def __init__(self, skeleton: Skeleton, linearisations: Iterable[Linearisation] = ()) -> None:
        self._skeleton = skeleton
        self._linearised = {each.name: each.events for each in linearisations}
        self._size = len(skeleton.events)
        self._all = (1 << self._size) - 1
        self._sure = _mask(event for event in skeleton.events if event.guard == TRUE)
        self._sets: dict[SetTerm, SetBounds] = {}
        self._relations: dict[RelationTerm, Bounds] = {}
        self._meeting = tuple(self._meeting_with(event) for event in skeleton.events)

    def set(self, term: SetTerm) -> SetBounds:
        """The bounds of a set."""
        found = self._sets.get(term)
        if found is None:
            found = self._sets[term] = self._set(term)
        return found

    def relation(self, term: RelationTerm) -> Bounds:
        """The bounds of a relation."""
        found = self._relations.get(term)
        if found is None:
            found = self._relations[term] = self._relation(term, {})
        return found

    def _set(self, term: SetTerm) -> SetBounds:
        match term:
            case BaseSet(name):
                return self._base_set(name)
            case Everything():
                return self._sure, self._all
            case Nothing():
                return 0, 0
            case SetUnion(left, right):
                (low, high), (other_low, other_high) = self.set(left), self.set(right)
                return low | other_low, high | other_high
            case SetIntersection(left, right):
                (low, high), (other_low, other_high) = self.set(left), self.set(right)
                return low & other_low, high & other_high
            case SetDifference(left, right):
                (low, high), (other_low, other_high) = self.set(left), self.set(right)
                return low & ~other_high, high & ~other_low
            case Domain(relation):
                low_rows, high_rows = self.relation(relation)
                return _domain(low_rows), _domain(high_rows)
            case Range(relation):
                low_rows, high_rows = self.relation(relation)
                return union_of(low_rows), union_of(high_rows)
            case DefinedSet(_, body):
                return self.set(body)
            case _:
                assert_never(term)

    def _relation(self, term: RelationTerm, bound: Mapping[str, Bounds]) -> Bounds:
        def value(inner: RelationTerm) -> Bounds:
            return self._relation(inner, bound) if bound else self.relation(inner)

        match term:
            case Base(name):
                return self._base(name)
            case Empty():
                return self._nothing, self._nothing
            case Identity(events):
                return _each(_identity, self.set(events), self._size)
            case Product(left, right):
                (low, high), (other_low, other_high) = self.set(left), self.set(right)
                return self._product(low, other_low), self._product(high, other_high)
            case Union(one, other):
                return _pairwise(lambda a, b: a | b, value(one), value(other))
            case Intersection(one, other):
                return _pairwise(lambda a, b: a & b, value(one), value(other))
            case Difference(one, other):
                return _pairwise(lambda a, b: a & ~b, value(one), value(other)[::-1])
            case Compose(one, other):
                first, second = value(one), value(other)
                return compose(first[0], second[0]), compose(first[1], second[1])
            case Inverse(body):
                least, most = value(body)
                return inverse(least), inverse(most)
            case Closure(body):
                least, most = value(body)
                return closure(least), closure(most)
            case Defined(_, body):
                return value(body)
            case RecursionVariable(name):
                return bound[name]
            case Recursive(name, equations):
                return self._least_solution(equations, bound)[name]
            case _:
                assert_never(term)

    def _least_solution(
        self, equations: tuple[tuple[str, RelationTerm], ...], bound: Mapping[str, Bounds]
    ) -> Mapping[str, Bounds]:
        """The least solutions of both bounds: the operators are monotonic in each."""
        solution = {name: (self._nothing, self._nothing) for name, _ in equations}
        while True:
            step = {name: self._relation(body, {**bound, **solution}) for name, body in equations}
            if step == solution:
                return solution
            solution = step

    @property
    def _nothing(self) -> Rows:
        return (0,) * self._size

    def _product(self, left: int, right: int) -> Rows:
        return tuple(right if left >> number & 1 else 0 for number in range(self._size))

    def _base_set(self, name: str) -> SetBounds:
        chosen = self._skeleton.sets[name]
        low = high = chosen.events
        for event in self._skeleton.events if chosen.locations else ():
            if not chosen.locations.isdisjoint(event.locations):
                high |= 1 << event.identifier
                if chosen.locations.issuperset(event.locations):
                    low |= 1 << event.identifier
        return low & self._sure, high

    def _base(self, name: str) -> Bounds:
        events = self._skeleton.events
        match name:
            case "rf":
                return self._nothing, self._between(lambda one, other: one.kind.writes and other.kind.reads)
            case "mo":
                return self._nothing, self._between(
                    lambda one, other: one.kind.writes and other.kind.writes and other.kind is not EventKind.INITIAL
                )
            case "loc":
                certain = _mask(event for event in events if len(event.locations) == 1) & self._sure
                low = tuple(row & certain if certain >> n & 1 else 0 for n, row in enumerate(self._meeting))
                return low, self._meeting
            case _ if name in self._skeleton.relations:
                rows = tuple(self._skeleton.relations[name])
                return tuple(row & self._sure if self._sure >> n & 1 else 0 for n, row in enumerate(rows)), rows
            case _:
                _, among = self.set(self._linearised[name])
                rows = self._product(among, among)
                return self._nothing, tuple(row & ~(1 << number) for number, row in enumerate(rows))

    def _between(self, is_meant: Callable[[Event, Event], bool]) -> Rows:
        events = self._skeleton.events
        return tuple(
            _mask(events[n] for n in members(row & ~(1 << event.identifier)) if is_meant(event, events[n]))
            for event, row in zip(events, self._meeting, strict=True)
        )

    def _meeting_with(self, event: Event) -> int:
        """The accesses that may be of the same location as that of an event."""
        places = frozenset(event.locations)
        if not (event.kind.is_access and places):
            return 0
        return _mask(o for o in self._skeleton.events if o.kind.is_access and not places.isdisjoint(o.locations))


def _mask(events: Iterator[Event]) -> int:
    return sum(1 << event.identifier for event in events)


def _domain(rows: Rows) -> int:
    return sum(1 << number for number, row in enumerate(rows) if row)


def _identity(mask: int, size: int) -> Rows:
    return tuple(mask & 1 << number for number in range(size))


def _each(make: Callable[[int, int], Rows], bounds: SetBounds, size: int) -> Bounds:
    return make(bounds[0], size), make(bounds[1], size)


def _pairwise(operator: Callable[[int, int], int], one: Bounds, other: Bounds) -> Bounds:
    low, high = (tuple(map(operator, left, right)) for left, right in zip(one, other, strict=True))
    return low, high
