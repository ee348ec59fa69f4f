"""Locations whose values only grow, or only shrink: their modification order is the order of the values.

A maximum by compare-exchanges, the top of a stack that is only popped, the parents of a union-find and flags that are
set once are such. Some updates may leave the value as it is, as those do that are made to read it. What is asserted
here holds in every execution anyway; but a solver that knows of modification orders and of values finds it order by
order.
"""

from __future__ import annotations

from functools import partial
from operator import eq, gt
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.engine.smt.additions import added_by
from mcm.engine.smt.circuit import FALSE
from mcm.execution.event import EventKind
from mcm.execution.expression import ReadValue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mcm.engine.smt.any_memory import AnyMemory
    from mcm.engine.smt.circuit import Circuit
    from mcm.engine.smt.execution import Execution
    from mcm.engine.smt.values import Values
    from mcm.execution.event import Event
    from mcm.execution.skeleton import Skeleton
    from mcm.program.types import Location, Value

# Two updates are in one of two orders: there is nothing to be told of them.
_FEWEST: Final = 3
# About so many clauses are made of one set of locations at most.
_MOST_CLAUSES: Final = 1 << 19


class Updated(Struct, frozen=True):
    """Locations that nothing but updates write after their initial writes, and the writes of any of them.

    If some update may write one of several of the locations, they belong together.
    """

    locations: tuple[Location, ...]
    initial: tuple[Event, ...]
    updates: tuple[Event, ...]


def updated_locations(skeleton: Skeleton) -> Iterator[Updated]:
    """The sets of locations of atomic objects that only updates write."""
    together: dict[Location, list[Location]] = {}
    writes: dict[Location, list[Event]] = {}
    for event in skeleton.events:
        for location in event.locations if event.kind.writes else ():
            writes.setdefault(location, []).append(event)
            together.setdefault(location, []).extend(event.locations if event.kind is not EventKind.INITIAL else ())
    seen: set[Location] = set()
    for first in writes:
        if first in seen:
            continue
        seen.add(first)
        group = [first]
        for location in group:
            new = [other for other in dict.fromkeys(together[location]) if other not in seen]
            seen.update(new)
            group += new
        found = {event.identifier: event for location in group for event in writes[location]}
        yield from _updated(skeleton, group, [found[identifier] for identifier in sorted(found)])


def _updated(skeleton: Skeleton, group: Sequence[Location], writes: Sequence[Event]) -> Iterator[Updated]:
    initial = tuple(event for event in writes if event.kind is EventKind.INITIAL)
    updates = tuple(event for event in writes if event.kind is EventKind.UPDATE)
    if (
        len(updates) >= _FEWEST
        and len(initial) + len(updates) == len(writes)
        and skeleton.sets["AO"].locations.issuperset(group)
    ):
        yield Updated(tuple(group), initial, updates)


class OneWay(Struct, frozen=True):
    """Locations whose values go one way, which `written` has in their order; the `moving` updates change them."""

    updated: Updated
    written: Sequence[int]
    moving: tuple[Event, ...]


class Monotone:
    """Finds locations whose values only grow or only shrink, and asserts that their orders do as well."""

    def __init__(self, execution: Execution, values: Values, circuit: Circuit) -> None:
        self._execution: Final = execution
        self._values: Final = values
        self._circuit: Final = circuit

    def require(self, anything: Callable[[], AnyMemory]) -> None:
        """Assert it, where it follows from what the program says whatever memory does: `anything` gives that."""
        for one_way in self.found(anything):
            self._require(one_way)
            self._require_different(one_way)

    def found(self, anything: Callable[[], AnyMemory]) -> Iterator[OneWay]:
        """Such locations."""
        memory: AnyMemory | None = None
        for updated in updated_locations(self._execution.skeleton):
            # What an update returns that adds a number is told by how many come before.
            if any(added_by(update) is not None for update in updated.updates):
                continue
            written = self._written(updated)
            if written is None or len(updated.updates) ** 2 * len(written) > _MOST_CLAUSES:
                continue
            memory = memory or anything()
            for order in (written, written[::-1]):
                place: dict[Value, int] = {value: i for i, value in enumerate(order)}
                turns_back = partial(_changes, memory=memory, changes=gt, place=place)
                if memory.is_possible(memory.circuit.any_of(map(turns_back, updated.updates))):
                    continue
                stays = partial(_changes, memory=memory, changes=eq, place=place)
                moving = tuple(update for update in updated.updates if not memory.is_possible(stays(update)))
                if len(moving) >= _FEWEST:
                    yield OneWay(updated, order, moving)
                break

    def _written(self, updated: Updated) -> list[int] | None:
        """The numbers that may be written, in order; None if something else may be."""
        found: set[Value] = set()
        for event in (*updated.initial, *updated.updates):
            assert event.value is not None, "a write writes a value"
            found |= self._values.cases(event.value).keys()
        numbers = [value for value in found if isinstance(value, int)]
        return sorted(numbers) if len(numbers) == len(found) > 1 else None

    def _require(self, one_way: OneWay) -> None:
        """Assert that of two writes the later one has written a later value, or the same one if it leaves values."""
        updated, moving = one_way.updated, set(one_way.moving)
        place = {value: i for i, value in enumerate(one_way.written)}
        reached = {event.identifier: self._reached(event, place) for event in (*updated.initial, *updated.updates)}
        for first in (*updated.initial, *updated.updates):
            for second in updated.updates:
                if first is second or not self._execution.may_meet(first.identifier, second.identifier):
                    continue
                before = self._execution.writes_before(first.identifier, second.identifier)
                earlier, later = reached[first.identifier], reached[second.identifier]
                # Nothing comes after the last value.
                least = [*later[1:], FALSE] if second in moving else later
                for one, other in zip(earlier, least, strict=True):
                    if one != FALSE:
                        self._circuit.require(-before, -one, other)

    def _require_different(self, one_way: OneWay) -> None:
        """Assert that no two updates that change values return the same one, if they have one location."""
        if len(one_way.updated.locations) > 1:
            return
        returned: dict[Value, list[int]] = {}
        for update in one_way.moving:
            for value, literal in self._values.cases(ReadValue(update.identifier)).items():
                returned.setdefault(value, []).append(literal)
        for literals in returned.values():
            earlier = FALSE
            for literal in literals:
                self._circuit.require(-earlier, -literal)
                some = self._circuit.variable()
                self._circuit.require(-earlier, some)
                self._circuit.require(-literal, some)
                earlier = some

    def _reached(self, event: Event, place: Mapping[int, int]) -> list[int]:
        """For each value the literal that a write has written this one or one behind it."""
        assert event.value is not None, "a write writes a value"
        literals = [FALSE] * len(place)
        for value, literal in self._values.cases(event.value).items():
            assert isinstance(value, int), "all that is written is a number"
            literals[place[value]] = literal
        for i in reversed(range(len(literals) - 1)):
            literals[i] = self._circuit.either(literals[i], literals[i + 1])
        return literals


def _changes(update: Event, memory: AnyMemory, changes: Callable[[int, int], bool], place: Mapping[Value, int]) -> int:
    """The literal that an update changes a value to one whose place is so: `changes` has that of the old one first."""
    assert update.value is not None, "a write writes a value"
    circuit, values = memory.circuit, memory.values
    executed, written = values.executed(update.identifier), values.cases(update.value)
    return circuit.any_of(
        circuit.all_of((executed, read, literal))
        for old, read in values.cases(ReadValue(update.identifier)).items()
        for new, literal in written.items()
        if changes(place[old], place[new])
    )
