"""Blocked executions: no unit can go on, since each has finished or waits for what does not happen any more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.base.bits import members
from mcm.engine.explicit.orders import solve_orders
from mcm.execution.event import EventKind
from mcm.execution.skeleton import StopKind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcm.engine.explicit.budget import NodeBudget
    from mcm.engine.explicit.findings import Findings
    from mcm.engine.explicit.packed_skeleton import PackedSkeleton
    from mcm.engine.explicit.propagation import ConstraintProblem
    from mcm.engine.explicit.valuation import Valuation
    from mcm.execution.skeleton import Stop


class BlockedSearch:
    """Tells which executions of one skeleton are blocked."""

    def __init__(self, packed: PackedSkeleton, findings: Findings, budget: NodeBudget) -> None:
        self._packed: Final = packed
        self._findings: Final = findings
        self._budget: Final = budget

    def may_be_new(
        self, certain: list[Stop], possible: list[Stop], valuation: Valuation, problem: ConstraintProblem
    ) -> bool:
        """Whether some execution below a node may be blocked at places that are news.

        `certain` are the stops that all of them reach, `possible` those that some may reach.
        """
        if any(stop.kind is StopKind.BOUND for stop in certain) or self._findings.has_blocked(certain):
            return False
        repeated = self._repeated_updates(possible)
        return any(stop.kind is not StopKind.BOUND for stop in possible) and not any(
            not valuation.may_hold(stop.persists)
            or any(self._is_overwritten(read, repeated, valuation, problem) for read in stop.reads)
            for stop in certain
        )

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
