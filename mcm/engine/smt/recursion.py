"""Least fixpoints (`let rec`), encoded as closures are (see `closure`): pairs of smaller rank justify a pair."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from mcm.engine.smt.closure import Ranks
from mcm.engine.smt.relation import Relation, never

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcm.engine.smt.circuit import Circuit
    from mcm.engine.smt.execution import Execution
    from mcm.relation.term import RelationTerm

Equations = tuple[tuple[str, "RelationTerm"], ...]
# The relation of a term, given the relations of the recursion variables around it.
Encode = Callable[["RelationTerm", "Mapping[str, Relation]"], "Relation"]


class LeastFixpoint:
    """The least solution of equations; `relations` has the relation of each variable by name."""

    def __init__(
        self,
        equations: Equations,
        encode: Encode,
        outer: Mapping[str, Relation],
        execution: Execution,
        circuit: Circuit,
    ) -> None:
        self._equations = dict(equations)
        self._encode_term = encode
        self._outer = outer
        self._execution = execution
        self._circuit = circuit
        may, must = self._bounds("may"), self._bounds("must")
        self.relations = {
            name: Relation(execution, may[name], must[name], self._encoder(name)) for name in self._equations
        }
        pairs = sum(row.bit_count() for relation in self.relations.values() for row in relation.may)
        self._ranks = Ranks(circuit, pairs + 1)
        self._bodies = {name: encode(body, {**outer, **self.relations}) for name, body in equations}

    def _bounds(self, which: str) -> dict[str, list[int]]:
        """The rows of a bound (`may` or `must`) of each variable: the least fixpoint of the bounds of the bodies."""
        rows = {name: [0] * self._execution.size for name in self._equations}
        while True:
            bound = {name: Relation(self._execution, found, found, never) for name, found in rows.items()}
            step = {
                name: list(getattr(self._encode_term(body, {**self._outer, **bound}), which))
                for name, body in self._equations.items()
            }
            if step == rows:
                return rows
            rows = step

    def _encoder(self, name: str) -> Callable[[int, int], int]:
        return lambda a, b: self._circuit.defined(_Pair(self, name, a, b))

    def body(self, name: str, a: int, b: int) -> int:
        """The literal that a pair is in the body of a variable."""
        return self._bodies[name].literal(a, b)

    def ranked_body(self, name: str, a: int, b: int) -> int:
        """The same, where a pair of a variable counts only if its rank is smaller than that of this pair."""
        head = self.relations[name].literal(a, b)
        circuit, ranks = self._circuit, self._ranks

        def ranked(relation: Relation) -> Relation:
            def encode(x: int, y: int) -> int:
                literal = relation.literal(x, y)
                return circuit.both(literal, ranks.is_below(literal, head))

            return Relation(self._execution, relation.may, relation.must, encode)

        bound = {each: ranked(relation) for each, relation in self.relations.items()}
        return self._encode_term(self._equations[name], {**self._outer, **bound}).literal(a, b)


class _Pair:
    """One pair of a variable, as the definition of its literal."""

    __slots__ = ("_a", "_b", "_fixpoint", "_name")

    def __init__(self, fixpoint: LeastFixpoint, name: str, a: int, b: int) -> None:
        self._fixpoint, self._name, self._a, self._b = fixpoint, name, a, b

    def implied_by(self) -> tuple[int, ...]:
        return (self._fixpoint.body(self._name, self._a, self._b),)

    def justified_by(self) -> tuple[int, ...]:
        return (self._fixpoint.ranked_body(self._name, self._a, self._b),)
