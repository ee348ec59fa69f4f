"""Whether a model allows interleavings: executions whose events are performed one after the other.

In an interleaving each read returns what was last written to its location, and who leaves a barrier does so after all
entries. So `po`, `rf` and `mo` lead *on* in the order in which events are performed, and whatever is composed of
relations that lead on does so, too: it has no cycle. That plain reads see a visible write is not asked here: it depends
on what is synchronised. `docs/search.md` has the argument for each shape.
"""

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Final, assert_never

from mcm.cat.model import Shape
from mcm.engine.explicit.settled.footprint import Footprints
from mcm.engine.explicit.settled.rules import RF, SAME, skips_a_write
from mcm.engine.explicit.settled.visible_writes import visibility, visible_writes
from mcm.relation.parts import bare, intersections, unions
from mcm.relation.term import (
    Base,
    BaseSet,
    Closure,
    Compose,
    DefinedSet,
    Difference,
    Empty,
    Identity,
    Intersection,
    Inverse,
    Product,
    SetDifference,
    SetIntersection,
    SetTerm,
    SetUnion,
    Union,
)
from mcm.relation.within import lies_within

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mcm.cat.model import Check, Model
    from mcm.relation.term import RelationTerm, Term

# Commands start, end and are waited for one after the other, too (`settled/commands.py`).
_ON: Final = frozenset({"po", "rf", "mo", "enqueue", "run", "awaits", "before-in-queue", "queued"})
_LOC, _MO, _SYNCBAR = Base("loc"), Base("mo"), Base("syncbar")
_SAME, _RUN = Base("same-command"), Base("run")


class Direction(IntEnum):
    """Where pairs of a relation lead in an interleaving: anywhere, on or nowhere (to the same event), on."""

    ANYWHERE = 0
    NOT_BACK = 1
    ON = 2


@lru_cache(maxsize=64)
def allows_interleavings(model: Model, empty: frozenset[str]) -> bool:
    """Whether all checks, but for that of visible writes, hold of interleavings; `empty` are bases without members."""
    return Interleavings(model, empty).satisfy()


@lru_cache(maxsize=64)
def leads_on(model: Model, empty: frozenset[str], term: RelationTerm) -> bool:
    """Whether in interleavings a relation leads on in the order in which events are performed."""
    return Interleavings(model, empty).leads_on(term)


class Interleavings:
    """The interleavings of programs in which some base sets and relations are empty, under one model.

    Linearisations are in the order in which events are performed.
    """

    def __init__(self, model: Model, empty: frozenset[str]) -> None:
        self._model: Final = model
        self._empty: Final = empty
        self._footprints: Final = Footprints(empty, {order.name: order.events for order in model.linearisations})
        self._on: Final = _ON | {order.name for order in model.linearisations}
        self._known: Final[dict[RelationTerm, Direction]] = {}

    def satisfy(self) -> bool:
        """Whether they satisfy the checks, with linearisations that contain what they have to."""
        model = self._model
        orders = all(self._direction(order.order) is Direction.ON for order in model.linearisations)
        visible = any(visibility(check, self._empty) is not None for check in model.checks)
        if visible and visible_writes(model, self._empty) is None:
            return False
        return orders and all(map(self._holds, model.checks))

    def leads_on(self, term: RelationTerm) -> bool:
        """Whether a relation leads on."""
        return self._direction(term) is Direction.ON

    def is_not_back(self, term: RelationTerm) -> bool:
        """Whether a relation leads on, or nowhere."""
        return self._direction(term) is not Direction.ANYWHERE

    def is_empty(self, term: Term) -> bool:
        """Whether a term is empty by its shape."""
        of = self._footprints
        return (of.set(term) if isinstance(term, SetTerm) else of.relation(term)).is_empty

    def _holds(self, check: Check) -> bool:
        term = check.term
        if check.negated:
            return False
        if isinstance(term, SetTerm):
            return self.is_empty(term)
        match check.shape:
            case Shape.IRREFLEXIVE:
                return all(self._has_no_loop(bare(part)) for part in unions(term))
            case Shape.ACYCLIC:
                return self._direction(term) is Direction.ON
            case Shape.EMPTY:
                return (
                    self.is_empty(term) or visibility(check, self._empty) is not None or self._is_of_overwritten(term)
                )
            case _:
                assert_never(check.shape)

    def _has_no_loop(self, term: RelationTerm) -> bool:
        """Whether no event is related to itself; in a composition it does not matter where one begins to go round."""
        if self._direction(term) is Direction.ON or skips_a_write(term):
            return True
        steps = list(_steps(term))
        return any(self._along([*steps[at:], *steps[:at]]) is Direction.ON for at in range(1, len(steps)))

    def _is_of_overwritten(self, term: RelationTerm) -> bool:
        """Whether all pairs are of a write and a read that takes its value, with another write to it in between."""
        parts = list(intersections(term))
        return any(map(self._is_of_sources, parts)) and any(map(self._passes_a_write, parts))

    @staticmethod
    def _is_of_sources(term: RelationTerm) -> bool:
        return _that_move(_steps(term)) == [RF]

    def _passes_a_write(self, term: RelationTerm) -> bool:
        """Whether pairs lead on to a write, and from there on to an event of the same location."""
        steps = list(_steps(term))
        return any(
            self._along(steps[:at]) is Direction.ON and self._is_located(steps[at + 1 :])
            for at in range(1, len(steps))
            if _is_of_writes(steps[at])
        )

    def _is_located(self, steps: Sequence[RelationTerm]) -> bool:
        """Whether steps lead on at one location."""
        others = _that_move(steps)
        return len(others) == 1 and _LOC in intersections(others[0]) and self._direction(others[0]) is Direction.ON

    # --- directions ---------------------------------------------------------------------------------------------------

    def _direction(self, term: RelationTerm) -> Direction:
        plain = bare(term)
        found = self._known.get(plain)
        if found is None:
            found = Direction.ON if self.is_empty(plain) else self._direction_of(plain)
            self._known[plain] = found
        return found

    def _direction_of(self, term: RelationTerm) -> Direction:
        match term:
            case Base(name):
                return Direction.ON if name in self._on else Direction.ANYWHERE
            case Empty():
                return Direction.ON
            case Identity():
                return Direction.NOT_BACK
            case Product(first, second):
                return Direction.ON if _is_initial(first) and _is_not_initial(second) else Direction.ANYWHERE
            case Union(one, other):
                return min(self._direction(one), self._direction(other))
            case Intersection() if _is_end(list(intersections(term))):
                return Direction.ON
            case Intersection():
                return max(map(self._direction, intersections(term)))
            case Difference(one, other):
                found = self._direction(one)
                return Direction.ON if found and SAME in map(bare, unions(other)) else found
            case Compose():
                return self._along(list(_steps(term)))
            case Closure(body):
                return self._direction(body)
            case _:
                return Direction.ANYWHERE

    def _along(self, steps: Sequence[RelationTerm]) -> Direction:
        """Where one step after the other leads."""
        found = Direction.NOT_BACK
        at = 0
        while at < len(steps):
            size, direction = self._first_of(steps[at:])
            if direction is Direction.ANYWHERE:
                return direction
            found = max(found, direction)
            at += size
        return found

    def _first_of(self, steps: Sequence[RelationTerm]) -> tuple[int, Direction]:
        """How many of some steps are best looked at together, from the first one on, and where they lead."""
        if _is_barrier(steps[:3]) or _is_completion(steps[:3]):
            return 3, Direction.ON
        if bare(steps[0]) == Inverse(RF):
            # A read is not behind a write that follows the one from which it takes its value: at most, it is that one.
            for size in range(2, len(steps) + 1):
                if self._orders_writes(steps[1:size]):
                    return size, Direction.NOT_BACK
        return 1, self._direction(steps[0])

    def _orders_writes(self, steps: Sequence[RelationTerm]) -> bool:
        """Whether steps lead from a write on to another one of the same location."""
        others = _that_move(steps)
        if len(others) != 1:
            return False
        if _MO in intersections(others[0]):
            return True
        return self._is_located(steps) and _is_of_writes(steps[-1])


