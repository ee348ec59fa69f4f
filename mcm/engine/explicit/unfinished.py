"""Pruning where threads stop: what executions that are not complete can still add to the findings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.engine.explicit.pruning import possible_truths
from mcm.execution.outcome import observables
from mcm.program.condition import RegisterName

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from mcm.engine.explicit.blocked import BlockedSearch
    from mcm.engine.explicit.findings import Findings
    from mcm.engine.explicit.propagation import ConstraintProblem
    from mcm.engine.explicit.pruning import OutcomePruning, TargetStates
    from mcm.engine.explicit.valuation import Valuation
    from mcm.execution.skeleton import Skeleton
    from mcm.program.condition import Proposition


class UnfinishedPruning:
    """Compares what is possible below a node, of unfinished executions, with what was found; all stops are known."""

    def __init__(
        self, skeleton: Skeleton, findings: Findings, outcomes: OutcomePruning, blocked: BlockedSearch
    ) -> None:
        self._skeleton: Final = skeleton
        self._findings: Final = findings
        self._outcomes: Final = outcomes
        self._blocked: Final = blocked

    def is_open(self, valuation: Valuation, problem: ConstraintProblem, target: TargetStates | None) -> bool:
        """Whether some unfinished execution below may add to the findings."""
        del target
        findings = self._findings
        stops = self._skeleton.stops
        possible = [stop for stop in stops if valuation.may_hold(stop.condition)]
        stopping = {stop.thread for stop in possible}
        if not may_pass(findings.query.filter, stopping, self._skeleton, valuation):
            return False
        if findings.query.wants_outcomes:
            certain = [number for number, stop in enumerate(stops) if valuation.holds(stop.condition)]
            if self._blocked.may_be_new(certain, possible, valuation, problem):
                return True
        return self._outcomes.may_raise_more(valuation, problem)

    def targets(self, valuation: Valuation, problem: ConstraintProblem, writes: Mapping[int, int]) -> None:
        """None: unfinished executions have no states."""
        del valuation, problem, writes


def may_pass(filter_: Proposition | None, stopping: Collection[int], skeleton: Skeleton, valuation: Valuation) -> bool:
    """Whether a filter may let an unfinished execution pass: it fails only by registers of threads that have finished.

    Memory, and the registers of the threads that are `stopping`, are not final.
    """
    if filter_ is None:
        return True
    possible = {
        what: None
        if not isinstance(what, RegisterName)
        or what.thread in stopping
        or (value := valuation.evaluate(skeleton.registers[what])) is None
        else frozenset({value})
        for what in observables(filter_)
    }
    return True in possible_truths(filter_, possible)
