"""What becomes of a term's value when reads, fences, and read-modify-writes that write back what they read, go.

An execution without the iterations in which a loop waits has fewer events. On those that are left, program order,
modification order, locations and everything that the program fixes stay as they are. A composition loses the pairs
whose middle event was removed; so terms *shrink*, and where they are subtracted, grow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from mcm.catalogue.event_kinds import Kinds, ends
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

_REMOVABLE = Kinds.READ | Kinds.UPDATE | Kinds.FENCE


UNCHANGED = Change(shrinks=True, grows=True)


class Changes:
    """Works out changes; `linearisations` are the names of the total orders of the model.

    A composition keeps a pair if its middle event cannot be one that is removed. Where the pair is one of a total order
    on sequentially consistent operations, a write that is removed may stand in the middle: NOTE(mixed-orders) in
    `waiting` says why.
    """

    def __init__(self, linearisations: frozenset[str]) -> None:
        self._linearisations = linearisations
        self._known: dict[Term, Change] = {}

    def change(self, term: Term) -> Change:
        """The change of a term without free variables."""
        return self._change(term, {}, self._known)

    def _change(self, term: Term, variables: Mapping[str, Change], known: dict[Term, Change]) -> Change:
        """`variables` has the changes of recursion variables, under which `known` holds."""
        found = known.get(term)
        if found is None:
            found = known[term] = self._find(term, variables, known)
        return found

    def _find(self, term: Term, variables: Mapping[str, Change], known: dict[Term, Change]) -> Change:
        def of(part: Term) -> Change:
            return self._change(part, variables, known)

        # A `match` looks for one class after the other: those that models are mostly made of come first.
        match term:
            case Defined(_, body) | Inverse(body):
                return of(body)
            case Union(one, other) | Intersection(one, other):
                return of(one) & of(other)
            case Compose(one, other):
                return self._losing(of(one) & of(other), is_lossless=self._keeps_middles(one, other))
            case Identity(part) | DefinedSet(_, part):
                return of(part)
            case BaseSet() | Base() | Everything() | Nothing() | Empty():
                return UNCHANGED
            case SetUnion(left, right) | SetIntersection(left, right) | Product(left, right):
                return of(left) & of(right)
            case Difference(one, other):
                return of(one) & -of(other)
            case SetDifference(left, right):
                return of(left) & -of(right)
            case Closure(body):
                return self._losing(of(body), is_lossless=self._keeps_middles(body, body))
            case Domain(relation):
                return self._losing(of(relation), is_lossless=not ends(relation)[1] & _REMOVABLE)
            case Range(relation):
                return self._losing(of(relation), is_lossless=not ends(relation)[0] & _REMOVABLE)
            case RecursionVariable(name):
                return variables[name]
            case Recursive(name, equations):
                return self._solve(equations, variables)[name]
            case _:
                assert_never(term)

    @staticmethod
    def _losing(change: Change, *, is_lossless: bool) -> Change:
        return Change(shrinks=change.shrinks, grows=change.grows and is_lossless)

    def _keeps_middles(self, one: RelationTerm, other: RelationTerm) -> bool:
        """Whether no event between a pair of one relation and one of the other is removed."""
        if isinstance(bare(one), Identity) or isinstance(bare(other), Identity):
            # The middle event is one of the ends.
            return True
        middle = ends(one)[1] & ends(other)[0] & _REMOVABLE
        return not middle or (
            middle is Kinds.UPDATE and (self._is_of_total_order(one) or self._is_of_total_order(other))
        )

    def _is_of_total_order(self, term: RelationTerm) -> bool:
        """Whether a relation is part of a linearisation."""
        match bare(term):
            case Base(name):
                return name in self._linearisations
            case Intersection(one, other):
                return self._is_of_total_order(one) or self._is_of_total_order(other)
            case Difference(one, _):
                return self._is_of_total_order(one)
            case Compose(one, other) if isinstance(bare(one), Identity):
                return self._is_of_total_order(other)
            case Compose(one, other) if isinstance(bare(other), Identity):
                return self._is_of_total_order(one)
            case _:
                return False

    def _solve(self, equations: tuple[tuple[str, RelationTerm], ...], outer: Mapping[str, Change]) -> dict[str, Change]:
        """The changes of mutually recursive definitions: the most that agrees with the bodies."""
        solution = dict.fromkeys((name for name, _ in equations), UNCHANGED)
        while True:
            variables = {**outer, **solution}
            known: dict[Term, Change] = {}
            step = {name: self._change(body, variables, known) for name, body in equations}
            if step == solution:
                return solution
            solution = step
