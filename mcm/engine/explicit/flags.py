"""Which flags of the model (such as data races) consistent executions raise, and by which events."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

from mcm.answer.places import Places
from mcm.base.bits import listed, mask_of
from mcm.engine.explicit.orders import solve_orders
from mcm.engine.explicit.propagation import Formula
from mcm.execution.algebra import FALSE, conjunction

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.engine.explicit.base_bounds import BaseBounds
    from mcm.engine.explicit.budget import NodeBudget
    from mcm.engine.explicit.findings import Findings
    from mcm.engine.explicit.packed_skeleton import PackedSkeleton
    from mcm.engine.explicit.propagation import ConstraintProblem
    from mcm.engine.explicit.symmetry import Exchange
    from mcm.engine.explicit.valuation import Valuation
    from mcm.execution.candidate import Candidate
    from mcm.program.types import Location


class FlagSearch:
    """Searches for flags at pairs of places where they were not raised yet, or by raisings that come before the known.

    `_open` has for each flag the pairs of events that can still add to the findings.
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
        self._formulas = list(enumerate(base_bounds.flag_formulas))
        self._open: Final = [formula.mask for _, formula in self._formulas]
        # For each flag, the pairs that were found to raise it, but perhaps not yet at their lowest location: the event
        # that is shown first, and the lowest location known.
        self._least: Final[list[dict[tuple[int, ...], tuple[int, Location]]]] = [{} for _ in self._formulas]
        # Where threads of one code are written differently, the image of an early iteration may be a late one.
        self._images_keep_rank: Final = all(
            self._places.ordinals[image] == ordinal
            for exchange in exchanges
            for image, ordinal in zip(exchange.events, self._places.ordinals, strict=True)
        )

    @cached_property
    def _places(self) -> Places:
        """The places of the events, which matter where a flag is raised."""
        return Places(self._packed.events)

    def begin(self, problem: ConstraintProblem) -> None:
        """Drop the flags that no execution within the bounds of the root can raise."""
        kept = []
        for number, formula in self._formulas:
            if formula.some:
                possible = problem.bounds.upper[formula.slot] & formula.mask
                possible &= ~self._exclusive_pairs(possible)
                self._open[number] = possible & ~self._known_before(number, possible, formula)
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

    def _known_before(self, number: int, possible: int, formula: Formula) -> int:
        """Those of some pairs at whose places the flag was raised in a skeleton that was searched before."""
        if not self._findings.has_flags:
            return 0
        known = 0
        for events, bits in self._raisings(possible, formula):
            if self._findings.rank_of_flag(number, self._places.pair(events)) is not None:
                known |= bits
        return known

    def _raisings(self, pairs: int, formula: Formula) -> Iterator[tuple[tuple[int, ...], int]]:
        """The events of each of some pairs (or members of a set), with the bits that stand for them."""
        matrices = self._packed.matrices
        if formula.mask >> matrices.size == 0:
            yield from (((event,), 1 << event) for event in listed(pairs))
            return
        for a, b in matrices.pairs(pairs):
            if a <= b or not pairs & matrices.pair(b, a):
                yield tuple(sorted({a, b})), matrices.pair(a, b) | matrices.pair(b, a)

    def _evaluate(self, problem: ConstraintProblem) -> bool:
        """Compute the bounds of what the flags depend on; false if no flag is left, or no execution."""
        return bool(self._formulas) and problem.evaluate_flags([formula.slot for _, formula in self._formulas])

    def search(self, valuation: Valuation, problem: ConstraintProblem) -> None:
        """Add every new flag that some solution of the problem raises."""
        if not self._evaluate(problem):
            return
        for number, formula in self._formulas:
            if not formula.some:
                self._search_without_events(number, formula, valuation, problem)
                continue
            left = self._left(number, formula, valuation)
            while problem.bounds.upper[formula.slot] & left:
                found = self._solution(problem, formula, left)
                if found is None:
                    break
                left = self._raise(number, formula, valuation, found)

    def _solution(self, problem: ConstraintProblem, formula: Formula, wanted: int) -> ConstraintProblem | None:
        """The subproblem, solved, in which a flag is raised by one of some pairs; None if there is none."""
        if problem.bounds.lower[formula.slot] & wanted and not problem.open_formulas:
            # Every execution raises it.
            return problem
        current = problem.copy()
        current.add_formula(Formula(formula.slot, wanted, some=True))
        return solve_orders(current, self._budget) if current.propagate() else None

    def may_raise(self, problem: ConstraintProblem) -> bool:
        """Whether some solution of the problem may raise a flag that is new, or comes before a known one."""
        return self._evaluate(problem) and any(
            problem.bounds.upper[formula.slot] & self._open[number]
            if formula.some
            else self._findings.rank_of_flag(number, ()) is None
            for number, formula in self._formulas
        )

    def _search_without_events(
        self, number: int, formula: Formula, valuation: Valuation, problem: ConstraintProblem
    ) -> None:
        """Search for a flag such as `flag empty t`, which no events raise."""
        if self._findings.rank_of_flag(number, ()) is not None:
            return
        wanted = problem.copy()
        wanted.add_formula(formula)
        found = solve_orders(wanted, self._budget) if wanted.propagate() else None
        if found is not None:
            self._findings.raise_flag(
                number, (), (), self._places.rank((), {}), self._findings.witness(valuation, found)
            )

    def _left(self, number: int, formula: Formula, valuation: Valuation) -> int:
        """The open pairs that can add to the findings at the locations that are reached here."""
        left = self._open[number]
        for events, (first, least) in self._least[number].items():
            location = valuation.locations.get(first)
            if location is not None and location >= least:
                left &= ~self._bits(events, formula)
        return left

    def _raise(self, number: int, formula: Formula, valuation: Valuation, found: ConstraintProblem) -> int:
        """Add one flag wherever an execution raises it; the pairs that are left afterwards."""
        left = self._left(number, formula, valuation)
        raised = found.bounds.lower[formula.slot] & left
        assert raised, "the formula for the flag holds"
        witness = self._findings.witness(valuation, found)
        for events, bits in self._raisings(raised, formula):
            if bits & left:
                self._raise_by(number, formula, events, witness)
                left = self._left(number, formula, valuation) & ~bits
        return left

    def _raise_by(self, number: int, formula: Formula, events: tuple[int, ...], witness: Candidate) -> None:
        """Add one flag as it is raised by some events, and by their images under thread symmetry."""
        images = [(events, witness)]
        seen = {events}
        while images:
            events, witness = images.pop()
            rank = self._places.rank(events, witness.locations)
            self._findings.raise_flag(number, self._places.pair(events), events, rank, witness)
            self._close(number, formula, events, witness)
            for exchange in self._exchanges:
                image = tuple(sorted(exchange.events[event] for event in events))
                if image not in seen:
                    seen.add(image)
                    images.append((image, exchange.image_of_candidate(witness)))

    def _close(self, number: int, formula: Formula, events: tuple[int, ...], witness: Candidate) -> None:
        """Close what can add nothing any more: these events at their location, and later iterations of theirs."""
        first = self._places.first(events)
        location = witness.locations.get(first)
        if location is None or location == min(self._packed.events[first].locations):
            self._open[number] &= ~self._bits(events, formula)
            self._least[number].pop(events, None)
        else:
            _, least = self._least[number].get(events, (first, location))
            self._least[number][events] = first, min(least, location)
        if self._images_keep_rank:
            self._open[number] &= ~self._later(events, formula)
        if not self._open[number]:
            # What nothing can be added to is not computed any more.
            self._formulas = [numbered for numbered in self._formulas if numbered[0] != number]

    def _later(self, events: tuple[int, ...], formula: Formula) -> int:
        """The bits of the pairs at the same places that are of later iterations."""
        matrices = self._packed.matrices
        last, early = self._places.farthest(events)
        one, other = (self._places.at[self._places.of[event]] for event in (events[0], events[-1]))
        if len(one) == len(other) == 1:
            return 0
        if formula.mask >> matrices.size == 0:
            return mask_of(one[last + 1 :])
        later = 0
        for mine, others in ((one, other), (other, one)):
            for some, any_ in ((mine[last + 1 :], others), (mine[last : last + 1], others[early + 1 : last + 1])):
                pairs = mask_of(some), mask_of(any_)
                later |= matrices.product(*pairs) | matrices.product(*reversed(pairs))
        return later

    def _bits(self, events: tuple[int, ...], formula: Formula) -> int:
        """The bits that stand for some events: those of a pair in both orders."""
        matrices = self._packed.matrices
        if formula.mask >> matrices.size == 0:
            return 1 << events[0]
        return matrices.pair(events[0], events[-1]) | matrices.pair(events[-1], events[0])
