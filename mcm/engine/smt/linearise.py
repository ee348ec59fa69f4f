"""Linearisations of a model (`with S from linearisations(…)`): total orders whose existence is asserted."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from mcm.engine.smt.circuit import FALSE, TRUE
from mcm.engine.smt.relation import Relation
from mcm.engine.smt.rows import elements

if TYPE_CHECKING:
    from mcm.cat.model import Linearisation
    from mcm.engine.smt.circuit import Circuit
    from mcm.engine.smt.execution import Execution
    from mcm.engine.smt.terms import Terms


class TotalOrder:
    """A strict total order on the members of a set, containing a relation between them.

    `members[e]` are the literals of membership, `variables[a, b]` for `a < b` those of "a comes before b". The
    variables also order events that are no members.
    """

    def __init__(self, linearisation: Linearisation, terms: Terms, execution: Execution, circuit: Circuit) -> None:
        self.name = linearisation.name
        events = terms.set(linearisation.events)
        # Decoding needs to know the members, so membership is a variable (NOTE(one-direction) in `circuit`).
        self.members = {e: _as_variable(circuit, events.literal(e)) for e in elements(events.may)}
        self.variables = {pair: circuit.variable() for pair in combinations(self.members, 2)}
        self._circuit = circuit
        self._order = terms.relation(linearisation.order)
        for a, b, c in combinations(self.members, 3):
            circuit.forbid_cycle(self.variables[a, b], self.variables[b, c], -self.variables[a, c])
        others = [events.may & ~(1 << e) if events.may >> e & 1 else 0 for e in range(execution.size)]
        self.relation = Relation(execution, others, [0] * execution.size, self._encode)

    def _encode(self, a: int, b: int) -> int:
        before = self.variables[a, b] if a < b else -self.variables[b, a]
        return self._circuit.all_of((before, self.members[a], self.members[b]))

    def require(self, guard: int = FALSE) -> None:
        """Assert `guard or the order contains the given relation`."""
        circuit = self._circuit
        for a, first in self.members.items():
            for b, second in self.members.items():
                given = self._order.literal(a, b)
                if given != FALSE:
                    before = FALSE if a == b else self.variables[a, b] if a < b else -self.variables[b, a]
                    circuit.require(guard, -given, -first, -second, before)


def _as_variable(circuit: Circuit, literal: int) -> int:
    """A variable that equals a literal in every solution."""
    if literal == TRUE:
        return TRUE
    variable = circuit.variable()
    circuit.require(-variable, literal)
    circuit.require(variable, -literal)
    return variable
