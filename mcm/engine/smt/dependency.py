"""Dependencies between reads: through which values, addresses and conditions one can influence another.

The nodes are the events that read. There is an edge from `r` to `s` when `s` reads from a write whose value, address
or guard depends on `r`, and when the address or guard of `s` itself depends on `r`. A cycle means that what is read
depends on itself: such an execution is called out of thin air.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.base.bits import elements, transposed
from mcm.engine.smt.acyclic import require_acyclic, some_cycle
from mcm.engine.smt.rows import cyclic_components
from mcm.execution.evaluate import reads_of
from mcm.execution.event import EventKind

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from mcm.engine.smt.circuit import Circuit
    from mcm.engine.smt.execution import Execution


class Dependencies:
    """Edges between reads. `carriers[w]` is the mask of reads that the write `w` depends on, `direct[s]` of those
    that the read `s` itself depends on.
    """

    def __init__(self, execution: Execution, circuit: Circuit, carriers: list[int], direct: list[int]) -> None:
        carriers = [_nearest(reads, direct, execution.implied[event]) for event, reads in enumerate(carriers)]
        direct = [_nearest(reads, direct, execution.implied[event]) for event, reads in enumerate(direct)]
        self._execution = execution
        self._circuit = circuit
        self._carriers = carriers
        self._direct = direct
        before = [0] * execution.size
        for read, writes in execution.sources.items():
            before[read] = direct[read] & execution.together[read]
            for write in writes:
                before[read] |= carriers[write] & execution.together[write]
        self._reading = sum(1 << read for read in execution.sources)
        self._rows = transposed([row & self._reading for row in before])

    @property
    def cycles(self) -> list[list[int]]:
        """Sets of reads that may depend on themselves through each other."""
        return cyclic_components(self._rows, self._execution.sources)

    def literal(self, source: int, target: int) -> int:
        """The literal of an edge."""
        circuit, execution = self._circuit, self._execution
        reads = [
            execution.reads_from[write, target]
            for write in execution.sources[target]
            if self._carriers[write] >> source & 1
        ]
        if self._direct[target] >> source & 1:
            reads.append(execution.executed[target])
        return circuit.both(execution.executed[source], circuit.any_of(reads))

    def are_acyclic(self, executed: int, reads_from: Mapping[int, int]) -> bool:
        """Whether no read depends on itself in one execution, in which some events are executed."""
        left = {
            read: (self._direct[read] | self._carriers[write]) & executed & self._reading
            for read, write in reads_from.items()
        }
        while left:
            open_reads = sum(1 << read for read in left)
            further = {read: before for read, before in left.items() if before & open_reads}
            if len(further) == len(left):
                return False
            left = further
        return True

    def forbid_cycles(self, guard: int) -> None:
        """Assert `guard or no cycle`."""
        require_acyclic(self._circuit, self._rows, self.literal, guard)


def _nearest(reads: int, direct: list[int], implied: int) -> int:
    """The reads that an event depends on, without those that others of them depend on which are then executed.

    What leads through one that is left out leads through the others as well: cycles stay. In a loop that tries one
    element after the other, each attempt depends on all before it, and through the last one on the others.
    """
    for read in elements(reads & implied):
        reads &= ~direct[read] | 1 << read
    return reads


def cycle_of_values(execution: Execution, circuit: Circuit, reads: Collection[int]) -> int:
    """A literal that demands that values which some reads return depend on themselves, through each other.

    The cycle is one of writes: each is computed from what reads return, of which one reads from the write before.
    """
    within = sum(1 << read for read in reads)
    carriers = [_mentioned(execution, event) & within for event in range(execution.size)]
    feeding: dict[tuple[int, int], list[int]] = {}
    for target, carried in enumerate(carriers):
        for read in elements(carried):
            for source in execution.sources.get(read, ()):
                if carriers[source]:
                    feeding.setdefault((source, target), []).append(execution.reads_from[source, read])
    rows = [0] * execution.size
    for source, target in feeding:
        rows[source] |= 1 << target

    def step(source: int, target: int) -> int:
        return circuit.both(execution.executed[target], circuit.any_of(feeding[source, target]))

    return circuit.any_of(_firsts(execution, circuit, some_cycle(circuit, rows, step)))


def follow_an_order(execution: Execution, reads: Collection[int]) -> bool:
    """Whether values that some reads return depend on each other along the modification order of one location only.

    All are updates of it, and what may be written where they read is computed from what the write itself has read, if
    from any of them. Where an update comes after the write that it reads from, no value depends on itself then.
    """
    atomic, events = execution.skeleton.sets["AO"].locations, execution.skeleton.events
    within = sum(1 << read for read in reads)
    reached = {location for read in reads for location in execution.locations[read]}
    return (
        len(reached) == 1
        and reached <= atomic
        and all(events[read].kind is EventKind.UPDATE for read in reads)
        and all(
            not _mentioned(execution, source) & within & ~(1 << source)
            for read in reads
            for source in execution.sources[read]
        )
    )


def _firsts(execution: Execution, circuit: Circuit, chosen: Mapping[int, int]) -> Iterator[int]:
    """Literals of which one is true if any write is chosen: of the one that comes first in modification order.

    It is compared with those that it can be compared with. That there is one is implied, but a solver would find it
    only by trying all orders: by coherence a write comes after the one that it depends on, if both have one location.
    """
    for first, member in chosen.items():
        literal = circuit.variable()
        circuit.require(-literal, member)
        for other, another in chosen.items():
            if other != first and execution.are_ordered(first, other):
                circuit.require(-literal, -another, execution.order(first, other))
        yield literal


def all_dependencies(execution: Execution, circuit: Circuit) -> Dependencies:
    """Dependencies through values, addresses and conditions, as the skeleton lists them."""
    skeleton = execution.skeleton
    data, addr, ctrl = (transposed(skeleton.relations[name]) for name in ("data", "addr", "ctrl"))
    direct = [a | c for a, c in zip(addr, ctrl, strict=True)]
    carriers = [d | own | itself for d, own, itself in zip(data, direct, _own_reads(execution), strict=True)]
    return Dependencies(execution, circuit, carriers, direct)


def value_dependencies(execution: Execution, circuit: Circuit) -> Dependencies:
    """Dependencies of values alone: which reads a written value is computed from."""
    carriers = [_mentioned(execution, event) for event in range(execution.size)]
    return Dependencies(execution, circuit, carriers, [0] * execution.size)


def _own_reads(execution: Execution) -> list[int]:
    """For each update that depends on what it reads, the update itself as a mask; for other events 0."""
    return [execution.skeleton.self_dependent & 1 << event for event in range(execution.size)]


def _mentioned(execution: Execution, event: int) -> int:
    value = execution.skeleton.events[event].value
    return 0 if value is None else sum(1 << read for read in reads_of(value))
