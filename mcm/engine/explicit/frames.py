"""Bounds that follow from control paths and locations alone, computed once for each combination of them.

Whatever is exact in a frame is constant in the whole search below it, and what no open demand depends on is dropped:
most of a model is folded away here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcm.engine.explicit.bounds import Bounds, Demand
from mcm.engine.explicit.plan import EVERYTHING, ORDERABLE, READABLE

if TYPE_CHECKING:
    from mcm.engine.explicit.layout import Layout
    from mcm.engine.explicit.operators import Operator
    from mcm.engine.explicit.plan import Plan, Target
    from mcm.engine.explicit.valuation import Valuation
    from mcm.execution.skeleton import SetMembers
    from mcm.program.types import Location

Key = tuple[object, ...]


@dataclass(frozen=True)
class Frame:
    """`bounds` with the checks as demands; `flag_operators` are what the flags need and the frame leaves open.

    `is_possible` is false if no execution is inside.
    """

    bounds: Bounds
    flag_operators: tuple[Operator, ...]
    is_possible: bool


class Frames:
    """The frames of one skeleton under one plan."""

    def __init__(self, layout: Layout, plan: Plan) -> None:
        self._layout = layout
        self._plan = plan
        self._known: dict[Key, Frame] = {}
        self.flag_demands = [self.demand(flag) for flag in plan.flags]
        self._flag_cone = 0
        for flag in plan.flags:
            self._flag_cone |= plan.cones[flag.node]

    def of(self, valuation: Valuation) -> Frame:
        """The frame that a valuation is in."""
        places = tuple(valuation.places.get(event.identifier) for event in self._layout.mobile)
        key = (valuation.executed, valuation.skipped, places)
        frame = self._known.get(key)
        if frame is None:
            frame = self._known[key] = self._build(valuation)
        return frame

    def _build(self, valuation: Valuation) -> Frame:
        bounds = Bounds(self._plan, self._layout.square)
        self._fill(bounds, valuation)
        bounds.demands = [self.demand(target) for target in self._plan.checks]
        bounds.live = list(self._plan.operators)
        is_possible = bounds.evaluate(bounds.live) and bounds.tighten()
        flags = tuple(
            o
            for o in self._plan.operators
            if self._flag_cone >> o.index & 1 and bounds.low[o.index] is not bounds.up[o.index]
        )
        return Frame(bounds, flags, is_possible)

    def demand(self, target: Target) -> Demand:
        """What a check demands."""
        if target.is_set:
            pairs = (1 << self._layout.square.size) - 1
        elif target.diagonal:
            pairs = self._layout.square.identity
        else:
            pairs = self._layout.square.full
        return Demand(target.node, pairs, hit=target.negated)

    def _fill(self, bounds: Bounds, valuation: Valuation) -> None:
        """Bound everything that the skeleton provides."""
        layout, square = self._layout, self._layout.square
        surely = valuation.executed
        maybe = ((1 << square.size) - 1) & ~valuation.skipped
        self._give(bounds, EVERYTHING, surely, maybe)
        for name, place in self._plan.sets.items():
            low, up = self._members(layout.skeleton.sets[name], valuation)
            self._give(bounds, place, low & surely, up & maybe)
        together, possible = square.product(surely, surely), square.product(maybe, maybe)
        low, up = self._same_location(valuation)
        low, up = low & together, up & possible
        for name, place in self._plan.relations.items():
            if name == "loc":
                self._give(bounds, place, low, up)
            else:
                static = layout.relations[name]
                self._give(bounds, place, static & together, static & possible)
        low, up = low & ~square.identity, up & ~square.identity
        writing, reading = layout.writers, layout.readers
        into_reads = square.product(writing, reading)
        self._give(bounds, READABLE, low & into_reads, up & into_reads)
        among_writes = square.product(writing, writing)
        self._give(bounds, ORDERABLE, low & among_writes, up & among_writes)
        # The initial write is the first of its location.
        bounds.before[0] = square.product(layout.initial, writing & ~layout.initial)

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
