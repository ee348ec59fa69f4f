"""The value of a term in one execution, where every base set and relation is known.

A set of events is an int (bit `i` for event `i`); a relation has one such int for each event: its successors.
The code follows the definitions. The engines compute bounds and formulas instead, and are tested against this module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from msgspec import Struct

from mcm.base.bits import members
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
    children,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcm.relation.term import RelationTerm, SetTerm, Term

Rows = tuple[int, ...]


class Structure(Struct, frozen=True):
    """The values of the base sets and relations, over the events `0 … size - 1`; those in `universe` are executed."""

    size: int
    universe: int
    sets: Mapping[str, int]
    relations: Mapping[str, Rows]


class Evaluator:
    """Evaluates terms in one structure, each term once."""

    def __init__(self, structure: Structure) -> None:
        self._structure = structure
        self._sets: dict[SetTerm, int] = {}
        self._relations: dict[RelationTerm, Rows] = {}
        self._open: dict[Term, bool] = {}

    def set(self, term: SetTerm) -> int:
        """The value of a set, as a mask of events."""
        found = self._sets.get(term)
        if found is None:
            found = self._sets[term] = self._evaluate_set(term)
        return found

    def relation(self, term: RelationTerm, bound: Mapping[str, Rows] | None = None) -> Rows:
        """The value of a relation, as the mask of successors of each event.

        `bound` are the values of the recursion variables around it.
        """
        if bound and self._is_open(term):
            return self._evaluate_relation(term, bound, {})
        found = self._relations.get(term)
        if found is None:
            found = self._relations[term] = self._evaluate_relation(term, {}, {})
        return found

    def _evaluate_set(self, term: SetTerm) -> int:
        match term:
            case BaseSet(name):
                return self._structure.sets[name]
            case Everything():
                return self._structure.universe
            case Nothing():
                return 0
            case SetUnion(left, right):
                return self.set(left) | self.set(right)
            case SetIntersection(left, right):
                return self.set(left) & self.set(right)
            case SetDifference(left, right):
                return self.set(left) & ~self.set(right)
            case Domain(relation):
                return sum(1 << i for i, row in enumerate(self.relation(relation)) if row)
            case Range(relation):
                return union_of(self.relation(relation))
            case DefinedSet(_, body):
                return self.set(body)
            case _:
                assert_never(term)

    def _evaluate_relation(
        self, term: RelationTerm, bound: Mapping[str, Rows], known: dict[RelationTerm, Rows]
    ) -> Rows:
        """The value of a relation; `bound` has the values of the recursion variables around it.

        `known` are the values of terms that depend on these: a term may occur often in one that shares its parts.
        """

        def value(inner: RelationTerm) -> Rows:
            if not (bound and self._is_open(inner)):
                return self.relation(inner)
            found = known.get(inner)
            if found is None:
                found = known[inner] = self._evaluate_relation(inner, bound, known)
            return found

        match term:
            case Base(name):
                return self._structure.relations[name]
            case Empty():
                return (0,) * self._structure.size
            case Identity(events):
                members = self.set(events)
                return tuple(members & (1 << i) for i in range(self._structure.size))
            case Product(left, right):
                first, second = self.set(left), self.set(right)
                return tuple(second if first >> i & 1 else 0 for i in range(self._structure.size))
            case Union(one, other):
                return tuple(a | b for a, b in zip(value(one), value(other), strict=True))
            case Intersection(one, other):
                return tuple(a & b for a, b in zip(value(one), value(other), strict=True))
            case Difference(one, other):
                return tuple(a & ~b for a, b in zip(value(one), value(other), strict=True))
            case Compose(one, other):
                return compose(value(one), value(other))
            case Inverse(body):
                return inverse(value(body))
            case Closure(body):
                return closure(value(body))
            case Defined(_, body):
                return value(body)
            case RecursionVariable(name):
                return bound[name]
            case Recursive(name, equations):
                return self._least_solution(equations, bound)[name]
            case _:
                assert_never(term)

    def _is_open(self, term: Term) -> bool:
        """Whether recursion variables occur in a term, so that its value changes from step to step."""
        found = self._open.get(term)
        if found is None:
            found = self._open[term] = isinstance(term, RecursionVariable) or any(map(self._is_open, children(term)))
        return found

    def _least_solution(
        self, equations: tuple[tuple[str, RelationTerm], ...], bound: Mapping[str, Rows]
    ) -> Mapping[str, Rows]:
        return self.approximations(equations, bound)[-1]

    def approximations(
        self, equations: tuple[tuple[str, RelationTerm], ...], bound: Mapping[str, Rows]
    ) -> list[dict[str, Rows]]:
        """What recursion variables are after no step, after one, and so on; the last is the least solution."""
        found = [{name: (0,) * self._structure.size for name, _ in equations}]
        while True:
            values = {**bound, **found[-1]}
            known: dict[RelationTerm, Rows] = {}
            step = {name: self._evaluate_relation(body, values, known) for name, body in equations}
            if step == found[-1]:
                return found
            found.append(step)


def union_of(rows: Rows) -> int:
    """The range of a relation: every event that has a predecessor."""
    union = 0
    for row in rows:
        union |= row
    return union


def compose(first: Rows, second: Rows) -> Rows:
    """`first ; second`.

    >>> compose((0b10, 0), (0, 0b11))
    (3, 0)
    """
    result = []
    for row in first:
        reached = 0
        for middle in members(row):
            reached |= second[middle]
        result.append(reached)
    return tuple(result)


def inverse(rows: Rows) -> Rows:
    """The pairs `(b, a)` for all pairs `(a, b)`."""
    return tuple(sum(1 << i for i, row in enumerate(rows) if row >> j & 1) for j in range(len(rows)))


def closure(rows: Rows) -> Rows:
    """The transitive closure, by Warshall's algorithm.

    >>> closure((0b10, 0b100, 0))
    (6, 4, 0)
    """
    reached = list(rows)
    for middle in range(len(reached)):
        beyond = reached[middle]
        for start, row in enumerate(reached):
            if row >> middle & 1:
                reached[start] = row | beyond
    return tuple(reached)


def is_empty(rows: Rows) -> bool:
    """Whether no pair is related."""
    return not any(rows)


def is_irreflexive(rows: Rows) -> bool:
    """Whether no event is related to itself."""
    return not any(row >> i & 1 for i, row in enumerate(rows))


def is_acyclic(rows: Rows) -> bool:
    """Whether the transitive closure is irreflexive."""
    return is_irreflexive(closure(rows))
