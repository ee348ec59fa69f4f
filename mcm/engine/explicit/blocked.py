"""Blocked executions: no unit can go on, since each has finished or waits for what does not happen any more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.answer.blocked import BlockedRank, rank_of_units, told_of
from mcm.base.bits import members
from mcm.engine.explicit.orders import solve_orders
from mcm.execution.event import EventKind
from mcm.execution.skeleton import StopKind, is_cut

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mcm.answer.blocked import Told
    from mcm.base.source import Span
    from mcm.engine.explicit.budget import NodeBudget
    from mcm.engine.explicit.findings import Findings
    from mcm.engine.explicit.packed_skeleton import PackedSkeleton
    from mcm.engine.explicit.propagation import ConstraintProblem
    from mcm.engine.explicit.symmetry import Exchange
    from mcm.engine.explicit.valuation import Valuation
    from mcm.execution.skeleton import Stop


class BlockedSearch:
    """Tells which executions of one skeleton are blocked."""

    def __init__(
        self, packed: PackedSkeleton, exchanges: Sequence[Exchange], findings: Findings, budget: NodeBudget
    ) -> None:
        self._packed: Final = packed
        self._stops: Final = packed.skeleton.stops
        self._exchanges: Final = exchanges
        self._findings: Final = findings
        self._budget: Final = budget

    def may_be_new(
        self, reached: list[int], possible: list[Stop], valuation: Valuation, problem: ConstraintProblem
    ) -> bool:
        """Whether some execution below a node may be blocked where that is news, or is told instead of a known one.

        `reached` are the indices of the stops that all of them reach, `possible` are the stops that some may reach.
        """
        certain = [self._stops[number] for number in reached]
        if is_cut(certain) or self.is_known(reached, valuation):
            return False
        repeated = self._repeated_updates(possible)
        return any(stop.kind is not StopKind.BOUND for stop in possible) and not any(
            not valuation.may_hold(stop.persists)
            or any(self._is_overwritten(read, repeated, valuation, problem) for read in stop.reads)
            for stop in certain
        )

    def is_known(self, reached: list[int], valuation: Valuation) -> bool:
        """Whether nothing new is told of an execution that is blocked at these stops, given by index, and maybe more.

        Where threads can be exchanged, its images count too.
        """
        findings = self._findings
        places = frozenset(self._stops[number].span for number in reached)
        if findings.is_blocked_at_fewer(places):
            return True
        known = findings.rank_of_blocked(places)
        if known is None:
            return False
        told = {number: self._told(self._stops[number], valuation) for number in reached}
        is_all_told = None not in told.values()
        least = self._least_image({number: what if is_all_told else None for number, what in told.items()}, places)
        # If other threads stop as well, the rank is greater.
        return least.units > known.units or (least.units == known.units and is_all_told and least >= known)

    def _least_image(self, told: dict[int, Told | None], places: frozenset[Span]) -> BlockedRank:
        """The rank of the least of the images that stop at the same places; each stop has what is told of its unit."""
        least, is_least = self._rank(told), False
        while not is_least:
            is_least = True
            for exchange in self._exchanges:
                image = {exchange.stops[number]: what for number, what in told.items()}
                rank = self._rank(image)
                if rank < least and places == {self._stops[number].span for number in image}:
                    told, least, is_least = image, rank, False
        return least

    def _rank(self, told: Mapping[int, Told | None]) -> BlockedRank:
        ordered = sorted(told, key=lambda number: self._stops[number].thread)
        known = tuple(what for number in ordered if (what := told[number]) is not None)
        return BlockedRank(rank_of_units(self._stops[number] for number in ordered), known)

    def _told(self, stop: Stop, valuation: Valuation) -> Told | None:
        """What is told of a unit that stops; None if it is not known."""
        executed = [read for read in stop.reads if not valuation.skipped >> read & 1]
        if not all(valuation.executed >> read & 1 and read in valuation.values for read in executed):
            return None
        return told_of(stop, [(valuation.locations[read], valuation.values[read]) for read in executed])

    def solve(self, reached: list[Stop], valuation: Valuation, problem: ConstraintProblem) -> ConstraintProblem | None:
        """The subproblem, solved, in which an execution that stops where it does is blocked; None if it cannot be."""
        if not all(stop.kind is not StopKind.BOUND and valuation.holds(stop.persists) for stop in reached):
            return None
        current = problem.copy()
        repeated = self._repeated_updates(reached)
        for read in {read for stop in reached for read in stop.reads if read in valuation.sources}:
            last = 1 << valuation.sources[read]
            others = self._writes_to_location_of(read, valuation) & ~repeated & ~last
            current.bounds.ordered[0] |= self._packed.matrices.product(others, last)
        if not current.propagate() or current.decided_order(0) is None:
            return None
        return solve_orders(current, self._budget)

    def _repeated_updates(self, stops: Iterable[Stop]) -> int:
        """The updates, as a mask, of iterations that wait: they write what they have read, and change nothing."""
        events = self._packed.events
        return sum(
            1 << read
            for read in {read for stop in stops if stop.kind is StopKind.WAIT for read in stop.reads}
            if events[read].kind is EventKind.UPDATE
        )

    def _is_overwritten(self, read: int, repeated: int, valuation: Valuation, problem: ConstraintProblem) -> bool:
        """Whether another value surely follows that which a read has."""
        if read not in valuation.sources:
            return False
        order = problem.bounds.lower[problem.plan.orders[0].index]
        later = problem.bounds.matrices.successors(order, valuation.sources[read])
        return bool(later & valuation.executed & ~repeated)

    def _writes_to_location_of(self, read: int, valuation: Valuation) -> int:
        location = valuation.locations[read]
        writing = valuation.executed & self._packed.writers
        return sum(1 << event for event in members(writing) if valuation.locations[event] == location)
