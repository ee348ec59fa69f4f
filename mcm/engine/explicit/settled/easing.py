"""Atomics that synchronise, and that barriers order anyway: they are taken for relaxed ones, and settled as such.

Whether that leaves the same states and flags is derived from the terms of the model, for the kinds of events that the
skeleton has. `docs/search.md` has the argument.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.base.bits import mask_of, members
from mcm.cat.model import Shape
from mcm.engine.explicit.settled.grounds import Ground, Grounds
from mcm.engine.explicit.settled.interleavings import leads_on
from mcm.engine.explicit.settled.kinds import Kinds, empty_bases
from mcm.engine.explicit.settled.places import Places
from mcm.engine.explicit.settled.settling import SYNCHRONISING, settled
from mcm.engine.explicit.settled.visible_writes import visibility
from mcm.execution.skeleton import SetMembers
from mcm.execution.vocabulary import SETS
from mcm.program.types import Order
from mcm.relation.parts import unions
from mcm.relation.term import SetTerm

if TYPE_CHECKING:
    from collections.abc import Collection

    from mcm.cat.model import Check, Flag, Linearisation, Model
    from mcm.engine.explicit.settled.found import Settled
    from mcm.engine.explicit.settled.grounds import Members, Pairs
    from mcm.execution.skeleton import Skeleton
    from mcm.program.condition import Observable
    from mcm.relation.term import RelationTerm

_OF_ORDERS: Final = ("ACQ", "REL", "ACQ_REL", "SC")


def eased(skeleton: Skeleton, accesses: Collection[int]) -> Skeleton:
    """The skeleton with relaxed orders for some accesses."""
    mask = mask_of(accesses)
    sets = dict(skeleton.sets)
    for name in _OF_ORDERS:
        sets[name] = SetMembers(sets[name].events & ~mask, sets[name].locations)
    sets["RLX"] = SetMembers(sets["RLX"].events | mask, sets["RLX"].locations)
    events = tuple(
        replace(event, order=Order.RELAXED) if mask >> event.identifier & 1 else event for event in skeleton.events
    )
    return replace(skeleton, events=events, sets=sets)


def with_relaxed(skeleton: Skeleton, model: Model, watched: Collection[Observable], whatever: Settled) -> Skeleton:
    """The skeleton with relaxed orders for accesses that are settled then, if that leaves the same states and flags.

    `whatever` is settled whatever the orders of accesses.
    """
    events = skeleton.events
    accesses = frozenset(access for access in whatever.accesses if events[access].order in SYNCHRONISING)
    if not accesses:
        return skeleton
    weaker = eased(skeleton, accesses)
    found = settled(weaker, model, watched)
    if found is None or found.phases is None or not found.in_phases or not accesses.issubset(found.accesses):
        return skeleton
    both = frozenset(found.accesses)
    if not both.issubset(whatever.accesses):
        return skeleton
    every = frozenset(SETS)
    places = Places(found.phases, Kinds(skeleton, every), Kinds(weaker, every), both, mask_of(accesses))
    return weaker if _Comparison(model, places, empty_bases(skeleton)).holds() else skeleton


class _Comparison:
    """The terms of a model, in executions with the orders as written and with some of them relaxed."""

    def __init__(self, model: Model, places: Places, empty: frozenset[str]) -> None:
        self._model: Final = model
        self._places: Final = places
        self._empty: Final = empty
        self._written: Final = Grounds(places, model.linearisations, empty, relaxes=False)
        self._relaxed: Final = Grounds(places, model.linearisations, empty, relaxes=True)
        self._written.compared_with(self._relaxed)
        self._relaxed.compared_with(self._written)

    def holds(self) -> bool:
        """Whether both have the same states and flags."""
        model = self._model
        return (
            all(map(self._extends, model.linearisations))
            and all(map(self._is_kept, model.checks))
            and all(map(self._is_raised_alike, model.flags))
        )

    def _extends(self, order: Linearisation) -> bool:
        """Whether a total order of the events that are not relaxed can be extended by those that are."""
        of, fewer = self._written.set(order.events), self._relaxed.set(order.events)
        relaxed = self._places.relaxed
        ordered, others = _any(of), _any(of) & ~relaxed
        if (
            (_with(of, Ground.OPEN) | _with(fewer, Ground.BOTH))
            or _with(of, Ground.ORDERS) & ~relaxed
            or _any(fewer) != others
        ):
            return False
        inside = ordered & relaxed
        pairs = self._written.relation(order.order)
        after, before = _has(pairs, inside, others), _has(pairs, others, inside)
        if (after and before) or _rests(pairs, Ground.OPEN, inside, inside):
            return False
        if _rests(pairs, Ground.ORDERS, others, others) or _rests(
            self._relaxed.relation(order.order), Ground.ORDERS, others, others
        ):
            return False
        return leads_on(self._model, self._empty, order.order)

    def _is_kept(self, check: Check) -> bool:
        """Whether a check holds of both, or of none."""
        term = check.term
        if check.negated or isinstance(term, SetTerm):
            return self._is_alike(check)
        if (visible := visibility(check)) is not None:
            return self._sees_alike(*visible)
        one, other = self._written.relation(term), self._relaxed.relation(term)
        if check.shape is Shape.ACYCLIC:
            one, other = self._written.closure(one), self._relaxed.closure(other)
        if check.shape is Shape.EMPTY:
            return Ground.BOTH not in one and not {Ground.ORDERS, Ground.BOTH} & other.keys()
        return not (_turns(one, Ground.BOTH) or _turns(other, Ground.ORDERS) or _turns(other, Ground.BOTH))

    def _is_alike(self, said: Check | Flag) -> bool:
        """Whether what a check or flag speaks of does not rest on orders."""
        term = said.term
        both = (
            (self._written.set(term), self._relaxed.set(term))
            if isinstance(term, SetTerm)
            else (self._written.relation(term), self._relaxed.relation(term))
        )
        return not any({Ground.ORDERS, Ground.BOTH} & of.keys() for of in both)

    def _sees_alike(self, order: RelationTerm, visible: SetTerm) -> bool:
        """Whether plain reads see the same writes: where h rests on orders, all is settled, and h leads on."""
        settled, everything = self._places.settled, self._everything
        pairs, fewer = self._written.relation(order), self._relaxed.relation(order)
        reads = {**self._written.set(visible), **self._relaxed.set(visible)}
        return (
            reads.keys() <= {Ground.NOTHING}
            and self._within_settled(pairs)
            and Ground.BOTH not in pairs
            and not _rests(pairs, Ground.OPEN, settled, settled)
            and not _rests(fewer, Ground.ORDERS, everything, everything)
            and all(leads_on(self._model, self._empty, part) for part in unions(order))
        )

    def _is_raised_alike(self, flag: Flag) -> bool:
        """Whether a flag is raised by the same events; by none of what is settled it is known to be raised."""
        term = flag.term
        if isinstance(term, SetTerm) or flag.shape is not Shape.EMPTY or not flag.negated:
            return self._is_alike(flag)
        return self._within_settled(self._written.relation(term)) and self._within_settled(self._relaxed.relation(term))

    def _within_settled(self, pairs: Pairs) -> bool:
        """Whether what rests on orders are pairs of accesses that are settled."""
        settled, everything = self._places.settled, self._everything
        return not (
            _rests(pairs, Ground.ORDERS, everything & ~settled, everything)
            or _rests(pairs, Ground.ORDERS, everything, everything & ~settled)
        )

    @property
    def _everything(self) -> int:
        return (1 << self._places.count) - 1


def _any(of: Members) -> int:
    """The kinds that may be members."""
    return _with(of, Ground.NOTHING) | _with(of, Ground.BOTH)


def _with(of: Members, ground: Ground) -> int:
    """The kinds that may be members and rest on any of that; with nothing, those that rest on nothing."""
    found = 0
    for its, kinds in of.items():
        if its & ground or its == ground:
            found |= kinds
    return found


def _rests(pairs: Pairs, ground: Ground, firsts: int, seconds: int) -> bool:
    """Whether some pairs of kinds, first and second, may rest on that."""
    return any(rows[kind] & seconds for its, rows in pairs.items() if its & ground for kind in members(firsts))


def _has(pairs: Pairs, firsts: int, seconds: int) -> bool:
    """Whether there are pairs of kinds, first and second."""
    return any(rows[kind] & seconds for rows in pairs.values() for kind in members(firsts))


def _turns(pairs: Pairs, ground: Ground) -> bool:
    """Whether an event may be related to itself on that ground."""
    return any(row >> kind & 1 for kind, row in enumerate(pairs.get(ground, ())))
