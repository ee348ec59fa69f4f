"""The execution that a search has found, as a candidate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.execution.candidate import Candidate

if TYPE_CHECKING:
    from mcm.cat.model import Model
    from mcm.engine.explicit.bounds import Bounds
    from mcm.engine.explicit.valuation import Valuation
    from mcm.program.types import Location


def witness_of(valuation: Valuation, bounds: Bounds, model: Model) -> Candidate:
    """One completion of bounds without open demands."""
    layout = valuation.layout
    # What no demand depends on may not have been looked at for a while.
    is_possible = bounds.evaluate(bounds.plan.scaffolding)
    assert is_possible, "completed bounds have no contradiction"
    executed = [e.identifier for e in layout.events if valuation.executed >> e.identifier & 1]
    writes: dict[Location, list[int]] = {}
    for event in executed:
        if layout.writers >> event & 1:
            writes.setdefault(valuation.places[event], []).append(event)
    earlier = _predecessors(bounds, 0)
    return Candidate(
        skeleton=layout.skeleton,
        executed=frozenset(executed),
        reads_from=dict(valuation.sources),
        modification_orders={place: _arrange(bounds, writes[place], earlier) for place in sorted(writes)},
        locations={event: place for event, place in valuation.places.items() if valuation.executed >> event & 1},
        read_values=dict(valuation.values),
        written_values={w: value for w, value in valuation.written.items() if valuation.executed >> w & 1},
        choices=tuple(bool(choice) for choice in valuation.choices),
        linearisations={
            linearisation.name: _arrange(bounds, _members(bounds, number), _predecessors(bounds, number))
            for number, linearisation in enumerate(model.linearisations, start=1)
        },
    )


def _members(bounds: Bounds, number: int) -> list[int]:
    # An order on fewer than two events has no pairs to tell its members by.
    events = bounds.low[bounds.plan.linearised[number - 1]]
    return [event for event in range(bounds.square.size) if events >> event & 1]


def _predecessors(bounds: Bounds, number: int) -> int:
    """What is decided of an order, turned round."""
    decided = bounds.order(number)
    assert decided is not None, "completed bounds have no contradiction"
    return bounds.square.inverse(decided)


def _arrange(bounds: Bounds, members: list[int], earlier: int) -> tuple[int, ...]:
    """The members in an order that contains what is decided: the one with fewer predecessors comes first."""
    successors = bounds.square.successors
    return tuple(sorted(members, key=lambda event: successors(earlier, event).bit_count()))
