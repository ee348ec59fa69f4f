"""Instances that a member of the group may miss because of what is written behind them.

Nobody goes on behind a barrier before all have come. A member who has not come, and never will, makes the group diverge
(BAR-DIV), and then it does not matter what is behind; but what is behind must not be why the member does not come.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.execution.algebra import FALSE, TRUE, conjunction, conjuncts, disjunction, is_never, negation
from mcm.execution.evaluate import reads_of_all
from mcm.execution.event import EventKind, writes_by_location
from mcm.program.operators import Level
from mcm.program.topology import WorkItem
from mcm.program.types import Flag, Order, Region

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mcm.execution.event import BarrierInstance, Event
    from mcm.execution.expression import Expression
    from mcm.execution.shared import Shared
    from mcm.program.program import Thread


def may_be_missed(shared: Shared) -> frozenset[BarrierInstance]:
    """The instances that a member may miss, though others arrive, by what somebody writes who has passed them."""
    sources = None
    found = set()
    for instance in shared.arrivals:
        # Nobody is missed where those take part who come.
        if instance.of_active:
            continue
        conditions = [missing for _, missing in missing_members(shared, instance) if not is_never(missing)]
        if conditions:
            sources = sources or Sources(shared)
            if sources.are_behind(instance, conditions):
                found.add(instance)
    return frozenset(found)


def missing_members(shared: Shared, instance: BarrierInstance) -> Iterator[tuple[Thread, Expression]]:
    """The members that may miss an instance at which somebody arrives, each with the condition under which it does."""
    guards = [(arrival.thread, arrival.guard) for arrival in shared.arrivals[instance]]
    members = {thread.index: thread for thread in shared.members(instance)}
    for index, missing in missing_of(guards, members):
        yield members[index], missing


def missing_of(guards: Sequence[tuple[int, Expression]], members: Iterable[int]) -> Iterator[tuple[int, Expression]]:
    """The members that may not arrive where somebody does, each with the condition that it does not.

    `guards` are the threads that arrive, each with the condition that it does.
    """
    somebody = disjunction(*(guard for _, guard in guards))
    of_thread: dict[int, list[Expression]] = {}
    for index, guard in guards:
        of_thread.setdefault(index, []).append(guard)
    for index in members:
        missing = conjunction(somebody, negation(disjunction(*of_thread.get(index, ()))))
        if missing is not FALSE:
            yield index, missing


# The flag of barriers that orders accesses to memory of a region.
_FLAGS: Final = {Region.GLOBAL: Flag.GLOBAL, Region.LOCAL: Flag.LOCAL}


class Sources:
    """What conditions may rest on: reads, the writes that these may see, what those depend on, and so on."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self._writes = writes_by_location(shared.events)
        self._barriers: dict[int, dict[BarrierInstance, Event]] = {}
        for event in shared.events:
            instance = event.barrier if event.kind is EventKind.ENTRY else None
            if instance is not None and instance.level is Level.WORK_GROUP and event.thread is not None:
                self._barriers.setdefault(event.thread, {})[instance] = event
        self._only_barriers = _only_barriers_synchronise(shared)

    def are_behind(self, instance: BarrierInstance, conditions: Iterable[Expression]) -> bool:
        """Whether a condition may rest on a write of somebody who has passed an instance."""
        events = self._shared.events
        passed = {event.thread: event.identifier for event in reversed(events) if event.barrier == instance}
        seen: set[int] = set()
        parts: set[Expression] = set()
        new = reads_of_all(conditions, parts)
        while new:
            seen |= new
            depended = [part for read in new for part in events[read].expressions]
            for read in new:
                for write in self._writes_at(events[read]):
                    if instance.of_active and self._is_later(write, events[read]):
                        continue
                    if passed.get(write.thread, write.identifier) >= write.identifier:
                        depended += write.expressions
                    elif not self._comes_after_its_source(events[read]):
                        return True
            new = reads_of_all(depended, parts) - seen
        return False

    def _is_later(self, write: Event, read: Event) -> bool:
        """Whether a write comes after a read in any case, which does not see it then.

        It is one of the same unit, or there is a barrier between them that the writer passes whenever it writes.
        """
        if write.thread is None or read.thread is None:
            return False
        if write.thread == read.thread:
            return write.identifier > read.identifier
        behind = self._barriers.get(read.thread, {})
        entered = self._barriers.get(write.thread, {})
        regions = {_FLAGS.get(self._shared.program.objects[one.object].region) for one in read.locations}
        return any(
            entry.identifier < write.identifier
            and (entry.guard is TRUE or set(conjuncts(entry.guard)) <= set(conjuncts(write.guard)))
            and instance in behind
            and behind[instance].identifier > read.identifier
            and regions <= entry.flags & behind[instance].flags
            for instance, entry in entered.items()
        )

    def _writes_at(self, read: Event) -> Iterable[Event]:
        return (write for location in read.locations for write in self._writes.get(location, ()))

    def _comes_after_its_source(self, read: Event) -> bool:
        """Whether what a read sees happens before it by sequencing and barriers, and so is behind none that waits."""
        objects = self._shared.program.objects
        return self._only_barriers and not any(objects[location.object].atomic for location in read.locations)


def _only_barriers_synchronise(shared: Shared) -> bool:
    """Whether nothing but barriers makes what one unit does happen before what another one does.

    Fences of barriers might, where groups meet at relaxed atomics.
    """
    if any(event.kind is EventKind.FENCE and event.barrier is None for event in shared.events):
        return False
    atomics = [event for event in shared.events if event.kind.is_access and event.order is not None]
    if not all(event.order is Order.RELAXED for event in atomics):
        return False
    placements = (thread.placement for thread in shared.program.threads)
    groups = {item.work_group if isinstance(item, WorkItem) else None for item in placements}
    objects = shared.program.objects
    return len(groups) == 1 or all(
        objects[location.object].region is Region.LOCAL for event in atomics for location in event.locations
    )
