"""One execution of a large program, found without a search: units go on as far as they can, and read what is newest.

It is an interleaving: who would wait in a loop lets others go on, until what it reads is what it waits for.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.base.deadline import poll
from mcm.catalogue.evaluate import structure_of
from mcm.execution.candidate import Candidate
from mcm.execution.evaluate import choices_of, evaluate, reads_of
from mcm.execution.event import EventKind
from mcm.program.types import Location
from mcm.program.value_arithmetic import is_true
from mcm.relation.evaluate import Evaluator

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mcm.cat.model import Model
    from mcm.execution.event import BarrierInstance, Event
    from mcm.execution.expression import Expression
    from mcm.execution.skeleton import Skeleton, Stop
    from mcm.program.types import Value

_ARRIVING: Final = frozenset({EventKind.ENTRY, EventKind.CALL})
_LEAVING: Final = frozenset({EventKind.EXIT, EventKind.CALL})
_ASYNCHRONOUS: Final = frozenset({EventKind.COPIED, EventKind.AWAITED})


def straight_run(skeleton: Skeleton, model: Model) -> Candidate | None:
    """An interleaving of a skeleton, with the orders that a model asks for; None where it is not complete.

    There is none of commands and asynchronous copies, whose order is not that of units.
    """
    kinds = {event.kind for event in skeleton.events}
    if kinds & _ASYNCHRONOUS or any(kind.is_of_commands for kind in kinds):
        return None
    return _Run(skeleton).execution(model)


def _by_read(constraints: Iterable[Expression]) -> dict[int, list[Expression]]:
    """The constraints that mention what a read returns."""
    found: dict[int, list[Expression]] = {}
    for constraint in constraints:
        for read in reads_of(constraint):
            found.setdefault(read, []).append(constraint)
    return found


def _openings(events: Iterable[Event]) -> Iterator[int]:
    """The choices that say that all come to a barrier: who leaves it mentions them, and who enters it does not."""
    entered: dict[tuple[int | None, BarrierInstance], frozenset[int]] = {}
    for event in events:
        if event.barrier is not None:
            place = event.thread, event.barrier
            if event.kind is EventKind.ENTRY:
                entered[place] = choices_of(event.guard)
            elif event.kind is EventKind.EXIT and place in entered:
                yield from choices_of(event.guard) - entered[place]


class _Run:
    def __init__(self, skeleton: Skeleton) -> None:
        self._skeleton = skeleton
        self._units: dict[int, deque[Event]] = {}
        self._arriving: dict[BarrierInstance, list[Event]] = {}
        self._arrived: set[int] = set()
        self._executed: list[int] = []
        self._orders: dict[Location, list[int]] = {}
        self._sources: dict[int, int] = {}
        self._locations: dict[int, Location] = {}
        self._read: dict[int, Value] = {}
        self._written: dict[int, Value] = {}
        # Of a compare-exchange, whether it succeeds, None as long as it is not tried; of a barrier, that all come.
        self._choices: list[bool | None] = [None] * skeleton.choices
        for choice in _openings(skeleton.events):
            self._choices[choice] = True
        self._limiting = _by_read(skeleton.constraints)
        # The loops that would be gone through again because of what a read returns.
        self._stops: dict[int, list[Stop]] = {}
        for stop in skeleton.stops:
            for read in stop.reads:
                self._stops.setdefault(read, []).append(stop)
        for event in skeleton.events:
            if event.thread is None:
                self._perform(event)
            else:
                self._units.setdefault(event.thread, deque()).append(event)
            if event.barrier is not None and event.kind in _ARRIVING:
                self._arriving.setdefault(event.barrier, []).append(event)

    def execution(self, model: Model) -> Candidate | None:
        """The run, once all units have come to their ends."""
        goes_on = True
        while goes_on:
            poll()
            goes_on = sum(map(self._advance, self._units.values())) > 0
        skeleton = self._skeleton
        # What was never tried has not succeeded.
        choices = tuple(map(bool, self._choices))
        self._choices = [*choices]
        conditions = [self._value(condition) for condition in skeleton.constraints]
        stops = [self._value(stop.condition) for stop in skeleton.stops]
        if any(self._units.values()) or not all(conditions) or any(stop is None or is_true(stop) for stop in stops):
            return None
        run = Candidate(
            skeleton=skeleton,
            executed=frozenset(self._executed),
            reads_from=self._sources,
            modification_orders={location: tuple(order) for location, order in self._orders.items()},
            locations=self._locations,
            read_values=self._read,
            written_values=self._written,
            choices=choices,
            linearisations={},
        )
        evaluator = Evaluator(structure_of(run))
        members = {order.name: evaluator.set(order.events) for order in model.linearisations}
        orders = {name: tuple(e for e in self._executed if events >> e & 1) for name, events in members.items()}
        return replace(run, linearisations=orders)

    def _advance(self, events: deque[Event]) -> int:
        """How many events of a unit are done with before it has to wait."""
        before = len(events)
        while events:
            event = events[0]
            guard = self._value(event.guard)
            if guard is None and self._attempt(event):
                continue
            if guard is None:
                break
            if is_true(guard):
                if event.kind in _ARRIVING:
                    self._arrived.add(event.identifier)
                if (event.kind in _LEAVING and self._waits_at(event.barrier)) or not self._perform(event):
                    break
            events.popleft()
        return before - len(events)

    def _attempt(self, event: Event) -> bool:
        """Whether it is decided now if a compare-exchange succeeds: it does if what is newest is what it expects."""
        open_ = {choice for choice in choices_of(event.guard) if self._choices[choice] is None}
        place = None if event.address is None else self._value(event.address)
        if event.kind is not EventKind.UPDATE or len(open_) != 1 or not isinstance(place, Location):
            return False
        (choice,) = open_
        self._choices[choice] = True
        number = event.identifier
        self._read[number] = self._written[self._orders[place][-1]]
        if self._value(event.guard) != 1 or any(self._value(one) == 0 for one in self._limiting.get(number, ())):
            self._choices[choice] = False
            del self._read[number]
        return True

    def _value(self, expression: Expression) -> Value | None:
        return evaluate(expression, self._read, self._choices)

    def _waits_at(self, barrier: BarrierInstance | None) -> bool:
        """Whether a unit that will come to a barrier is not there yet."""
        missing = [] if barrier is None else self._arriving[barrier]
        missing = [event for event in missing if event.identifier not in self._arrived]
        return any(self._value(event.guard) != 0 for event in missing)

    def _perform(self, event: Event) -> bool:
        """Whether all that the event needs is known, so that it is done."""
        number = event.identifier
        if event.kind.is_access:
            place = None if event.address is None else self._value(event.address)
            if not isinstance(place, Location):
                return False
            if event.kind.reads:
                source = self._orders[place][-1]
                self._sources[number], self._read[number] = source, self._written[source]
                if any(self._value(stop.condition) for stop in self._stops.get(number, ())):
                    # Others go on first; then it is read again.
                    del self._read[number]
                    return False
            self._locations[number] = place
        if event.kind.writes:
            value = None if event.value is None else self._value(event.value)
            if value is None:
                return False
            self._written[number] = value
            self._orders.setdefault(self._locations[number], []).append(number)
        self._executed.append(number)
        return True
