"""Bounds of the base sets and relations: what control flow and locations imply, as far as they are known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.engine.explicit.bounds import Bounds
from mcm.engine.explicit.plan import EVERYTHING, NOTHING, ORDERABLE, READABLE, WRITTEN
from mcm.engine.explicit.propagation import ConstraintProblem, Formula

if TYPE_CHECKING:
    from collections.abc import Container

    from mcm.engine.explicit.budget import NodeBudget
    from mcm.engine.explicit.packed_skeleton import PackedSkeleton
    from mcm.engine.explicit.plan import CompiledCheck, Plan
    from mcm.engine.explicit.valuation import Valuation
    from mcm.program.types import Location


class BaseBounds:
    """Computes the bounds of the base sets and relations of one skeleton under one plan."""

    def __init__(self, packed: PackedSkeleton, plan: Plan) -> None:
        self._packed: Final = packed
        self._plan: Final = plan
        sets = packed.skeleton.sets
        # The slots of base sets and relations that are not known to be exact, with what the skeleton says of them.
        self._sets = [(slot, sets[name]) for name, slot in plan.sets.items()]
        self._written = [(slot, sets[name]) for name, slot in plan.written.items()]
        self._relations = [(slot, packed.relation(name)) for name, slot in plan.relations.items() if name != "loc"]
        self.flag_formulas: Final = [self._formula(flag) for flag in plan.flags]

    def problem(self, valuation: Valuation, budget: NodeBudget) -> ConstraintProblem | None:
        """The problem from which a search starts, with the checks as formulas; None if it has no solution.

        What is exact here is exact in every execution of the skeleton and is not computed again: this is partial
        evaluation of the model for the program.
        """
        bounds = Bounds(self._packed.matrices, self._plan.size, len(self._plan.orders))
        initial = self._packed.initial
        # The initial write is the first of its location.
        bounds.ordered[0] = self._packed.matrices.product(initial, self._packed.writers & ~initial)
        problem = ConstraintProblem(self._plan, bounds, budget)
        bounds.set(NOTHING, 0, 0)
        for name, slot in self._plan.written_relations.items():
            bounds.set(slot, self._packed.relation(name), self._packed.relation(name))
        bounds.set(WRITTEN, (1 << self._packed.matrices.size) - 1, (1 << self._packed.matrices.size) - 1)
        self._fill(problem, valuation)
        exact = bounds.exact
        self._sets = [known for known in self._sets if not exact[known[0]]]
        self._written = [known for known in self._written if not exact[known[0]]]
        self._relations = [known for known in self._relations if not exact[known[0]]]
        return problem if problem.begin([self._formula(check) for check in self._plan.checks]) else None

    def refresh(self, problem: ConstraintProblem, valuation: Valuation) -> bool:
        """Update the bounds to what is known of control flow and locations; false if that is contradictory."""
        if problem.base_state == _state(valuation):
            return True
        self._fill(problem, valuation)
        return problem.evaluate((self._plan.reads_from, *self._plan.orders))

    def _formula(self, check: CompiledCheck) -> Formula:
        """The formula that a check requires."""
        if check.is_set:
            mask = (1 << self._packed.matrices.size) - 1
        elif check.diagonal:
            mask = self._packed.matrices.identity
        else:
            mask = self._packed.matrices.full
        return Formula(check.slot, mask, some=check.negated)

    def _fill(self, problem: ConstraintProblem, valuation: Valuation) -> None:
        """Set the bounds of everything that the skeleton provides and that is not exact yet."""
        problem.base_state = _state(valuation)
        bounds = problem.bounds
        packed, matrices = self._packed, self._packed.matrices
        surely = valuation.executed
        maybe = ((1 << matrices.size) - 1) & ~valuation.skipped
        bounds.set(EVERYTHING, surely, maybe)
        reached, reachable = self._accesses(valuation)
        for slot, members in self._sets:
            lower = upper = members.events
            if members.locations:
                lower |= _at(members.locations, reached)
                upper |= _at(members.locations, reachable)
            bounds.set(slot, lower & surely, upper & maybe)
        for slot, members in self._written:
            lower, upper = _at(members.locations, reached), _at(members.locations, reachable)
            bounds.set(slot, members.events | lower, members.events | upper)
        together, possible = matrices.product(surely, surely), matrices.product(maybe, maybe)
        for slot, static in self._relations:
            bounds.set(slot, static & together, static & possible)
        lower, upper = matrices.squares(reached.values()) & together, matrices.squares(reachable.values()) & possible
        if "loc" in self._plan.relations:
            bounds.set(self._plan.relations["loc"], lower, upper)
        lower, upper = lower & ~matrices.identity, upper & ~matrices.identity
        for slot, pairs in ((READABLE, packed.write_read), (ORDERABLE, packed.write_write)):
            bounds.set(slot, lower & pairs, upper & pairs)

    def _accesses(self, valuation: Valuation) -> tuple[dict[Location, int], dict[Location, int]]:
        """For each location the accesses that reach it, and those that may, as masks."""
        known: dict[Location, int] = {}
        for event, location in valuation.locations.items():
            known[location] = known.get(location, 0) | 1 << event
        possible = known.copy()
        for access in self._packed.dynamic_accesses:
            if access.identifier not in valuation.locations:
                for location in access.locations:
                    possible[location] = possible.get(location, 0) | 1 << access.identifier
        return known, possible


def _at(locations: Container[Location], accesses: dict[Location, int]) -> int:
    """The accesses at some locations, as a mask."""
    found = 0
    for location, events in accesses.items():
        if location in locations:
            found |= events
    return found


def _state(valuation: Valuation) -> tuple[int, int, int]:
    """What the bounds of base sets and relations depend on: it changes when they can."""
    return (valuation.executed, valuation.skipped, len(valuation.locations))
