"""Models as they are for programs of memory accesses alone: what is about commands and copies is empty, and left out.

The engines need not look at it then, and what they find out about the shapes of terms does not depend on it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.execution.vocabulary import BEYOND_MEMORY
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
    Identity,
    Intersection,
    Inverse,
    Nothing,
    Product,
    Range,
    RelationTerm,
    SetDifference,
    SetIntersection,
    SetTerm,
    SetUnion,
    Union,
    map_children,
)

if TYPE_CHECKING:
    from mcm.cat.model import Model
    from mcm.relation.term import Term

_NOTHING: Final = Nothing()
_EMPTY: Final = Empty()


@lru_cache(maxsize=64)
def memory_only(model: Model) -> Model:
    """The model for programs without commands."""
    simple = _Simplified()
    checks = tuple(replace(check, term=simple.term(check.term)) for check in model.checks)
    flags = tuple(replace(flag, term=simple.term(flag.term)) for flag in model.flags)
    definitions = tuple(
        replace(d, term=term, without=None if d.without is None else simple.term(d.without))
        for d in model.definitions
        if (term := simple.term(d.term)) not in {_EMPTY, _NOTHING}
    )
    linearisations = tuple(
        replace(order, events=simple.set(order.events), order=simple.relation(order.order))
        for order in model.linearisations
    )
    return replace(
        model,
        definitions=definitions,
        linearisations=linearisations,
        # What is empty has each of the shapes.
        checks=tuple(check for check in checks if check.negated or check.term not in {_EMPTY, _NOTHING}),
        flags=tuple(flag for flag in flags if not flag.negated or flag.term not in {_EMPTY, _NOTHING}),
    )


class _Simplified:
    """Terms without their empty parts."""

    def __init__(self) -> None:
        self._sets: dict[SetTerm, SetTerm] = {}
        self._relations: dict[RelationTerm, RelationTerm] = {}

    def term(self, term: Term) -> Term:
        """A set or a relation, simplified."""
        return self.set(term) if isinstance(term, SetTerm) else self.relation(term)

    def set(self, term: SetTerm) -> SetTerm:
        """A set, simplified."""
        found = self._sets.get(term)
        if found is None:
            found = self._sets[term] = _simple_set(map_children(term, self.set, self.relation))
        return found

    def relation(self, term: RelationTerm) -> RelationTerm:
        """A relation, simplified."""
        found = self._relations.get(term)
        if found is None:
            found = self._relations[term] = _simple_relation(map_children(term, self.set, self.relation))
        return found


def _simple_set(term: SetTerm) -> SetTerm:
    match term:
        case BaseSet(name) if name in BEYOND_MEMORY:
            return _NOTHING
        case SetUnion(left, right) if left is _NOTHING or right is _NOTHING:
            return right if left is _NOTHING else left
        case SetIntersection(left, right) if left is _NOTHING or right is _NOTHING:
            return _NOTHING
        case SetDifference(left, right) if left is _NOTHING or right is _NOTHING:
            return left
        case Domain(body) | Range(body) if body is _EMPTY:
            return _NOTHING
        case DefinedSet(_, body) if body is _NOTHING:
            return _NOTHING
        case _:
            return term


def _simple_relation(term: RelationTerm) -> RelationTerm:
    match term:
        case Base(name) if name in BEYOND_MEMORY:
            return _EMPTY
        case Identity(events) if events is _NOTHING:
            return _EMPTY
        case Product(left, right) if left is _NOTHING or right is _NOTHING:
            return _EMPTY
        case Union(one, other) if one is _EMPTY or other is _EMPTY:
            return other if one is _EMPTY else one
        case Intersection(one, other) | Compose(one, other) if one is _EMPTY or other is _EMPTY:
            return _EMPTY
        case Difference(one, other) if one is _EMPTY or other is _EMPTY:
            return one
        case Inverse(body) | Closure(body) | Defined(_, body) if body is _EMPTY:
            return _EMPTY
        case _:
            return term
