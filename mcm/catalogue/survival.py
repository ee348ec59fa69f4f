"""What of a model survives when executions change: events that are left out, or what is sequenced no more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from msgspec import Struct

from mcm.cat.model import Shape
from mcm.relation.parts import bare
from mcm.relation.term import (
    Base,
    BaseSet,
    Closure,
    Compose,
    DefinedSet,
    Difference,
    Identity,
    Intersection,
    SetDifference,
    SetIntersection,
    SetTerm,
    Union,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet

    from mcm.cat.model import Check, Flag, Model
    from mcm.relation.term import RelationTerm, Term


class Change(Struct, frozen=True):
    """How the value of a term, on the events that are left, changes: surely not larger, surely not smaller, or both."""

    shrinks: bool
    grows: bool

    def __and__(self, other: Change) -> Change:
        """The change of what increases with two terms."""
        return Change(shrinks=self.shrinks and other.shrinks, grows=self.grows and other.grows)

    def __neg__(self) -> Change:
        """The change of a complement."""
        return Change(shrinks=self.grows, grows=self.shrinks)


class Changing(Protocol):
    """A way in which executions change."""

    def change(self, term: Term) -> Change:
        """The change of a term without free variables."""


def keeps_executions(model: Model, changes: Changing) -> bool:
    """Whether executions that are consistent, and the flags that they raise, survive a change.

    Total orders have the same events and need not contain more, checks are not broken, unless a plain read races then,
    and flags are not lost.
    """
    for order in model.linearisations:
        events = changes.change(order.events)
        if not (events.shrinks and events.grows and changes.change(order.order).shrinks):
            return False
    return all(_survives(check, model, changes) for check in model.checks) and all(
        _stays_raised(flag, changes) for flag in model.flags
    )


def _survives(check: Check, model: Model, changes: Changing) -> bool:
    """Whether a check of a model that holds still holds, unless a plain read races then."""
    return (not check.negated and changes.change(check.term).shrinks) or _is_left_to_races(check, model, changes)


def _stays_raised(flag: Flag, changes: Changing) -> bool:
    """Whether a flag that is raised among events that are left is still raised."""
    if not flag.negated:
        return changes.change(flag.term).shrinks
    is_cycle = flag.shape is Shape.ACYCLIC and not isinstance(flag.term, SetTerm)
    return changes.change(Closure(flag.term) if is_cycle else flag.term).grows  # type: ignore[arg-type]


# --- checks that may break where there is a race ----------------------------------------------------------------------


def _is_left_to_races(check: Check, model: Model, changes: Changing) -> bool:
    r"""Whether a check can only be broken by reads that race then, so that the program is undefined anyhow.

    These are checks `empty (rf ; [P]) \ V` of plain reads P, where only those pairs leave V that are in no H any more
    such that pairs in H do not race: a write that is in no H with a plain read of it races with that.
    """
    if check.negated or check.shape is not Shape.EMPTY or isinstance(check.term, SetTerm):
        return False
    match bare(check.term):
        case Difference(reads, allowed) if _are_plain_reads(reads):
            excusing = {order for flag in model.flags if flag.name == "data_race" for order in _excuses(flag)}
            return _stays_unless(allowed, excusing, changes)
        case _:
            return False


def _stays_unless(term: RelationTerm, orders: AbstractSet[RelationTerm], changes: Changing) -> bool:
    """Whether every pair of events that leaves a relation leaves one of the `orders` too."""
    if bare(term) in orders or changes.change(term).grows:
        return True
    match bare(term):
        case Intersection(one, other):
            return _stays_unless(one, orders, changes) and _stays_unless(other, orders, changes)
        case Difference(one, other):
            return _stays_unless(one, orders, changes) and changes.change(other).shrinks
        case _:
            return False


def _are_plain_reads(term: RelationTerm) -> bool:
    """Whether a relation is reads-from, restricted to reads that are not atomic."""
    match bare(term):
        case Compose(one, other):
            match bare(one), bare(other):
                case Base("rf"), Identity(reads):
                    return _excludes_atomics(reads)
    return False


def _excludes_atomics(term: SetTerm) -> bool:
    match term:
        case DefinedSet(_, body):
            return _excludes_atomics(body)
        case SetIntersection(left, right):
            return _excludes_atomics(left) or _excludes_atomics(right)
        case SetDifference(left, right):
            return _excludes_atomics(left) or right in _ATOMIC
        case _:
            return False


_ATOMIC: Final = (BaseSet("A"), BaseSet("AO"))


def _excuses(flag: Flag) -> Iterator[RelationTerm]:
    """The relations that are subtracted from what raises a flag, and the parts of those that are unions."""
    work: list[RelationTerm] = []
    term = flag.term
    while not isinstance(term, SetTerm) and isinstance(difference := bare(term), Difference):
        work.append(difference.right)
        term = difference.left
    while work:
        part = bare(work.pop())
        yield part
        if isinstance(part, Union):
            work += (part.left, part.right)
