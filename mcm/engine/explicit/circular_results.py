"""Results at a leaf where values depend on themselves: whether there are such values, and states that stand for all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.engine.explicit.copied_results import CopiedResults
from mcm.engine.explicit.final_states import FinalWrites
from mcm.engine.explicit.orders import solve_orders, total_orders
from mcm.execution.skeleton import StopKind
from mcm.program.condition import RegisterName

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from mcm.engine.equations.decided import DecidedExecution
    from mcm.engine.equations.system import Equations
    from mcm.engine.explicit.blocked import BlockedSearch
    from mcm.engine.explicit.budget import NodeBudget
    from mcm.engine.explicit.findings import Findings, Values
    from mcm.engine.explicit.leaf_results import LeafResults
    from mcm.engine.explicit.packed_skeleton import PackedSkeleton
    from mcm.engine.explicit.propagation import ConstraintProblem
    from mcm.engine.explicit.valuation import Valuation
    from mcm.execution.expression import Expression
    from mcm.program.condition import Observable
    from mcm.program.types import Value


class CircularResults:
    """Adds the results of executions in which everything is decided but values that depend on themselves.

    Every question about these values is one to `engine.equations`, which is imported when the first is met.
    """

    def __init__(
        self,
        packed: PackedSkeleton,
        leaf_results: LeafResults,
        blocked: BlockedSearch,
        findings: Findings,
        budget: NodeBudget,
    ) -> None:
        self._packed: Final = packed
        self._leaf_results: Final = leaf_results
        self._blocked: Final = blocked
        self._findings: Final = findings
        self._budget: Final = budget
        self._copied_results: Final = CopiedResults(leaf_results, findings, budget)

    def _decided(self, valuation: Valuation, *, is_leaf: bool) -> DecidedExecution:
        from mcm.engine.equations.decided import DecidedExecution  # noqa: PLC0415 - as below

        # At a leaf, what is not known to be executed is not: its guard needs a read that is not.
        skipped = ((1 << len(self._packed.events)) - 1) & ~valuation.executed if is_leaf else valuation.skipped
        return DecidedExecution(
            skeleton=self._packed.skeleton,
            executed=valuation.executed,
            skipped=skipped,
            sources=valuation.sources,
            locations=valuation.locations,
            known=valuation.values,
            choices=tuple(valuation.choices),
            supposed=valuation.supposed,
        )

    def is_possible(self, valuation: Valuation) -> bool:
        """Whether some values may agree with what is decided so far."""
        from mcm.engine.equations.known import is_possible  # noqa: PLC0415 - as below

        return is_possible(self._decided(valuation, is_leaf=False), self._budget)

    def add(self, valuation: Valuation, problem: ConstraintProblem) -> None:
        """Add everything that is new of the executions at a leaf."""
        if problem.decided_order(0) is None:
            return
        from mcm.engine.equations.copies import copies_of  # noqa: PLC0415 - most programs have no such values
        from mcm.engine.equations.known import solvable  # noqa: PLC0415 - see above

        decided = self._decided(valuation, is_leaf=True)
        copies = copies_of(decided)
        if copies is not None and self._copied_results.add(copies, valuation, problem):
            return
        equations = solvable(decided, self._budget)
        concrete = None if equations is None else valuation.with_values(equations.last_solution())
        if equations is None or concrete is None:
            return
        if any(concrete.holds(stop.condition) for stop in self._packed.skeleton.stops):
            self._add_unfinished(equations, valuation, concrete, problem)
            return
        if self._findings.asks_whether_complete and not self._findings.complete_exists:
            self._findings.complete_exists = solve_orders(problem, self._budget) is not None
        for finals, part in FinalWrites(valuation, self._findings.watched).split(problem):
            self._add_complete(equations, valuation, finals, part)
            if self._findings.is_complete:
                return

    def _add_complete(
        self,
        equations: Equations,
        valuation: Valuation,
        finals: Mapping[Observable, Expression],
        problem: ConstraintProblem,
    ) -> None:
        query = self._findings.query
        found = solve_orders(problem, self._budget)
        if found is None:
            return
        passes = [] if query.filter is None else [equations.proposition(query.filter, finals)[0]]
        observed = [finals[what] for what in query.observed]
        if query.wants_outcomes:
            from mcm.engine.equations.family import family_of  # noqa: PLC0415 - loads Z3

            varying = family_of(equations, observed) if query.wants_states else ()
            truths: tuple[Any, ...] = (equations.terms.yes,)
            if query.proposition is not None:
                truths = equations.proposition(query.proposition, finals)[: 2 if query.wants_states else 1]
            for truth in truths:
                solution = equations.least(observed, *passes, truth)
                concrete = None if solution is None else valuation.with_values(solution)
                if concrete is not None:
                    values = tuple(_known(concrete, finals[what]) for what in self._findings.watched)
                    if self._findings.wants_example(values):
                        witness = self._findings.witness(concrete, found) if query.wants_witnesses else None
                        self._findings.add_example(values, witness, varying)
            if query.counts:
                self._note_executions(equations, observed, passes, problem)
        if query.wants_flags:
            self._find_problems(equations, valuation, passes, problem)

    def _note_executions(
        self, equations: Equations, observed: list[Expression], passes: list[Any], problem: ConstraintProblem
    ) -> None:
        number = sum(1 for _ in total_orders(problem, self._budget))

        def executions(values: Values) -> int:
            ends = [equations.equals(final, value) for final, value in zip(observed, values, strict=True)]
            return number if equations.is_possible(*passes, *ends) else 0

        self._findings.note_circular(executions)

    def _find_problems(
        self, equations: Equations, valuation: Valuation, passes: list[Any], problem: ConstraintProblem
    ) -> None:
        for concrete in self._problematic(equations, valuation, passes):
            self._leaf_results.find_problems(concrete, problem)

    def _problematic(self, equations: Equations, valuation: Valuation, passes: list[Any]) -> Iterator[Valuation]:
        """The execution with some values, then with values for each fault that is not known and that it may have."""
        conditions = [
            equations.terms.true(fault.condition)
            for fault in self._packed.skeleton.faults
            if not self._findings.has_fault(fault) and valuation.evaluate(fault.condition) is None
        ]
        for condition in (equations.terms.yes, *conditions):
            solution = equations.solution(*passes, condition)
            concrete = None if solution is None else valuation.with_values(solution)
            if concrete is not None:
                yield concrete

    def _add_unfinished(
        self, equations: Equations, valuation: Valuation, concrete: Valuation, problem: ConstraintProblem
    ) -> None:
        query, skeleton = self._findings.query, self._packed.skeleton
        reached = [number for number, stop in enumerate(skeleton.stops) if concrete.holds(stop.condition)]
        if query.wants_outcomes:
            self._leaf_results.find_stops(reached, problem)
        stopped = {skeleton.stops[number].thread for number in reached}
        passes = []
        if query.filter is not None:
            finals = {
                what: skeleton.registers[what]
                if isinstance(what, RegisterName) and what.thread not in stopped
                else None
                for what in self._findings.watched
            }
            passes = [equations.proposition(query.filter, finals)[0]]
        if query.wants_outcomes and not any(skeleton.stops[number].kind is StopKind.BOUND for number in reached):
            least = equations.least((), *passes)
            told = None if least is None else valuation.with_values(least)
            if told is not None and not self._blocked.is_known(reached, told):
                self._leaf_results.find_blocked(reached, told, problem)
        if query.wants_flags:
            self._find_problems(equations, valuation, passes, problem)


def _known(valuation: Valuation, expression: Expression) -> Value:
    value = valuation.evaluate(expression)
    assert value is not None, "a register depends only on reads that are executed"
    return value
