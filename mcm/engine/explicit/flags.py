"""Which flags of the model (such as data races) consistent executions raise, and at which source positions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.engine.explicit.orders import solve_orders
from mcm.engine.explicit.propagation import Formula
from mcm.engine.explicit.witness import witness_of
from mcm.execution.algebra import FALSE, conjunction

if TYPE_CHECKING:
    from mcm.cat.model import Flag, Model
    from mcm.engine.explicit.base_bounds import BaseBounds
    from mcm.engine.explicit.budget import NodeBudget
    from mcm.engine.explicit.findings import Findings
    from mcm.engine.explicit.packed_skeleton import PackedSkeleton
    from mcm.engine.explicit.propagation import ConstraintProblem
    from mcm.engine.explicit.symmetry import Exchange
    from mcm.engine.explicit.valuation import Valuation
    from mcm.execution.candidate import Candidate

Site = tuple[object, int, int]


class FlagSearch:
    """Searches for flags at sites where they were not raised yet.

    A site is a thread and a span of the source: the events of one operation in all iterations of a loop.
    """

    def __init__(
        self,
        packed: PackedSkeleton,
        base_bounds: BaseBounds,
        exchanges: tuple[Exchange, ...],
        findings: Findings,
        budget: NodeBudget,
    ) -> None:
        self._packed: Final = packed
        self._exchanges: Final = exchanges
        self._findings: Final = findings
        self._budget: Final = budget
        self._model: Final[Model] = findings.query.model
        self._formulas = list(enumerate(base_bounds.flag_formulas))
        self._sites: Final[list[Site]] = [(e.thread, e.span.start, e.span.end) for e in packed.events]
        self._events_at: Final[dict[Site, int]] = {}
        for identifier, site in enumerate(self._sites):
            self._events_at[site] = self._events_at.get(site, 0) | 1 << identifier
        self._open: Final = [formula.mask for _, formula in self._formulas]

    def begin(self, problem: ConstraintProblem) -> None:
        """Drop the flags that no execution within the bounds of the root can raise."""
        kept = []
        for number, formula in self._formulas:
            if formula.some:
                possible = problem.bounds.upper[formula.slot] & formula.mask
                self._open[number] = possible & ~self._exclusive_pairs(possible)
            if not formula.some or self._open[number]:
                kept.append((number, formula))
        self._formulas = kept

    def _exclusive_pairs(self, pairs: int) -> int:
        """Those of some pairs of events of one thread that are never executed together, as the guards tell."""
        events, matrices = self._packed.events, self._packed.matrices
        if pairs >> matrices.size == 0:
            return 0
        exclusive = 0
        for a, b in matrices.pairs(pairs):
            one, other = events[a], events[b]
            if a != b and one.thread == other.thread and conjunction(one.guard, other.guard) is FALSE:
                exclusive |= matrices.pair(a, b)
        return exclusive

    def _evaluate(self, problem: ConstraintProblem) -> bool:
        """Compute the bounds of what the flags depend on; false if no flag is left, or no execution."""
        return bool(self._formulas) and problem.evaluate_flags([formula.slot for _, formula in self._formulas])

    def search(self, valuation: Valuation, problem: ConstraintProblem) -> None:
        """Add every new flag that some solution of the problem raises."""
        if not self._evaluate(problem):
            return
        for number, formula in self._formulas:
            if not formula.some:
                self._search_without_site(self._model.flags[number], formula, valuation, problem)
            while problem.bounds.upper[formula.slot] & self._open[number] and formula.some:
                wanted = problem.copy()
                wanted.add_formula(Formula(formula.slot, self._open[number], some=True))
                found = solve_orders(wanted, self._budget) if wanted.propagate() else None
                if found is None:
                    break
                self._raise(number, formula, valuation, found)

    def may_raise(self, problem: ConstraintProblem) -> bool:
        """Whether some solution of the problem may raise a flag at a new site."""
        return self._evaluate(problem) and any(
            problem.bounds.upper[formula.slot] & self._open[number]
            if formula.some
            else not self._findings.has_flag((), self._model.flags[number])
            for number, formula in self._formulas
        )

    def _search_without_site(
        self, flag: Flag, formula: Formula, valuation: Valuation, problem: ConstraintProblem
    ) -> None:
        """Search for a flag such as `flag empty t`, which no events raise."""
        if self._findings.has_flag((), flag):
            return
        wanted = problem.copy()
        wanted.add_formula(formula)
        found = solve_orders(wanted, self._budget) if wanted.propagate() else None
        if found is not None:
            self._findings.raise_flag((), flag, (), witness_of(valuation, found, self._model))

    def _raise(self, number: int, formula: Formula, valuation: Valuation, found: ConstraintProblem) -> None:
        """Add one flag at all sites where an execution raises it."""
        raised = found.bounds.lower[formula.slot] & self._open[number]
        assert raised, "the formula for the flag holds"
        witness = witness_of(valuation, found, self._model)
        is_set = formula.mask >> self._packed.matrices.size == 0
        while raised & self._open[number]:
            first = (raised & self._open[number]).bit_length() - 1
            events = (first,) if is_set else divmod(first, self._packed.matrices.size)
            self._raise_at(number, events, witness, is_set=is_set)

    def _raise_at(self, number: int, events: tuple[int, ...], witness: Candidate, *, is_set: bool) -> None:
        """Add one flag at the sites of some events, and at their images under thread symmetry."""
        images = [(events, witness)]
        while images:
            events, witness = images.pop()
            sites = frozenset(self._sites[event] for event in events)
            flag = self._model.flags[number]
            if not self._findings.has_flag(sites, flag):
                self._findings.raise_flag(sites, flag, tuple(sorted({*events})), witness)
                images.extend(
                    (tuple(exchange.events[e] for e in events), exchange.image_of_candidate(witness))
                    for exchange in self._exchanges
                )
            self._open[number] &= ~self._pairs_between([self._sites[event] for event in events], is_set=is_set)

    def _pairs_between(self, sites: list[Site], *, is_set: bool) -> int:
        """All events, or pairs of events, of the same sites."""
        first, last = self._events_at[sites[0]], self._events_at[sites[-1]]
        if is_set:
            return first
        return self._packed.matrices.product(first, last) | self._packed.matrices.product(last, first)
