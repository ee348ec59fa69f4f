"""Relational terms as literals: static bounds first, gates only for the pairs that are asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from mcm.base.bits import elements, transposed
from mcm.engine.smt.closure import TransitiveClosure
from mcm.engine.smt.recursion import LeastFixpoint
from mcm.engine.smt.relation import Members, Relation, joined, never, through
from mcm.engine.smt.rows import composed
from mcm.relation.occurrence import free_variables
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
    from collections.abc import Callable, Mapping

    from mcm.engine.smt.base import BaseLiterals
    from mcm.engine.smt.circuit import Circuit
    from mcm.relation.term import RelationTerm, SetTerm, Term


class Terms:
    """Encodes terms over one skeleton; each term is encoded once.

    `is_acyclic` says of which relations the model forbids cycles anyway (NOTE in `closure`).
    """

    def __init__(self, base: BaseLiterals, circuit: Circuit, is_acyclic: Callable[[RelationTerm], bool]) -> None:
        self._base = base
        self._execution = base.execution
        self._circuit = circuit
        self._is_acyclic = is_acyclic
        self._sets: dict[SetTerm, Members] = {}
        self._relations: dict[RelationTerm, Relation] = {}
        self._free_variables: dict[Term, frozenset[str]] = {}

    # --- sets ---------------------------------------------------------------------------------------------------------

    def set(self, term: SetTerm) -> Members:
        """The encoding of a set."""
        found = self._sets.get(term)
        if found is None:
            found = self._sets[term] = self._encode_set(term)
        return found

    def _members(self, may: int, must: int, encode: Callable[[int], int]) -> Members:
        return Members(self._execution, may, must, encode)

    def _encode_set(self, term: SetTerm) -> Members:
        circuit, everything = self._circuit, self._execution.possible
        match term:
            case BaseSet(name):
                return self._base.set(name)
            case Everything():
                return self._members(everything, everything, self._execution.executed.__getitem__)
            case Nothing():
                return self._members(0, 0, self._execution.executed.__getitem__)
            case SetUnion(one, other):
                a, b = self.set(one), self.set(other)
                return self._members(
                    a.may | b.may, a.must | b.must, lambda e: circuit.either(a.literal(e), b.literal(e))
                )
            case SetIntersection(one, other):
                a, b = self.set(one), self.set(other)
                return self._members(a.may & b.may, a.must & b.must, lambda e: circuit.both(a.literal(e), b.literal(e)))
            case SetDifference(one, other):
                a, b = self.set(one), self.set(other)
                return self._members(
                    a.may & ~b.must, a.must & ~b.may, lambda e: circuit.both(a.literal(e), -b.literal(e))
                )
            case Domain(relation):
                return self._ends(self.relation(relation), lambda r, e: [r.literal(e, o) for o in elements(r.may[e])])
            case Range(relation):
                return self._ends(
                    self.relation(Inverse(relation)), lambda r, e: [r.literal(e, o) for o in elements(r.may[e])]
                )
            case DefinedSet(_, body):
                return self.set(body)
            case _:
                assert_never(term)

    def _ends(self, relation: Relation, literals: Callable[[Relation, int], list[int]]) -> Members:
        implied = self._execution.implied
        may = sum(1 << event for event, row in enumerate(relation.may) if row)
        must = sum(1 << event for event, row in enumerate(relation.must) if row & implied[event])
        return self._members(may, must, lambda e: self._circuit.any_of(literals(relation, e)))

    # --- relations ----------------------------------------------------------------------------------------------------

    def relation(self, term: RelationTerm, bound: Mapping[str, Relation] | None = None) -> Relation:
        """The encoding of a relation; `bound` has those of the recursion variables around it."""
        if bound and free_variables(term, self._free_variables):
            # An open term is encoded anew for each meaning of its variables.
            return self._encode_relation(term, bound)
        found = self._relations.get(term)
        if found is None:
            found = self._relations[term] = self._encode_relation(term, {})
        return found

    def _relation(self, may: list[int], must: list[int], encode: Callable[[int, int], int]) -> Relation:
        return Relation(self._execution, may, must, encode)

    def _encode_relation(self, term: RelationTerm, bound: Mapping[str, Relation]) -> Relation:
        match term:
            case Base(name):
                return self._base.relation(name)
            case Empty():
                nothing = [0] * self._execution.size
                return self._relation(nothing, nothing, never)
            case Identity(events):
                return self._identity(self.set(events))
            case Product(left, right):
                return self._product(self.set(left), self.set(right))
            case Union(one, other):
                return self._union(self.relation(one, bound), self.relation(other, bound))
            case Intersection(one, other) | Difference(one, other) | Compose(one, other):
                first = self.relation(one, bound)
                return first if first.is_empty else self._encode_operator(term, first, self.relation(other, bound))
            case Inverse(body):
                inner = self.relation(body, bound)
                return self._relation(inner.columns, transposed(inner.must), lambda a, b: inner.literal(b, a))
            case Closure(body):
                base = self.relation(body, bound)
                wellfounded = not bound and self._is_acyclic(body)
                return TransitiveClosure(base, self._execution, self._circuit, wellfounded=wellfounded).relation
            case Defined(_, body):
                return self.relation(body, bound)
            case RecursionVariable(name):
                return bound[name]
            case Recursive(name, equations):
                return LeastFixpoint(equations, self.relation, bound, self._execution, self._circuit).relations[name]
            case _:
                assert_never(term)

    def _encode_operator(
        self, term: Intersection | Difference | Compose, first: Relation, second: Relation
    ) -> Relation:
        if second.is_empty:
            return first if isinstance(term, Difference) else second
        match term:
            case Intersection():
                return self._intersection(first, second)
            case Difference():
                return self._difference(first, second)
            case Compose():
                return self._composition(first, second)

    def _identity(self, events: Members) -> Relation:
        may, must = events.may, events.must
        bits = [1 << event for event in range(self._execution.size)]
        return self._relation([may & b for b in bits], [must & b for b in bits], lambda a, _: events.literal(a))

    def _product(self, left: Members, right: Members) -> Relation:
        both = self._circuit.both
        events = range(self._execution.size)
        return self._relation(
            [right.may if left.may >> e & 1 else 0 for e in events],
            [right.must if left.must >> e & 1 else 0 for e in events],
            lambda a, b: both(left.literal(a), right.literal(b)),
        )

    def _union(self, one: Relation, other: Relation) -> Relation:
        if one.is_empty or other.is_empty:
            return other if one.is_empty else one
        either = self._circuit.either
        return self._relation(
            [a | b for a, b in zip(one.may, other.may, strict=True)],
            [a | b for a, b in zip(one.must, other.must, strict=True)],
            lambda a, b: either(one.literal(a, b), other.literal(a, b)),
        )

    def _intersection(self, one: Relation, other: Relation) -> Relation:
        def encode(a: int, b: int) -> int:
            # Either literal says that both events are executed.
            if one.must[a] >> b & 1:
                return other.literal(a, b)
            if other.must[a] >> b & 1:
                return one.literal(a, b)
            return self._circuit.both(one.literal(a, b), other.literal(a, b))

        return self._relation(
            [a & b for a, b in zip(one.may, other.may, strict=True)],
            [a & b for a, b in zip(one.must, other.must, strict=True)],
            encode,
        )

    def _difference(self, one: Relation, other: Relation) -> Relation:
        both = self._circuit.both
        return self._relation(
            [a & ~b for a, b in zip(one.may, other.must, strict=True)],
            [a & ~b for a, b in zip(one.must, other.may, strict=True)],
            lambda a, b: both(one.literal(a, b), -other.literal(a, b)),
        )

    def _composition(self, one: Relation, other: Relation) -> Relation:
        circuit = self._circuit

        def encode(a: int, b: int) -> int:
            return circuit.any_of(
                [
                    joined(circuit, self._execution, one, other, a, middle, b)
                    for middle in elements(one.may[a] & other.columns[b])
                ]
            )

        return self._relation(composed(one.may, other.may), through(one.must, other.must, self._execution), encode)
