"""Units that wait for ever, told: what each waits for, who would bring it about and why that does not happen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.answer.explanation import Sentence, Story
from mcm.explain.naming import Names
from mcm.explain.readings import readings_of
from mcm.explain.waiting import NOTHING_READ, is_for_its_group

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.answer.result import BlockedExecution, WaitingUnit
    from mcm.execution.candidate import Candidate
    from mcm.execution.event import Event
    from mcm.program.types import Location

# Of many units, so many are told; the others are counted.
_FEW: Final = 12


class _Need(Struct, frozen=True):
    """That a unit waits for another: for a write, or that it comes to a barrier (`write` is None)."""

    waiting: str
    helper: str
    write: int | None


def blocked_story(blocked: BlockedExecution) -> Story | None:
    """What the units that wait have read, what they wait for, and who waits for whom."""
    if blocked.execution is None:
        return None
    candidate = blocked.execution.candidate
    told = _Blocked(blocked, candidate)
    readings = readings_of(candidate, None, told.names, told.all_reads())
    return Story(readings[:_FEW], tuple(told.sentences()), None, blocked.execution)


class _Blocked:
    """Tells of one execution."""

    def __init__(self, blocked: BlockedExecution, candidate: Candidate) -> None:
        self.names: Final = Names(candidate)
        self._candidate = candidate
        self._events = candidate.skeleton.events
        self._program = candidate.skeleton.program
        self._units = {unit.thread: unit for unit in blocked.units}

    def sentences(self) -> Iterator[Sentence]:
        """The waits, then for each what would end it, then the circle if there is one."""
        units = list(self._units.values())[:_FEW]
        yield from map(self._wait, units)
        if len(self._units) > _FEW:
            yield Sentence(f"{len(self._units) - _FEW} more units wait")
        needs: list[_Need] = []
        for place in self._places(units):
            found = list(self._needs(place))
            needs += found
            yield from self._outlook(place, found)
        absences = [need for unit in units if is_for_its_group(unit) for need in self._absent(unit)]
        yield from map(self._absence, {need.helper: need for need in absences}.values())
        needs += absences
        circle = _circle(needs)
        if circle:
            chain = ", and ".join(
                f"{one} for {other}" for one, other in zip(circle, [*circle[1:], circle[0]], strict=True)
            )
            yield Sentence(f"so they wait for each other: {chain}", breaks=True)

    def all_reads(self) -> set[int]:
        """What the units read where they wait."""
        return {read for unit in self._units.values() for read in self._reads(unit)}

    def _reads(self, unit: WaitingUnit) -> list[int]:
        """What a unit reads where it waits."""
        span = unit.span
        return [
            read
            for read in sorted(self._candidate.reads_from)
            if self._thread(self._events[read]) == unit.thread
            and span.start <= self._events[read].span.start < span.end
        ]

    def _wait(self, unit: WaitingUnit) -> Sentence:
        if unit.waits_for == NOTHING_READ:
            return Sentence(f"{unit.thread} goes round forever at line {unit.span.line}, and reads no memory there")
        text = f"{unit.thread} waits forever at line {unit.span.line}: for {unit.waits_for}"
        reads = self._reads(unit)
        if len(reads) == 1:
            (read,) = reads
            writer = self._candidate.reads_from[read]
            if self._events[writer].thread is not None:
                text += f", which {self.names.full(writer)} has written"
        return Sentence(text, events=tuple(reads))

    def _places(self, units: list[WaitingUnit]) -> list[Location]:
        reads = (read for unit in units for read in self._reads(unit))
        return list(dict.fromkeys(self._candidate.locations[read] for read in reads))

    def _needs(self, place: Location) -> Iterator[_Need]:
        """The writes of a place that are not executed because their units wait before them, one for each unit."""
        waiting = [unit.thread for unit in self._units.values() if place in self._places([unit])]
        helpers: dict[str, int] = {}
        for event in self._events:
            thread = self._thread(event)
            if event.kind.writes and place in event.locations and thread is not None and not self._is_executed(event):
                unit = self._units.get(thread)
                # What stands in the loop itself would change nothing: it is tried over and over.
                if unit is not None and event.span.start >= unit.span.end:
                    helpers.setdefault(thread, event.identifier)
        for one in waiting:
            yield from (_Need(one, helper, write) for helper, write in helpers.items() if helper != one)

    def _outlook(self, place: Location, needs: list[_Need]) -> Iterator[Sentence]:
        """Why a place stays what it is."""
        order = self._candidate.modification_orders[place]
        name = self._program.show_location(place)
        value = self.names.value(order[-1], written=True)
        for helper, write in {need.helper: need.write for need in needs if need.write is not None}.items():
            line, wait = self._events[write].span.line, self._units[helper].span.line
            yield Sentence(f"{helper} would write {name} at line {line}, but does not get past line {wait}")
        if needs:
            return
        yield Sentence(f"{name} stays {value}: nobody writes it any more", events=(order[-1],))
        missed = [event for event in self._events if place in event.locations and self._is_missed_write(event)]
        for event in missed[:1]:
            yield Sentence(f"{self.names.full(event.identifier)} would write it, but is not executed")

    def _is_missed_write(self, event: Event) -> bool:
        return event.kind.writes and not self._is_executed(event) and self._thread(event) not in self._units

    def _absent(self, unit: WaitingUnit) -> Iterator[_Need]:
        """Who does not come to the barrier at which a unit waits, because it waits elsewhere."""
        instances = [
            event.barrier
            for event in self._events
            if event.barrier is not None and event.span == unit.span and self._thread(event) == unit.thread
        ]
        for instance in instances[:1]:
            for member in self._program.members_of_groups()[instance.group]:
                other = self._units.get(member.name)
                if other is not None and not is_for_its_group(other):
                    yield _Need(unit.thread, member.name, None)

    def _absence(self, need: _Need) -> Sentence:
        line, wait = self._units[need.waiting].span.line, self._units[need.helper].span.line
        return Sentence(f"{need.helper} does not come to the barrier of line {line}: it does not get past line {wait}")

    def _is_executed(self, event: Event) -> bool:
        return event.identifier in self._candidate.executed

    def _thread(self, event: Event) -> str | None:
        return None if event.thread is None else self._program.thread(event.thread).name


def _circle(needs: list[_Need]) -> list[str]:
    """Units each of which waits for the next, the last for the first; empty where there are none."""
    helpers: dict[str, list[str]] = {}
    for need in needs:
        helpers.setdefault(need.waiting, []).append(need.helper)
    for first in helpers:
        path = _path(helpers, first)
        if path:
            return path
    return []


def _path(helpers: dict[str, list[str]], first: str) -> list[str]:
    """A shortest way from a unit back to it."""
    before: dict[str, str] = {}
    waiting = [first]
    for unit in waiting:
        for helper in helpers.get(unit, ()):
            if helper == first:
                path = [unit]
                while path[-1] != first:
                    path.append(before[path[-1]])
                return path[::-1]
            if helper not in before:
                before[helper] = unit
                waiting.append(helper)
    return []
