"""What the program fixes of the order of accesses: which surely happen before which, and what their kinds allow."""

from __future__ import annotations

from itertools import combinations, takewhile
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field

from mcm.engine.explicit.settled.clocks import Clocks
from mcm.engine.explicit.settled.commands import command_steps, orders_commands
from mcm.engine.explicit.settled.kinds import LocalSteps
from mcm.execution.event import EventKind
from mcm.program.topology import WorkItem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mcm.engine.explicit.settled.clocks import Phases
    from mcm.engine.explicit.settled.kinds import Kinds
    from mcm.engine.explicit.settled.rules import SettlingRules
    from mcm.execution.event import Event
    from mcm.execution.skeleton import Skeleton
    from mcm.program.types import Location

# By how many of device, kernel instance, work-group and sub-group two units have in common: the smallest group that
# contains both, as an index of `vocabulary.PLACES`.
_LEVELS: Final = (-1, 0, 2, 3, 4)


class Layer(Struct, frozen=True):
    """Accesses of one location that come after all earlier writes: one write, or some in any order; then reads.

    `paired` are reads that come right before one of the writes each, an update that reads the same. Where the writes
    are `chosen`, at most one of them is executed, and maybe none: choices say which.
    """

    writes: list[Event]
    reads: list[Event]
    paired: list[Event] = field(default_factory=list)
    chosen: bool = False

    @property
    def excludes(self) -> bool:
        """Whether its writes are several of which at most one is executed: those of plain objects."""
        return len(self.writes) > 1 and self.writes[0].order is None


class Bridge(Struct, frozen=True):
    """A part of a closure that may lead through settled accesses, from events of some kinds to events of others.

    `of_atomics`: through atomics only.
    """

    clocks: Clocks
    first: int
    second: int
    of_atomics: bool


