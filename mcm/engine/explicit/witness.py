"""The execution that the search has found, as a candidate execution."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.execution.candidate import Candidate

if TYPE_CHECKING:
    from mcm.cat.model import Model
    from mcm.engine.explicit.propagation import ConstraintProblem
    from mcm.engine.explicit.valuation import Valuation
    from mcm.program.types import Location


def witness_of(valuation: Valuation, problem: ConstraintProblem, model: Model) -> Candidate:
    """One solution of a problem without open formulas."""
    packed = valuation.packed
    # Bounds that no open formula depends on are not up to date.
    is_possible = problem.evaluate(problem.plan.domain_operators)
    assert is_possible, "a problem without open formulas has a solution"
    executed = [e.identifier for e in packed.events if valuation.executed >> e.identifier & 1]
    writes: dict[Location, list[int]] = {}
    for event in executed:
        if packed.writers >> event & 1:
            writes.setdefault(valuation.locations[event], []).append(event)
    earlier = _predecessors(problem, 0)
    return Candidate(
        skeleton=packed.skeleton,
        executed=frozenset(executed),
        reads_from=dict(valuation.sources),
        modification_orders={location: _arrange(problem, writes[location], earlier) for location in sorted(writes)},
        locations={
            event: location for event, location in valuation.locations.items() if valuation.executed >> event & 1
        },
        read_values=dict(valuation.values),
        written_values={w: value for w, value in valuation.written.items() if valuation.executed >> w & 1},
        choices=tuple(bool(choice) for choice in valuation.choices),
        linearisations={
            linearisation.name: _arrange(problem, _members(problem, number), _predecessors(problem, number))
            for number, linearisation in enumerate(model.linearisations, start=1)
        },
    )


def _members(problem: ConstraintProblem, number: int) -> list[int]:
    # Not taken from the pairs of the order: an order on fewer than two events has none.
    events = problem.bounds.lower[problem.plan.linearised[number - 1]]
    return [event for event in range(problem.bounds.matrices.size) if events >> event & 1]


def _predecessors(problem: ConstraintProblem, number: int) -> int:
    """The inverse of what is decided of an order."""
    decided = problem.decided_order(number)
    assert decided is not None, "a problem without open formulas has a solution"
    return problem.bounds.matrices.inverse(decided)


def _arrange(problem: ConstraintProblem, members: list[int], earlier: int) -> tuple[int, ...]:
    """A linear extension of what is decided: an event with fewer predecessors comes first."""
    successors = problem.bounds.matrices.successors
    return tuple(sorted(members, key=lambda event: successors(earlier, event).bit_count()))
