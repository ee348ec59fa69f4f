"""The steps of happens-before that the program fixes, as functions of the kinds of two events and of where they stand.

Events are of one kind if they are in the same base sets. A part of a closure's body is *local* if it relates two events
by their sets and by what the program fixes between them, and by nothing in between. So it is evaluated once for all
events, in a few structures that have two events of each kind and in which all pairs stand in the same way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.base.bits import members
from mcm.engine.explicit.settled.footprint import PLAIN
from mcm.engine.explicit.settled.shapes import HOST_WITHOUT_MAP, READ_BACK, SC_FENCES, STATIC, is_local
from mcm.execution.vocabulary import PLACES, SETS
from mcm.program.command import CommandKind
from mcm.relation.evaluate import Evaluator, Structure
from mcm.relation.parts import bare
from mcm.relation.term import Compose, Difference, Empty, Identity, Intersection, Product, Union

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from mcm.execution.event import Event
    from mcm.execution.skeleton import Skeleton
    from mcm.program.types import Location
    from mcm.relation.term import RelationTerm, SetTerm

Names = frozenset[str]


class Kinds:
    """The kinds of the events of a skeleton; an event has one for each object that it may access.

    Masks of kinds: `initial`, `atomic_objects`, `atomic_reads`, `settleable` for accesses that are in none but the sets
    `allowed`, and `plain` for those that may be settled whatever the model asks of atomics.
    """

    def __init__(self, skeleton: Skeleton, allowed: frozenset[str]) -> None:
        self._skeleton: Final = skeleton
        self._objects: Final = _objects_of_sets(skeleton)
        self._placements: Final = {thread.index: type(thread.placement) for thread in skeleton.program.threads}
        self._maps: Final[dict[int | None, int]] = {
            unit: command.number
            for command in skeleton.program.commands
            if command.kind is CommandKind.MAP
            for unit in command.units
        }
        self._numbers: Final[dict[Names, int]] = {}
        self._known: Final[dict[tuple[object, ...], int]] = {}
        self._of_event: Final = [self._kinds_of(event) for event in skeleton.events]
        self.names: Final[tuple[Names, ...]] = tuple(self._numbers)
        self.initial: Final = self._having("IW")
        self.atomic_objects: Final = self._having("AO")
        self.atomic_reads: Final = self._having("A") & self._having("R")
        self.settleable: Final = self._within(allowed)
        self.plain: Final = self._within(PLAIN)

    def _having(self, name: str) -> int:
        return sum(1 << number for number, names in enumerate(self._numbers) if name in names)

    def _within(self, allowed: frozenset[str]) -> int:
        return sum(1 << number for number, names in enumerate(self._numbers) if "M" in names and names <= allowed)

    def of(self, event: Event, location: Location | None = None) -> int:
        """The kind of an event that reaches a location, given where there are several."""
        known = self._of_event[event.identifier]
        return next(iter(known.values())) if location is None else known[location.object]

    def all_of(self, event: Event) -> Collection[int]:
        """The kinds of an event, one for each object that it may access."""
        return self._of_event[event.identifier].values()

    def _kinds_of(self, event: Event) -> dict[int | None, int]:
        objects = dict.fromkeys(location.object for location in event.locations) or (None,)
        return {which: self._kind(event, which) for which in objects}

    def _kind(self, event: Event, which: int | None) -> int:
        placement = None if event.thread is None else self._placements[event.thread]
        # Of initial writes it depends on the element whether they give a value.
        element = event.locations if event.thread is None else ()
        # The events of commands, and calls about them, are in sets by what they are about.
        about = event.identifier if event.kind.is_of_commands else self._maps.get(event.thread)
        key = (event.kind, event.order, event.scope, event.flags, event.atomic, placement, which, element, about)
        number = self._known.get(key)
        if number is None:
            bit = 1 << event.identifier
            own = {name for name, of in self._skeleton.sets.items() if of.events & bit}
            names = frozenset(own | (self._objects[which] if which is not None else set()))
            number = self._known[key] = self._numbers.setdefault(names, len(self._numbers))
        return number


def _objects_of_sets(skeleton: Skeleton) -> dict[int, set[str]]:
    """For each object the base sets that have all accesses of it."""
    found: dict[int, set[str]] = {number: set() for number in range(len(skeleton.program.objects))}
    for name, of in skeleton.sets.items():
        for number in {location.object for location in of.locations}:
            found[number].add(name)
    return found


def empty_bases(skeleton: Skeleton) -> frozenset[str]:
    """The base sets and static base relations that are empty in all executions.

    `SC_FENCES` where there are none, `HOST_WITHOUT_MAP` where the host accesses nothing that it would have to map,
    `READ_BACK` where no unit reads what it may have written to an image.
    """
    sets = {name for name, of in skeleton.sets.items() if not of.events and not of.locations}
    sets |= {name for name, rows in skeleton.relations.items() if not any(rows)}
    if not skeleton.sets["SC"].events & skeleton.sets["F"].events:
        sets.add(SC_FENCES)
    if not _accesses_unmapped(skeleton):
        sets.add(HOST_WITHOUT_MAP)
    if not _reads_images_back(skeleton):
        sets.add(READ_BACK)
    return frozenset(sets)


def _accesses_unmapped(skeleton: Skeleton) -> bool:
    """Whether the host accesses what it would have to map."""
    host, mapped = skeleton.sets["H"].events, skeleton.sets["NEEDS_MAP"]
    return bool(mapped.locations) and any(
        host >> event.identifier & 1 and not mapped.locations.isdisjoint(event.locations) for event in skeleton.events
    )


def _reads_images_back(skeleton: Skeleton) -> bool:
    """Whether some unit may read an element of an image that it may write as well."""
    images = skeleton.sets["IMAGES"].locations
    accesses = (
        [event for event in skeleton.events if event.thread is not None and event.kind.is_access] if images else []
    )
    written = {(e.thread, location) for e in accesses if e.kind.writes for location in e.locations}
    return any(
        location in images and (event.thread, location) in written
        for event in accesses
        if event.kind.reads
        for location in event.locations
    )


class Steps(Struct, frozen=True):
    """What of a closure the program fixes, as masks of kinds.

    Two events of one unit, sequenced, are related if both are `carriers`. The entry of a barrier is related to the exit
    of another member if they are of the kinds `meeting`, an initial write to what is of the kinds `initialised[kind]`.
    """

    carriers: int
    meeting: frozenset[tuple[int, int]]
    initialised: dict[int, int]


class LocalSteps:
    """The local parts of the bodies of closures, evaluated for the kinds of one skeleton."""

    def __init__(self, kinds: Kinds) -> None:
        self._kinds: Final = kinds
        self._count: Final = len(kinds.names)
        sequenced = self._structure(_groups(len(PLACES) - 1) | {"int", "po"})
        unsequenced = self._structure(_groups(len(PLACES) - 1) | {"int"})
        apart = [self._structure(_groups(level) | {"ext"}) for level in range(-1, len(PLACES))]
        at_barrier = [self._structure(_groups(level) | {"ext", "syncbar"}) for level in range(-1, len(PLACES))]
        self._sequenced: Final = Evaluator(sequenced)
        self._unsequenced: Final = Evaluator(unsequenced)
        self._apart: Final = list(map(Evaluator, apart))
        self._at_barrier: Final = list(map(Evaluator, at_barrier))

    def _structure(self, full: frozenset[str]) -> Structure:
        """Two events of each kind; the relations `full` have all pairs, `int` each event with itself besides."""
        size = 2 * self._count
        everything = (1 << size) - 1
        sets = {name: sum(1 << i for i in range(size) if name in self._kinds.names[i % self._count]) for name in SETS}
        rows = {name: (everything if name in full else 0,) * size for name in STATIC}
        if "int" not in full:
            rows["int"] = tuple(1 << i for i in range(size))
        return Structure(size, everything, sets, rows)

    def members(self, events: SetTerm) -> int | None:
        """The kinds, as a mask, of which a set has all events; None if that does not depend on kinds alone."""
        if not is_local(events):
            return None
        return self._sequenced.set(events) & (1 << self._count) - 1

    def related(self, sides: Sequence[tuple[SetTerm, SetTerm]]) -> int:
        """The kinds that are members of all sets."""
        found = (1 << self._count) - 1
        for side in (side for pair in sides for side in pair):
            found &= self.members(side) or 0
        return found

    def touched(self, sides: Sequence[tuple[SetTerm, SetTerm]]) -> int:
        """The kinds that may be members of some set on each side."""
        found = everything = (1 << self._count) - 1
        for left, right in sides:
            one, other = self.members(left), self.members(right)
            found &= everything if one is None or other is None else one | other
        return found

    def ends(self, term: RelationTerm) -> tuple[int, int]:
        """The kinds that the first and the second events of pairs can have, as masks."""
        everything = (1 << self._count) - 1
        match bare(term):
            case Identity(events):
                of = self.members(events)
                return (everything, everything) if of is None else (of, of)
            case Product(left, right):
                one, other = self.members(left), self.members(right)
                return everything if one is None else one, everything if other is None else other
            case Union(one, other):
                (a, b), (c, d) = self.ends(one), self.ends(other)
                return a | c, b | d
            case Intersection(one, other):
                (a, b), (c, d) = self.ends(one), self.ends(other)
                return a & c, b & d
            case Difference(one, _):
                return self.ends(one)
            case Compose(one, other):
                return self.ends(one)[0], self.ends(other)[1]
            case _:
                return everything, everything

    def may_raise_alone(self, flag: RelationTerm, kinds: int) -> bool:
        """Whether a local term may have a pair of an event of these kinds and itself."""
        rows = self._unsequenced.relation(flag)
        return any(rows[kind] >> kind & 1 for kind in members(kinds))

    def may_raise(self, flag: RelationTerm, kinds: int, group: int) -> bool:
        """Whether a local term may have a pair of events of different units, of these kinds.

        `group` is the smallest group that the units are surely in together, counted from the device on.
        """
        apart = [self._related(evaluator, flag) for evaluator in self._apart[group + 1 :]]
        return any(rows[kind] & kinds for rows in apart for kind in members(kinds))

    def steps(self, local: Sequence[RelationTerm], removed: int) -> Steps | None:
        """The fixed steps of a closure of a union; None if leaving out events of the kinds `removed` could break it.

        `local` are the local parts of the union.
        """
        body = _union(local)
        sequenced = self._related(self._sequenced, body)
        apart = [self._related(evaluator, body) for evaluator in self._apart]
        initial = self._kinds.initial
        others = (1 << self._count) - 1 & ~initial
        carriers = sum(1 << kind for kind in members(others) if sequenced[kind] >> kind & 1)
        # An initial write stands apart from all units, and comes before what it initialises.
        initialised = {kind: apart[0][kind] & others for kind in members(initial)}
        if (
            any(sequenced[kind] & others != (carriers if carriers >> kind & 1 else 0) for kind in members(others))
            or self._joins(self._related(self._unsequenced, body), removed & others, others)
            or any(self._joins(rows, removed & others, others) for rows in apart)
            or any(row & initial for rows in apart for row in rows)
            or any(row & carriers & removed and carriers & ~row for row in initialised.values())
        ):
            return None
        meeting = [self._related(evaluator, body) for evaluator in self._at_barrier]
        pairs = {
            (entry, exit_)
            for entry in range(self._count)
            for exit_ in range(self._count)
            if all(rows[entry] >> exit_ & 1 for rows in meeting)
        }
        return Steps(carriers, frozenset(pairs), initialised)

    def meet_alike(self, local: Sequence[RelationTerm], steps: Steps, barriers: int) -> bool:
        """Whether at a barrier, of whatever group, all that is related are entries to exits as `steps` say."""
        names = self._kinds.names
        for evaluator in self._at_barrier:
            rows = self._related(evaluator, _union(local))
            found = {(one, other) for one in members(barriers) for other in members(rows[one] & barriers)}
            if found != {(one, other) for one, other in steps.meeting if barriers >> one & barriers >> other & 1}:
                return False
            for one, other in found:
                lead_on = steps.carriers >> one & steps.carriers >> other & 1
                if not lead_on or "EF" not in names[one] or "XF" not in names[other]:
                    return False
        return True

    @staticmethod
    def _joins(rows: Sequence[int], ones: int, others: int) -> bool:
        """Whether some pair of kinds, one of `ones`, is related either way."""
        return any(rows[kind] & others for kind in members(ones)) or any(rows[kind] & ones for kind in members(others))

    def _related(self, evaluator: Evaluator, body: RelationTerm) -> list[int]:
        """For each kind, the kinds of which an event is related to it: another event, so the second of its kind."""
        return [row >> self._count for row in evaluator.relation(body)[: self._count]]


def _union(parts: Sequence[RelationTerm]) -> RelationTerm:
    body: RelationTerm = Empty()
    for part in parts:
        body = Union(body, part)
    return body


def _groups(level: int) -> frozenset[str]:
    """The relations of two units in one group of this level, counted from the device on, and in all larger ones."""
    return frozenset(PLACES[: level + 1])