def _steps(term: RelationTerm) -> Iterator[RelationTerm]:
    """What a relation is composed of, without what is taken away from it."""
    plain = bare(term)
    match plain:
        case Compose(one, other):
            yield from _steps(one)
            yield from _steps(other)
        case Difference(one, _) if isinstance(bare(one), Compose):
            yield from _steps(one)
        case _:
            yield plain


def _that_move(steps: Iterable[RelationTerm]) -> list[RelationTerm]:
    """The steps that may lead to another event."""
    return [step for step in steps if not isinstance(step, Identity)]


def _is_barrier(steps: Sequence[RelationTerm]) -> bool:
    """Whether steps lead from entries of barriers to exits of the same."""
    match steps:
        case [Identity(BaseSet("EF")), met, Identity(BaseSet("XF"))]:
            return _SYNCBAR in intersections(met)
        case _:
            return False


def _is_completion(steps: Sequence[RelationTerm]) -> bool:
    """Whether steps lead from starts and ends of commands to the completions of the same."""
    match steps:
        case [Identity(first), Base("same-command"), Identity(BaseSet("COMPLETE"))]:
            return lies_within(first, lambda part: part in {BaseSet("START"), BaseSet("END")})
        case _:
            return False


def _is_end(parts: Sequence[RelationTerm]) -> bool:
    """Whether a relation is from events of threads that execute commands to the ends of these."""
    ends = any(isinstance(part, Product) and part.right == BaseSet("END") for part in parts)
    return ends and any(isinstance(part, Inverse) and list(_steps(part.body)) == [_SAME, _RUN] for part in parts)


def _is_of_writes(term: RelationTerm) -> bool:
    """Whether a relation is that of some writes and themselves."""
    return isinstance(term, Identity) and lies_within(term.set, lambda events: events == BaseSet("W"))


def _is_initial(events: SetTerm) -> bool:
    """Whether all members of a set are initial writes, by its shape."""
    return lies_within(events, lambda part: part == BaseSet("IW"))


def _is_not_initial(events: SetTerm) -> bool:
    """Whether no member of a set is an initial write, by its shape."""
    match events:
        case DefinedSet(_, body):
            return _is_not_initial(body)
        case SetUnion(one, other):
            return _is_not_initial(one) and _is_not_initial(other)
        case SetIntersection(one, other):
            return _is_not_initial(one) or _is_not_initial(other)
        case SetDifference(one, other):
            return other == BaseSet("IW") or _is_not_initial(one)
        case _:
            return False
