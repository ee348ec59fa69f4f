"""What comes before who reads what only one write can have written: it is shown without a search.

`while (!atomic_load(&flag[i]));` where one unit raises the flag: who gets past that has read from the one store.
`docs/search.md` has the argument (*The only writer*).
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from mcm.engine.explicit.settled.chains import parts
from mcm.engine.explicit.settled.links import Links
from mcm.execution.algebra import conjuncts
from mcm.execution.evaluate import evaluate
from mcm.execution.event import EventKind, writes_by_location
from mcm.execution.expression import Constant, ReadValue
from mcm.execution.mentions import Mentions
from mcm.program.value_arithmetic import is_true

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcm.execution.awaited import Part, Wait
    from mcm.execution.event import Event
    from mcm.execution.expression import Expression
    from mcm.execution.skeleton import Skeleton
    from mcm.program.types import Location


def asks_for_the_only_writer(skeleton: Skeleton) -> bool:
    """Whether the guard of an event holds only if a load has read from the one write that a unit performs."""
    found = _Writers(skeleton)
    guards = dict.fromkeys(event.guard for event in skeleton.events)
    return any(found.only(guard, load) is not None for guard in guards for load in found.loads_in(guard))


def behind_the_only_writer(part: Part) -> frozenset[int]:
    """The numbers of the waits of a part that hold: for the only write that a load before the place can read from.

    Or for a fence before that write; what is related may also be a fence behind the load.
    """
    found = _Writers(part.skeleton)
    links = {order: Links(part.skeleton, order) for order in {wait.order for wait in part.waits}}
    events, sequenced = part.skeleton.events, part.skeleton.relations["po"]

    conditions = cache(parts)

    def is_executed_fence(number: int, guard: Expression) -> bool:
        """Whether an event is a fence that is executed wherever a guard holds."""
        return events[number].kind.is_fence and conditions(events[number].guard) <= conditions(guard)

    def leads(wait: Wait, load: int) -> bool:
        """Whether a load has surely read from the event awaited, or from a write behind it, if that is a fence."""
        write, guard = found.only(wait.place.guard, load), wait.place.guard
        if write is None:
            return False
        before = None if wait.event == write else wait.event
        if before is not None and not (
            sequenced[before] >> write & 1 and is_executed_fence(before, events[write].guard)
        ):
            return False
        fences = (e for e in wait.place.after if sequenced[load] >> e & 1 and is_executed_fence(e, guard))
        related = links[wait.order].is_related
        return any(related(write, load, is_read=True, before=before, behind=behind) for behind in (None, *fences))

    def holds(wait: Wait) -> bool:
        return any(leads(wait, load) for load in wait.place.after)

    return frozenset(number for number, wait in enumerate(part.waits) if holds(wait))


class _Writers:
    """The writes of a skeleton from which loads may read; `only` tells of a guard and a load the only one, or None."""

    def __init__(self, skeleton: Skeleton) -> None:
        self._events: Final = skeleton.events
        self._unknown: Final = (None,) * skeleton.choices
        self._writes: Final = writes_by_location(skeleton.events)
        self._has_several: Final = cache(self._are_several)
        # Those that may have one write alone; mostly there is none, and then no guard is looked at.
        self._loads: Final = frozenset(ReadValue(e.identifier) for e in skeleton.events if self._may_have_one(e))
        self._mentions: Final = Mentions()
        self.only: Final = cache(self._only)

    def loads_in(self, guard: Expression) -> Iterator[int]:
        """The loads that a guard mentions and that may have one write alone."""
        if self._loads:
            yield from (load.event for load in self._loads & self._mentions.of(guard))

    def _may_have_one(self, event: Event) -> bool:
        is_load = event.kind is EventKind.READ and event.atomic and len(event.locations) == 1
        return is_load and not self._has_several(event.locations[0])

    def _only(self, guard: Expression, load: int) -> int | None:
        """The write that a load has surely read from where a guard holds, one that a unit performs."""
        value, event = ReadValue(load), self._events[load]
        if value not in self._loads:
            return None
        deciding = [part for part in conjuncts(guard) if value in self._mentions.of(part)]
        found: Event | None = None
        for write in self._writes.get(event.locations[0], ()):
            if self._may_be_read(write, load, deciding):
                if found is not None or write.kind is not EventKind.WRITE:
                    return None
                found = write
        return None if found is None else found.identifier

    def _are_several(self, location: Location) -> bool:
        """Whether no condition tells the writes of a location apart: no load has one alone, wherever it is asked of."""
        unknown = [write for write in self._writes.get(location, ()) if not isinstance(write.value, Constant)]
        return len(unknown) > 1 or any(write.kind is not EventKind.WRITE for write in unknown)

    def _may_be_read(self, write: Event, load: int, deciding: Sequence[Expression]) -> bool:
        """Whether conditions may hold where a load returns what a write has written."""
        # What has no value in the beginning is read as the number that stands in for it.
        if not isinstance(write.value, Constant):
            return True
        known = {load: write.value.value}
        values = (evaluate(condition, known, self._unknown) for condition in deciding)
        return all(value is None or is_true(value) for value in values)
