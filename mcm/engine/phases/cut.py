"""Where a skeleton falls apart: points such that what is before them happens before what is behind them."""

from __future__ import annotations

from itertools import chain, islice, product, takewhile
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.base.bits import members
from mcm.engine.explicit.settled.fixed_order import fixed_order
from mcm.engine.explicit.settled.reduction import reduced
from mcm.execution.algebra import TRUE
from mcm.execution.event import EventKind
from mcm.execution.substitution import Substitution
from mcm.program.types import Region

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mcm.cat.model import Model
    from mcm.engine.explicit.settled.clocks import Phases
    from mcm.engine.explicit.settled.ordering import Ordering
    from mcm.execution.event import BarrierInstance, Event
    from mcm.execution.skeleton import Skeleton
    from mcm.program.types import Location

# Of so many points it is looked at whether a skeleton falls apart there.
_MOST_POINTS: Final = 64
# Relations of commands that lead from what is earlier to what is later, and those that nothing is derived of here.
_ONWARD: Final = ("enqueue", "run", "awaits", "before-in-queue")
_OTHERS: Final = ("callback", "child", "status", "unmap", "overlapping-buffers")


def next_cut(skeleton: Skeleton, model: Model) -> frozenset[int] | None:
    """The events before the first point at which a skeleton falls apart, without initial writes; None if there is none.

    Both sides have accesses, and nothing that commands relate leads back.
    """
    waits = _Waits(skeleton, model).cuts() if skeleton.program.has_commands else iter(())
    before: frozenset[int]
    for before in islice(chain(waits, _at_barriers(skeleton, model)), _MOST_POINTS):
        if _may_part(skeleton, before):
            return before
    return None


def _may_part(skeleton: Skeleton, before: frozenset[int]) -> bool:
    return (
        _has_accesses(skeleton, before)
        and _leads_on(skeleton, before)
        and _is_sequenced(skeleton, before)
        and _keeps_images(skeleton, before)
    )


def _has_accesses(skeleton: Skeleton, before: frozenset[int]) -> bool:
    """Whether there are accesses on both sides."""
    sides = {event.identifier in before for event in _accesses(skeleton.events)}
    return len(sides) > 1


def _accesses(events: Iterable[Event]) -> Iterator[Event]:
    return (event for event in events if event.kind.is_access and event.kind is not EventKind.INITIAL)


def _leads_on(skeleton: Skeleton, before: frozenset[int]) -> bool:
    """Whether no relation of commands leads back, and none of which that is not enough leads from side to side."""
    inside = sum(1 << event for event in before)
    behind = sum(1 << e.identifier for e in skeleton.events if e.identifier not in before)
    relations = skeleton.relations
    return not any(
        relations[name][event] & inside for name in (*_ONWARD, *_OTHERS) for event in members(behind)
    ) and not any(relations[name][event] & behind for name in _OTHERS for event in before)


def _is_sequenced(skeleton: Skeleton, before: frozenset[int]) -> bool:
    """Whether of each thread all that is before is sequenced before all that is behind."""
    behind: dict[int | None, int] = {}
    for event in skeleton.events:
        if event.identifier not in before:
            behind[event.thread] = behind.get(event.thread, 0) | 1 << event.identifier
    sequenced = skeleton.relations["po"]
    return not any(
        behind.get(event.thread, 0) & ~sequenced[event.identifier]
        for event in map(skeleton.events.__getitem__, before)
        if event.thread is not None
    )


def _keeps_images(skeleton: Skeleton, before: frozenset[int]) -> bool:
    """Whether no image is written before and accessed behind: who has written may read what was there before that."""
    images = skeleton.sets["IMAGES"].locations
    if not images:
        return True
    written: set[Location] = set()
    used: set[Location] = set()
    for event in _accesses(skeleton.events):
        if event.identifier not in before:
            used.update(event.locations)
        elif event.kind.writes:
            written.update(event.locations)
    return not images & written & used


# --- barriers ---------------------------------------------------------------------------------------------------------


def _at_barriers(skeleton: Skeleton, model: Model) -> Iterator[frozenset[int]]:
    """What is before each barrier that all enter, or wait, in the order in which a run comes to them."""
    found = fixed_order(skeleton, model)
    if found is not None:
        yield from _Barriers(skeleton, *found).cuts()


