"""Reads that are left in a partial execution, split into parts that can be decided one without the other.

Each choice of alternatives, one of each part, satisfies all formulas. `docs/search.md` has the argument.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.base.bits import mask_of, members

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcm.engine.explicit.propagation import ConstraintProblem

# At most so many reads make a part: they are decided one after the other.
_MOST_READS: Final = 4


class Part(Struct, frozen=True):
    """Some reads, in ascending order, and the writes that they can take their values from together."""

    reads: tuple[int, ...]
    alternatives: tuple[tuple[int, ...], ...]


class IndependentReads:
    """Splits the reads of a propagated problem in which everything else is known; `writes` has those of each read."""

    def __init__(self, problem: ConstraintProblem, writes: Mapping[int, int]) -> None:
        self._problem: Final = problem
        self._writes: Final = writes
        # By slot, the pairs that must not be there, and can be: each is to be excluded by some part.
        self._open: Final[dict[int, int]] = {}
        for formula in problem.open_formulas:
            possible = formula.mask & problem.bounds.upper[formula.slot]
            self._open[formula.slot] = self._open.get(formula.slot, 0) | possible

    def parts(self) -> tuple[Part, ...] | None:
        """The parts; None where something else is open, or many reads hang together."""
        if any(formula.some for formula in self._problem.open_formulas) or not self._may_split():
            return None
        parts: list[Part] = []
        groups: list[frozenset[int]] = [frozenset({read}) for read in self._writes]
        left = dict(self._open)
        while groups or any(left.values()):
            if groups:
                found = self._part(groups[-1], left)
                if isinstance(found, Part):
                    parts.append(found)
                    groups.pop()
                    continue
                together = found
            else:
                slot, pairs = next((slot, pairs) for slot, pairs in left.items() if pairs)
                together = self._reads_behind(slot, pairs & -pairs)
            joined = [group for group in (*groups, *(frozenset(part.reads) for part in parts)) if group & together]
            reads = frozenset[int]().union(*joined)
            # If no reads are to be joined, orders matter.
            if len(joined) <= 1 or len(reads) > _MOST_READS:
                return None
            parts = [part for part in parts if reads.isdisjoint(part.reads)]
            groups = [*(group for group in groups if group.isdisjoint(reads)), reads]
        return tuple(parts)

    def _may_split(self) -> bool:
        """Whether one open pair of each formula depends on few reads: else it is not tried, as it would be in vain."""
        return all(len(self._reads_behind(slot, pairs & -pairs)) <= _MOST_READS for slot, pairs in self._open.items())

    def _reads_behind(self, slot: int, pairs: int) -> frozenset[int]:
        """The reads whose writes can decide whether some pairs are in a slot."""
        problem = self._problem
        bounds = problem.bounds
        relevant = [0] * len(bounds.lower)
        relevant[slot] = pairs
        for operator in reversed(problem.active):
            wanted = relevant[operator.index] & bounds.upper[operator.index]
            if wanted:
                operator.trace(bounds, relevant, wanted)
        index = problem.plan.reads_from.index
        decisive = relevant[index] & bounds.upper[index]
        return frozenset(members(bounds.matrices.range(decisive))) & self._writes.keys()

    def _part(self, group: frozenset[int], left: dict[int, int]) -> Part | frozenset[int]:
        """The alternatives of some reads; what none of them leaves possible is taken away from `left`.

        Where an alternative says something of other reads, all of these; and none where it says something of orders.
        """
        reads = tuple(sorted(group))
        before = self._problem.bounds
        theirs = before.matrices.ending_in(mask_of(reads))
        still = dict.fromkeys(left, 0)
        alternatives = []
        for chosen, problem in self._decided(reads):
            bounds = problem.bounds
            if bounds.ordered != before.ordered:
                return frozenset()
            others = bounds.forbidden & ~before.forbidden & ~theirs
            if others:
                return group.union(members(before.matrices.range(others)))
            alternatives.append(chosen)
            for slot in left:
                still[slot] |= bounds.upper[slot]
        for slot, pairs in still.items():
            left[slot] &= pairs
        return Part(reads, tuple(alternatives))

    def _decided(self, reads: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], ConstraintProblem]]:
        """Each way to give some reads their writes that satisfies the formulas so far, propagated."""
        stack: list[tuple[tuple[int, ...], ConstraintProblem]] = [((), self._problem)]
        while stack:
            chosen, problem = stack.pop()
            if len(chosen) == len(reads):
                yield chosen, problem
                continue
            read = reads[len(chosen)]
            for write in members(self._writes[read]):
                problem.budget.check_time()
                if problem.bounds.forbidden & problem.bounds.matrices.pair(write, read):
                    continue
                next_one = problem.copy()
                next_one.bounds.choose(write, read)
                if next_one.propagate():
                    stack.append(((*chosen, write), next_one))
