"""Skeletons in which a read-modify-write is two events: a read, and a write that follows it.

Models of other tools speak of the pair of them (`rmw`), and of writes that come between: `empty rmw & (fre ; coe)`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.base.bits import members
from mcm.execution.evaluate import reads_of
from mcm.execution.event import EventKind
from mcm.execution.renaming import Renaming
from mcm.execution.skeleton import SetMembers
from mcm.execution.structure import base_sets
from mcm.program.types import Location, Order

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcm.execution.event import Event
    from mcm.execution.skeleton import Skeleton

# What is left of an order in the read, and in the write; both are relaxed otherwise.
_OF_READ: Final = {Order.SEQ_CST: Order.SEQ_CST, Order.ACQ_REL: Order.ACQUIRE, Order.ACQUIRE: Order.ACQUIRE}
_OF_WRITE: Final = {Order.SEQ_CST: Order.SEQ_CST, Order.ACQ_REL: Order.RELEASE, Order.RELEASE: Order.RELEASE}

# Relations that begin at what is read.
_DEPENDENCIES: Final = ("data", "addr", "ctrl")


def split_updates(skeleton: Skeleton) -> Skeleton:
    """The same program with each UPDATE as a READ and, directly behind it, a WRITE; `rmw` relates them."""
    updates = [event.identifier for event in skeleton.events if event.kind is EventKind.UPDATE]
    if not updates:
        return skeleton
    return _Splitting(skeleton, frozenset(updates)).skeleton()


class _Splitting:
    """One skeleton, with the new identifiers of its events: an update's is that of its read."""

    def __init__(self, skeleton: Skeleton, updates: frozenset[int]) -> None:
        self._old = skeleton
        self._updates = updates
        places: list[int] = []
        before = 0
        for event in skeleton.events:
            places.append(event.identifier + before)
            before += event.identifier in updates
        self._places = places
        self._renaming = Renaming(places, range(skeleton.choices))

    def skeleton(self) -> Skeleton:
        """The skeleton with two events for each update."""
        old, renamed = self._old, self._renaming.expression
        events = tuple(new for event in old.events for new in self._halves(event))
        return replace(
            old,
            events=events,
            sets=self._sets(events),
            relations={name: self._rows(name, rows) for name, rows in old.relations.items()},
            registers={name: renamed(value) for name, value in old.registers.items()},
            constraints=tuple(map(renamed, old.constraints)),
            faults=tuple(
                replace(
                    f,
                    condition=renamed(f.condition),
                    operand=None if f.operand is None else renamed(f.operand),
                    events=tuple(self._places[e] for e in f.events),
                    place=f.place + sum(update < f.place for update in self._updates),
                )
                for f in old.faults
            ),
            stops=tuple(
                replace(
                    stop,
                    condition=renamed(stop.condition),
                    reads=tuple(self._places[read] for read in stop.reads),
                    persists=renamed(stop.persists),
                )
                for stop in old.stops
            ),
        )

    def _halves(self, event: Event) -> tuple[Event, ...]:
        place, renaming = self._places[event.identifier], self._renaming
        whole = replace(
            event,
            identifier=place,
            guard=renaming.expression(event.guard),
            address=renaming.optional(event.address),
            value=renaming.optional(event.value),
        )
        if event.identifier not in self._updates:
            return (whole,)
        assert event.order is not None, "a read-modify-write is atomic"
        read = replace(whole, kind=EventKind.READ, value=None, order=_OF_READ.get(event.order, Order.RELAXED))
        order = _OF_WRITE.get(event.order, Order.RELAXED)
        return read, replace(whole, identifier=place + 1, kind=EventKind.WRITE, order=order)

    def _sets(self, events: tuple[Event, ...]) -> Mapping[str, SetMembers]:
        program = self._old.program
        locations = [Location(i, k) for i, o in enumerate(program.objects) for k in range(len(o.initial))]
        both = sum(0b11 << self._places[update] for update in self._updates)
        return base_sets(program, events, locations) | {"RMW": SetMembers(both)}

    def _rows(self, name: str, rows: Sequence[int]) -> tuple[int, ...]:
        found: list[int] = []
        for event, row in enumerate(rows):
            first = self._targets(name, row)
            found.append(first)
            if event in self._updates:
                write = 1 << len(found)
                found.append(0 if name in _DEPENDENCIES else first)
                if name in {"po", "rmw"} or name == self._dependency(event):
                    found[-2] |= write
        return tuple(found)

    def _targets(self, name: str, row: int) -> int:
        """What a row leads to: a value that depends on something is that of the write."""
        result = self._renaming.mask(row)
        for update in members(row):
            if update in self._updates:
                read = 1 << self._places[update]
                result |= read << 1
                if name == "data":
                    result &= ~read
        return result

    def _dependency(self, update: int) -> str | None:
        """How the write depends on the read: by its value, or because a comparison has succeeded."""
        event = self._old.events[update]
        if event.value is not None and update in reads_of(event.value):
            return "data"
        return "ctrl" if self._old.self_dependent >> update & 1 else None
