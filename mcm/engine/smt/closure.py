"""Transitive closures and least fixpoints: variables that are defined through each other.

The closure `c` of `r` is defined, pair by pair, by `c(a, b) <-> r(a, b) or exists m: r(a, m) and c(m, b)`. As clauses:

* From right to left (`implied_by`) this says that `c` contains the closure. That is enough where a larger relation
  could only falsify more of what is asserted: where `c` occurs under an odd number of negations.
* From left to right (`justified_by`) it says that a pair in `c` has a justification. Justifications could depend on
  each other in a circle: `c(a, b)` because of `r(a, m)` and `c(m, b)`, and `c(m, b)` because of `r(m, a)` and
  `c(a, b)`, although nothing leads to `b`. Such a circle goes along a cycle of `r`. So the two directions together are
  exact

  - for pairs whose first event is on no possible cycle of `r`,
  - for all pairs, where the model itself forbids cycles of `r` (`wellfounded`): an execution in which a circle could
    exist violates `acyclic r` whatever `c` is, because the first direction alone makes that check fail;
  - otherwise when each pair has a rank and a reason on a possible cycle has a smaller rank than what it supports.
    Distances give such ranks in every execution, so nothing is lost.

Where one step alone leads to `b`, from `p`, and is made whenever `b` is executed, `c(a, b)` is `c(a, p)`, for all other
`a`: so what follows an event in sequence, and nothing else leads to, has the literals of that event.

The directions in which a pair is needed are found by the circuit (it emits clauses only where they occur below an
assertion), so no analysis of the model's polarity can be wrong here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.base.bits import elements, transposed
from mcm.engine.smt.circuit import FALSE
from mcm.engine.smt.relation import Relation, joined, reduced, surely_closed
from mcm.engine.smt.rows import closed, cyclic_components

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.engine.smt.circuit import Circuit
    from mcm.engine.smt.execution import Execution


class Ranks:
    """Ranks: a number below a bound for each literal whose justification has to be well-founded."""

    def __init__(self, circuit: Circuit, bound: int) -> None:
        self._circuit = circuit
        self._bits = (bound - 1).bit_length()
        self._ranks: dict[int, list[int]] = {}

    def is_below(self, lower: int, upper: int) -> int:
        """The literal that the rank of one literal is smaller than that of another."""
        circuit = self._circuit
        result = FALSE
        for x, y in zip(self._rank(lower), self._rank(upper), strict=True):
            result = circuit.either(circuit.both(-x, y), circuit.both(circuit.either(-x, y), result))
        return result

    def _rank(self, literal: int) -> list[int]:
        found = self._ranks.get(literal)
        if found is None:
            found = self._ranks[literal] = [self._circuit.variable() for _ in range(self._bits)]
        return found


class TransitiveClosure:
    """The closure of one relation."""

    def __init__(self, base: Relation, execution: Execution, circuit: Circuit, *, wellfounded: bool) -> None:
        self._base = base
        self._execution = execution
        self._circuit = circuit
        self._steps = reduced(base, execution)
        self._before = [self._only_step(event, row) for event, row in enumerate(transposed(self._steps))]
        self._component: dict[int, frozenset[int]] = {}
        self._ranks: dict[frozenset[int], Ranks] = {}
        if not wellfounded:
            for cycle in cyclic_components(base.may, range(execution.size)):
                component = frozenset(cycle)
                self._ranks[component] = Ranks(circuit, len(cycle))
                self._component.update(dict.fromkeys(cycle, component))
        self.relation = Relation(execution, closed(base.may), surely_closed(base.must, execution), self._encode)

    def _only_step(self, event: int, sources: int) -> int | None:
        """The event that a step leads from whenever this one is executed, if no other step leads to this one."""
        source = sources.bit_length() - 1
        if not sources or sources != 1 << source or not self._execution.implied[event] & sources:
            return None
        return source if self._base.must[source] >> event & 1 else None

    def _encode(self, a: int, b: int) -> int:
        last = self._before[b]
        if last is not None and last != a:
            return joined(self._circuit, self._execution, self.relation, self._base, a, last, b)
        if not self._middles(a, b):
            return self._base.literal(a, b)
        return self._circuit.defined(_ClosurePair(self, a, b))

    def _middles(self, a: int, b: int) -> int:
        return self._steps[a] & self.relation.columns[b] & ~(1 << a | 1 << b)

    def reasons(self, a: int, b: int, *, ranked: bool) -> Iterator[int]:
        """The literals that justify a pair: it is a step, or a step leads to an event from which the end is reached."""
        yield self._base.literal(a, b)
        circuit = self._circuit
        component = self._component.get(a, frozenset())
        for middle in elements(self._middles(a, b)):
            reason = joined(circuit, self._execution, self._base, self.relation, a, middle, b)
            if ranked and middle in component and not self.relation.must[middle] >> b & 1:
                head, rest = self.relation.literal(a, b), self.relation.literal(middle, b)
                reason = circuit.both(reason, self._ranks[component].is_below(rest, head))
            yield reason


class _ClosurePair:
    """One pair of a closure, as the definition of its variable."""

    __slots__ = ("_a", "_b", "_closure")

    def __init__(self, closure: TransitiveClosure, a: int, b: int) -> None:
        self._closure, self._a, self._b = closure, a, b

    def implied_by(self) -> Iterator[int]:
        return self._closure.reasons(self._a, self._b, ranked=False)

    def justified_by(self) -> Iterator[int]:
        return self._closure.reasons(self._a, self._b, ranked=True)
