"""What a program's expressions say whatever memory does: a small formula, without reads-from, orders and a model.

Each read returns one of the values that some write may write to its location, whatever other reads return. So every
execution is a solution, and what no solution has no execution has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.engine.smt.circuit import Circuit
from mcm.engine.smt.solver import chosen_solver, new_solver
from mcm.engine.smt.values import Values
from mcm.execution.expression import Constant, ReadValue

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcm.answer.query import SolverName
    from mcm.engine.smt.budget import Budget
    from mcm.engine.smt.execution import Execution
    from mcm.engine.smt.solver import Solver
    from mcm.engine.smt.values import Cases
    from mcm.execution.event import Event
    from mcm.program.types import Location, Value


class AnyMemory:
    """The formula of a skeleton; `possible` are the values of its reads and writes, as far as another formula knows."""

    def __init__(self, execution: Execution, possible: Values, budget: Budget, solver: SolverName) -> None:
        self._events: Final = execution.skeleton.events
        self._wanted: Final = solver
        self._budget: Final = budget
        self._solver: Solver | None = None
        self.circuit: Final = Circuit(budget)
        self.values: Final = Values(execution.skeleton, self.circuit, budget)
        self._returned: Final[dict[int, Cases]] = {
            event.identifier: {value: self.circuit.variable() for value in possible.cases(ReadValue(event.identifier))}
            for event in self._events
            if event.kind.reads
        }
        self.values.set_reads(self._returned)
        written = _written(execution, possible)
        for event in self._events:
            if event.kind.reads and execution.possible >> event.identifier & 1:
                self._require_value(event, written)
        for constraint in execution.skeleton.constraints:
            self.circuit.require(self.values.true(constraint))

    def _require_value(self, read: Event, written: Mapping[Location, frozenset[Value]]) -> None:
        """Assert that a read that is executed returns one value, one that is written where it reads."""
        circuit, executed = self.circuit, self.values.executed(read.identifier)
        returned = self._returned[read.identifier]
        circuit.require(-executed, *returned.values())
        circuit.at_most_one(returned.values())
        for literal in returned.values():
            circuit.require(-literal, executed)
        if read.address is None or isinstance(read.address, Constant):
            return
        reached = {location: self.values.equals(read.address, location) for location in read.locations}
        circuit.require(-executed, *reached.values())
        for location, here in reached.items():
            of_location = written.get(location, frozenset())
            circuit.require(-executed, -here, *(literal for value, literal in returned.items() if value in of_location))

    def is_possible(self, literal: int) -> bool:
        """Whether a literal of this formula can be true. Raises UndecidedError."""
        assumed = self.circuit.variable()
        self.circuit.require(-assumed, literal)
        clauses = self.circuit.take_clauses()
        if self._solver is None:
            self._solver = new_solver(self._budget, chosen_solver(self._wanted, len(clauses)))
        self._solver.add(clauses)
        return self._solver.solve([assumed])


def _written(execution: Execution, possible: Values) -> dict[Location, frozenset[Value]]:
    """For each location the values that some write may write there."""
    found: dict[Location, set[Value]] = {}
    for event in execution.skeleton.events:
        if event.kind.writes and event.value is not None and execution.possible >> event.identifier & 1:
            values = possible.cases(event.value).keys()
            for location in execution.locations[event.identifier]:
                found.setdefault(location, set()).update(values)
    return {location: frozenset(values) for location, values in found.items()}
