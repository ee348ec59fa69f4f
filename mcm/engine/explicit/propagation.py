"""Constraint propagation: what the formulas of a problem imply for its bounds.

A constraint problem is what Kodkod calls a problem: relational bounds, and formulas that must hold. A formula here says
that a slot has a member in a mask, or none (`some`, `no`). One step of propagation evaluates the operators upwards, so
that bounds of the operands give bounds of the results, then takes what the formulas exclude and include downwards
through the same operators to reads-from and the orders. Steps are repeated until nothing changes. Every conclusion
holds in all completions of the partial execution: propagation never loses an execution.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.engine.explicit.operators import Narrowing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mcm.engine.explicit.bounds import Bounds
    from mcm.engine.explicit.budget import NodeBudget
    from mcm.engine.explicit.operators import Operator
    from mcm.engine.explicit.plan import Plan

# From this many events on, one operator can take long enough to look at the clock.
_LARGE: Final = 100


class Formula(Struct, frozen=True):
    """`some (slot & mask)`, or else `no (slot & mask)`."""

    slot: int
    mask: int
    some: bool


class ConstraintProblem:
    """Bounds, with the formulas that do not hold in all executions within them (`open_formulas`).

    `active` are the operators whose bounds differ and that open formulas depend on; unless `is_restricted`, others may
    be among them. `flag_operators` are those that flags depend on. `changed` says whether the last step decided
    something. `base_state` tells for which knowledge of control flow and locations the bounds of base sets and
    relations were computed, `settled` for what it is known that another step finds nothing.
    """

    __slots__ = (
        "active",
        "base_state",
        "bounds",
        "budget",
        "changed",
        "flag_operators",
        "is_restricted",
        "open_formulas",
        "plan",
        "settled",
    )

    def __init__(self, plan: Plan, bounds: Bounds, budget: NodeBudget) -> None:
        self.plan = plan
        self.bounds = bounds
        self.budget = budget
        self.open_formulas: list[Formula] = []
        self.active: list[Operator] = []
        self.flag_operators: list[Operator] = []
        self.is_restricted = False
        self.changed = False
        self.base_state: tuple[int, int, int] = (0, 0, 0)
        self.settled: tuple[object, ...] | None = None

    def copy(self) -> ConstraintProblem:
        """A copy that can be changed independently; it shares the lists, which are replaced and never changed."""
        twin = object.__new__(ConstraintProblem)
        twin.plan = self.plan
        twin.bounds = self.bounds.copy()
        twin.budget = self.budget
        twin.open_formulas = self.open_formulas
        twin.active = self.active
        twin.flag_operators = self.flag_operators
        twin.is_restricted = self.is_restricted
        twin.changed = False
        twin.base_state = self.base_state
        twin.settled = self.settled
        return twin

    # --- propagation --------------------------------------------------------------------------------------------------

    def begin(self, formulas: list[Formula]) -> bool:
        """Compute all bounds, and propagate these formulas; false if they cannot all hold.

        What is exact then is not computed again.
        """
        self.open_formulas = formulas
        if not self.evaluate(self.plan.operators):
            return False
        exact = self.bounds.exact
        self.active = self.flag_operators = [operator for operator in self.plan.operators if not exact[operator.index]]
        if not self._apply_formulas():
            return False
        if self.changed:
            return self.propagate()
        self.settled = self._basis()
        return True

    def propagate(self) -> bool:
        """Propagate until nothing changes; false if the formulas cannot all hold."""
        while self.step():
            if not self.changed:
                return True
        return False

    def step(self) -> bool:
        """Propagate once; `changed` says whether another step may find more. False if the formulas cannot all hold."""
        # Where no formula is open, nothing is active.
        if not self.open_formulas or self._basis() == self.settled:
            self.changed = False
            return True
        if not (self.evaluate(self.active) and self._apply_formulas()):
            return False
        if not self.changed:
            self.settled = self._basis()
        return True

    def _basis(self) -> tuple[object, ...]:
        """All that bounds are computed from."""
        bounds = self.bounds
        return (bounds.chosen, bounds.forbidden, tuple(bounds.ordered), self.base_state, self.open_formulas)

    def evaluate(self, operators: Iterable[Operator]) -> bool:
        """Compute the bounds of these operators, in order; false if no execution is within them."""
        bounds = self.bounds
        matrices, lower, upper, exact = bounds.matrices, bounds.lower, bounds.upper, bounds.exact
        found_exact = False
        if matrices.size > _LARGE:
            operators = self._in_time(operators)
        for operator in operators:
            index = operator.index
            for operand in operator.operands:
                if not exact[operand]:
                    break
            else:
                # So it is for most, when a search begins: what is known is computed once and not twice.
                known = operator.value(matrices, lower)
                if known is not None:
                    lower[index] = upper[index] = known
                    exact[index] = found_exact = True
                    continue
            least, greatest = operator.bound(bounds)
            if least == greatest:
                lower[index] = upper[index] = least
                exact[index] = found_exact = True
            elif least and least & ~greatest:
                return False
            else:
                lower[index] = least
                upper[index] = greatest
        if found_exact:
            self.is_restricted = False
        return True

    def _in_time(self, operators: Iterable[Operator]) -> Iterator[Operator]:
        """The operators; the budget is asked before each."""
        for operator in operators:
            self.budget.check_time()
            yield operator

    def _apply_formulas(self) -> bool:
        """Close the formulas that hold in all executions, and narrow by the others; false if one cannot hold."""
        lower, upper = self.bounds.lower, self.bounds.upper
        self.changed = False
        if not self.open_formulas:
            self.active = []
            return True
        narrowing = Narrowing(len(lower))
        still_open = []
        for formula in self.open_formulas:
            slot = formula.slot
            possible = formula.mask & upper[slot]
            if formula.some:
                if not possible:
                    return False
                if formula.mask & lower[slot]:
                    continue
                if possible & (possible - 1) == 0:
                    narrowing.include[slot] |= possible
            else:
                if not possible:
                    continue
                if possible & lower[slot]:
                    return False
                narrowing.exclude[slot] |= possible
            still_open.append(formula)
        if len(still_open) != len(self.open_formulas):
            self.open_formulas = still_open
            self.is_restricted = False
            if not still_open:
                self.active = []
                return True
        if not self.is_restricted:
            self._restrict()
        is_possible = self._narrow(narrowing)
        self.changed = narrowing.changed
        return is_possible

    def _narrow(self, narrowing: Narrowing) -> bool:
        """Take what is excluded and included from results to operands; false if that contradicts the bounds."""
        bounds = self.bounds
        lower, upper = bounds.lower, bounds.upper
        for operator in reversed(self.active):
            index = operator.index
            excluded, included = narrowing.exclude[index], narrowing.include[index]
            if excluded:
                excluded &= upper[index]
                if excluded & lower[index]:
                    return False
            if included:
                included &= ~lower[index]
                if included & ~upper[index]:
                    return False
            if excluded or included:
                operator.narrow(bounds, narrowing, excluded, included)
        return True

    # --- formulas and the operators that matter to them ---------------------------------------------------------------

    def add_formula(self, formula: Formula) -> None:
        """Let one more formula be required."""
        exact = self.bounds.exact
        self.open_formulas = [*self.open_formulas, formula]
        self.active = [operator for operator in self.plan.operators if not exact[operator.index]]
        self._restrict()

    def _restrict(self) -> None:
        """Drop the operators that are exact or that no open formula depends on."""
        self.active = self._needed(self.active, (formula.slot for formula in self.open_formulas))
        self.is_restricted = True

    def _needed(self, operators: Sequence[Operator], slots: Iterable[int]) -> list[Operator]:
        """The operators that are not exact and that some slots depend on, not counting what exact slots depend on."""
        exact = self.bounds.exact
        needed = set(slots)
        kept = []
        for operator in reversed(operators):
            index = operator.index
            # Most are exact, and are dropped at once.
            if not exact[index] and index in needed:
                kept.append(operator)
                needed.update(operator.operands)
        kept.reverse()
        return kept

    def evaluate_flags(self, slots: Sequence[int]) -> bool:
        """Compute the bounds of what the flags at these slots depend on; false if no execution is within them."""
        self.flag_operators = self._needed(self.flag_operators, slots)
        return self.evaluate(self.flag_operators)

    # --- orders -------------------------------------------------------------------------------------------------------

    def relevant_pairs(self) -> list[tuple[int, int]]:
        """For each order on which open formulas may depend: its number, and the undecided pairs that can matter."""
        bounds = self.bounds
        lower, upper = bounds.lower, bounds.upper
        relevant = [0] * len(lower)
        for formula in self.open_formulas:
            relevant[formula.slot] |= formula.mask & upper[formula.slot]
        for operator in reversed(self.active):
            wanted = relevant[operator.index] & upper[operator.index]
            if wanted:
                operator.trace(bounds, relevant, wanted)
        found = []
        for order in self.plan.orders:
            index = order.index
            undecided = relevant[index] & upper[index] & ~lower[index]
            if undecided:
                found.append((order.number, undecided))
        return found

    def decided_order(self, number: int) -> int | None:
        """The transitive closure of what is decided of an order; None if that is contradictory."""
        order = self.plan.orders[number]
        if not self.evaluate((order,)):
            return None
        return self.bounds.lower[order.index]
