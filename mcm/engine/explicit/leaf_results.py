"""Results at a leaf: what an execution in which all reads have their writes adds to the findings, with its images."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.engine.explicit.final_states import FinalStates
from mcm.engine.explicit.orders import solve_orders, total_orders
from mcm.engine.explicit.witness import witness_of
from mcm.execution.evaluate import is_true
from mcm.execution.outcome import holds, observables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.engine.explicit.budget import NodeBudget
    from mcm.engine.explicit.findings import Findings, Values
    from mcm.engine.explicit.flags import FlagSearch
    from mcm.engine.explicit.packed_skeleton import PackedSkeleton
    from mcm.engine.explicit.propagation import Problem
    from mcm.engine.explicit.symmetry import Exchange
    from mcm.engine.explicit.valuation import Valuation
    from mcm.execution.candidate import Candidate
    from mcm.execution.expression import Expression


class LeafResults:
    """Adds the results at the leaves of one skeleton; orders are solved only as far as the findings need them."""

    def __init__(
        self,
        packed: PackedSkeleton,
        flags: FlagSearch,
        exchanges: tuple[Exchange, ...],
        findings: Findings,
        budget: NodeBudget,
    ) -> None:
        self._packed: Final = packed
        self._skeleton: Final = packed.skeleton
        self._flags: Final = flags
        self._exchanges: Final = exchanges
        self._findings: Final = findings
        self._budget: Final = budget

    def add(self, valuation: Valuation, problem: Problem) -> None:
        """Add every new state, fault, flag and cut of the solutions of the problem."""
        if not all(_holds(constraint, valuation) for constraint in self._skeleton.constraints):
            return
        cuts = [number for number, cut in enumerate(self._skeleton.stops) if _holds(cut.condition, valuation)]
        if cuts:
            self._find_cuts(cuts, problem)
        elif problem.decided_order(0) is not None:
            for part in self._passing(valuation, problem):
                self._find_states(valuation, part)
                if self._findings.query.wants_flags:
                    self._find_faults(valuation, part)
                    self._flags.search(valuation, part)

    def _passing(self, valuation: Valuation, problem: Problem) -> Iterator[Problem]:
        """The parts of the problem whose final states pass the filter of the query."""
        passes = self._findings.query.filter
        if passes is None:
            yield problem
            return
        named = tuple(dict.fromkeys(observables(passes)))
        for values, part in FinalStates(valuation, named).split(problem):
            if holds(passes, dict(zip(named, values, strict=True))):
                yield part

    def _find_cuts(self, numbers: list[int], problem: Problem) -> None:
        cuts, findings = self._skeleton.stops, self._findings
        if solve_orders(problem, self._budget) is None:
            return
        while numbers:
            number = numbers.pop()
            if not findings.has_cut(cuts[number].span):
                findings.cut(cuts[number].span)
                numbers.extend(exchange.cuts[number] for exchange in self._exchanges)

    def _find_states(self, valuation: Valuation, problem: Problem) -> None:
        findings = self._findings
        thin_air = self._packed.is_thin_air(valuation.executed, problem.bounds.chosen)
        final_states = FinalStates(valuation, findings.watched)
        if findings.query.counts:
            for total in total_orders(problem, self._budget):
                ((values, part),) = final_states.split(total)
                self._find_state(values, valuation, part, thin_air=thin_air)
        elif final_states.are_known or any(
            findings.is_new(values, thin_air=thin_air) for values in final_states.possible(problem)
        ):
            for values, part in final_states.split(problem):
                self._find_state(values, valuation, part, thin_air=thin_air)

    def _find_state(self, values: Values, valuation: Valuation, problem: Problem, *, thin_air: bool) -> None:
        if self._findings.is_new(values, thin_air=thin_air):
            found = solve_orders(problem, self._budget)
            if found is not None:
                query = self._findings.query
                witness = witness_of(valuation, found, query.model) if query.wants_witnesses else None
                self._add_states(values, witness, thin_air=thin_air)

    def _add_states(self, values: Values, witness: Candidate | None, *, thin_air: bool) -> None:
        images = [(values, witness)]
        while images:
            values, witness = images.pop()
            self._findings.add_state(values, witness, thin_air=thin_air)
            for exchange in self._exchanges:
                image = exchange.image_of_state(values)
                if self._findings.is_new(image, thin_air=thin_air):
                    images.append((image, None if witness is None else exchange.image_of_candidate(witness)))

    def _find_faults(self, valuation: Valuation, problem: Problem) -> None:
        faults, findings = self._skeleton.faults, self._findings
        new = [n for n, f in enumerate(faults) if not findings.has_fault(f) and _holds(f.condition, valuation)]
        if not new:
            return
        found = solve_orders(problem, self._budget)
        if found is None:
            return
        witness = witness_of(valuation, found, findings.query.model)
        images = [(number, witness) for number in new]
        while images:
            number, witness = images.pop()
            if not findings.has_fault(faults[number]):
                findings.raise_fault(faults[number], witness)
                images.extend(
                    (exchange.faults[number], exchange.image_of_candidate(witness)) for exchange in self._exchanges
                )


def _holds(condition: Expression, valuation: Valuation) -> bool:
    """Whether a condition of the program is true; one that needs a read that is not executed is not."""
    value = valuation.evaluate(condition)
    return value is not None and is_true(value)
