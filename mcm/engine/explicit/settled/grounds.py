"""Which pairs a term of a model may have by the kinds of two events, and on what they rest.

Three executions of the same events are compared: one with the orders of atomics as they are written, one in which some
of them are relaxed, and one in which the events are performed one after the other. What a pair rests on says in which
of these it is, too: a pair that does not rest on `ORDERS` is in the first one if it is in the second one, and the
other way round; one that does not rest on what is `OPEN` is in the third one if it is in the first one.
`docs/search.md` has the argument.
"""

from __future__ import annotations

from enum import IntFlag
from typing import TYPE_CHECKING, Final, assert_never

from mcm.execution.vocabulary import PLACES, SETS
from mcm.relation.evaluate import Rows, compose, inverse, union_of
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
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from mcm.cat.model import Linearisation
    from mcm.engine.explicit.settled.places import Places
    from mcm.relation.term import RelationTerm


class Ground(IntFlag):
    """What a pair may rest on: the orders of atomics that are relaxed, and what is open."""

    NOTHING = 0
    ORDERS = 1
    OPEN = 2
    BOTH = 3


Pairs = dict[Ground, Rows]
Members = dict[Ground, int]

# What is related where the program fixes it, by groups, units and such; by kinds alone that may be anything.
_ANYWHERE: Final = frozenset({"int", "ext", *PLACES})


