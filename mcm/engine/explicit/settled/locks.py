"""Locks: atomic objects that are taken by updates which find them free, and written free again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.engine.explicit.settled.attempts import comparison, parts_of
from mcm.engine.explicit.settled.openings import with_decided
from mcm.execution.algebra import FALSE, TRUE, conjunction, negation, truth
from mcm.execution.evaluate import choices_of, reads_of
from mcm.execution.event import EventKind
from mcm.execution.expression import Choice, Constant, ReadValue
from mcm.execution.skeleton import StopKind
from mcm.execution.substitution import Substitution

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from mcm.execution.event import Event
    from mcm.execution.expression import Atom, Expression
    from mcm.execution.skeleton import Skeleton
    from mcm.program.types import Location


def takes_of(skeleton: Skeleton) -> int:
    """How many updates may take a lock, by their shape alone."""
    places = _waited_for(skeleton)
    return sum(
        event.kind is EventKind.UPDATE and isinstance(event.value, Constant) and not places.isdisjoint(event.locations)
        for event in skeleton.events
    )


class Locks:
    """The locks of a skeleton; none where one of what might be locks is used otherwise.

    `free` has for each the value that it has when nobody holds it. `takes` and `releases` are the updates that take
    one, and what frees it; `tests` are reads that wait until it is free. `stops` has the stops of those who find one
    held, with the update that takes it afterwards. `known` is what is read and chosen where nobody stops there.
    """

    def __init__(self, skeleton: Skeleton) -> None:
        self._events: Final = skeleton.events
        self._constraints: Final = frozenset(skeleton.constraints)
        self._stops: Final[dict[int | None, list[tuple[frozenset[Expression], int]]]] = {}
        for number, stop in enumerate(skeleton.stops):
            if stop.kind is StopKind.WAIT:
                self._stops.setdefault(stop.thread, []).append((parts_of(stop.condition), number))
        self._reads: Final = [stop.reads for stop in skeleton.stops]
        self.free: Final[dict[Location, Constant]] = {}
        self.takes: Final[set[int]] = set()
        self.releases: Final[set[int]] = set()
        self.tests: Final[set[int]] = set()
        self.stops: Final[dict[int, int]] = {}
        self._atoms: Final[dict[Atom, Expression]] = {}
        by_location = _by_location(skeleton)
        if not all(self._is_lock(location, its) for location, its in by_location.items()):
            self.free.clear()
        known = Substitution(self._atoms)
        # Who comes to barriers is known, then.
        self.known: Final = with_decided(skeleton.constraints, known) if self.free else known

    def _is_lock(self, location: Location, events: Sequence[Event]) -> bool:
        """Whether an atomic object is a lock, and what is done with it."""
        initial, *others = events
        free = initial.value
        if not isinstance(free, Constant) or initial.kind is not EventKind.INITIAL:
            return False
        self.free[location] = free
        updates = (event.value for event in others if event.kind is EventKind.UPDATE)
        held = {value for value in updates if value is not None and value is not free}
        # Of a unit, the stops that were met since it took a lock the last time.
        met: dict[int | None, list[int]] = {}
        failures: set[int] = set()
        for event in others:
            value = event.value
            if not event.atomic or not isinstance(event.address, Constant):
                return False
            if event.identifier in failures:
                continue
            if event.kind is EventKind.READ:
                stop = self._where_it_fails(event, free, held)
                if stop is None:
                    return False
                self.tests.add(event.identifier)
                self._atoms[ReadValue(event.identifier)] = free
                met.setdefault(event.thread, []).append(stop)
            elif value is free:
                self.releases.add(event.identifier)
            elif event.kind is EventKind.UPDATE and isinstance(value, Constant):
                stop = self._where_it_fails(event, free, held)
                if stop is None:
                    stop = self._where_an_exchange_fails(event, free, held)
                    failures.add(event.identifier + 1)
                if stop is None:
                    return False
                self.takes.add(event.identifier)
                self._atoms[ReadValue(event.identifier)] = free
                stops = (*met.pop(event.thread, ()), stop)
                self.stops.update(dict.fromkeys(stops, event.identifier))
            else:
                return False
        return not any(met.values())

    def _where_it_fails(self, event: Event, free: Constant, held: Collection[Expression]) -> int | None:
        """The stop of a unit that has read that a lock is held; None where it does not wait for that alone."""
        own = parts_of(event.guard)
        for parts, number in self._stops.get(event.thread, ()):
            if own < parts and event.identifier in self._reads[number]:
                (*others,) = parts - own
                if len(others) == 1 and _tells_apart(others[0], event.identifier, free, held):
                    return number
        return None

    def _where_an_exchange_fails(self, success: Event, free: Constant, held: Collection[Expression]) -> int | None:
        """The stop of a unit whose compare-exchange has failed, as the lock was held; None where it is none."""
        if success.identifier + 1 == len(self._events):
            return None
        failure = self._events[success.identifier + 1]
        tried, failed = parts_of(success.guard), parts_of(failure.guard)
        choice = next((part for part in tried - failed if isinstance(part, Choice)), None)
        if choice is None or failure.kind is not EventKind.READ or failure.locations != success.locations:
            return None
        before = tried - {choice}
        if failed != before | {negation(choice)} or not self._is_compared("==", success, free):
            return None
        is_strong = self._is_compared("!=", failure, free)
        self._atoms[choice] = Substitution(self._atoms).apply(conjunction(*before))
        for parts, number in self._stops.get(failure.thread, ()):
            if failed <= parts and failure.identifier in self._reads[number]:
                others = parts - failed
                # Who may have failed though the lock was free must stop as well: under no other condition.
                if not others or (
                    is_strong and all(_tells_apart(part, failure.identifier, free, held) for part in others)
                ):
                    return number
        return None

    def _is_compared(self, symbol: str, event: Event, free: Constant) -> bool:
        """Whether success, or failure, is that of an exchange that expects a lock to be free, or not to be."""
        return comparison(symbol, event, free, self._constraints) is not None


def _waited_for(skeleton: Skeleton) -> set[Location]:
    """The locations at which units wait for others in loops."""
    reads_again = {read for stop in skeleton.stops if stop.kind is StopKind.WAIT for read in stop.reads}
    return {location for read in reads_again for location in skeleton.events[read].locations}


def _by_location(skeleton: Skeleton) -> dict[Location, list[Event]]:
    """All accesses of each atomic object that some update writes a constant to, for which some unit waits."""
    candidates = _waited_for(skeleton) & skeleton.sets["AO"].locations
    found: dict[Location, list[Event]] = {}
    for event in skeleton.events:
        for location in candidates.intersection(event.locations):
            found.setdefault(location, []).append(event)
    return {
        location: events
        for location, events in found.items()
        if any(event.kind is EventKind.UPDATE and isinstance(event.value, Constant) for event in events)
    }


def _tells_apart(condition: Expression, read: int, free: Constant, held: Collection[Expression]) -> bool:
    """Whether a condition holds if a read returns that a lock is held, and not if it returns that it is free."""
    if reads_of(condition) != {read} or choices_of(condition):
        return False

    def where(value: Expression) -> Expression:
        return truth(Substitution({ReadValue(read): value}).apply(condition))

    return where(free) is FALSE and all(where(value) is TRUE for value in held)
