"""Models without the parts that are empty in some programs: the engines need not look at them.

What is about commands, copies and pipes is empty in most programs; in many, so is what is about fences and barriers.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.catalogue.mentions import named
from mcm.execution.vocabulary import BEYOND_ACCESSES, BEYOND_MEMORY
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
    from collections.abc import Iterable

    from mcm.cat.model import Definition, Model
    from mcm.execution.skeleton import Skeleton
    from mcm.program.program import Extent
    from mcm.relation.term import Term

_NOTHING: Final = Nothing()
_EMPTY: Final = Empty()


_EMPTY_IN: Final[dict[Extent, frozenset[str]]] = {
    "whole": frozenset(),
    "memory": BEYOND_MEMORY,
    "accesses": BEYOND_ACCESSES,
}


def within(model: Model, extent: Extent) -> Model:
    """The model for programs of this extent."""
    empty = _EMPTY_IN[extent]
    return without_empty(model, empty) if empty else model


def empty_in(skeletons: Iterable[Skeleton]) -> frozenset[str]:
    """The base sets and base relations that are empty in all executions of these skeletons."""
    found = [
        {name for name, members in skeleton.sets.items() if not members.events and not members.locations}
        | {name for name, rows in skeleton.relations.items() if not any(rows)}
        for skeleton in skeletons
    ]
    return frozenset.intersection(*map(frozenset, found)) if found else frozenset()


@lru_cache(maxsize=64)
def without_empty(model: Model, empty: frozenset[str]) -> Model:
    """The model for executions in which these base sets and base relations are empty.

    A definition that is empty there stays where it would not be without its rule.
    """
    simple = _Simplified(empty)
    for definition in model.definitions:
        if definition.without is not None and not is_empty(simple.term(definition.without)):
            simple.keep(definition)
    checks = tuple(replace(check, term=simple.term(check.term)) for check in model.checks)
    flags = tuple(replace(flag, term=simple.term(flag.term)) for flag in model.flags)
    definitions = tuple(
        replace(d, term=term, without=None if d.without is None else simple.term(d.without))
        for d in model.definitions
        if not is_empty(term := simple.term(d.term)) or simple.keeps(d)
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
        checks=tuple(check for check in checks if check.negated or not is_empty(check.term)),
        flags=tuple(flag for flag in flags if not flag.negated or not is_empty(flag.term)),
    )


def is_empty(term: Term) -> bool:
    """Whether a term is that of nothing."""
    return term is _EMPTY or term is _NOTHING


class _Simplified:
    """Terms without their empty parts."""

    def __init__(self, empty: frozenset[str]) -> None:
        self._empty: Final = empty
        self._kept: set[Term] = set()
        self._sets: dict[SetTerm, SetTerm] = {}
        self._relations: dict[RelationTerm, RelationTerm] = {}

    def keep(self, definition: Definition) -> None:
        """Leave a definition where it is mentioned, even if it is empty."""
        self._kept.add(named(definition))

    def keeps(self, definition: Definition) -> bool:
        """Whether a definition is left."""
        return named(definition) in self._kept

    def term(self, term: Term) -> Term:
        """A set or a relation, simplified."""
        return self.set(term) if isinstance(term, SetTerm) else self.relation(term)

    def set(self, term: SetTerm) -> SetTerm:
        """A set, simplified."""
        found = self._sets.get(term)
        if found is None:
            changed = map_children(term, self.set, self.relation)
            is_left = isinstance(term, DefinedSet) and term in self._kept
            found = self._sets[term] = changed if is_left else self._simple_set(changed)
        return found

    def relation(self, term: RelationTerm) -> RelationTerm:
        """A relation, simplified."""
        found = self._relations.get(term)
        if found is None:
            changed = map_children(term, self.set, self.relation)
            is_left = isinstance(term, Defined) and term in self._kept
            found = self._relations[term] = changed if is_left else self._simple_relation(changed)
        return found

    def _simple_set(self, term: SetTerm) -> SetTerm:
        return _NOTHING if isinstance(term, BaseSet) and term.name in self._empty else _simple_set(term)

    def _simple_relation(self, term: RelationTerm) -> RelationTerm:
        return _EMPTY if isinstance(term, Base) and term.name in self._empty else _simple_relation(term)


def _simple_set(term: SetTerm) -> SetTerm:
    match term:
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
