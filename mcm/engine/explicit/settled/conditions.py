"""Under which conditions events are executed, by what is known of reads, and what follows for others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Generic, TypeVar

from mcm.execution.algebra import FALSE, TRUE, conjuncts, negation
from mcm.execution.evaluate import reads_of
from mcm.execution.event import EventKind

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from mcm.engine.explicit.settled.clocks import Phases
    from mcm.execution.event import BarrierInstance, Event
    from mcm.execution.expression import Expression
    from mcm.execution.skeleton import Skeleton
    from mcm.execution.substitution import Substitution

# What holds together when an event is executed; nothing for one that is executed in any case.
Condition = frozenset["Expression"]

ALWAYS: Final[Condition] = frozenset()

Holding = TypeVar("Holding")
Value = TypeVar("Value")

# Conditions that hold together, and what belongs to that.
Case = tuple[tuple["Expression", ...], Value]


class Conditions:
    """For each event the conditions that hold when it is executed, or None for one that never is.

    `converge`: no group diverges at a barrier, so that all members enter one that any of them enters and nobody stops.
    """

    def __init__(self, skeleton: Skeleton, known: Substitution) -> None:
        self._known: Final = known
        self._excluded: Final[dict[Condition, list[Condition]]] = {}
        self.of: Final[list[Condition | None]] = []
        found: dict[Expression, Condition | None] = {TRUE: ALWAYS, FALSE: None}
        for event in skeleton.events:
            if event.guard not in found:
                guard = known.apply(event.guard)
                found[event.guard] = found[guard] if guard in found else frozenset(conjuncts(guard))
            self.of.append(found[event.guard])
        self.converge: Final = all(
            known.apply(fault.condition) is FALSE for fault in skeleton.faults if fault.rule == "BAR-DIV"
        )
        self.are_open: Final = any(self.of)

    def is_always(self, event: Event) -> bool:
        """Whether an event is executed in any case."""
        return self.of[event.identifier] == ALWAYS

    def exclude_each_other(self, first: Event, second: Event) -> bool:
        """Whether one event is executed only if something holds, and the other only if that does not."""
        one, other = self.of[first.identifier], self.of[second.identifier]
        if one is None or other is None:
            return True
        return any(part <= other for part in self._excluded_by(one)) or any(
            part <= one for part in self._excluded_by(other)
        )

    def _excluded_by(self, condition: Condition) -> list[Condition]:
        """What each of some conditions that hold together excludes."""
        if condition not in self._excluded:
            self._excluded[condition] = [frozenset(conjuncts(negation(part))) for part in condition]
        return self._excluded[condition]

    def cover_all_cases(self, events: Sequence[Event]) -> bool:
        """Whether one of some events, which exclude each other, is executed in any case."""
        guards = (self._known.apply(event.guard) for event in events)
        return _cover([(tuple(conjuncts(guard)), None) for guard in guards if guard is not FALSE])

    def is_chosen(self, event: Event) -> bool:
        """Whether nothing but choices decides if an event is executed, and not what is read."""
        return not any(map(reads_of, self.of[event.identifier] or ()))

    def is_whenever(self, first: Event, second: Event) -> bool:
        """Whether the second event is executed whenever the first one of its unit is."""
        one, other = self.of[first.identifier], self.of[second.identifier]
        return one is None or (other is not None and other <= one)


def told_apart(cases: Sequence[Case[Value]]) -> tuple[Expression, list[Case[Value]], list[Case[Value]]] | None:
    """A condition that holds in some cases and not in all others, and what else holds in these and in those.

    None where no part of a case is such a condition.
    """
    for part in dict.fromkeys(part for of, _ in cases for part in of):
        opposite = [*conjuncts(negation(part))]
        if all(part in of or all(each in of for each in opposite) for of, _ in cases):
            having = [(_less(of, [part]), value) for of, value in cases if part in of]
            return part, having, [(_less(of, opposite), value) for of, value in cases if part not in of]
    return None


def _less(conditions: tuple[Expression, ...], known: Collection[Expression]) -> tuple[Expression, ...]:
    return tuple(each for each in conditions if each not in known)


def _cover(cases: Sequence[Case[None]]) -> bool:
    """Whether one of some cases holds, where one condition after the other tells them apart."""
    if any(not of for of, _ in cases):
        return True
    apart = told_apart(cases)
    return apart is not None and all(map(_cover, apart[1:]))


class Nested(Generic[Holding]):
    """What holds at each event of a unit, in order: what a barrier adds holds for events of its condition only."""

    def __init__(self, first: Holding) -> None:
        self._kept: Final[list[tuple[Condition, Holding]]] = [(ALWAYS, first)]

    def under(self, condition: Condition) -> Holding:
        """What holds at the next event, which is executed under this condition."""
        while not self._kept[-1][0] <= condition:
            self._kept.pop()
        return self._kept[-1][1]

    def add(self, condition: Condition, holding: Holding) -> None:
        """Something holds from here on, behind a barrier that is passed under this condition."""
        if self._kept[-1][0] == condition:
            self._kept.pop()
        self._kept.append((condition, holding))


class Implied:
    """What else is executed when an event is: in its unit, and before the barriers that it has passed."""

    def __init__(self, phases: Phases) -> None:
        self._conditions: Final = phases.conditions
        self._facts: Final[dict[int, Condition]] = {}
        # What is executed before all entries of a barrier that the first exit meets: for all of its exits.
        self._met: Final[dict[BarrierInstance, Condition]] = {}
        if not phases.conditions.are_open:
            return
        facts = [Nested(ALWAYS) for _ in phases.units]
        for event in phases.order:
            condition, its = self._conditions.of[event.identifier], facts[phases.unit_of(event)]
            if condition is None:
                continue
            known = its.under(condition)
            known = known if condition <= known else known | condition
            if event.kind is EventKind.EXIT and event.barrier is not None and phases.meets(event):
                known |= self._met_at(event.barrier, phases)
                its.add(condition, known)
            if event.identifier in phases.awaited:
                others = (other for each in phases.awaited[event.identifier] for other in each.earlier)
                known = known.union(*(self._facts.get(other, ALWAYS) for other in others))
                its.add(condition, known)
            self._facts[event.identifier] = known

    def _met_at(self, barrier: BarrierInstance, phases: Phases) -> Condition:
        if barrier not in self._met:
            entries = (entry.identifier for entry in phases.entries.get(barrier, ()))
            self._met[barrier] = ALWAYS.union(*(self._facts.get(entry, ALWAYS) for entry in entries))
        return self._met[barrier]

    def is_implied(self, first: Event, second: Event) -> bool:
        """Whether the first event is executed whenever the second one is."""
        condition = self._conditions.of[first.identifier]
        return condition is not None and condition <= self._facts.get(second.identifier, ALWAYS)
