"""What the program fixes of happens-before, as vector clocks: in time and memory near to linear in the events.

The clock of an event has for each unit how many of its events happen before it, as far as sequencing and barriers say
so. Units that have left the same barrier share one clock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.engine.explicit.settled.commands import Commands, Following
from mcm.engine.explicit.settled.conditions import ALWAYS, Nested
from mcm.execution.event import EventKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mcm.engine.explicit.settled.commands import CommandSteps
    from mcm.engine.explicit.settled.conditions import Conditions
    from mcm.engine.explicit.settled.kinds import Kinds, Steps
    from mcm.execution.awaited import Awaited
    from mcm.execution.event import BarrierInstance, Event
    from mcm.execution.skeleton import Skeleton
    from mcm.relation.term import Closure

# Per unit, how many of its events come before.
Clock = list[int]


# What others wait for at a barrier; a call of a group function returns when all have called it.
_ARRIVALS: Final = frozenset({EventKind.ENTRY, EventKind.CALL})


class Phases:
    """The order in which a run performs the events, barrier by barrier; `ranks` are positions of events in their unit.

    `entries` are the entries of each barrier instance that are executed whenever anybody leaves it, or the calls of a
    group function: what it returns is computed of what all have read before, so these reads come first. A unit that
    would wait for somebody who does not come goes on: then the order means nothing, and the clocks say less.
    `are_regular`: that does not happen, and all enter a barrier that anybody leaves. `awaited` is what else events
    surely wait for.
    """

    def __init__(self, skeleton: Skeleton, conditions: Conditions) -> None:
        self.events: Final = skeleton.events
        self.units: Final[list[list[Event]]] = [[] for _ in skeleton.program.threads]
        # Threads have the numbers that the test gives them: not all up to the last one.
        self._numbers: Final = {thread.index: number for number, thread in enumerate(skeleton.program.threads)}
        self.ranks: Final = [0] * len(skeleton.events)
        self.conditions: Final = conditions
        entries: dict[BarrierInstance, list[Event]] = {}
        for event in skeleton.events:
            if event.thread is not None:
                events = self.units[self.unit_of(event)]
                self.ranks[event.identifier] = len(events)
                events.append(event)
            is_possible = conditions.of[event.identifier] is not None
            if event.kind in _ARRIVALS and event.barrier is not None and is_possible:
                entries.setdefault(event.barrier, []).append(event)
        # The instances that all enter together if anybody does, those besides whose entries depend on the same, and
        # those that nobody leaves unless it holds what all enter under.
        self._met: Final = {
            instance
            for instance, its in entries.items()
            if all(map(conditions.is_always, its))
            or (conditions.converge and not instance.of_active and len({e.thread for e in its}) == len(its))
        }
        alike = {
            instance
            for instance, its in entries.items()
            if not instance.of_active and len({conditions.of[each.identifier] for each in its}) == 1
        }
        self._together: Final = self._met | alike | self._left_by_all(entries)
        self.entries: Final = {
            instance: its if instance in self._together else list(filter(conditions.is_always, its))
            for instance, its in entries.items()
        }
        self.awaited: Final = _by_event(skeleton, conditions)
        self.commands: Final = Commands(skeleton, conditions)
        # Who leaves a barrier waits for all who may enter it: that is only an order in which to look at events.
        self._expected: Final = {**self.entries, **{each: its for each, its in entries.items() if not each.of_active}}
        self._entered: Final = {event.identifier for its in self._expected.values() for event in its}
        self.are_regular = all(
            event.barrier is None
            or conditions.of[event.identifier] is None
            or event.barrier in self._met
            or conditions.is_always(event)
            for event in skeleton.events
        )
        self.order: Final[tuple[Event, ...]] = tuple(self._performed())

    def _left_by_all(self, entries: Mapping[BarrierInstance, Sequence[Event]]) -> set[BarrierInstance]:
        """The instances whose exits are executed under the conditions of all entries, if not under more."""
        of = self.conditions.of
        needed = {
            instance: ALWAYS.union(*(of[each.identifier] or ALWAYS for each in its))
            for instance, its in entries.items()
        }
        found = {instance for instance in entries if not instance.of_active}
        for event in self.events:
            condition = of[event.identifier]
            if event.kind is EventKind.EXIT and event.barrier in found and condition is not None:
                found -= set() if needed[event.barrier] <= condition else {event.barrier}
        return found

    def meets(self, event: Event) -> bool:
        """Whether the `entries` of its barrier are executed when this exit is."""
        return event.barrier in self._together or self.conditions.is_always(event)

    def _waits(self, event: Event) -> bool:
        return event.kind is EventKind.EXIT and self.conditions.of[event.identifier] is not None

    def _awaits(self, event: Event) -> bool:
        return event.kind is EventKind.CALL and self.conditions.of[event.identifier] is not None

    def unit_of(self, event: Event) -> int:
        """The number of the unit that performs an event, counted from 0."""
        assert event.thread is not None, "a unit performs the event"
        return self._numbers[event.thread]

    def number_of(self, thread: int) -> int:
        """The number of the unit that a thread is."""
        return self._numbers[thread]

    def _performed(self) -> Iterable[Event]:
        missing = {instance: len(entries) for instance, entries in self._expected.items()}
        positions = [0] * len(self.units)
        ready = list(reversed(range(len(self.units))))
        held: dict[BarrierInstance | int, list[int]] = {}
        following = Following(self.commands)
        done = set(following.begin())
        while ready or held:
            if not ready:
                self.are_regular = False
                ready = [unit for units in held.values() for unit in units]
                missing = dict.fromkeys(missing, 0)
                done.update(range(len(self.events)))
                held = {}
            unit = ready.pop()
            events = self.units[unit]
            while positions[unit] < len(events):
                event = events[positions[unit]]
                instance = event.barrier
                if instance is not None and self._waits(event) and missing.get(instance):
                    held.setdefault(instance, []).append(unit)
                    break
                if (other := self._next_awaited(event, done)) is not None:
                    held.setdefault(other, []).append(unit)
                    break
                positions[unit] += 1
                yield event
                for come in (event.identifier, *following.follow(event.identifier)):
                    done.add(come)
                    ready += reversed(held.pop(come, []))
                if instance is not None and event.identifier in self._entered:
                    missing[instance] -= 1
                    if not missing[instance]:
                        ready += reversed(held.pop(instance, []))
                if instance is not None and self._awaits(event) and missing.get(instance):
                    held.setdefault(instance, []).append(unit)
                    break

    def _next_awaited(self, event: Event, done: set[int]) -> int | None:
        """An event that another one waits for, and that is not done."""
        awaited = (other for each in self.awaited.get(event.identifier, ()) for other in each.earlier)
        return next((other for other in (*self.commands.awaited_by(event), *awaited) if other not in done), None)


def _by_event(skeleton: Skeleton, conditions: Conditions) -> dict[int, list[Awaited]]:
    """What is awaited by each event that may be executed."""
    found: dict[int, list[Awaited]] = {}
    for each in () if skeleton.shown is None else skeleton.shown.awaited:
        if conditions.of[each.event] is not None:
            found.setdefault(each.event, []).append(each)
    return found


class Clocks:
    """The clocks of one closure: what it relates in every execution in which the events are executed."""

    def __init__(
        self, phases: Phases, kinds: Kinds, order: Closure, steps: Steps, commands: CommandSteps | None = None
    ) -> None:
        self.order: Final = order
        self._phases: Final = phases
        self._kinds: Final = kinds
        self._steps: Final = steps
        self._commands: Final = commands
        # Of each unit, the clock of the last event that is executed in any case and carries.
        self._last: Final[dict[int, Clock]] = {}
        nothing = [0] * len(phases.units)
        self._of_event: Final[dict[int, Clock]] = {}
        # With each joined clock those that it joins.
        self._joined: Final[dict[tuple[BarrierInstance, int], tuple[Clock, dict[int, Clock]]]] = {}
        clocks = [Nested(nothing) for _ in phases.units]
        for event in phases.order:
            unit, condition = phases.unit_of(event), phases.conditions.of[event.identifier]
            if commands is not None and not phases.ranks[event.identifier]:
                clocks[unit] = Nested(self._at_start(unit, nothing))
            its = clocks[unit]
            if condition is None:
                # It is never executed.
                self._of_event[event.identifier] = nothing
                continue
            before = clock = its.under(condition)
            if event.kind is EventKind.EXIT and phases.meets(event):
                clock = self._after_barrier(event, clock)
            if event.identifier in phases.awaited:
                clock = self._after_awaited(phases.awaited[event.identifier], clock)
            if commands is not None and event.kind.is_of_commands and self.carries(event):
                clock = list(map(max, clock, self._of_command(event.identifier)))
            if clock is not before:
                its.add(condition, clock)
            self._of_event[event.identifier] = clock
            if commands is not None and condition == ALWAYS and self.carries(event):
                self._last[unit] = clock

    def _at_start(self, unit: int, nothing: Clock) -> Clock:
        """The clock of the beginning of a unit: that of the start of its command, if this is before all carriers."""
        events = self._phases.units[unit]
        start = self._phases.commands.start_of.get(events[0].thread or 0)
        assert self._commands is not None, "there are commands"
        if start is None or self._carried(unit) & ~self._commands.started.get(start, 0):
            return nothing
        return self._of_command(start)

    def _carried(self, unit: int) -> int:
        """The kinds of the carriers of a unit."""
        return self._steps.carriers & sum(
            {1 << kind for e in self._phases.units[unit] for kind in self._kinds.all_of(e)}
        )

    def _of_command(self, number: int) -> Clock:
        """What commands let come before an event of theirs, or a call, when all of that has been performed."""
        found = self._of_event.get(number)
        if found is not None:
            return found
        assert self._commands is not None, "there are commands"
        clock = [0] * len(self._phases.units)
        for other in self._commands.before[number]:
            event = self._phases.events[other]
            if event.thread is None:
                clock = list(map(max, clock, self._of_command(other)))
            elif other in self._of_event and self.carries(event):
                clock = list(map(max, clock, self._of_event[other]))
                unit = self._phases.unit_of(event)
                clock[unit] = max(clock[unit], self._phases.ranks[other] + 1)
        for command, kinds in self._commands.ended[number]:
            for thread in self._phases.commands.units[command]:
                unit = self._phases.number_of(thread)
                if not self._carried(unit) & ~kinds:
                    clock = list(map(max, clock, self._last.get(unit, clock)))
                    clock[unit] = len(self._phases.units[unit])
        if self._phases.events[number].thread is None:
            self._of_event[number] = clock
        return clock

    def _after_barrier(self, event: Event, before: Clock) -> Clock:
        """The clock of an exit: that of its unit before, and those of the entries that it meets."""
        instance, kind = event.barrier, self._kinds.of(event)
        if instance is None or not self._steps.carriers >> kind & 1:
            return before
        found = self._joined.get((instance, kind))
        if found is None:
            met = [
                entry
                for entry in self._phases.entries.get(instance, ())
                if entry.identifier in self._of_event and self._is_met(self._kinds.of(entry), kind)
            ]
            found = self._joined[instance, kind] = self._join(met, len(before))
        joined, parts = found
        # Who leaves has entered: its own clock is among those joined, unless its entry is of a kind that is not met.
        return joined if id(before) in parts else list(map(max, before, joined))

    def _after_awaited(self, awaited: Sequence[Awaited], before: Clock) -> Clock:
        """The clock of an event: that of its unit before, and those of what it has surely waited for."""
        events = [
            self._phases.events[number]
            for each in awaited
            if each.order == self.order
            for number in each.earlier
            if number in self._of_event
        ]
        return list(map(max, before, self._join(events, len(before))[0])) if events else before

    def _is_met(self, entry: int, exit_: int) -> bool:
        return bool(self._steps.carriers >> entry & 1) and (entry, exit_) in self._steps.meeting

    def _join(self, entries: Sequence[Event], units: int) -> tuple[Clock, dict[int, Clock]]:
        joined = [0] * units
        parts = {id(clock): clock for clock in (self._of_event[entry.identifier] for entry in entries)}
        for clock in parts.values():
            joined = list(map(max, joined, clock))
        for entry in entries:
            unit = self._phases.unit_of(entry)
            joined[unit] = max(joined[unit], self._phases.ranks[entry.identifier] + 1)
        return joined, parts

    @property
    def carriers(self) -> int:
        """The kinds of events that the closure relates in sequence."""
        return self._steps.carriers

    def carries(self, event: Event) -> bool:
        """Whether an event is one of those that the closure relates in sequence."""
        return bool(self._steps.carriers >> self._kinds.of(event) & 1)

    def are_all_before(self, firsts: dict[int, Event], seconds: dict[int, Event]) -> bool:
        """Whether each of some carriers happens before each of some others; both are given by their units."""
        ranks = self._phases.ranks
        if any(
            unit in firsts and ranks[firsts[unit].identifier] >= ranks[event.identifier]
            for unit, event in seconds.items()
        ):
            return False
        clocks: dict[int, tuple[Clock, list[int]]] = {}
        for unit, event in seconds.items():
            clock = self._of_event[event.identifier]
            clocks.setdefault(id(clock), (clock, []))[1].append(unit)
        for clock, units in clocks.values():
            late = [unit for unit, event in firsts.items() if clock[unit] <= ranks[event.identifier]]
            # What is late for others may be sequenced before what is of the same unit.
            if late and not (len(late) == 1 and units == late):
                return False
        return True

    def is_all_before(self, units: Sequence[int], others: Sequence[int]) -> bool:
        """Whether all carriers of some threads happen before the start of the command that others execute."""
        start = self._phases.commands.start_of.get(others[0]) if others else None
        if start is None or self._commands is None:
            return False
        clock = self._of_command(start)
        numbers = map(self._phases.number_of, units)
        return all(clock[number] == len(self._phases.units[number]) for number in numbers)

    def is_before(self, first: Event, second: Event, sequenced: Sequence[int]) -> bool:
        """Whether an access surely happens before another one; `sequenced` are the rows of sequenced-before."""
        one, other = self._kinds.of(first), self._kinds.of(second)
        if first.thread is None:
            return bool(self._steps.initialised.get(one, 0) >> other & 1)
        if second.thread is None or not self._steps.carriers >> one & self._steps.carriers >> other & 1:
            return False
        if first.thread == second.thread:
            return bool(sequenced[first.identifier] >> second.identifier & 1)
        return self._of_event[second.identifier][self._phases.unit_of(first)] > self._phases.ranks[first.identifier]
