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
    executed = frozenset(e.identifier for e in layout.events if valuation.executed >> e.identifier & 1)
    writes: dict[Location, int] = {}
    for event in sorted(executed):
        if layout.writers >> event & 1:
            place = valuation.places[event]
            writes[place] = writes.get(place, 0) | 1 << event
    return Candidate(
        skeleton=layout.skeleton,
        executed=executed,
        reads_from=dict(valuation.sources),
        modification_orders={place: _arrange(bounds, 0, events) for place, events in sorted(writes.items())},
        locations={event: place for event, place in valuation.places.items() if event in executed},
        read_values=dict(valuation.values),
        written_values={event: value for event, value in valuation.written.items() if event in executed},
        choices=tuple(bool(choice) for choice in valuation.choices),
        linearisations={
            linearisation.name: _arrange(bounds, number, _members(bounds, number))
            for number, linearisation in enumerate(model.linearisations, start=1)
        },
    )


def _members(bounds: Bounds, number: int) -> int:
    # An order on fewer than two events has no pairs to tell its members by.
    return bounds.low[bounds.plan.linearised[number - 1]]


def _arrange(bounds: Bounds, number: int, events: int) -> tuple[int, ...]:
    """The events in an order that contains what is decided: the one with fewer predecessors comes first."""
    decided = bounds.order(number)
    assert decided is not None, "completed bounds have no contradiction"
    square = bounds.square
    members = [event for event in range(square.size) if events >> event & 1]
    return tuple(sorted(members, key=lambda e: ((square.predecessors(decided, e) & events).bit_count(), e)))
