"""The one-hot values of reads, asserted to be those of the writes that they read from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.base.bits import members
from mcm.engine.smt.circuit import FALSE
from mcm.engine.smt.domain import in_order, read_domains, value_rows
from mcm.engine.smt.rows import components, cyclic_components

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcm.engine.smt.budget import Budget
    from mcm.engine.smt.circuit import Circuit
    from mcm.engine.smt.values import Cases, Values
    from mcm.execution.skeleton import Skeleton
    from mcm.program.types import Value


class Reads:
    """The reads: the writes that they may read from, a literal for each, and which values depend on which."""

    def __init__(
        self, skeleton: Skeleton, sources: dict[int, list[int]], literals: Mapping[tuple[int, int], int]
    ) -> None:
        self.skeleton = skeleton
        self.sources = sources
        self.literals = literals
        self.rows = value_rows(skeleton, self.sources)
        self.cycles = cyclic_components(self.rows, self.sources)

    def depending_on(self, reads: frozenset[int]) -> frozenset[int]:
        """The reads whose values may depend on those of some reads, these among them."""
        found = sum(1 << read for read in reads)
        while more := sum(1 << r for r, row in enumerate(self.rows) if row & found and not found >> r & 1):
            found |= more
        return frozenset(members(found))


class Link:
    """Gives every read the literals of its values, and asserts that they are those of the write that it reads from.

    `circular` holds the reads whose values may depend on each other, for decoding: their literals are variables. The
    values of the others are gates over reads-from; `open_reads` get none. Some are known to return one of `numbers`.
    `order` has each read after those that its
    value is computed from.
    """

    def __init__(
        self,
        reads: Reads,
        values: Values,
        circuit: Circuit,
        budget: Budget,
        open_reads: frozenset[int] = frozenset(),
        numbers: Mapping[int, Sequence[Value]] = {},
    ) -> None:
        self._reads = reads
        self._values = values
        self._circuit = circuit
        self._budget = budget
        self.circular: dict[int, Cases] = {}
        self.order: list[int] = []
        domains = read_domains(reads.skeleton, reads.sources, reads.rows, budget, open_reads, numbers)
        # Guards and registers may mention reads that are never executed; these have no value.
        known: dict[int, Cases] = {e.identifier: {} for e in reads.skeleton.events if e.kind.reads}
        values.set_reads(known)
        cyclic = {read for cycle in reads.cycles for read in cycle}
        for component in components(reads.rows, reads.sources):
            if not open_reads.isdisjoint(component):
                continue
            self.order += component
            if cyclic.isdisjoint(component):
                (read,) = component
                known[read] = self._gates(read)
                continue
            for read in component:
                known[read] = self.circular[read] = {v: circuit.variable() for v in in_order(domains[read])}
            for read in component:
                self._equate(read)
        values.resolve_deferred()

    def _gates(self, read: int) -> Cases:
        parts: dict[Value, list[int]] = {}
        for write in self._reads.sources[read]:
            chosen = self._reads.literals[write, read]
            for value, literal in self._values.written(write).items():
                parts.setdefault(value, []).append(self._circuit.both(chosen, literal))
        return {value: self._circuit.any_of(parts[value]) for value in in_order(parts)}

    def _equate(self, read: int) -> None:
        circuit, own = self._circuit, self.circular[read]
        # Without this, reads on a cycle could all have no value.
        circuit.require(-self._values.executed(read), *own.values())
        circuit.at_most_one(own.values())
        for literal in own.values():
            circuit.require(-literal, self._values.executed(read))
        for write in self._reads.sources[read]:
            chosen = self._reads.literals[write, read]
            for value, literal in self._values.written(write).items():
                self._budget.tick()
                circuit.require(-chosen, -literal, own.get(value, FALSE))
