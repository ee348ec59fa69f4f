"""What follows from control paths and locations alone: bounds of the base sets and relations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.engine.explicit.bounds import Bounds, Demand
from mcm.engine.explicit.plan import EVERYTHING, NOTHING, ORDERABLE, READABLE, WRITTEN

if TYPE_CHECKING:
    from mcm.engine.explicit.layout import Layout
    from mcm.engine.explicit.meter import Meter
    from mcm.engine.explicit.plan import Plan, Target
    from mcm.engine.explicit.valuation import Valuation
    from mcm.execution.skeleton import SetMembers
    from mcm.program.types import Location


class Ground:
    """Provides the bounds of one skeleton under one plan."""

    def __init__(self, layout: Layout, plan: Plan) -> None:
        self._layout: Final = layout
        self._plan: Final = plan
        self.flag_demands: Final = [self._demand(flag) for flag in plan.flags]

    def bounds(self, valuation: Valuation, meter: Meter) -> Bounds | None:
        """The bounds from which a search starts, with the checks as demands; None if no execution is within them.

        What is exact already, with all that the program fixes, stays so: most of a model is folded away here.
        """
        bounds = Bounds(self._plan, self._layout.square, meter)
        initial = self._layout.initial
        # The initial write is the first of its location.
        bounds.before[0] = self._layout.square.product(initial, self._layout.writers & ~initial)
        bounds.up = [-1] * self._plan.size
        self._fill(bounds, valuation)
        bounds.demands = [self._demand(target) for target in self._plan.checks]
        bounds.live = list(self._plan.operators)
        if not bounds.tighten():
            return None
        bounds.flag_operators = list(self._plan.operators)
        return bounds

    def refresh(self, bounds: Bounds, valuation: Valuation) -> bool:
        """Take over what is known of control paths and locations by now; false if that is contradictory."""
        if bounds.ground == self._known(valuation):
            return True
        self._fill(bounds, valuation)
        return bounds.evaluate((self._plan.reads_from, *self._plan.orders))

    @staticmethod
    def _known(valuation: Valuation) -> tuple[int, int, int]:
        return (valuation.executed, valuation.skipped, len(valuation.places))

    def _demand(self, target: Target) -> Demand:
        """What a check demands."""
        if target.is_set:
            pairs = (1 << self._layout.square.size) - 1
        elif target.diagonal:
            pairs = self._layout.square.identity
        else:
            pairs = self._layout.square.full
        return Demand(target.node, pairs, hit=target.negated)

    def _fill(self, bounds: Bounds, valuation: Valuation) -> None:
        """Bound everything that the skeleton provides and that is not exact yet."""
        bounds.ground = self._known(valuation)
        layout, square, low, up = self._layout, self._layout.square, bounds.low, bounds.up
        surely = valuation.executed
        maybe = ((1 << square.size) - 1) & ~valuation.skipped
        self._give(bounds, NOTHING, 0, 0)
        self._give(bounds, EVERYTHING, surely, maybe)
        for name, place in self._plan.sets.items():
            if low[place] is not up[place]:
                lower, upper = self._members(layout.skeleton.sets[name], valuation)
                self._give(bounds, place, lower & surely, upper & maybe)
        self._give(bounds, WRITTEN, (1 << square.size) - 1, (1 << square.size) - 1)
        for name, place in self._plan.written.items():
            if low[place] is not up[place]:
                self._give(bounds, place, *self._members(layout.skeleton.sets[name], valuation))
        together, possible = square.product(surely, surely), square.product(maybe, maybe)
        for name, place in self._plan.relations.items():
            if low[place] is not up[place] and name != "loc":
                static = layout.relations[name]
                self._give(bounds, place, static & together, static & possible)
        lower, upper = self._same_location(valuation)
        lower, upper = lower & together, upper & possible
        if "loc" in self._plan.relations:
            self._give(bounds, self._plan.relations["loc"], lower, upper)
        lower, upper = lower & ~square.identity, upper & ~square.identity
        for place, pairs in ((READABLE, layout.write_read), (ORDERABLE, layout.write_write)):
            self._give(bounds, place, lower & pairs, upper & pairs)

    @staticmethod
    def _give(bounds: Bounds, place: int, low: int, up: int) -> None:
        bounds.low[place] = low
        bounds.up[place] = low if low == up else up

    def _members(self, members: SetMembers, valuation: Valuation) -> tuple[int, int]:
        low = up = members.events
        if members.locations:
            for event, place in valuation.places.items():
                if place in members.locations:
                    low |= 1 << event
            up = low
            for mobile in self._layout.mobile:
                if mobile.identifier not in valuation.places and not members.locations.isdisjoint(mobile.locations):
                    up |= 1 << mobile.identifier
        return low, up

    def _same_location(self, valuation: Valuation) -> tuple[int, int]:
        square = self._layout.square
        known: dict[Location, int] = {}
        for event, place in valuation.places.items():
            known[place] = known.get(place, 0) | 1 << event
        possible = dict(known)
        for mobile in self._layout.mobile:
            if mobile.identifier not in valuation.places:
                for place in mobile.locations:
                    possible[place] = possible.get(place, 0) | 1 << mobile.identifier
        low = up = 0
        for events in known.values():
            low |= square.product(events, events)
        for events in possible.values():
            up |= square.product(events, events)
        return low, up
