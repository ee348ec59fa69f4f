"""Whether a model lets a unit that has stopped go on after everything else, so that nothing changes of what was before.

What is added to an execution is performed last: `po`, `rf` and `mo` lead to it, and not back. So it breaks no check
that interleavings satisfy. That what was there is related as it was is derived from the terms: no pair of two old
events may come, or go, by way of a new one. `docs/search.md` has the argument (*Tried until it succeeds*).
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from mcm.engine.explicit.settled.interleavings import Interleavings
from mcm.engine.explicit.settled.kinds import empty_bases
from mcm.execution.event import EventKind
from mcm.relation.parts import bare, intersections, unions
from mcm.relation.term import (
    Base,
    Closure,
    Compose,
    Difference,
    Domain,
    Identity,
    Intersection,
    Inverse,
    Range,
    Recursive,
    SetTerm,
    Union,
    children,
)

if TYPE_CHECKING:
    from mcm.cat.model import Linearisation, Model
    from mcm.execution.skeleton import Skeleton
    from mcm.relation.term import RelationTerm, Term


def can_go_on(skeleton: Skeleton, left: Skeleton, model: Model) -> bool:
    """Whether units that stop in a skeleton can go on, of which some is `left`, if the model allows interleavings.

    What they read is what was written last. A plain read of an atomic object may see nothing that does not happen
    before it; so there must be none that is left.
    """
    atomic = left.sets["AO"].locations
    is_read_plainly = any(
        event.kind is EventKind.READ and not event.atomic and not atomic.isdisjoint(event.locations)
        for event in left.events
    )
    return not is_read_plainly and lets_go_on(model, empty_bases(skeleton))


@lru_cache(maxsize=64)
def lets_go_on(model: Model, empty: frozenset[str]) -> bool:
    """Whether units can go on last of all, of a model that allows interleavings; `empty` are bases without members."""
    return _Kept(model, empty).all_is_kept()


class _Kept:
    """Tells of terms whether old events are related as they were when others are performed after them."""

    def __init__(self, model: Model, empty: frozenset[str]) -> None:
        self._model: Final = model
        self._interleavings: Final = Interleavings(model, empty)
        self._known: Final[dict[Term, bool]] = {}

    def all_is_kept(self) -> bool:
        """Whether checks, flags and linearisations say the same of old events."""
        model = self._model
        return (
            all(map(self._has_kept_steps, (check.term for check in model.checks)))
            and all(self._is_kept(flag.term) for flag in model.flags)
            and all(map(self._is_kept_order, model.linearisations))
        )

    def _is_kept_order(self, order: Linearisation) -> bool:
        """Whether a linearisation can be extended; it agrees with `mo`, so that what is written last is last in it."""
        is_empty = self._interleavings.is_empty(order.events)
        agrees = any(Base("mo") in map(bare, intersections(bare(part))) for part in unions(order.order))
        return is_empty or (agrees and self._is_kept(order.events) and self._is_kept(order.order))

    def _has_kept_steps(self, term: Term) -> bool:
        """Whether what a check forbids is made of steps that are kept; a way through new events breaks no check."""
        if isinstance(term, SetTerm):
            return self._is_kept(term)
        plain = bare(term)
        match plain:
            case Union(one, other) | Compose(one, other):
                return self._has_kept_steps(one) and self._has_kept_steps(other)
            case Difference(one, other):
                return self._has_kept_steps(one) and self._is_kept(other)
            case _:
                return self._is_kept(plain)

    def _is_kept(self, term: Term) -> bool:
        found = self._known.get(term)
        if found is None:
            found = self._known[term] = self._interleavings.is_empty(term) or self._find(term)
        return found

    def _find(self, term: Term) -> bool:
        if isinstance(term, Recursive) or not all(map(self._is_kept, children(term))):
            return False
        match term:
            case Compose(one, other):
                is_end = isinstance(bare(one), Identity) or isinstance(bare(other), Identity)
                return is_end or self._leads(other) or self._comes(one)
            case Closure(body):
                return self._leads(body) or self._comes(body)
            case Domain(body):
                return self._comes(body)
            case Range(body):
                return self._leads(body)
            case _:
                return True

    def _leads(self, term: RelationTerm) -> bool:
        """Whether a relation leads from no new event to an old one."""
        return self._interleavings.is_not_back(term)

    def _comes(self, term: RelationTerm) -> bool:
        """Whether a relation leads from no old event to a new one."""
        plain = bare(term)
        match plain:
            case Identity():
                return True
            case Inverse(body):
                return self._leads(body)
            case Union(one, other) | Compose(one, other):
                return self._comes(one) and self._comes(other)
            case Intersection(one, other):
                return self._comes(one) or self._comes(other)
            case Difference(body, _) | Closure(body):
                return self._comes(body)
            case _:
                return self._interleavings.is_empty(plain)
