"""Which relations a model requires to be acyclic, derived from the shape of its checks (see `closure`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.cat.model import Shape
from mcm.relation.term import (
    Closure,
    Compose,
    Defined,
    DefinedSet,
    Difference,
    Everything,
    Identity,
    Intersection,
    SetTerm,
    Union,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.cat.model import Model
    from mcm.relation.term import RelationTerm


class AcyclicTerms:
    """Whether a relation is acyclic in every consistent execution; `False` also where that is not derived."""

    def __init__(self, model: Model) -> None:
        self._parts: list[frozenset[RelationTerm]] = []
        self._known: dict[RelationTerm, int] = {}
        for check in model.checks:
            if check.negated or isinstance(check.term, SetTerm):
                continue
            if check.shape is Shape.ACYCLIC:
                self._parts.append(frozenset(_parts(check.term)))
            elif check.shape is Shape.IRREFLEXIVE:
                self._parts += (frozenset(_parts(body)) for body in _closures_in(check.term))

    def __call__(self, term: RelationTerm) -> bool:
        """Whether some check forbids cycles of a relation that contains this one."""
        return self._containing(term) != 0

    def _containing(self, term: RelationTerm) -> int:
        """The mask of acyclic relations whose closures contain the term, by the shape of the terms alone."""
        found = self._known.get(term)
        if found is None:
            found = sum(1 << i for i, parts in enumerate(self._parts) if term in parts)
            match term:
                case Defined(_, body) | Closure(body):
                    found |= self._containing(body)
                case Union(left, right):
                    found |= self._containing(left) & self._containing(right)
                case Intersection(left, right):
                    found |= self._containing(left) | self._containing(right)
                case Difference(left, _):
                    found |= self._containing(left)
                case _:
                    pass
            self._known[term] = found
        return found


def _parts(term: RelationTerm) -> Iterator[RelationTerm]:
    """Terms that a relation contains, or that the closure of it does."""
    yield term
    match term:
        case Defined(_, body) | Closure(body):
            yield from _parts(body)
        case Union(left, right):
            yield from _parts(left)
            yield from _parts(right)
        case _:
            pass


def _closures_in(term: RelationTerm) -> Iterator[RelationTerm]:
    """Bodies of transitive closures that a relation contains: if it is irreflexive they have no cycles."""
    match term:
        case Closure(body):
            yield body
        case Defined(_, body):
            yield from _closures_in(body)
        case Union(left, right):
            yield from _closures_in(left)
            yield from _closures_in(right)
        case Compose(left, right):
            if _contains_identity(right):
                yield from _closures_in(left)
            if _contains_identity(left):
                yield from _closures_in(right)
        case _:
            pass


def _contains_identity(term: RelationTerm) -> bool:
    match term:
        case Identity(events):
            while isinstance(events, DefinedSet):
                events = events.body
            return isinstance(events, Everything)
        case Defined(_, body):
            return _contains_identity(body)
        case Union(left, right):
            return _contains_identity(left) or _contains_identity(right)
        case _:
            return False


def relies_on_nothing(_: RelationTerm) -> bool:
    """The function to use where checks can be switched off: no relation is known to be acyclic."""
    return False
