"""What becomes of a term's value when reads, fences, and read-modify-writes that write back what they read, go.

An execution without the iterations in which a loop waits has fewer events; plain writes of locations that nobody
accesses atomically may go, too. On those that are left, program order, modification order, locations and everything
that the program fixes stay as they are. A composition loses the pairs whose middle event was removed; so terms
*shrink*, and where they are subtracted, grow.
"""

from __future__ import annotations

from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Final, assert_never

from msgspec import Struct

from mcm.catalogue.event_kinds import ALL, Kinds, reached
from mcm.catalogue.survival import Change
from mcm.relation.parts import bare
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
    SetUnion,
    Union,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcm.relation.term import RelationTerm, Term

UNCHANGED = Change(shrinks=True, grows=True)
FAILED_READS: Final = Kinds.READ | Kinds.PLAIN_READ | Kinds.UPDATE | Kinds.FENCE


class _Between(Struct, frozen=True):
    """A term, as far as it relates events of some kinds to events of some kinds; a set, as far as it has such."""

    term: Term
    first: Kinds = ALL
    second: Kinds = ALL


class Changes:
    """Works out changes; `linearisations` are the kinds of the events of the model's total orders, by their names.

    `removable` are the kinds of the events that are removed. A composition keeps a pair if its middle event cannot be
    one of them. Where the pair is one of a total order on sequentially consistent operations, an update that is removed
    may stand in the middle: NOTE(mixed-orders) in `waiting` says why.
    """

    def __init__(self, linearisations: Mapping[str, Kinds], removable: Kinds = FAILED_READS) -> None:
        self._linearisations = linearisations
        self._removable = removable
        self._known: dict[_Between, Change] = {}

    def change(self, term: Term) -> Change:
        """The change of a term without free variables."""
        return self._change(_Between(term), {}, self._known)

    def _change(self, part: _Between, variables: Mapping[str, Change], known: dict[_Between, Change]) -> Change:
        """`variables` has the changes of recursion variables, under which `known` holds."""
        found = known.get(part)
        if found is None:
            found = known[part] = self._find(part, variables, known)
        return found

    def _find(self, part: _Between, variables: Mapping[str, Change], known: dict[_Between, Change]) -> Change:
        first, second = part.first, part.second

        def of(term: Term, first: Kinds = first, second: Kinds = second) -> Change:
            return self._change(_Between(term, first, second), variables, known)

        # A `match` looks for one class after the other: those that models are mostly made of come first.
        match part.term:
            case Defined(_, body):
                return of(body)
            case Inverse(body):
                return of(body, second, first)
            case Union(one, other) | Intersection(one, other):
                return of(one) & of(other)
            case Compose(one, other):
                middle = reached(one, first) & reached(other, second, backwards=True)
                change = of(one, first, middle) & of(other, middle, second)
                return self._losing(change, is_lossless=self._keeps_middles(one, other, middle))
            case Identity(events):
                return of(events, first & second)
            case DefinedSet(_, events):
                return of(events)
            case BaseSet() | Base() | Everything() | Nothing() | Empty():
                return UNCHANGED
            case SetUnion(left, right) | SetIntersection(left, right):
                return of(left) & of(right)
            case Product(left, right):
                return of(left, first) & of(right, second)
            case Difference(one, other):
                return of(one) & -of(other)
            case SetDifference(left, right):
                return of(left) & -of(right)
            case Closure(body) as closure:
                middle = reached(closure, first) & reached(closure, second, backwards=True)
                change = of(body, first | middle, second | middle)
                return self._losing(change, is_lossless=self._keeps_middles(body, body, middle))
            case Domain(relation):
                ends = reached(relation, first)
                return self._losing(of(relation, first, ALL), is_lossless=not ends & self._removable)
            case Range(relation):
                ends = reached(relation, first, backwards=True)
                return self._losing(of(relation, ALL, first), is_lossless=not ends & self._removable)
            case RecursionVariable(name):
                return variables[name]
            case Recursive(name, equations):
                return self._solve(equations, variables)[name]
            case _ as never:
                assert_never(never)

    @staticmethod
    def _losing(change: Change, *, is_lossless: bool) -> Change:
        return Change(shrinks=change.shrinks, grows=change.grows and is_lossless)

    def _keeps_middles(self, one: RelationTerm, other: RelationTerm, middle: Kinds) -> bool:
        """Whether no event between a pair of one relation and one of the other, of these kinds, is removed."""
        if isinstance(bare(one), Identity) or isinstance(bare(other), Identity):
            # The middle event is one of the ends.
            return True
        ordered = [kinds for kinds in map(self._of_total_order, (one, other)) if kinds is not None]
        removed = reduce(and_, ordered, middle & self._removable)
        return not removed or (removed is Kinds.UPDATE and bool(ordered))

    def _of_total_order(self, term: RelationTerm) -> Kinds | None:
        """The kinds of the events of a linearisation that a relation is part of; None where it is of none."""
        match bare(term):
            case Base(name):
                return self._linearisations.get(name)
            case Intersection(one, other):
                kinds = self._of_total_order(one)
                return self._of_total_order(other) if kinds is None else kinds
            case Difference(one, _):
                return self._of_total_order(one)
            case Compose(one, other) if isinstance(bare(one), Identity):
                return self._of_total_order(other)
            case Compose(one, other) if isinstance(bare(other), Identity):
                return self._of_total_order(one)
            case _:
                return None

    def _solve(self, equations: tuple[tuple[str, RelationTerm], ...], outer: Mapping[str, Change]) -> dict[str, Change]:
        """The changes of mutually recursive definitions: the most that agrees with the bodies."""
        solution = dict.fromkeys((name for name, _ in equations), UNCHANGED)
        while True:
            variables = {**outer, **solution}
            known: dict[_Between, Change] = {}
            step = {name: self._change(_Between(body), variables, known) for name, body in equations}
            if step == solution:
                return solution
            solution = step
