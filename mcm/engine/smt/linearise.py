"""Linearisations of a model (`with S from linearisations(…)`): total orders whose existence is asserted.

Only pairs that something else looks at have a variable, and what these say must have no cycle: then some total order
says the same. Of hundreds of atomics most pairs do not matter, such as those of different work-groups.
"""

from __future__ import annotations

from graphlib import TopologicalSorter
from typing import TYPE_CHECKING, Final

from mcm.base.bits import elements
from mcm.engine.smt.acyclic import require_acyclic
from mcm.engine.smt.circuit import FALSE, TRUE
from mcm.engine.smt.relation import Relation

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from mcm.cat.model import Linearisation
    from mcm.engine.smt.circuit import Circuit
    from mcm.engine.smt.execution import Execution
    from mcm.engine.smt.terms import Terms


class TotalOrder:
    """A strict total order on the members of a set, containing a relation between them.

    `members[e]` are the literals of membership, `variables[a, b]` for `a < b` those of "a comes before b", for pairs
    that matter. The variables also order events that are no members.
    """

    def __init__(self, linearisation: Linearisation, terms: Terms, execution: Execution, circuit: Circuit) -> None:
        self.name = linearisation.name
        events = terms.set(linearisation.events)
        # Decoding needs to know the members, so membership is a variable (NOTE(one-direction) in `circuit`).
        self.members = {e: _as_variable(circuit, events.literal(e)) for e in elements(events.may)}
        self.variables: Final[dict[tuple[int, int], int]] = {}
        self._circuit = circuit
        self._size = execution.size
        self._order = terms.relation(linearisation.order)
        # How many variables there were when it was asserted that they order the events.
        self._ordering = 0
        others = [events.may & ~(1 << e) if events.may >> e & 1 else 0 for e in range(execution.size)]
        self.relation = Relation(execution, others, [0] * execution.size, self._encode)

    def _encode(self, a: int, b: int) -> int:
        return self._circuit.all_of((self._before(a, b), self.members[a], self.members[b]))

    def _before(self, a: int, b: int) -> int:
        pair = (a, b) if a < b else (b, a)
        variable = self.variables.get(pair)
        if variable is None:
            variable = self.variables[pair] = self._circuit.variable()
        return variable if a < b else -variable

    def require(self, guard: int = FALSE) -> None:
        """Assert `guard or the order contains the given relation`."""
        circuit = self._circuit
        for a, first in self.members.items():
            for b, second in self.members.items():
                given = self._order.literal(a, b)
                if given != FALSE:
                    circuit.require(guard, -given, -first, -second, FALSE if a == b else self._before(a, b))

    def require_order(self) -> None:
        """Assert that the variables order the events; to be called again where more of them may be looked at."""
        if self._ordering == len(self.variables):
            return
        circuit = self._circuit
        rows = [0] * self._size
        for (a, b), variable in self.variables.items():
            rows[a] |= 0 if circuit.is_fixed(-variable) else 1 << b
            rows[b] |= 0 if circuit.is_fixed(variable) else 1 << a
        require_acyclic(circuit, rows, self._before)
        self._ordering = len(self.variables)

    def sorted(self, events: Iterable[int], true: Collection[int]) -> tuple[int, ...]:
        """Members in an order that a solution allows, given the variables that are true in it."""
        sorter = TopologicalSorter[int](dict.fromkeys(events, ()))
        known = set(events)
        for (a, b), variable in self.variables.items():
            if a in known and b in known:
                later, earlier = (b, a) if variable in true else (a, b)
                sorter.add(later, earlier)
        return tuple(sorter.static_order())


def _as_variable(circuit: Circuit, literal: int) -> int:
    """A variable that equals a literal in every solution."""
    if literal == TRUE:
        return TRUE
    variable = circuit.variable()
    circuit.require(-variable, literal)
    circuit.require(variable, -literal)
    return variable
