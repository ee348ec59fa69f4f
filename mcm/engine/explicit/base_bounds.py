"""Bounds of the base sets and relations: what control flow and locations imply, as far as they are known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.engine.explicit.bounds import Bounds
from mcm.engine.explicit.plan import EVERYTHING, NOTHING, ORDERABLE, READABLE, WRITTEN
from mcm.engine.explicit.propagation import ConstraintProblem, Formula

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

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
        # The slots of base sets and relations that are not known to be exact, by name; of relations also their pairs.
        self._sets = plan.sets
        self._written = plan.written
        self._relations = [(slot, packed.relation(name)) for name, slot in plan.relations.items() if name != "loc"]
        self.flag_formulas: Final = self._formulas(plan.flags)

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
        if self._packed.open_events:
            # More will be known of the others.
            exact = bounds.exact
            self._sets = {name: slot for name, slot in self._sets.items() if not exact[slot]}
            self._written = {name: slot for name, slot in self._written.items() if not exact[slot]}
            self._relations = [known for known in self._relations if not exact[known[0]]]
        return problem if problem.begin(self._formulas(self._plan.checks)) else None

    def refresh(self, problem: ConstraintProblem, valuation: Valuation) -> bool:
        """Update the bounds to what is known of control flow and locations; false if that is contradictory."""
        if problem.base_state == _state(valuation):
            return True
        self._fill(problem, valuation)
        return problem.evaluate((self._plan.reads_from, *self._plan.orders))

    def _formulas(self, checks: tuple[CompiledCheck, ...]) -> list[Formula]:
        """The formulas that checks require."""
        matrices = self._packed.matrices
        everything, diagonal, full = (1 << matrices.size) - 1, matrices.identity, matrices.full
        return [
            Formula(one.slot, everything if one.is_set else diagonal if one.diagonal else full, one.negated)
            for one in checks
        ]

    def _fill(self, problem: ConstraintProblem, valuation: Valuation) -> None:
        """Set the bounds of everything that the skeleton provides and that is not exact yet.

        It grows with what is executed and with what reaches a location: so what is surely there gives the lower bounds,
        and what may be there the upper ones, which mostly is the same.
        """
        problem.base_state = _state(valuation)
        surely = valuation.executed
        maybe = ((1 << self._packed.matrices.size) - 1) & ~valuation.skipped
        reached, reachable = self._accesses(valuation)
        least = greatest = self._provided(surely, reached)
        if maybe != surely or reachable is not reached:
            greatest = self._provided(maybe, reachable)
        problem.bounds.set_all(least, greatest)

    def _provided(self, executed: int, accesses: Mapping[Location, int]) -> dict[int, int]:
        """What base sets and relations are, by slot, where these events are executed and reach these locations."""
        packed, matrices, sets = self._packed, self._packed.matrices, self._packed.skeleton.sets
        pairs = matrices.product(executed, executed)
        found = {EVERYTHING: executed}
        for name, slot in self._sets.items():
            members = sets[name]
            events = members.events
            if members.locations:
                events |= _at(members.locations, accesses)
            found[slot] = events & executed
        for name, slot in self._written.items():
            members = sets[name]
            found[slot] = members.events | _at(members.locations, accesses)
        for slot, static in self._relations:
            found[slot] = static & pairs
        together = matrices.squares(accesses.values()) & pairs
        if "loc" in self._plan.relations:
            found[self._plan.relations["loc"]] = together
        together &= ~matrices.identity
        found[READABLE] = together & packed.write_read
        found[ORDERABLE] = together & packed.write_write
        return found

    def _accesses(self, valuation: Valuation) -> tuple[dict[Location, int], dict[Location, int]]:
        """For each location the accesses that reach it, and those that may, as masks; the same where all is known."""
        known: dict[Location, int] = {}
        for event, location in valuation.locations.items():
            known[location] = known.get(location, 0) | 1 << event
        left = [one for one in self._packed.dynamic_accesses if one.identifier not in valuation.locations]
        if not left:
            return known, known
        possible = known.copy()
        for access in left:
            for location in access.locations:
                possible[location] = possible.get(location, 0) | 1 << access.identifier
        return known, possible


def _at(locations: Container[Location], accesses: Mapping[Location, int]) -> int:
    """The accesses at some locations, as a mask."""
    found = 0
    for location, events in accesses.items():
        if location in locations:
            found |= events
    return found


def _state(valuation: Valuation) -> tuple[int, int, int]:
    """What the bounds of base sets and relations depend on: it changes when they can."""
    return (valuation.executed, valuation.skipped, len(valuation.locations))
