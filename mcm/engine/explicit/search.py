"""Depth-first search through the executions of one skeleton.

A node is a partial execution: control flow and values as far as they are known (`valuation`), and a problem (relational
bounds and open formulas). A node is pruned if nothing below it can be new, propagated, and branched on a decision: a
write for a read, a free choice, or a condition on values that depend on themselves. Orders, and such values, are
decided only at the leaves.
`docs/search.md` explains the search on an example.
"""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.base.bits import members
from mcm.engine.explicit.base_bounds import BaseBounds
from mcm.engine.explicit.blocked import BlockedSearch
from mcm.engine.explicit.combinations import MANY_WAYS, Combinations
from mcm.engine.explicit.decisions import AssignRead, Decisions
from mcm.engine.explicit.flags import FlagSearch
from mcm.engine.explicit.leaf_results import LeafResults
from mcm.engine.explicit.packed_skeleton import PackedSkeleton
from mcm.engine.explicit.pruning import OutcomePruning, Pruning, SinglePruning, TargetStates
from mcm.engine.explicit.settled_reads import SettledReads
from mcm.engine.explicit.symmetry import FEWEST, NO_SYMMETRY, VisitedOrbits, images_of_stop
from mcm.engine.explicit.valuation import DecideAddress, DecideChoice, DecideCondition, Obstacle, Valuation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mcm.engine.explicit.budget import NodeBudget
    from mcm.engine.explicit.circular_results import CircularResults
    from mcm.engine.explicit.findings import Findings
    from mcm.engine.explicit.plan import Plan
    from mcm.engine.explicit.propagation import ConstraintProblem
    from mcm.engine.explicit.symmetry import SymmetricThreads, Symmetry
    from mcm.execution.expression import Expression
    from mcm.execution.skeleton import Skeleton
    from mcm.program.types import Value


class SymmetricCircleError(Exception):
    """Values depend on themselves in a program with symmetric threads; it is to be searched without symmetry."""


class Node(Struct, frozen=True):
    """A partial execution.

    `valuation` and `problem` are not changed after other nodes were made from copies of them. Of the executions below,
    only the states of `target` can be new; None where that is not known.
    """

    valuation: Valuation
    problem: ConstraintProblem
    target: TargetStates | None = None


class Visit(Struct, frozen=True):
    """One kind of executions to search: what holds of them, what below a node can be new, what is decided first.

    `combinations` adds the states of nodes whose reads are independent; None where states do not matter.
    """

    requirements: int
    pruning: Pruning
    decisions: Decisions
    combinations: Combinations | None = None


# A small program that is the only one of a process is searched before a plan for it would be made.
_FEW_EVENTS: Final = 16
# From so many places where threads may stop on, it is asked first whether any is reached.
_MANY_STOPS: Final = 12


def _plan_for(packed: PackedSkeleton, plan: Plan) -> Plan:
    if next(plan.uses) == 0 and len(packed.events) <= _FEW_EVENTS:
        return plan
    # Imported here: a single small test needs none of it.
    from mcm.engine.explicit.specialise import plan_for  # noqa: PLC0415

    return plan_for(packed, plan)


def _symmetry_of(skeleton: Skeleton, findings: Findings) -> Symmetry:
    # Host threads that give commands have no events here.
    if len(skeleton.program.threads) < FEWEST or len({event.thread for event in skeleton.events} - {None}) < FEWEST:
        return NO_SYMMETRY
    # Imported here: small programs have too few threads.
    from mcm.engine.explicit.exchanges import symmetry_of  # noqa: PLC0415

    return symmetry_of(skeleton, findings.query, findings.watched)


