"""The locations whose accesses are settled: what their reads return, and which write is the last."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.engine.explicit.settled.clocks import Clocks, Phases
from mcm.engine.explicit.settled.kinds import Kinds, LocalSteps, empty_sets
from mcm.engine.explicit.settled.rules import settling_rules
from mcm.execution.algebra import FALSE, TRUE
from mcm.execution.event import EventKind
from mcm.execution.expression import Constant, ReadValue
from mcm.execution.substitution import Substitution
from mcm.program.types import Location

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.cat.model import Model
    from mcm.engine.explicit.settled.rules import SettlingRules
    from mcm.execution.event import Event
    from mcm.execution.expression import Expression, GroupResult
    from mcm.execution.skeleton import Skeleton

# Each round settles what is reached through addresses and guards that the round before made known.
_ROUNDS: Final = 8


class Settled(Struct, frozen=True):
    """What is settled: the sources of reads, the last write of each location, and all accesses as units perform them.

    `substitution` puts the values of settled reads in the place of the reads. `in_phases`: every barrier is passed in
    every execution, by all who are needed, so that happens-before has no cycle through barriers.
    """

    sources: dict[int, int]
    last: dict[Location, int]
    accesses: tuple[int, ...]
    substitution: Substitution
    in_phases: bool


def settled(skeleton: Skeleton, model: Model) -> Settled | None:
    """What is settled in all consistent executions; None if that is nothing, or the model is not one that settles."""
    rules = settling_rules(model, empty_sets(skeleton))
    if rules is None:
        return None
    phases, kinds = Phases(skeleton), Kinds(skeleton)
    ordering = Ordering(skeleton, rules, kinds, phases)
    if not ordering.is_usable:
        return None
    found = _NOTHING
    for _ in range(_ROUNDS):
        more = _Round(skeleton, phases, ordering, found.substitution).settle(found)
        if len(more.accesses) == len(found.accesses):
            break
        found = more
    return found if found.accesses else None


_NOTHING: Final = Settled({}, {}, (), Substitution({}), in_phases=False)


class Ordering:
    """Tells which accesses of one location surely happen before which others."""

    def __init__(self, skeleton: Skeleton, rules: SettlingRules, kinds: Kinds, phases: Phases) -> None:
        self.sequenced: Final = skeleton.relations["po"]
        self.kinds: Final = kinds
        local = LocalSteps(kinds)
        steps = {order: local.steps(parts) for order, parts in rules.local.items()}
        self.is_usable: Final = None not in steps.values() and kinds.are_as_expected and self._separates(phases)
        clocks = {order: Clocks(phases, kinds, fixed) for order, fixed in steps.items() if fixed is not None}
        self._parts: Final = [
            (clocks[part.order], local.related(part.sides), local.touched(part.sides))
            for part in rules.parts
            if part.order in clocks
        ]
        self.visible: Final = (local.members(rules.visible) or 0) & kinds.plain
        self._flagged: Final = [local.members(events) for events in rules.flagged]

    def _separates(self, phases: Phases) -> bool:
        """Whether each barrier is sequenced after all earlier and before all later events of its unit."""
        for events in phases.units:
            barrier: Event | None = None
            since: list[Event] = []
            for event in events:
                if barrier is not None and not self.sequenced[barrier.identifier] >> event.identifier & 1:
                    return False
                since.append(event)
                if event.barrier is not None:
                    earlier = since[:-1]
                    if not all(self.sequenced[e.identifier] >> event.identifier & 1 for e in earlier):
                        return False
                    barrier, since = event, []
        return True

    def is_flagged(self, kind: int) -> bool:
        """Whether a flag is raised by a read of a write of this kind."""
        return any(kinds is None or kinds >> kind & 1 for kinds in self._flagged)

    def clocks(self, kinds: int) -> Clocks | None:
        """The clocks that order accesses of these kinds (a mask), all of one location; None if none surely do."""
        if kinds & ~self.kinds.plain:
            return None
        related = [clocks for clocks, related, _ in self._parts if not kinds & ~related]
        touching = [touched for _, _, touched in self._parts if kinds & touched]
        return related[0] if len(related) == len(touching) == 1 else None


class _Round:
    """One look at all accesses, with what is known of addresses, guards and values."""

    def __init__(self, skeleton: Skeleton, phases: Phases, ordering: Ordering, known: Substitution) -> None:
        self._skeleton: Final = skeleton
        self._phases: Final = phases
        initial = (event for event in skeleton.events if event.thread is None)
        self._performed: Final = (*initial, *phases.order)
        self._ordering: Final = ordering
        self._known: Final = known
        # Stops and faults name events: those stay.
        self._named: Final = {read for stop in skeleton.stops for read in stop.reads}
        self._named.update(event for fault in skeleton.faults for event in fault.events)

    def settle(self, before: Settled) -> Settled:
        """What is settled, with what was settled before."""
        sources, last, accesses = dict(before.sources), dict(before.last), set(before.accesses)
        for location, events in self._by_location(before).items():
            found = self._sources(events, location)
            if found is not None:
                own, last_write = found
                sources |= own
                last[location] = last_write
                accesses.update(event.identifier for event in events)
        ordered = tuple(event.identifier for event in self._performed if event.identifier in accesses)
        return Settled(sources, last, ordered, self._values(sources), self._phases.are_regular)

    def _by_location(self, before: Settled) -> dict[Location, list[Event]]:
        """For each location all accesses that may reach it, as units perform them, if all are plain and certain."""
        found: dict[Location, list[Event]] = {}
        open_: set[Location] = set(before.last)
        settled_before = frozenset(before.accesses)
        for event in self._performed:
            if not event.kind.is_access or event.identifier in settled_before:
                continue
            guard = self._known.apply(event.guard)
            if guard is FALSE:
                continue
            address = self._known.optional(event.address)
            place = address.value if isinstance(address, Constant) else None
            if guard is TRUE and self._is_plain(event) and isinstance(place, Location) and place in event.locations:
                found.setdefault(place, []).append(event)
            else:
                open_.update((place,) if isinstance(place, Location) and place in event.locations else event.locations)
        return {location: events for location, events in found.items() if location not in open_}

    def _is_plain(self, event: Event) -> bool:
        return event.kind is not EventKind.UPDATE and not event.atomic and event.identifier not in self._named

    def _sources(self, events: Sequence[Event], location: Location) -> tuple[dict[int, int], int] | None:
        """The source of each read of one location, and its last write; None if anything is open."""
        ordering = self._ordering
        of = [ordering.kinds.of(event, location) for event in events]
        clocks = ordering.clocks(sum({1 << kind for kind in of}))
        reading = sum({1 << kind for kind, event in zip(of, events, strict=True) if event.kind is EventKind.READ})
        if clocks is None or reading & ~ordering.visible or events[0].kind is not EventKind.INITIAL:
            return None
        sources: dict[int, int] = {}
        reads: list[Event] = []
        write, is_flagged = events[0], ordering.is_flagged(of[0])
        for event, kind in zip(events[1:], of[1:], strict=True):
            if not clocks.is_before(write, event, ordering.sequenced):
                return None
            if event.kind is EventKind.READ:
                if is_flagged:
                    return None
                sources[event.identifier] = write.identifier
                reads.append(event)
            elif all(clocks.is_before(read, event, ordering.sequenced) for read in reads):
                write, reads, is_flagged = event, [], ordering.is_flagged(kind)
            else:
                return None
        return sources, write.identifier

    def _values(self, sources: dict[int, int]) -> Substitution:
        """The values of settled reads, by those of the reads that are open."""
        events = self._skeleton.events
        atoms: dict[GroupResult | ReadValue, Expression] = {}
        earlier = Substitution(atoms)
        for event in self._performed:
            if event.identifier in sources:
                written = events[sources[event.identifier]].value
                assert written is not None, "a write writes a value"
                # What a write computes with was read before it, and it comes before the read.
                atoms[ReadValue(event.identifier)] = earlier.apply(written)
        return Substitution(atoms)