class _Barriers:
    """The barriers and waits of a skeleton of which it is known what is executed."""

    def __init__(self, skeleton: Skeleton, phases: Phases, ordering: Ordering) -> None:
        self._skeleton: Final = skeleton
        self._phases: Final = phases
        self._ordering: Final = ordering

    def cuts(self) -> Iterator[frozenset[int]]:
        """What is before them, where what is in conflict with it behind them happens later."""
        seen: set[frozenset[int]] = set()
        barriers: set[BarrierInstance] = set()
        for event in filter(self._is_point, self._phases.order):
            # What is before one who leaves a barrier is before all who do.
            if event.barrier in barriers:
                continue
            if event.barrier is not None:
                barriers.add(event.barrier)
            before = self._before(event)
            if before not in seen:
                seen.add(before)
                if self.falls_apart(before):
                    yield before
            if len(seen) == _MOST_POINTS:
                break
        yield self._sure()

    def _sure(self) -> frozenset[int]:
        """What each thread does in any case before it waits, as far as nothing else there is in conflict with it.

        All that is in conflict with it comes later. What it reads tells where it goes on.
        """
        conditions, waits = self._phases.conditions, (EventKind.EXIT, EventKind.RETURN, EventKind.CALL)
        late: set[Location] = set()

        def is_early(event: Event) -> bool:
            return conditions.is_always(event) and event.kind not in waits and late.isdisjoint(event.locations)

        while True:
            before = frozenset(
                event.identifier
                for unit in self._phases.units
                if unit and not self._phases.commands.awaited_by(unit[0])
                for event in takewhile(is_early, unit)
            )
            sides = self._sides(before)
            more = {place for place, pair in sides.items() if _compete(pair[0]) or not self._are_ordered(place, *pair)}
            if not more:
                return before
            late |= more

    def _is_point(self, event: Event) -> bool:
        if not self._phases.conditions.is_always(event):
            return False
        return event.kind is EventKind.RETURN or (event.kind is EventKind.EXIT and self._phases.meets(event))

    def _before(self, point: Event) -> frozenset[int]:
        """What has come when a run gets there: by sequencing, barriers and commands; with all who leave the barrier."""
        phases = self._phases
        found: set[int] = set()
        # How many events of each thread are found or waiting.
        reached: dict[int | None, int] = {}
        waiting = [point.identifier]
        if point.barrier is not None:
            waiting += [event.identifier for event in phases.order if event.barrier == point.barrier]
        calls: dict[BarrierInstance | None, list[int]] = {}
        for event in phases.order:
            if event.kind is EventKind.CALL:
                calls.setdefault(event.barrier, []).append(event.identifier)
        while waiting:
            number = waiting.pop()
            if number in found:
                continue
            found.add(number)
            event = self._skeleton.events[number]
            waiting += phases.commands.waits.get(number, ())
            if event.thread is not None:
                rank, unit = phases.ranks[number], phases.unit_of(event)
                waiting += [e.identifier for e in phases.units[unit][reached.get(unit, 0) : rank]]
                reached[unit] = max(rank, reached.get(unit, 0))
                waiting += phases.commands.awaited_by(event)
            if event.kind is EventKind.CALL:
                waiting += calls[event.barrier]
            if event.kind is EventKind.EXIT and event.barrier is not None:
                waiting += [entry.identifier for entry in phases.entries.get(event.barrier, ())]
        return frozenset(found)

    def falls_apart(self, before: frozenset[int]) -> bool:
        """Whether accesses before a point happen before those behind it that are in conflict with them."""
        return all(self._are_ordered(location, *pair) for location, pair in self._sides(before).items())

    def _sides(self, before: frozenset[int]) -> dict[Location, tuple[list[Event], list[Event]]]:
        """For each location what may access it before a point, and behind it."""
        sides: dict[Location, tuple[list[Event], list[Event]]] = {}
        for event in _accesses(self._skeleton.events):
            for location in event.locations:
                sides.setdefault(location, ([], []))[event.identifier not in before].append(event)
        return sides

    def _are_ordered(self, location: Location, before: list[Event], behind: list[Event]) -> bool:
        """Whether the last accesses of each kind by each thread happen before the first ones of all others.

        What comes before an event comes before the later ones of its thread that are executed under its conditions: if
        it left a barrier that not all come to, the thread may go past that.
        """
        conditions = self._phases.conditions.of
        last = {self._key(event, location): event for event in before}
        first = {(self._key(event, location), conditions[event.identifier]): event for event in reversed(behind)}
        return all(
            self._ordering.is_before(one, other, location)
            for one, other in product(last.values(), first.values())
            if one.kind.writes or other.kind.writes
        )

    def _key(self, event: Event, location: Location) -> tuple[int | None, int]:
        return event.thread, self._ordering.kinds.of(event, location)


def _compete(events: list[Event]) -> bool:
    """Whether several threads access a location, and one of them writes it."""
    return len({event.thread for event in events}) > 1 and any(event.kind.writes for event in events)


def _conflict(some: list[Event], others: list[Event]) -> bool:
    """Whether an access among some events conflicts with one among others."""
    used = {location for event in _accesses(some) for location in event.locations}
    written = {location for event in _accesses(some) if event.kind.writes for location in event.locations}
    return any(not (used if event.kind.writes else written).isdisjoint(event.locations) for event in _accesses(others))


# --- waits of the host ------------------------------------------------------------------------------------------------


