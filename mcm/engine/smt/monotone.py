"""Locations whose values only grow, or only shrink: their modification order is the order of the values.

A maximum by compare-exchanges, the top of a stack that is only popped, the parents of a union-find and flags that are
set once are such. What is asserted here holds in every execution anyway; but a solver that knows of modification orders
and of values finds it order by order.
"""

from __future__ import annotations

from itertools import pairwise
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


class Monotone:
    """Finds locations whose values only grow or only shrink, and asserts that their orders do as well."""

    def __init__(self, execution: Execution, values: Values, circuit: Circuit) -> None:
        self._execution: Final = execution
        self._values: Final = values
        self._circuit: Final = circuit

    def require(self, anything: Callable[[], AnyMemory]) -> None:
        """Assert it, where it follows from what the program says whatever memory does: `anything` gives that."""
        for updated, written in self.found(anything):
            self._require(updated, written)
            self._require_different(updated)

    def found(self, anything: Callable[[], AnyMemory]) -> Iterator[tuple[Updated, Sequence[int]]]:
        """Such locations, and the values that are written to them in the order in which they are."""
        memory: AnyMemory | None = None
        for updated in updated_locations(self._execution.skeleton):
            # What an update returns that adds a number is told by how many come before.
            if any(added_by(update) is not None for update in updated.updates):
                continue
            written = self._written(updated)
            if written is None or len(updated.updates) ** 2 * len(written) > _MOST_CLAUSES:
                continue
            memory = memory or anything()
            for grows in (True, False):
                if not memory.is_possible(_against(updated, memory, grows=grows)):
                    yield updated, written if grows else written[::-1]
                    break

    def _written(self, updated: Updated) -> list[int] | None:
        """The numbers that may be written, in order; None if something else may be."""
        found: set[Value] = set()
        for event in (*updated.initial, *updated.updates):
            assert event.value is not None, "a write writes a value"
            found |= self._values.cases(event.value).keys()
        numbers = [value for value in found if isinstance(value, int)]
        return sorted(numbers) if len(numbers) == len(found) > 1 else None

    def _require(self, updated: Updated, written: Sequence[int]) -> None:
        """Assert that of two writes the later one has written a later value."""
        place = {value: i for i, value in enumerate(written)}
        reached = {event.identifier: self._reached(event, place) for event in (*updated.initial, *updated.updates)}
        for first in (*updated.initial, *updated.updates):
            for second in updated.updates:
                if first is second or not self._execution.may_meet(first.identifier, second.identifier):
                    continue
                before = self._execution.writes_before(first.identifier, second.identifier)
                earlier, later = reached[first.identifier], reached[second.identifier]
                # Nothing comes after the last value.
                for one, other in pairwise((*zip(earlier, later, strict=True), (FALSE, FALSE))):
                    if one[0] != FALSE:
                        self._circuit.require(-before, -one[0], other[1])

    def _require_different(self, updated: Updated) -> None:
        """Assert that no two updates return the same value, if they have one location."""
        if len(updated.locations) > 1:
            return
        returned: dict[Value, list[int]] = {}
        for update in updated.updates:
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


def _against(updated: Updated, memory: AnyMemory, *, grows: bool) -> int:
    """The literal that some update does not write more than it reads, or less."""
    circuit, values = memory.circuit, memory.values
    found: list[int] = []
    for update in updated.updates:
        assert update.value is not None, "a write writes a value"
        executed, written = values.executed(update.identifier), values.cases(update.value)
        for old, read in values.cases(ReadValue(update.identifier)).items():
            for new, literal in written.items():
                assert isinstance(old, int), "what is written is a number"
                assert isinstance(new, int), "what is written is a number"
                if old == new or (old < new) is not grows:
                    found.append(circuit.all_of((executed, read, literal)))
    return circuit.any_of(found)
