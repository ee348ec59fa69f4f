"""Cycles of relations: forbidding them by eliminating events one after the other, and demanding one.

Eliminating an event adds a step for each pair of a step into it and a step out of it; a step from an event to itself
is a cycle. Added steps are implied by others, so exactly the cycles are forbidden (Rankooh and Rintanen, AAAI 2022),
and sparse relations cost little.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.base.bits import elements
from mcm.engine.smt.circuit import FALSE
from mcm.engine.smt.rows import cyclic_components

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mcm.engine.smt.circuit import Circuit

Steps = dict[int, dict[int, list[int]]]


def require_acyclic(
    circuit: Circuit, rows: Sequence[int], literal: Callable[[int, int], int], guard: int = FALSE
) -> None:
    """Assert `guard or no cycle` for the relation with the pairs `(a, b)` of `rows` whose literal is true."""
    for component in cyclic_components(rows, range(len(rows))):
        inside = sum(1 << event for event in component)
        leaving: Steps = {a: {b: [literal(a, b)] for b in elements(rows[a] & inside)} for a in component}
        _eliminate(circuit, leaving, guard)


def _eliminate(circuit: Circuit, leaving: Steps, guard: int) -> None:
    entering: dict[int, set[int]] = {event: set() for event in leaving}
    for source, targets in leaving.items():
        itself = targets.pop(source, None)
        if itself is not None:
            circuit.require(guard, -circuit.any_of(itself))
        for target in targets:
            entering[target].add(source)
    while leaving:
        event = min(leaving, key=lambda e: (len(leaving[e]) * len(entering[e]), e))
        ways_out = {target: circuit.any_of(literals) for target, literals in sorted(leaving.pop(event).items())}
        sources = sorted(entering.pop(event))
        for target in ways_out:
            entering[target].discard(event)
        for source in sources:
            way_in = circuit.any_of(leaving[source].pop(event))
            for target, way_out in ways_out.items():
                if source == target:
                    circuit.require(guard, -way_in, -way_out)
                else:
                    leaving[source].setdefault(target, []).append(circuit.both(way_in, way_out))
                    entering[target].add(source)


def some_cycle(circuit: Circuit, rows: Sequence[int], literal: Callable[[int, int], int]) -> dict[int, int]:
    """Literals of the events of a chosen set, each of which has a predecessor in the set if it is chosen.

    In a finite relation such a set, if not empty, contains a cycle, and every cycle is such a set.
    """
    chosen: dict[int, int] = {}
    for component in cyclic_components(rows, range(len(rows))):
        members = {event: circuit.variable() for event in component}
        for event, member in members.items():
            before = [
                circuit.both(literal(source, event), members[source])
                for source in component
                if rows[source] >> event & 1
            ]
            circuit.require(-member, *before)
        chosen |= members
    return chosen
