"""Executions that differ in one place from one that a model allows: a read that takes its value elsewhere, another last
write.

Of large programs the executions that end as asked are too many to be listed, whatever the model says; these few are
found by evaluating values only. They are executions of the program, so what excludes them is told of them, and rules
that do not exclude one of them do not forbid the outcome.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.base.deadline import poll
from mcm.execution.evaluate import evaluate, reads_of
from mcm.program.value_arithmetic import is_true

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mcm.base.source import Span
    from mcm.execution.candidate import Candidate
    from mcm.execution.event import Event
    from mcm.execution.expression import Expression
    from mcm.program.types import Value

    # What kind of deviation it is: the places of the read and the write, and whether one unit has both.
    Kind = tuple[Span, Span, bool]

# So many are evaluated at most.
_MOST_TRIED: Final = 2000
_INITIAL_AND_LAST: Final = 2
# So many reads get another value at most; more are values that depend on themselves.
_MOST_STEPS: Final = 20_000


def deviations(candidate: Candidate) -> Iterator[Candidate]:
    """Executions of the same events that differ from a complete one in one place; one of each kind first."""
    values = _Values(candidate)
    kinds: set[Kind] = set()
    repeated: list[tuple[int, int]] = []
    for read, write in islice(_other_sources(candidate), _MOST_TRIED):
        kind = _kind_of(candidate, read, write)
        if kind in kinds:
            repeated.append((read, write))
            continue
        changed = values.reading(read, write)
        if changed is not None:
            kinds.add(kind)
            yield changed
    yield from _other_last_writes(candidate)
    for read, write in repeated:
        changed = values.reading(read, write)
        if changed is not None:
            yield changed


def _other_last_writes(candidate: Candidate) -> Iterator[Candidate]:
    """With the last but one write of a location as the last one."""
    for location, writes in candidate.modification_orders.items():
        if len(writes) > _INITIAL_AND_LAST:
            *before, write, last = writes
            order = (*before, last, write)
            yield replace(candidate, modification_orders={**candidate.modification_orders, location: order})


def _other_sources(candidate: Candidate) -> Iterator[tuple[int, int]]:
    """Reads with writes of the same location that they might read from; the last reads and the nearest writes first.

    Reads of what other units have written come before those of what their own unit has.
    """
    events = candidate.skeleton.events
    reads = sorted(
        candidate.reads_from.items(), key=lambda pair: (events[pair[0]].thread == events[pair[1]].thread, -pair[0])
    )
    for read, write in reads:
        writes = candidate.modification_orders[candidate.locations[read]]
        place = writes.index(write)
        for other in (*writes[:place][::-1], *writes[place + 1 :]):
            if other != read and candidate.written_values.get(other) != candidate.read_values.get(read):
                yield read, other


def _kind_of(candidate: Candidate, read: int, write: int) -> Kind:
    events = candidate.skeleton.events
    return events[read].span, events[write].span, events[read].thread == events[write].thread


class _Values:
    """What follows from what reads return, in an execution and others of the same events."""

    def __init__(self, candidate: Candidate) -> None:
        self._candidate = candidate
        # The events that mention what a read returns, and the reads of a write.
        self._users: dict[int, list[Event]] = {}
        self._readers: dict[int, list[int]] = {}
        for event in candidate.skeleton.events:
            for read in frozenset[int]().union(*map(reads_of, event.expressions)):
                self._users.setdefault(read, []).append(event)
        for read, write in candidate.reads_from.items():
            self._readers.setdefault(write, []).append(read)

    def reading(self, read: int, write: int) -> Candidate | None:
        """The execution in which a read takes its value from another write, and nothing else is otherwise.

        None where other events would be executed, or other locations accessed, or values go round in circles.
        """
        poll()
        old = self._candidate
        reads, written = dict(old.read_values), dict(old.written_values)
        touched: dict[int, Event] = {}
        waiting = [(read, written.get(write))]
        steps = 0
        while waiting:
            reader, value = waiting.pop()
            steps += 1
            if value is None or steps > _MOST_STEPS:
                return None
            reads[reader] = value
            for event in self._users.get(reader, ()):
                number = event.identifier
                touched[number] = event
                if number not in old.executed or event.value is None:
                    continue
                now = evaluate(event.value, reads, old.choices)
                if now is None or now == written[number]:
                    continue
                if number == write:
                    return None
                written[number] = now
                waiting += ((other, now) for other in self._readers.get(number, ()) if other != read)
        if not self._is_as_before(touched.values(), reads):
            return None
        sources = {**old.reads_from, read: write}
        return replace(old, reads_from=sources, read_values=reads, written_values=written)

    def _is_as_before(self, touched: Iterable[Event], reads: Mapping[int, Value]) -> bool:
        """Whether the same events are executed, at the same locations, and the execution is complete."""
        old, skeleton = self._candidate, self._candidate.skeleton

        def is_so(condition: Expression) -> bool:
            value = evaluate(condition, reads, old.choices)
            return value is not None and is_true(value)

        for event in touched:
            executed = event.identifier in old.executed
            if is_so(event.guard) != executed:
                return False
            if executed and event.address is not None:
                place = evaluate(event.address, reads, old.choices)
                if place != old.locations[event.identifier]:
                    return False
        return all(map(is_so, skeleton.constraints)) and not any(is_so(stop.condition) for stop in skeleton.stops)