class Search:
    """Searches one skeleton and adds what it finds to the findings."""

    def __init__(
        self,
        skeleton: Skeleton,
        plan: Plan,
        findings: Findings,
        budget: NodeBudget,
        *,
        uses_symmetry: bool = True,
        many_ways: int = MANY_WAYS,
    ) -> None:
        self._skeleton: Final = skeleton
        self._packed: Final = PackedSkeleton(skeleton)
        self._slots_of_model: Final = plan.size
        self._plan: Final = _plan_for(self._packed, plan)
        self._base_bounds: Final = BaseBounds(self._packed, self._plan)
        self._findings: Final = findings
        self._budget: Final = budget
        symmetry = _symmetry_of(skeleton, findings) if uses_symmetry else NO_SYMMETRY
        self._symmetry: Final = symmetry
        self._symmetric_threads: Final = max(map(len, symmetry.threads), default=1)
        flags = FlagSearch(self._packed, self._base_bounds, symmetry.exchanges, findings, budget)
        self._flags: Final = flags
        blocked = BlockedSearch(self._packed, symmetry.exchanges, findings, budget)
        self._blocked: Final = blocked
        self._outcomes: Final = OutcomePruning(skeleton, findings, flags)
        combinations = Combinations(self._packed, self._outcomes, symmetry.exchanges, findings, budget, many_ways)
        self._combinations: Final = combinations if combinations.are_sought else None
        self._leaf_results: Final = LeafResults(self._packed, flags, blocked, symmetry.exchanges, findings, budget)
        self._settled_reads: Final = SettledReads(self._leaf_results, findings, budget)

    @cached_property
    def _circular_results(self) -> CircularResults:
        # Imported here: in most programs no values depend on themselves.
        from mcm.engine.explicit.circular_results import CircularResults  # noqa: PLC0415

        return CircularResults(self._packed, self._leaf_results, self._blocked, self._findings, self._budget)

    def run(self) -> None:
        """Search the complete executions, then the unfinished ones; these first where the first problem is sought.

        Raises SymmetricCircleError.
        """
        self._budget.start(self._packed.matrices.size, self._slots_of_model, self._symmetric_threads)
        self._budget.check_size(self._packed.matrices.size, self._plan.filled)
        self._budget.charge_node()
        valuation = Valuation(self._packed)
        problem = self._base_bounds.problem(valuation, self._budget)
        if problem is None:
            return
        self._flags.begin(problem)
        root = Node(valuation, problem)
        visits = [self._visit_complete, self._visit_unfinished]
        if self._findings.query.first_problem is not None:
            visits.reverse()
        for visit in visits:
            visit(root)

    def _visit_complete(self, root: Node) -> None:
        """Search for states and problems of complete executions, and for any complete execution if that is asked."""
        findings, stops = self._findings, self._skeleton.stops
        visit = Visit(
            self._packed.complete_requirements,
            self._outcomes,
            Decisions(self._skeleton, findings, stops),
            self._combinations,
        )
        self._visit(root, visit, self._symmetry.threads)
        if findings.asks_whether_complete and not findings.complete_exists:
            any_complete = SinglePruning(lambda: findings.complete_exists)
            self._visit(root, replace(visit, pruning=any_complete, combinations=None), self._symmetry.threads)

    def _visit_unfinished(self, root: Node) -> None:
        """Search for each stop that is not known to be reached, then for what else is new where threads stop."""
        findings, stops = self._findings, self._skeleton.stops
        if self._are_all_finished(root):
            return
        unreachable: set[int] = set()
        for number, stop in enumerate(stops if findings.query.wants_outcomes else ()):
            if number not in unreachable and not findings.has_stop(stop):
                visit = Visit(
                    self._packed.stop_requirement(number),
                    SinglePruning(partial(findings.has_stop, stop)),
                    Decisions(self._skeleton, findings, (stop,)),
                )
                # The image of an execution in which this thread stops is one in which another one does.
                self._visit(root, visit, self._symmetry.threads_beside(stop, number))
                if not findings.has_stop(stop):
                    unreachable |= images_of_stop(number, self._symmetry)
        if stops:
            # Imported here: most programs do not wait.
            from mcm.engine.explicit.unfinished import UnfinishedPruning  # noqa: PLC0415

            self._visit_any_stop(root, UnfinishedPruning(self._skeleton, findings, self._outcomes, self._blocked))

    def _visit_any_stop(self, root: Node, pruning: Pruning) -> None:
        """Search the executions in which some thread stops, whichever it is."""
        decisions = Decisions(self._skeleton, self._findings, self._skeleton.stops)
        self._visit(root, Visit(self._packed.unfinished_requirement, pruning, decisions), self._symmetry.threads)

    def _are_all_finished(self, root: Node) -> bool:
        """Whether no execution is unfinished, which one visit to any of them shows; asked where stops are many."""
        findings, stops = self._findings, self._skeleton.stops

        def is_reached() -> bool:
            return any(map(findings.has_stop, stops))

        if len(stops) < _MANY_STOPS or not findings.query.wants_outcomes or is_reached():
            return False
        self._visit_any_stop(root, SinglePruning(is_reached))
        return not is_reached()

    def _visit(self, root: Node, visit: Visit, symmetric: tuple[SymmetricThreads, ...]) -> None:
        """Search the executions of one visit below `root`; one of those that exchanges of threads map to each other."""
        valuation = root.valuation.copy()
        valuation.require(visit.requirements)
        stack = [(Node(valuation, root.problem.copy()), 1.0)]
        visited = VisitedOrbits(symmetric)
        while stack and not self._findings.is_complete:
            self._budget.credit_states(self._findings.states, is_decided=self._findings.is_decided)
            self._budget.check_alternatives(len(stack) - 1)
            self._budget.charge_node()
            node, share = stack.pop()
            children: list[Node] = []
            if visited.add(node.valuation) and visit.pruning.is_open(node.valuation, node.problem, node.target):
                children = self._children(node, visit)
            if children:
                share /= len(children)
                stack.extend([(child, share) for child in reversed(children)])
            else:
                self._budget.searched += share

    def _children(self, node: Node, visit: Visit) -> list[Node]:
        """The nodes to search instead of one; none if it has no execution, or is a leaf."""
        writes = self._propagate(node)
        if writes is None:
            return []
        combinations = visit.combinations
        if combinations is not None and writes and combinations.add(node.valuation, node.problem, writes):
            return []
        if node.target is None and not self._symmetry.groups:
            targets = visit.pruning.targets(node.valuation, node.problem, writes)
            if targets is not None:
                if combinations is not None and node.valuation.is_settled:
                    left = self._settled_reads.left(node.valuation, node.problem, len(writes), targets)
                else:
                    left = ((target, node.problem.copy()) for target in targets)
                return list(self._branch_on_targets(node.valuation, left))
        return list(self._branch(node, visit.decisions.next(node.valuation, writes)))

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

    def _branch(self, node: Node, decision: AssignRead | Obstacle | None) -> Iterator[Node]:
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
            case DecideCondition(condition):
                yield from self._suppose(node, condition, (1, 0))
            case DecideAddress(event):
                reached = self._skeleton.events[event]
                assert reached.address is not None, "only accesses have an address to decide"
                yield from self._suppose(node, reached.address, reached.locations)
            case None if node.valuation.circular:
                self._require_no_symmetry()
                self._circular_results.add(node.valuation, node.problem)
            case None:
                self._leaf_results.add(node.valuation, node.problem)

    def _suppose(self, node: Node, expression: Expression, values: Iterable[Value]) -> Iterator[Node]:
        """One node for each value of an expression that values which depend on themselves can give it."""
        self._require_no_symmetry()
        for value in values:
            valuation = node.valuation.copy()
            if (
                valuation.suppose(expression, value)
                and valuation.meet_requirements()
                and self._circular_results.is_possible(valuation)
            ):
                yield Node(valuation, node.problem.copy(), node.target)

    def _require_no_symmetry(self) -> None:
        """The solutions that stand for all are not the images of each other."""
        if self._symmetry.groups:
            raise SymmetricCircleError

    @staticmethod
    def _branch_on_targets(
        known: Valuation, targets: Iterable[tuple[TargetStates, ConstraintProblem]]
    ) -> Iterator[Node]:
        """One node for each group of new states, with the reads assigned that lead to them."""
        for target, problem in targets:
            valuation = known.copy()
            for read, write in target.reads_from:
                problem.bounds.choose(write, read)
                if not valuation.assign(read, write):
                    break
            else:
                if valuation.meet_requirements():
                    yield Node(valuation, problem, target)
