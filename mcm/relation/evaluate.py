"""The value of a term in one execution, where every base set and relation is known.

A set of events is an int (bit `i` for event `i`); a relation has one such int for each event: its successors.
The code follows the definitions. The engines compute bounds and formulas instead, and are tested against this module.
"""

from __future__ import annotations

from operator import and_, or_
from typing import TYPE_CHECKING, Final, assert_never

from msgspec import Struct

from mcm.base.bits import transposed
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
    from collections.abc import Callable, Iterable, Mapping

    from mcm.relation.term import RelationTerm, SetTerm, Term

Rows = tuple[int, ...]

# Among so many events it pays to look for those that have the same successors.
_MANY: Final = 64


class Structure(Struct, frozen=True):
    """The values of the base sets and relations, over the events `0 … size - 1`; those in `universe` are executed."""

    size: int
    universe: int
    sets: Mapping[str, int]
    relations: Mapping[str, Rows]


class Evaluator:
    """Evaluates terms in one structure, each term once."""

    def __init__(self, structure: Structure) -> None:
        self.structure: Final = structure
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
            return self._evaluate_relation(term, bound, self._within(bound))
        found = self._relations.get(term)
        if found is None:
            found = self._relations[term] = self._evaluate_relation(term, {}, self.relation)
        return found

    def _within(self, bound: Mapping[str, Rows]) -> Callable[[RelationTerm], Rows]:
        """Evaluates relations with these values of recursion variables.

        Values are kept: a term may occur often in one that shares its parts.
        """
        known: dict[RelationTerm, Rows] = {}

        def value(inner: RelationTerm) -> Rows:
            if not self._is_open(inner):
                return self.relation(inner)
            found = known.get(inner)
            if found is None:
                found = known[inner] = self._evaluate_relation(inner, bound, value)
            return found

        return value

    def _evaluate_set(self, term: SetTerm) -> int:
        match term:
            case BaseSet(name):
                return self.structure.sets[name]
            case Everything():
                return self.structure.universe
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
        self, term: RelationTerm, bound: Mapping[str, Rows], value: Callable[[RelationTerm], Rows]
    ) -> Rows:
        """The value of a relation from those of its parts; `bound` has the values of the recursion variables."""
        size = self.structure.size
        match term:
            # What is frequent comes first.
            case Intersection(one, other):
                return tuple(map(and_, value(one), value(other)))
            case Union(one, other):
                return tuple(map(or_, value(one), value(other)))
            case Compose(one, other):
                return compose(value(one), value(other))
            case Defined(_, body):
                return value(body)
            case Identity(events):
                members = self.set(events)
                return tuple(members & (1 << i) for i in range(size))
            case Product(left, right):
                first, second = self.set(left), self.set(right)
                return tuple(second if first >> i & 1 else 0 for i in range(size))
            case Base(name):
                return self.structure.relations[name]
            case Difference(one, other):
                return tuple(a & ~b for a, b in zip(value(one), value(other), strict=True))
            case Empty():
                return (0,) * size
            case Inverse(body):
                return inverse(value(body))
            case Closure(body):
                return closure(value(body))
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
        found = [{name: (0,) * self.structure.size for name, _ in equations}]
        while True:
            value = self._within({**bound, **found[-1]})
            step = {name: value(body) for name, body in equations}
            if step == found[-1]:
                return found
            found.append(step)


def union_of(rows: Iterable[int]) -> int:
    """The union of masks; of the rows of a relation, its range: every event that has a predecessor."""
    union = 0
    for row in rows:
        union |= row
    return union


def compose(first: Rows, second: Rows) -> Rows:
    """`first ; second`.

    >>> compose((0b10, 0), (0, 0b11))
    (3, 0)
    """
    if len(second) < _MANY:
        return tuple(_reached_singly(row, second) if row else 0 for row in first)
    # Many of thousands of events have no successor, or all the same ones.
    sources = _sources(second)
    leading = union_of(sources.values())
    return tuple(_reached(row & leading, second, sources) if row else 0 for row in first)


def _sources(rows: Rows) -> dict[int, int]:
    """Which events have the same successors, for each set of these but the empty one.

    >>> _sources((0b11, 0, 0b11))
    {3: 5}
    """
    sources: dict[int, int] = {}
    bit = 1
    for row in rows:
        if row:
            sources[row] = sources.get(row, 0) | bit
        bit <<= 1
    return sources


def _reached(row: int, second: Rows, sources: dict[int, int]) -> int:
    """What is reached from one of some events, each of which has a successor."""
    if len(sources) >= row.bit_count():
        return _reached_singly(row, second)
    reached = 0
    for successors, having in sources.items():
        if row & having:
            reached |= successors
    return reached


def _reached_singly(row: int, second: Rows) -> int:
    """What is reached from one of some events, one after the other."""
    reached = 0
    while row:
        least = row & -row
        reached |= second[least.bit_length() - 1]
        row ^= least
    return reached


def inverse(rows: Rows) -> Rows:
    """The pairs `(b, a)` for all pairs `(a, b)`.

    >>> inverse((0b110, 0, 0b10))
    (0, 5, 1)
    """
    return tuple(transposed(rows))


def closure(rows: Rows) -> Rows:
    """The transitive closure.

    >>> closure((0b10, 0b100, 0))
    (6, 4, 0)
    """
    order = _last_first(rows)
    reached = list(rows)
    if order is None:
        # Warshall's algorithm, which circles do not disturb.
        for middle in range(len(reached)):
            beyond = reached[middle]
            for start, row in enumerate(reached):
                if row >> middle & 1:
                    reached[start] = row | beyond
        return tuple(reached)
    for start in order:
        left = reached[start]
        while left:
            nearest = left & -left
            beyond = reached[nearest.bit_length() - 1]
            reached[start] |= beyond
            # What is beyond one that comes next is reached with it.
            left &= ~(beyond | nearest)
    return tuple(reached)


def _last_first(rows: Rows) -> list[int] | None:
    """All elements, each after those that it is related to; None where there is a circle.

    >>> _last_first((0b10, 0b100, 0)), _last_first((0b10, 0b01))
    ([2, 1, 0], None)
    """
    order: list[int] = []
    done = 0
    for start in range(len(rows)):
        if done >> start & 1:
            continue
        path, on_path = [start], 1 << start
        while path:
            last = path[-1]
            if rows[last] & on_path:
                return None
            left = rows[last] & ~done
            if left:
                following = (left & -left).bit_length() - 1
                path.append(following)
                on_path |= 1 << following
            else:
                path.pop()
                on_path ^= 1 << last
                done |= 1 << last
                order.append(last)
    return order


def is_empty(rows: Rows) -> bool:
    """Whether no pair is related."""
    return not any(rows)


def is_irreflexive(rows: Rows) -> bool:
    """Whether no event is related to itself."""
    return not any(row >> i & 1 for i, row in enumerate(rows))


def is_acyclic(rows: Rows) -> bool:
    """Whether the transitive closure is irreflexive."""
    return _last_first(rows) is not None
