"""Depth-first search through the executions of one skeleton.

A node is a partial execution: control flow and values as far as they are known (`valuation`), and a problem (relational
bounds and open formulas). A node is pruned if nothing below it can be new, propagated, and branched on a decision: a
write for a read, a free choice, or a value that depends on itself. Orders are decided only at the leaves.
`docs/search.md` explains the search on an example.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.base.bits import members
from mcm.engine.explicit.base_bounds import BaseBounds
from mcm.engine.explicit.decisions import AssignRead, Decisions
from mcm.engine.explicit.flags import FlagSearch
from mcm.engine.explicit.leaf_results import LeafResults
from mcm.engine.explicit.packed_skeleton import PackedSkeleton
from mcm.engine.explicit.pruning import Pruning, TargetStates
from mcm.engine.explicit.symmetry import VisitedOrbits, symmetry_of
from mcm.engine.explicit.valuation import DecideChoice, GuessValue, Valuation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mcm.engine.explicit.budget import NodeBudget
    from mcm.engine.explicit.findings import Findings
    from mcm.engine.explicit.plan import Plan
    from mcm.engine.explicit.propagation import Problem
    from mcm.execution.skeleton import Skeleton, Stop


class Node(Struct, frozen=True):
    """A partial execution.

    `valuation` and `problem` are not changed after other nodes were made from copies of them. Of the executions below,
    only the states of `target` can be new; None where that is not known.
    """

    valuation: Valuation
    problem: Problem
    target: TargetStates | None = None


class Search:
    """Searches one skeleton and adds what it finds to the findings."""

    def __init__(self, skeleton: Skeleton, plan: Plan, findings: Findings, budget: NodeBudget) -> None:
        self._skeleton: Final = skeleton
        self._plan: Final = plan
        self._packed: Final = PackedSkeleton(skeleton)
        self._base_bounds: Final = BaseBounds(self._packed, plan)
        self._findings: Final = findings
        self._budget: Final = budget
        symmetry = symmetry_of(skeleton, findings.query, findings.watched)
        self._symmetry: Final = symmetry
        self._symmetric_threads: Final = max(map(len, symmetry.groups), default=1)
        flags = FlagSearch(self._packed, self._base_bounds, symmetry.exchanges, findings, budget)
        self._flags: Final = flags
        self._leaf_results: Final = LeafResults(self._packed, flags, symmetry.exchanges, findings, budget)

    def run(self) -> None:
        """Search the executions in which no loop is cut, then for each loop those in which it is."""
        self._budget.start(self._packed.matrices.size, self._symmetric_threads)
        self._budget.charge_node()
        valuation = Valuation(self._packed)
        problem = self._base_bounds.problem(valuation, self._budget)
        if problem is None:
            return
        self._flags.begin(problem)
        root = Node(valuation, problem)
        self._visit(root, self._packed.uncut_requirements, None)
        for number, cut in enumerate(self._skeleton.stops):
            if not self._findings.has_cut(cut.span):
                self._visit(root, self._packed.cut_requirement(number), cut)

    def _visit(self, root: Node, requirements: int, cut: Stop | None) -> None:
        """Search below `root` under some requirements: that the loop `cut` is cut, or that none is (None)."""
        valuation = root.valuation.copy()
        valuation.require(requirements)
        stack = [Node(valuation, root.problem.copy())]
        visited = VisitedOrbits(self._symmetry)
        pruning = Pruning(self._skeleton, self._findings, self._flags, cut)
        decisions = Decisions(self._skeleton, self._findings, cut)
        while stack and not self._findings.is_complete:
            self._budget.credit_states(self._findings.states)
            self._budget.charge_node()
            node = stack.pop()
            if visited.add(node.valuation) and pruning.is_open(node.valuation, node.problem, node.target):
                stack.extend(reversed(self._children(node, pruning, decisions)))

    def _children(self, node: Node, pruning: Pruning, decisions: Decisions) -> list[Node]:
        """The nodes to search instead of one; none if it has no execution, or is a leaf."""
        writes = self._propagate(node)
        if writes is None:
            return []
        if node.target is None and not self._symmetry.groups:
            targets = pruning.targets(node.valuation, node.problem, writes)
            if targets is not None:
                return list(self._branch_on_targets(node, targets))
        return list(self._branch(node, decisions.next(node.valuation, writes)))

    def _propagate(self, node: Node) -> Mapping[int, int] | None:
        """Propagate until nothing changes, and assign reads that have one write left.

        Returns the reads that are left, each with the mask of its possible writes; None if the node has no execution.
        """
        valuation, problem = node.valuation, node.problem
        while valuation.meet_requirements() and self._base_bounds.refresh(problem, valuation) and problem.step():
            writes = self._writes(node)
            forced = [(read, left) for read, left in writes.items() if left & (left - 1) == 0]
            for read, left in forced:
                if not left or not valuation.assign(read, left.bit_length() - 1):
                    return None
                problem.bounds.choose(left.bit_length() - 1, read)
            if not forced and not problem.changed:
                return writes
        return None

    def _writes(self, node: Node) -> dict[int, int]:
        """The reads that need a write, each with the mask of the writes from which it may still take its value."""
        readable = node.valuation.readable()
        if not readable:
            return {}
        matrices = self._packed.matrices
        bounds = node.problem.bounds
        sources = matrices.inverse(bounds.upper[self._plan.reads_from.index] & ~bounds.forbidden)
        return {read: matrices.successors(sources, read) for read in readable}

    def _branch(self, node: Node, decision: AssignRead | DecideChoice | GuessValue | None) -> Iterator[Node]:
        """One node for each alternative of a decision; a leaf, which needs none, adds to the findings instead."""
        match decision:
            case AssignRead(read, sources):
                for write in members(sources):
                    valuation = node.valuation.copy()
                    if valuation.assign(read, write) and valuation.meet_requirements():
                        problem = node.problem.copy()
                        problem.bounds.choose(write, read)
                        yield Node(valuation, problem, node.target)
            case DecideChoice(choice):
                for taken in (True, False):
                    valuation = node.valuation.copy()
                    if valuation.decide(choice, taken=taken) and valuation.meet_requirements():
                        yield Node(valuation, node.problem.copy(), node.target)
            case GuessValue(read):
                for value in self._skeleton.constants:
                    valuation = node.valuation.copy()
                    if valuation.guess(read, value) and valuation.meet_requirements():
                        yield Node(valuation, node.problem.copy(), node.target)
            case None:
                self._leaf_results.add(node.valuation, node.problem)

    @staticmethod
    def _branch_on_targets(node: Node, targets: Iterable[TargetStates]) -> Iterator[Node]:
        """One node for each group of new states, with the reads assigned that lead to them."""
        for target in targets:
            valuation, problem = node.valuation.copy(), node.problem.copy()
            for read, write in target.reads_from:
                problem.bounds.choose(write, read)
                if not valuation.assign(read, write):
                    break
            else:
                if valuation.meet_requirements():
                    yield Node(valuation, problem, target)
