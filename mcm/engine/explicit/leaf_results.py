"""Results at a leaf: what an execution in which all reads have their writes adds to the findings, with its images."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from mcm.engine.explicit.final_states import FinalStates
from mcm.engine.explicit.orders import solve_orders, total_orders
from mcm.execution.outcome import holds, observables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.engine.explicit.blocked import BlockedSearch
    from mcm.engine.explicit.budget import NodeBudget
    from mcm.engine.explicit.findings import Findings, Values
    from mcm.engine.explicit.flags import FlagSearch
    from mcm.engine.explicit.packed_skeleton import PackedSkeleton
    from mcm.engine.explicit.propagation import ConstraintProblem
    from mcm.engine.explicit.symmetry import Exchange
    from mcm.engine.explicit.valuation import Valuation
    from mcm.execution.candidate import Candidate

# Memory is looked at once in so many states.
_STATES_AT_ONCE: Final = 1024


class LeafResults:
    """Adds the results at the leaves of one skeleton; orders are solved only as far as the findings need them."""

    def __init__(
        self,
        packed: PackedSkeleton,
        flags: FlagSearch,
        blocked: BlockedSearch,
        exchanges: tuple[Exchange, ...],
        findings: Findings,
        budget: NodeBudget,
    ) -> None:
        self._packed: Final = packed
        self._skeleton: Final = packed.skeleton
        self._flags: Final = flags
        self._blocked: Final = blocked
        self._exchanges: Final = exchanges
        self._findings: Final = findings
        self._budget: Final = budget
        self._final_states: Final = FinalStates(packed.skeleton, findings.watched)

    def add(self, valuation: Valuation, problem: ConstraintProblem) -> None:
        """Add every new state, fault, flag and stop of the solutions of the problem."""
        if problem.decided_order(0) is None or not all(map(valuation.holds, self._skeleton.constraints)):
            return
        reached = [number for number, stop in enumerate(self._skeleton.stops) if valuation.holds(stop.condition)]
        if reached:
            self.add_unfinished(reached, valuation, problem)
            return
        findings = self._findings
        for part in self._passing(valuation, problem):
            self._find(valuation, part)
        if not findings.complete_exists and findings.asks_whether_complete:
            findings.complete_exists = solve_orders(problem, self._budget) is not None

    def _find(self, valuation: Valuation, problem: ConstraintProblem) -> None:
        """Add the new states and problems of finished executions."""
        query = self._findings.query
        # Where a problem decides, few states are enough: problems come first.
        if query.decisive is None:
            self._find_states(valuation, problem)
        if query.wants_flags:
            self.find_problems(valuation, problem)
        if query.decisive is not None:
            self._find_states(valuation, problem)

    def add_unfinished(self, reached: list[int], valuation: Valuation, problem: ConstraintProblem) -> None:
        """Add what is new where threads stop; `reached` are the indices of the stops."""
        # Imported here: most programs do not wait.
        from mcm.engine.explicit.unfinished import may_pass  # noqa: PLC0415

        findings, stops = self._findings, [self._skeleton.stops[number] for number in reached]
        if findings.query.wants_outcomes:
            self.find_stops(reached, problem)
        if may_pass(findings.query.filter, {stop.thread for stop in stops}, self._skeleton, valuation):
            if findings.query.wants_outcomes and not self._blocked.is_known(reached, valuation):
                self.find_blocked(reached, valuation, problem)
            if findings.query.wants_flags:
                self.find_problems(valuation, problem)

    def _passing(self, valuation: Valuation, problem: ConstraintProblem) -> Iterator[ConstraintProblem]:
        """The parts of the problem whose final states pass the filter of the query."""
        passes = self._findings.query.filter
        if passes is None:
            yield problem
            return
        named = tuple(dict.fromkeys(observables(passes)))
        for values, part in FinalStates(self._skeleton, named).split(valuation, problem):
            if holds(passes, dict(zip(named, values, strict=True))):
                yield part

    def find_stops(self, numbers: list[int], problem: ConstraintProblem) -> None:
        """Add the stops, given by index, if some solution of the problem reaches them."""
        stops, findings = self._skeleton.stops, self._findings
        new = [number for number in numbers if not findings.has_stop(stops[number])]
        if not new or solve_orders(problem, self._budget) is None:
            return
        while new:
            number = new.pop()
            if not findings.has_stop(stops[number]):
                findings.add_stop(stops[number])
                new.extend(exchange.stops[number] for exchange in self._exchanges)

    def find_blocked(self, numbers: list[int], valuation: Valuation, problem: ConstraintProblem) -> None:
        """Add an execution that is blocked at the stops, given by index, if some solution of the problem is one."""
        stops, findings = self._skeleton.stops, self._findings
        found = self._blocked.solve([stops[number] for number in numbers], valuation, problem)
        if found is None:
            return
        images = [(numbers, findings.witness(valuation, found))]
        while images:
            numbers, witness = images.pop()
            self._budget.check_time()
            if findings.add_blocked([stops[number] for number in numbers], witness):
                images.extend(
                    ([exchange.stops[number] for number in numbers], exchange.image_of_candidate(witness))
                    for exchange in self._exchanges
                )

    def _find_states(self, valuation: Valuation, problem: ConstraintProblem) -> None:
        findings, final_states = self._findings, self._final_states
        if not findings.wants_more_states:
            return
        thin_air = self._packed.is_thin_air(valuation.executed, problem.bounds.chosen)
        if findings.query.counts:
            for total in total_orders(problem, self._budget):
                ((values, part),) = final_states.split(valuation, total)
                self._find_state(values, valuation, part, thin_air=thin_air)
            return
        for values, part in final_states.split(valuation, problem, partial(findings.is_new, thin_air=thin_air)):
            is_found = self._find_state(values, valuation, part, thin_air=thin_air)
            if findings.is_complete or (is_found and findings.wants_one_of_each_leaf):
                return
            if findings.is_decided:
                self._budget.charge_node()

    def _find_state(self, values: Values, valuation: Valuation, problem: ConstraintProblem, *, thin_air: bool) -> bool:
        """Add a state if it is new, and some solution of the problem ends there; whether it was added."""
        if not self._findings.is_new(values, thin_air=thin_air):
            return False
        found = solve_orders(problem, self._budget)
        if found is None:
            return False
        query = self._findings.query
        witness = self._findings.witness(valuation, found) if query.wants_witnesses else None
        self._add_states(values, witness, thin_air=thin_air)
        return True

    def add_state(self, values: Values, executed: int, problem: ConstraintProblem) -> None:
        """Add a new state, and its images, of the solutions of a problem whose formulas hold in all executions."""
        self._add_states(values, None, thin_air=self._packed.is_thin_air(executed, problem.bounds.chosen))

    def _add_states(self, values: Values, witness: Candidate | None, *, thin_air: bool) -> None:
        images = [(values, witness)]
        while images:
            values, witness = images.pop()
            self._findings.add_state(values, witness, thin_air=thin_air)
            # n threads may have n! images of one state.
            self._budget.check_time()
            if self._findings.states % _STATES_AT_ONCE == 0:
                self._budget.check_memory()
            if self._findings.is_decided:
                self._budget.credit_states(self._findings.states, is_decided=True)
            for exchange in self._exchanges:
                image = exchange.image_of_state(values)
                if self._findings.is_new(image, thin_air=thin_air):
                    images.append((image, None if witness is None else exchange.image_of_candidate(witness)))

    def find_problems(self, valuation: Valuation, problem: ConstraintProblem) -> None:
        """Add every new fault and flag of the solutions of the problem."""
        self._find_faults(valuation, problem)
        self._flags.search(valuation, problem)

    def _find_faults(self, valuation: Valuation, problem: ConstraintProblem) -> None:
        faults, findings = self._skeleton.faults, self._findings
        new = [n for n, f in enumerate(faults) if not findings.has_fault(f) and valuation.holds(f.condition)]
        if not new:
            return
        found = solve_orders(problem, self._budget)
        if found is None:
            return
        witness = findings.witness(valuation, found)
        images = [(number, witness) for number in new]
        while images:
            number, witness = images.pop()
            if not findings.has_fault(faults[number]):
                findings.raise_fault(faults[number], witness)
                self._budget.check_time()
                # The image of an execution of many work-items is long, and most exchanges lead to what is known.
                images.extend(
                    (image, exchange.image_of_candidate(witness))
                    for exchange in self._exchanges
                    if not findings.has_fault(faults[image := exchange.faults[number]])
                )