class Grounds:
    """The pairs of terms in executions with the orders as written, or with some of them relaxed (`relaxes`).

    `orders` are the linearisations.
    """

    def __init__(
        self, places: Places, orders: Iterable[Linearisation], empty: frozenset[str], *, relaxes: bool
    ) -> None:
        self._places: Final = places
        self._orders: Final = {order.name: order for order in orders}
        self._empty: Final = empty
        self._relaxes: Final = relaxes
        self._everything: Final = (1 << places.count) - 1
        self._sets: Final[dict[SetTerm, Members]] = {}
        self._relations: Final[dict[RelationTerm, Pairs]] = {}
        self._sure: Final[dict[RelationTerm, Rows]] = {}
        self._of_other: Callable[[], Grounds] = lambda: self

    def compared_with(self, other: Grounds) -> None:
        """What is subtracted may be more in the `other` execution."""
        self._of_other = lambda: other

    def set(self, term: SetTerm) -> Members:
        """The kinds whose events may be members of a set."""
        found = self._sets.get(term)
        if found is None:
            found = self._sets[term] = {ground: kinds for ground, kinds in self._of_set(term).items() if kinds}
        return found

    def relation(self, term: RelationTerm) -> Pairs:
        """The pairs of a relation."""
        found = self._relations.get(term)
        if found is None:
            found = _joined(self._of_relation(term))
            if any(surely := self.surely(term)):
                # What is related in any case does not rest on anything.
                rest = {ground: _lacking(rows, surely) for ground, rows in found.items()}
                found = _joined(rest, {Ground.NOTHING: surely})
            self._relations[term] = found
        return found

    def surely(self, term: RelationTerm) -> Rows:
        """The kinds all of whose events are related, in each execution, by the shape of a relation."""
        found = self._sure.get(term)
        if found is None:
            found = self._sure[term] = self._surely_related(term)
        return found

    def _surely_related(self, term: RelationTerm) -> Rows:
        match term:
            case Product(one, other):
                first, second = (self.always(of) & self._of_other().always(of) for of in (one, other))
                return self._product(first, second)
            case Union(left, right):
                return tuple(map(int.__or__, self.surely(left), self.surely(right)))
            case Intersection(left, right):
                return tuple(map(int.__and__, self.surely(left), self.surely(right)))
            case Defined(_, body) | Closure(body):
                return self.surely(body)
            case _:
                return (0,) * self._places.count

    def closure(self, pairs: Pairs) -> Pairs:
        """The transitive closure of some pairs."""
        found = pairs
        while True:
            more = _joined(found, self._composed(found, pairs))
            if more == found:
                return found
            found = more

    # --- sets ---------------------------------------------------------------------------------------------------------

    def _of_set(self, term: SetTerm) -> Members:
        match term:
            case BaseSet(name):
                own, other = self._places.having(name, relaxes=self._relaxes), self._places.differing(name)
                return {Ground.NOTHING: own & ~other, Ground.ORDERS: own & other}
            case Everything():
                return {Ground.NOTHING: self._everything}
            case Nothing():
                return {}
            case SetUnion(one, other_set):
                return _united([*self.set(one).items(), *self.set(other_set).items()])
            case SetIntersection(one, other_set):
                return _united((a | b, x & y) for a, x in self.set(one).items() for b, y in self.set(other_set).items())
            case SetDifference(one, other_set):
                surely = self.always(other_set)
                changed = self._changed(self.set(other_set), self._of_other().set(other_set))
                return _united(
                    (ground | also, kinds & ~surely & mask)
                    for ground, kinds in self.set(one).items()
                    for also, mask in changed.items()
                )
            case Domain(relation):
                return {
                    g: sum(1 << k for k, row in enumerate(rows) if row) for g, rows in self.relation(relation).items()
                }
            case Range(relation):
                return {g: union_of(rows) for g, rows in self.relation(relation).items()}
            case DefinedSet(_, body):
                return self.set(body)
            case _:
                assert_never(term)

    def always(self, term: SetTerm) -> int:
        """The kinds all of whose events are members."""
        match term:
            case BaseSet(name) if name in SETS:
                return self._places.having(name, relaxes=self._relaxes)
            case Everything():
                return self._everything
            case SetUnion(one, other):
                return self.always(one) | self.always(other)
            case SetIntersection(one, other):
                return self.always(one) & self.always(other)
            case SetDifference(one, other):
                return self.always(one) & ~union_of(self.set(other).values())
            case DefinedSet(_, body):
                return self.always(body)
            case _:
                return 0

    def _changed(self, own: Members, others: Members) -> Members:
        """Where members of what is subtracted rest on something, in either execution; and where not."""
        orders = union_of(kinds for of in (own, others) for g, kinds in of.items() if g & Ground.ORDERS)
        opened = union_of(kinds for of in (own, others) for g, kinds in of.items() if g & Ground.OPEN)
        return {
            Ground.NOTHING: self._everything & ~(orders | opened),
            Ground.ORDERS: orders & ~opened,
            Ground.OPEN: opened & ~orders,
            Ground.BOTH: orders & opened,
        }

    # --- relations ----------------------------------------------------------------------------------------------------

    def _of_relation(self, term: RelationTerm) -> Pairs:
        match term:
            case Base(name):
                return self._of_base(name)
            case Empty():
                return {}
            case Identity(events):
                count = self._places.count
                return {g: tuple(kinds & 1 << k for k in range(count)) for g, kinds in self.set(events).items()}
            case Product(one, other):
                first, second = self.set(one), self.set(other)
                return _joined(*({a | b: self._product(x, y)} for a, x in first.items() for b, y in second.items()))
            case Union(left, right):
                return _joined(self.relation(left), self.relation(right))
            case Intersection(left, right):
                one_side, other_side = self.relation(left), self.relation(right)
                return _joined(
                    *(
                        {a | b: tuple(map(int.__and__, x, y))}
                        for a, x in one_side.items()
                        for b, y in other_side.items()
                    )
                )
            case Difference(left, right):
                return self._without(left, right)
            case Compose(left, right):
                return self._composed(self.relation(left), self.relation(right))
            case Inverse(body):
                return {ground: inverse(rows) for ground, rows in self.relation(body).items()}
            case Closure(body):
                return self.closure(self.relation(body))
            case Defined(_, body):
                return self.relation(body)
            case RecursionVariable() | Recursive():
                return {Ground.BOTH: self._product(self._everything, self._everything)}
            case _:
                assert_never(term)

    def _of_base(self, name: str) -> Pairs:
        places = self._places
        if name in self._orders:
            return self._of_order(self._orders[name])
        if name in self._empty:
            return {}
        if name == "po":
            return {Ground.NOTHING: places.sequenced}
        if name == "syncbar":
            return {Ground.NOTHING: places.meeting}
        if name == "loc":
            return {Ground.NOTHING: places.located}
        if name in {"rf", "mo"}:
            writes = places.having("W", relaxes=self._relaxes)
            ends = places.having("R" if name == "rf" else "W", relaxes=self._relaxes)
            pairs = tuple(map(int.__and__, places.located, self._product(writes, ends)))
            return {
                Ground.NOTHING: tuple(map(int.__and__, pairs, self._product(places.settled, self._everything))),
                Ground.OPEN: tuple(map(int.__and__, pairs, self._product(~places.settled, self._everything))),
            }
        everything = self._product(self._everything, self._everything)
        return {Ground.NOTHING if name in _ANYWHERE else Ground.BOTH: everything}

    def _of_order(self, order: Linearisation) -> Pairs:
        """A linearisation: of what is relaxed, in the order in which it is performed; of the rest, as it may be."""
        ordered = union_of(self.set(order.events).values())
        relaxed, others = ordered & self._places.relaxed, ordered & ~self._places.relaxed
        return {
            Ground.ORDERS: self._product(relaxed, relaxed),
            Ground.OPEN: self._product(others, others),
            Ground.BOTH: tuple(map(int.__or__, self._product(relaxed, others), self._product(others, relaxed))),
        }

    def _product(self, firsts: int, seconds: int) -> Rows:
        return tuple(seconds if firsts >> kind & 1 else 0 for kind in range(self._places.count))

    def _without(self, left: RelationTerm, right: RelationTerm) -> Pairs:
        own, others = self.relation(right), self._of_other().relation(right)
        changed = [
            self._changed({g: rows[k] for g, rows in own.items()}, {g: rows[k] for g, rows in others.items()})
            for k in range(self._places.count)
        ]
        return _joined(
            *(
                {ground | also: tuple(row & changed[k][also] for k, row in enumerate(rows))}
                for ground, rows in self.relation(left).items()
                for also in Ground.__members__.values()
            )
        )

    @staticmethod
    def _composed(one: Pairs, other: Pairs) -> Pairs:
        return _joined(*({a | b: compose(x, y)} for a, x in one.items() for b, y in other.items()))


def _lacking(rows: Rows, others: Rows) -> Rows:
    return tuple(row & ~other for row, other in zip(rows, others, strict=True))


def _united(parts: Iterable[tuple[Ground, int]]) -> Members:
    found: Members = {}
    for ground, kinds in parts:
        found[ground] = found.get(ground, 0) | kinds
    return found


def _joined(*several: Mapping[Ground, Sequence[int]]) -> Pairs:
    """The pairs of several relations."""
    found: Pairs = {}
    for pairs in several:
        for ground, rows in pairs.items():
            if any(rows):
                known = found.get(ground)
                found[ground] = tuple(rows) if known is None else tuple(map(int.__or__, known, rows))
    return found
