"""Solving for the orders of an execution in which all reads have their writes.

Orders are decided only as far as open formulas depend on them: when no formula is open, every linear extension of what
was decided is a solution.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.base.bits import members

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.engine.explicit.budget import NodeBudget
    from mcm.engine.explicit.propagation import ConstraintProblem


def solve_orders(problem: ConstraintProblem, budget: NodeBudget) -> ConstraintProblem | None:
    """A subproblem without open formulas, whose every completion is a solution; None if the problem has no solution.

    The problem must be propagated.
    """
    if not problem.open_formulas:
        return problem
    budget.charge_node()
    likely = _topological_guess(problem)
    if likely.propagate() and not likely.open_formulas:
        return likely
    stack = _branch(problem)
    while stack:
        budget.charge_node()
        current = stack.pop()
        if current.propagate():
            if not current.open_formulas:
                return current
            stack.extend(_branch(current))
    return None


def _topological_guess(problem: ConstraintProblem) -> ConstraintProblem:
    """The problem with every order decided by a topological order of what must be acyclic; it may have no solution."""
    matrices, lower, upper = problem.bounds.matrices, problem.bounds.lower, problem.bounds.upper
    guide = 0
    for formula in problem.open_formulas:
        if formula.mask == matrices.identity:
            guide |= lower[formula.slot]
    for order in problem.plan.orders:
        guide |= lower[order.index]
    guide = matrices.closure(guide)
    earlier = matrices.inverse(guide)
    rank = [matrices.successors(earlier, event).bit_count() for event in range(matrices.size)]
    guessed = problem.copy()
    for order in problem.plan.orders:
        for a, b in matrices.pairs(upper[order.index] & ~lower[order.index]):
            if (rank[a], a) < (rank[b], b):
                guessed.bounds.ordered[order.number] |= matrices.pair(a, b)
    return guessed


def _branch(problem: ConstraintProblem) -> list[ConstraintProblem]:
    """Branch on one undecided pair that open formulas depend on; the alternative to be tried first comes last."""
    number, pairs = problem.relevant_pairs()[0]
    return _both_ways(problem, number, pairs & -pairs)


def total_orders(problem: ConstraintProblem, budget: NodeBudget) -> Iterator[ConstraintProblem]:
    """A subproblem for each way to complete the modification orders; the linearisations stay open."""
    modification = problem.plan.orders[0].index
    stack = [problem.copy()]
    while stack:
        budget.charge_node()
        current = stack.pop()
        if not current.propagate() or current.decided_order(0) is None:
            continue
        undecided = current.bounds.upper[modification] & ~current.bounds.lower[modification]
        if undecided:
            stack.extend(_both_ways(current, 0, undecided & -undecided))
        else:
            yield current


def possible_last_writes(problem: ConstraintProblem, writes: int) -> int:
    """Of a mask of writes to one location, those that no other is known to follow in modification order."""
    order = problem.bounds.lower[problem.plan.orders[0].index]
    matrices = problem.bounds.matrices
    return sum(1 << w for w in members(writes) if not matrices.successors(order, w) & writes)


def with_last_write(problem: ConstraintProblem, writes: int, last: int) -> ConstraintProblem | None:
    """The subproblem in which one write is the last of its location; None if it is found to have no solution."""
    current = problem.copy()
    current.bounds.ordered[0] |= current.bounds.matrices.product(writes & ~(1 << last), 1 << last)
    return current if current.propagate() and current.decided_order(0) is not None else None


def _both_ways(problem: ConstraintProblem, number: int, pair: int) -> list[ConstraintProblem]:
    forth, back = problem.copy(), problem.copy()
    forth.bounds.ordered[number] |= pair
    back.bounds.ordered[number] |= problem.bounds.matrices.inverse(pair)
    return [back, forth]
