"""Barriers and group functions that hold: nobody passes one that a member of the group has stopped before.

Where no member can have stopped before an instance, it opens for whoever arrives, and nothing needs to be said. A
member who does not come and has not stopped makes the group diverge (BAR-DIV), which `groups` finds. It holds then,
too, where what is behind might be why the member does not come (`missing`).
"""

from __future__ import annotations

from itertools import pairwise, takewhile
from typing import TYPE_CHECKING, Final

from mcm.execution.algebra import FALSE, TRUE, conjunction, conjuncts, disjunction, negation
from mcm.execution.skeleton import Stop, StopKind

if TYPE_CHECKING:
    from collections.abc import Iterable
    from collections.abc import Set as AbstractSet

    from mcm.execution.event import BarrierInstance
    from mcm.execution.expression import Expression
    from mcm.execution.shared import Arrival, Shared, Visit


def hold(shared: Shared) -> None:
    """Say when the instances open that may hold, and that those who have arrived stop there until then."""
    if not shared.openings:
        return
    for instance, opens in shared.openings.items():
        for arrival in shared.arrivals[instance]:
            waits = conjunction(arrival.guard, negation(opens))
            shared.stops.append(Stop(StopKind.BARRIER, arrival.thread, waits, arrival.span, barrier=instance))
    stopped = stop_conditions(shared)
    for instance, opens in shared.openings.items():
        conditions = []
        for thread in shared.members(instance):
            arrives = disjunction(*(a.guard for a in shared.arrivals[instance] if a.thread == thread.index))
            goes_round = negation(stopped.get(thread.index, FALSE))
            conditions.append(arrives if instance in shared.foreknown.missed else disjunction(arrives, goes_round))
        nobody_misses = conjunction(*conditions)
        shared.constraints += (disjunction(negation(opens), nobody_misses), disjunction(opens, negation(nobody_misses)))


def stop_conditions(shared: Shared, barriers: AbstractSet[BarrierInstance] | None = None) -> dict[int, Expression]:
    """For each thread that may stop, when it does: anywhere, or at some barriers."""
    conditions: dict[int, list[Expression]] = {}
    for stop in shared.stops:
        if barriers is None or stop.barrier in barriers:
            conditions.setdefault(stop.thread, []).append(stop.condition)
    return {thread: disjunction(*each) for thread, each in conditions.items()}


def may_hold(shared: Shared, missed: frozenset[BarrierInstance]) -> frozenset[BarrierInstance]:
    """The instances before which some member of the group may stop, or that members meet in different orders.

    And those that may be `missed`.
    """
    if not shared.visits:
        return frozenset()
    search = _Search(shared)
    held = _crossed(search.visits.values()) | missed
    # Where nobody stops and nobody waits crosswise, nothing holds.
    grows = bool(held or shared.stops)
    while grows:
        grows = False
        for instance in shared.arrivals:
            if instance not in held and not instance.of_active and search.holds(instance, held):
                held.add(instance)
                grows = True
    return frozenset(held)


def _crossed(visits: Iterable[list[Visit]]) -> set[BarrierInstance]:
    """The instances that wait for each other, because threads meet them in different orders."""
    steps = {(first.instance, second.instance) for own in visits for first, second in pairwise(own)}
    while True:
        # What nothing follows, or what follows nothing, is in no circle.
        inner = {first for first, _ in steps} & {second for _, second in steps}
        left = {(first, second) for first, second in steps if first in inner and second in inner}
        if left == steps:
            return inner
        steps = left


class _Search:
    def __init__(self, shared: Shared) -> None:
        self._shared: Final = shared
        self._stops: Final[dict[int, list[int]]] = {}
        for number, stop in enumerate(shared.stops):
            self._stops.setdefault(stop.thread, []).append(number)
        self.visits: Final[dict[int, list[Visit]]] = {}
        for visit in shared.visits:
            self.visits.setdefault(visit.arrival.thread, []).append(visit)
        self._passed: Final[dict[tuple[BarrierInstance, BarrierInstance], bool]] = {}

    def holds(self, instance: BarrierInstance, held: AbstractSet[BarrierInstance]) -> bool:
        """Whether some member may have stopped before an instance."""
        return any(self._may_miss(thread.index, instance, held) for thread in self._shared.members(instance))

    def _may_miss(self, thread: int, instance: BarrierInstance, held: AbstractSet[BarrierInstance]) -> bool:
        """Whether a thread may have stopped before an instance, and others arrive there nevertheless.

        What it passes last of what may hold shows that it did not stop before that, to those who have passed it too.
        """
        own = self.visits.get(thread, [])
        meets = [position for position, visit in enumerate(own) if visit.instance == instance]
        first = meets[0] if meets else len(own)
        arrives = [own[position].arrival.guard for position in meets]

        def is_behind(condition: Expression) -> bool:
            return any(_includes(condition, guard) for guard in arrives)

        stops = [s for s in self._stops.get(thread, ()) if not is_behind(self._shared.stops[s].condition)]
        elsewhere = [v for v in own[first:] if v.instance in held and not is_behind(v.arrival.guard)]
        passed = next((visit for visit in reversed(own[:first]) if visit.instance in held), None)
        if passed is None:
            return bool(stops or elsewhere)
        return (
            bool(elsewhere)
            or any(stop >= passed.stops for stop in stops)
            or not self._all_passed(instance, passed.instance)
        )

    def _all_passed(self, instance: BarrierInstance, earlier: BarrierInstance) -> bool:
        """Whether all who arrive at an instance have passed an earlier one."""
        key = (instance, earlier)
        if key not in self._passed:
            arrivals = self._shared.arrivals[instance]
            self._passed[key] = all(self._has_passed(arrival, earlier) for arrival in arrivals)
        return self._passed[key]

    def _has_passed(self, arrival: Arrival, earlier: BarrierInstance) -> bool:
        """Whether a thread has passed an instance whenever it arrives somewhere."""
        before = takewhile(lambda visit: visit.arrival is not arrival, self.visits[arrival.thread])
        return any(v.instance == earlier and _includes(arrival.guard, v.arrival.guard) for v in before)


def _includes(guard: Expression, other: Expression) -> bool:
    """Whether all conjuncts of one guard are conjuncts of another."""
    return other is TRUE or set(conjuncts(other)) <= set(conjuncts(guard))