class Ordering:
    """Tells which accesses of one location surely happen before which others."""

    def __init__(self, skeleton: Skeleton, rules: SettlingRules, kinds: Kinds, phases: Phases) -> None:
        self.sequenced: Final = skeleton.relations["po"]
        self.kinds: Final = kinds
        local = LocalSteps(kinds)
        steps = {order: local.steps(parts, kinds.settleable) for order, parts in rules.local.items()}
        commands = phases.commands
        visible = local.members(rules.visible)
        # What comes in any order, or tries until it succeeds, reads what nothing orders before it.
        sees_atomics = bool(kinds.atomic_reads if visible is None else kinds.atomic_reads & visible)
        self.is_usable: Final = (
            not sees_atomics and None not in steps.values() and self._separates(phases) and self._follows(phases)
        )
        clocks = {
            order: Clocks(
                phases,
                kinds,
                order,
                fixed,
                command_steps(skeleton, kinds, commands, order) if commands.events and self.is_usable else None,
            )
            for order, fixed in steps.items()
            if fixed is not None
        }
        self.are_apart: Final = self._are_known(skeleton, kinds, clocks.values()) and all(
            order in clocks and _are_apart(skeleton, phases, clocks[order]) for order in rules.apart
        )
        # The clocks of each closure.
        self.closures: Final = tuple(clocks.values())
        self._parts: Final = [
            (clocks[part.order], local.related(part.sides), local.touched(part.sides))
            for part in rules.parts
            if part.order in clocks
        ]
        self.visible: Final = visible or 0
        self._flagged: Final = [local.members(events) for events in rules.flagged]
        self._unordered: Final = rules.unordered
        self.orders_writes: Final = rules.orders_writes
        self._local: Final = local
        bridges = (
            Bridge(clocks[order], *local.ends(part), part in rules.of_atomics)
            for order, parts in rules.bridges.items()
            if order in clocks
            for part in parts
        )
        # Many parts of a model differ in kinds of events that a program does not have.
        self._bridges: Final = [*dict.fromkeys(bridge for bridge in bridges if bridge.first and bridge.second)]
        self._phases: Final = phases
        self._placements: Final = {thread.index: thread.placement for thread in skeleton.program.threads}

    def _separates(self, phases: Phases) -> bool:
        """Whether each fence, barrier and call comes after all earlier and before all later events of its unit."""
        for events in phases.units:
            barrier: Event | None = None
            since: list[Event] = []
            for event in events:
                if barrier is not None and not self.sequenced[barrier.identifier] >> event.identifier & 1:
                    return False
                since.append(event)
                if event.kind.is_fence or event.kind.is_of_commands:
                    earlier = since[:-1]
                    if not all(self.sequenced[e.identifier] >> event.identifier & 1 for e in earlier):
                        return False
                    barrier, since = event, []
        return True

    @staticmethod
    def _follows(phases: Phases) -> bool:
        """Whether there are no commands, or a run has come to the end of each."""
        return not phases.commands.events or (phases.commands.are_sure and phases.are_regular)

    @staticmethod
    def _are_known(skeleton: Skeleton, kinds: Kinds, clocks: Iterable[Clocks]) -> bool:
        """Whether closures that carry calls order commands as the text says, where something is supposed of it."""
        calls = [event for event in skeleton.events if event.kind is EventKind.API_CALL]
        if not calls or not skeleton.supposed:
            return True
        return all(orders_commands(each.order) for each in clocks if each.carriers >> kinds.of(calls[0]) & 1)

    def is_flagged(self, kind: int) -> bool:
        """Whether a flag is raised by a read of a write of this kind."""
        return any(kinds is None or kinds >> kind & 1 for kinds in self._flagged)

    def clocks(self, kinds: int) -> Clocks | None:
        """The clocks that order accesses of these kinds (a mask), all of one location; None if none surely do."""
        if kinds & ~self.kinds.settleable:
            return None
        related = [clocks for clocks, related, _ in self._parts if not kinds & ~related]
        touching = [touched for _, _, touched in self._parts if kinds & touched]
        return related[0] if len(related) == len(touching) == 1 else None

    def is_before(self, first: Event, second: Event, location: Location) -> bool:
        """Whether an access of a location surely happens before another one, also where these are not settled."""
        kinds = 1 << self.kinds.of(first, location) | 1 << self.kinds.of(second, location)
        return any(
            not kinds & ~related and clocks.is_before(first, second, self.sequenced)
            for clocks, related, _ in self._parts
        )

    def may_raise_alone(self, kinds: int) -> bool:
        """Whether a flag about accesses that are not ordered may be raised by an event of these kinds and itself."""
        return any(self._local.may_raise_alone(flag, kinds) for flag in self._unordered)

    def may_race(self, events: Sequence[Event], kinds: int) -> bool:
        """Whether a flag may be raised by two of some events, of these kinds, of one location and not ordered."""
        groups = [self._groups_of(event) for event in events]
        common = min((_common(groups[0], other) for other in groups), default=0)
        return any(self._local.may_raise(flag, kinds, _LEVELS[common]) for flag in self._unordered)

    def _groups_of(self, event: Event) -> tuple[object, ...]:
        placement = None if event.thread is None else self._placements[event.thread]
        return placement.enclosing if isinstance(placement, WorkItem) else (event.identifier,)

    def are_bridged(self, layers: Sequence[Layer], clocks: Clocks, kinds: int) -> bool:
        """Whether what leads through a location, by what its accesses, of these kinds, synchronise, is related anyway.

        A bridge leads from what is before a write to what is after a later access. What is before and after another
        layer is related through the accesses themselves, where these are ordered by the same closure.
        """
        has_atomics = bool(kinds & ~self.kinds.plain)
        bridges = (bridge for bridge in self._bridges if has_atomics or not bridge.of_atomics)
        return all(self._is_bridged(bridge, layers, clocks) for bridge in bridges)

    def _is_bridged(self, bridge: Bridge, layers: Sequence[Layer], clocks: Clocks) -> bool:
        carriers = bridge.clocks.carriers
        if (bridge.first | bridge.second) & ~carriers:
            return False
        # Whatever happens before one of the tails happens before later events that are executed in any case, too.
        tails: dict[int, Event] = {}
        others: dict[int, Event] = {}
        for layer in reversed(layers):
            if bridge.clocks is clocks:
                tails, others = {}, {}
            for event in (*layer.writes, *layer.reads, *layer.paired):
                for near in self._next(event, bridge.second):
                    if self._phases.conditions.is_always(near):
                        self._note(tails, near, earliest=True)
                    else:
                        others[near.identifier] = near
            heads: dict[int, Event] = {}
            for event in layer.writes:
                if (last := self._last(event, bridge.first)) is not None:
                    self._note(heads, last, earliest=False)
            if not bridge.clocks.are_all_before(heads, tails):
                return False
            if not all(bridge.clocks.are_all_before(heads, {self._phases.unit_of(e): e}) for e in others.values()):
                return False
        return True

    def _note(self, found: dict[int, Event], near: Event, *, earliest: bool) -> None:
        """Keep the earliest, or the latest, of some events of each unit."""
        unit = self._phases.unit_of(near)
        known = found.get(unit)
        ranks = self._phases.ranks
        if known is None or (ranks[near.identifier] < ranks[known.identifier]) is earliest:
            found[unit] = near

    def _last(self, event: Event, kinds: int) -> Event | None:
        """The last event of some kinds before an access, of the same unit."""
        if event.thread is None:
            return None
        unit, rank = self._phases.units[self._phases.unit_of(event)], self._phases.ranks[event.identifier]
        return next((e for e in reversed(unit[:rank]) if self._is_of(e, kinds)), None)

    def _next(self, event: Event, kinds: int) -> Iterator[Event]:
        """The events of some kinds after an access, of the same unit, up to one that is executed whenever it is."""
        if event.thread is None:
            return
        conditions = self._phases.conditions
        unit, rank = self._phases.units[self._phases.unit_of(event)], self._phases.ranks[event.identifier]
        for other in unit[rank + 1 :]:
            if self._is_of(other, kinds) and conditions.of[other.identifier] is not None:
                yield other
                if conditions.is_whenever(event, other):
                    return

    def _is_of(self, event: Event, kinds: int) -> bool:
        return not event.kind.is_access and bool(kinds >> self.kinds.of(event) & 1)


def _are_apart(skeleton: Skeleton, phases: Phases, clocks: Clocks) -> bool:
    """Whether of two kernels that access something atomically all that one does comes before all of the other."""
    atomic = {event.thread for event in skeleton.events if event.atomic and event.thread is not None}
    started = phases.commands.start_of
    items = {thread.index for thread in skeleton.program.threads if isinstance(thread.placement, WorkItem)}
    if (items & atomic) - started.keys():
        return False
    units = [of for of in phases.commands.units.values() if not atomic.isdisjoint(of)]
    return all(
        clocks.is_all_before(one, other) or clocks.is_all_before(other, one) for one, other in combinations(units, 2)
    )


def _common(one: tuple[object, ...], other: tuple[object, ...]) -> int:
    """How many groups two units have in common, from the outermost on."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
