"""Terms with some of their definitions replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

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
    Recursive,
    RelationTerm,
    SetDifference,
    SetIntersection,
    SetTerm,
    SetUnion,
    Union,
    Variable,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcm.relation.term import Term


class Rewriter:
    """Replaces what definitions stand for, everywhere in a term and in the replacements too; names are kept."""

    def __init__(self, sets: Mapping[DefinedSet, SetTerm], relations: Mapping[Defined, RelationTerm]) -> None:
        self._new_sets = sets
        self._new_relations = relations
        self._done: dict[Term, Term] = {}

    def term(self, term: Term) -> Term:
        """The term with all replacements made."""
        return self.set(term) if isinstance(term, SetTerm) else self.relation(term)

    def set(self, term: SetTerm) -> SetTerm:
        """The set with all replacements made."""
        found = self._done.get(term)
        if found is None:
            found = self._done[term] = self._set(term)
        assert isinstance(found, SetTerm)
        return found

    def relation(self, term: RelationTerm) -> RelationTerm:
        """The relation with all replacements made."""
        found = self._done.get(term)
        if found is None:
            found = self._done[term] = self._relation(term)
        assert isinstance(found, RelationTerm)
        return found

    def _set(self, term: SetTerm) -> SetTerm:
        match term:
            case BaseSet() | Everything() | Nothing():
                return term
            case SetUnion(left, right):
                return SetUnion(self.set(left), self.set(right))
            case SetIntersection(left, right):
                return SetIntersection(self.set(left), self.set(right))
            case SetDifference(left, right):
                return SetDifference(self.set(left), self.set(right))
            case Domain(body):
                return Domain(self.relation(body))
            case Range(body):
                return Range(self.relation(body))
            case DefinedSet(name, body):
                return DefinedSet(name, self.set(self._new_sets.get(term, body)))
            case _:
                assert_never(term)

    def _relation(self, term: RelationTerm) -> RelationTerm:
        match term:
            case Base() | Empty() | Variable():
                return term
            case Identity(events):
                return Identity(self.set(events))
            case Product(first, second):
                return Product(self.set(first), self.set(second))
            case Union(left, right):
                return Union(self.relation(left), self.relation(right))
            case Intersection(left, right):
                return Intersection(self.relation(left), self.relation(right))
            case Difference(left, right):
                return Difference(self.relation(left), self.relation(right))
            case Compose(left, right):
                return Compose(self.relation(left), self.relation(right))
            case Inverse(body):
                return Inverse(self.relation(body))
            case Closure(body):
                return Closure(self.relation(body))
            case Defined(name, body):
                return Defined(name, self.relation(self._new_relations.get(term, body)))
            case Recursive(name, equations):
                return Recursive(name, tuple((variable, self.relation(body)) for variable, body in equations))
            case _:
                assert_never(term)