class _Waits:
    """The points at which the one host thread has waited for commands, all that it has enqueued so far or some of them.

    They are where it returns from a call that waits, where it is about to call, and where it goes on under a condition.
    What it does later comes after that, and so do the commands that it enqueues then.
    """

    def __init__(self, skeleton: Skeleton, model: Model) -> None:
        self._skeleton: Final = skeleton
        self._model: Final = model
        self._units: Final = {command.number: command.units for command in skeleton.program.commands}
        self._starts: Final[dict[int | None, list[int]]] = {}
        self._called: Final = {e.command for e in skeleton.events if e.kind is EventKind.API_CALL}
        # All of which anything is left, also those that have started in an earlier part.
        self._present: Final = frozenset(
            event.command for event in skeleton.events if event.thread is None and event.kind.is_of_commands
        )
        self._completions: Final[dict[int, list[int]]] = {event.identifier: [] for event in skeleton.events}
        for event in skeleton.events:
            if event.kind is EventKind.START:
                self._starts.setdefault(event.command, []).append(event.identifier)
            for other in members(skeleton.relations["awaits"][event.identifier]):
                self._completions[other].append(event.identifier)

    def cuts(self) -> Iterator[frozenset[int]]:
        """What is before each of them that is executed in any case."""
        events = [event for event in self._skeleton.events if event.thread is not None]
        executing = {unit for units in self._units.values() for unit in units}
        hosts = {event.thread for event in events if event.thread not in executing}
        calls = {event.thread for event in events if event.kind is EventKind.API_CALL}
        if len(hosts) != 1 or not calls <= hosts:
            return
        of_host = [event for event in events if event.thread in hosts]
        sure = list(takewhile(lambda event: event.guard is TRUE, of_host))
        for number, event in enumerate(sure, 1):
            following = sure[number] if number < len(sure) else None
            if event.kind is EventKind.RETURN or following is None or following.kind is EventKind.API_CALL:
                enqueued = self._enqueued(sure[:number])
                complete = self._awaited(sure[:number])
                for commands in (enqueued, complete) if complete < enqueued else (enqueued,):
                    before = self._with_commands(sure[:number], commands)
                    if self._has_all_come(before) and self._comes_later(before, enqueued - commands):
                        yield frozenset(one.identifier for one in before)
                        break

    def _enqueued(self, prefix: list[Event]) -> frozenset[int | None]:
        """The commands that the host has enqueued by some events, and before all that is left of the program."""
        later = self._called - {call.command for call in prefix}
        return self._present - later

    def _awaited(self, prefix: list[Event]) -> frozenset[int | None]:
        """The commands that the host has waited for by some events, whichever way, and what these wait for."""
        waiting = [event.identifier for event in prefix if event.kind is EventKind.RETURN]
        found: set[int | None] = set()
        while waiting:
            for done in self._completions[waiting.pop()]:
                command = self._skeleton.events[done].command
                if command not in found:
                    found.add(command)
                    waiting += self._starts.get(command, ())
        return frozenset(found)

    def _with_commands(self, prefix: list[Event], commands: frozenset[int | None]) -> list[Event]:
        """Some events of the host, and all of some commands."""
        events = self._skeleton.events
        units = {unit for command in commands if command is not None for unit in self._units[command]}
        host = {event.identifier for event in prefix}
        return [
            event
            for event in events
            if event.identifier in host
            or event.thread in units
            or (event.thread is None and event.kind.is_of_commands and event.command in commands)
        ]

    def _has_all_come(self, before: list[Event]) -> bool:
        """Whether all that commands access among some events happens before the last call that returns."""
        if not any(event.thread is None for event in before):
            return True
        places = {location for event in before for location in event.locations}
        initial = [e for e in self._skeleton.events if e.kind is EventKind.INITIAL and e.locations[0] in places]
        part = self._part([*initial, *before])
        found = fixed_order(part, self._model)
        returned = next((event for event in reversed(part.events) if event.kind is EventKind.RETURN), None)
        if found is None or returned is None:
            return False
        ordering = found[1]
        last = {
            (event.thread, ordering.kinds.of(event, location)): (event, location)
            for event in _accesses(part.events)
            for location in event.locations
            if event.thread != returned.thread and part.program.objects[location.object].region is not Region.LOCAL
        }
        return all(self._is_before(event, location, returned, ordering) for event, location in last.values())

    def _comes_later(self, before: list[Event], pending: frozenset[int | None]) -> bool:
        """Whether what commands access that the host has not waited for comes after what conflicts with it before."""
        units = {unit for command in pending if command is not None for unit in self._units[command]}
        own = self._with_commands([], pending)
        if not _conflict(before, own):
            return True
        places = {location for event in (*before, *own) for location in event.locations}
        initial = [e for e in self._skeleton.events if e.kind is EventKind.INITIAL and e.locations[0] in places]
        part = self._part(sorted((*initial, *before, *own), key=attrgetter("identifier")))
        found = fixed_order(part, self._model)
        if found is None:
            return False
        behind = [event for event in part.events if event.thread in units]
        inside = frozenset(event.identifier for event in part.events) - {event.identifier for event in behind}
        return _Barriers(part, *found).falls_apart(inside)

    def _part(self, events: list[Event]) -> Skeleton:
        """Some events of the skeleton alone."""
        part = replace(self._skeleton, faults=(), stops=(), constraints=())
        return reduced(part, Substitution({}), events, ())

    def _is_before(self, event: Event, location: Location, returned: Event, ordering: Ordering) -> bool:
        clocks = ordering.clocks(1 << ordering.kinds.of(event, location))
        return clocks is not None and clocks.is_before(event, returned, ordering.sequenced)
