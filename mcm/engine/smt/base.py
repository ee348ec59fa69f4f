"""The base sets and relations, as literals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.engine.smt.relation import Members, Relation, never
from mcm.execution.event import EventKind

if TYPE_CHECKING:
    from mcm.engine.smt.circuit import Circuit
    from mcm.engine.smt.execution import Execution
    from mcm.program.types import Location


class BaseLiterals:
    """Base sets and relations by name; `add` adds the linearisations of the model."""

    def __init__(self, execution: Execution, circuit: Circuit) -> None:
        self.execution = execution
        self._circuit = circuit
        nothing = [0] * execution.size
        self._reads_from = Relation(execution, nothing, nothing, lambda w, r: execution.reads_from[w, r])
        self._modification_order = Relation(execution, nothing, nothing, execution.writes_before)
        self._named = {"rf": self._reads_from, "mo": self._modification_order}
        self.narrow()

    def add(self, name: str, relation: Relation) -> None:
        """Define a linearisation by name."""
        self._named[name] = relation

    def narrow(self) -> None:
        """Bound reads-from and modification order by what has been asserted of them so far."""
        self._reads_from.bound(*self._bounds_of_reads_from())
        self._modification_order.bound(*self._bounds_of_modification_order())

    def set(self, name: str) -> Members:
        """A base set."""
        members = self.execution.skeleton.sets[name]
        may = must = members.events
        if members.locations:
            for event, reached in enumerate(self.execution.locations):
                inside = [location in members.locations for location in reached]
                if any(inside):
                    may |= 1 << event
                    must |= 1 << event if all(inside) else 0

        def encode(event: int) -> int:
            return self._circuit.both(self.execution.executed[event], self._reaches(event, members.locations))

        return Members(self.execution, may, must, encode)

    def _reaches(self, event: int, locations: frozenset[Location]) -> int:
        reached = self.execution.locations[event]
        return self._circuit.any_of(literal for location, literal in reached.items() if location in locations)

    def relation(self, name: str) -> Relation:
        """A base relation or linearisation."""
        found = self._named.get(name)
        if found is None:
            found = self._named[name] = self._same_location() if name == "loc" else self._static(name)
        return found

    def _static(self, name: str) -> Relation:
        rows = self.execution.skeleton.relations[name]
        return Relation(self.execution, rows, rows, never)

    def _bounds_of_reads_from(self) -> tuple[list[int], list[int]]:
        """A read that has a single source surely reads from it."""
        may, must = [0] * self.execution.size, [0] * self.execution.size
        for read, writes in self.execution.sources.items():
            for write in writes:
                may[write] |= 1 << read
            if len(writes) == 1:
                must[writes[0]] |= 1 << read
        return may, must

    def _bounds_of_modification_order(self) -> tuple[list[int], list[int]]:
        """Initial writes come first; asserted orders hold in every execution if the locations are static."""
        execution = self.execution
        events = execution.skeleton.events
        may, must = [0] * execution.size, [0] * execution.size
        later = sum(1 << e.identifier for e in events if e.kind.writes and e.kind is not EventKind.INITIAL)
        for event in events:
            if event.kind.writes:
                first = event.identifier
                may[first] = execution.meets[first] & later & ~(1 << first)
                if event.kind is EventKind.INITIAL:
                    must[first] = may[first] & execution.static
        for first, second in execution.sure_orders:
            may[second] &= ~(1 << first)
            if (execution.static >> first) & (execution.static >> second) & 1:
                must[first] |= 1 << second
        return may, must

    def _same_location(self) -> Relation:
        execution, circuit = self.execution, self._circuit
        static = execution.static
        must = [
            (row & static if static >> event & 1 else 0) | row & 1 << event for event, row in enumerate(execution.meets)
        ]

        def encode(a: int, b: int) -> int:
            return circuit.both(execution.same_location(a, b), execution.both_executed(a, b))

        return Relation(execution, execution.meets, must, encode)
