"""The base sets and relations that an execution hands to models, as literals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.engine.smt.relation import Members, Relation, never
from mcm.engine.smt.rows import elements

if TYPE_CHECKING:
    from mcm.engine.smt.circuit import Circuit
    from mcm.engine.smt.execution import Execution
    from mcm.program.types import Location


class BaseLiterals:
    """Base sets and relations by name; `add` adds the linearisations of the model."""

    def __init__(self, execution: Execution, circuit: Circuit) -> None:
        self.execution = execution
        self._circuit = circuit
        self._added: dict[str, Relation] = {}

    def add(self, name: str, relation: Relation) -> None:
        """Let a name mean a relation."""
        self._added[name] = relation

    def set(self, name: str) -> Members:
        """A base set."""
        members = self.execution.skeleton.sets[name]
        may = must = members.events
        if members.locations:
            for event, places in enumerate(self.execution.places):
                inside = [place in members.locations for place in places]
                if any(inside):
                    may |= 1 << event
                    must |= 1 << event if all(inside) else 0

        def encode(event: int) -> int:
            return self._circuit.both(self.execution.executed[event], self._reaches(event, members.locations))

        return Members(self.execution, may, must, encode)

    def _reaches(self, event: int, locations: frozenset[Location]) -> int:
        places = self.execution.places[event]
        return self._circuit.any_of(literal for place, literal in places.items() if place in locations)

    def relation(self, name: str) -> Relation:
        """A base relation or linearisation."""
        if name in self._added:
            return self._added[name]
        match name:
            case "rf":
                return self._reads_from()
            case "mo":
                return self._modification_order()
            case "loc":
                return self._same_location()
            case _:
                rows = self.execution.skeleton.relations[name]
                return Relation(self.execution, rows, rows, never)

    def _reads_from(self) -> Relation:
        execution = self.execution
        may = [0] * execution.size
        for write, read in execution.reads_from:
            may[write] |= 1 << read
        return Relation(execution, may, [0] * execution.size, lambda w, r: execution.reads_from[w, r])

    def _modification_order(self) -> Relation:
        """Initial writes come first, surely where the other write's place is static."""
        execution = self.execution
        events = execution.skeleton.events
        may, must = [0] * execution.size, [0] * execution.size
        writes = [e.identifier for e in events if e.kind.writes and execution.possible >> e.identifier & 1]
        for first in writes:
            initial = events[first].thread is None
            for second in writes:
                if first != second and events[second].thread is not None and execution.may_meet(first, second):
                    may[first] |= 1 << second
                    if initial and execution.is_static(second):
                        must[first] |= 1 << second
        return Relation(execution, may, must, execution.writes_before)

    def _same_location(self) -> Relation:
        execution, circuit = self.execution, self._circuit
        accesses = [e for e in elements(execution.possible) if execution.places[e]]
        may, must = [0] * execution.size, [0] * execution.size
        for first in accesses:
            for second in accesses:
                if first == second or execution.may_meet(first, second):
                    may[first] |= 1 << second
                    if first == second or (execution.is_static(first) and execution.is_static(second)):
                        must[first] |= 1 << second

        def encode(a: int, b: int) -> int:
            return circuit.both(execution.same_place(a, b), execution.both_executed(a, b))

        return Relation(execution, may, must, encode)
