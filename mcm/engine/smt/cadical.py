"""CaDiCaL as a solver, from python-sat: many times quicker than Z3 at the same clauses.

It solves in stretches of so many conflicts, between which limits are looked at. Where the installed python-sat knows no
such stretches, a limit that passes meanwhile is noticed when it is done, or by whoever runs the check against a clock.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final

from pysat.solvers import Cadical195

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcm.engine.smt.budget import Budget

# Conflicts in a stretch: a few milliseconds of work, in formulas of usual size. In large ones there are fewer, so that
# it takes about a second; time decides nothing, or what is found first would depend on it.
_CONFLICTS: Final = 5_000
_FEWEST: Final = 50
_CONFLICTS_BY_LITERALS: Final = 2_500_000_000


# No stretch ends while variables are eliminated, which takes minutes where clauses are long, and gains nothing here.
_OPTIONS: Final = {"elim": 0}


class CadicalSolver:
    """CaDiCaL, incremental and under assumptions."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._solver = Cadical195()
        if hasattr(self._solver, "configure"):
            self._solver.configure(_OPTIONS)
        self._literals = 1
        self._model: list[int] = []

    def add(self, clauses: list[int]) -> None:
        """Assert clauses, given as DIMACS literals with 0 behind each clause."""
        self._literals += len(clauses)
        self._solver.append_formula([list(clause) for is_clause, clause in groupby(clauses, bool) if is_clause])

    def solve(self, assumptions: Iterable[int] = ()) -> bool:
        """Whether everything asserted can hold together with the assumptions. Raises UndecidedError."""
        found = self._solved(list(assumptions))
        self._model = self._solver.get_model() if found else []
        return found

    def _solved(self, assumptions: list[int]) -> bool:
        conflicts = max(_FEWEST, min(_CONFLICTS, _CONFLICTS_BY_LITERALS // self._literals))
        while True:
            try:
                self._solver.conf_budget(conflicts)
                found = self._solver.solve_limited(assumptions=assumptions)
            except RuntimeError:
                # Older releases refuse this, by a special case of the exception.
                return bool(self._solver.solve(assumptions=assumptions))
            if found is not None:
                return bool(found)
            self._budget.check()

    def truth(self, variables: Iterable[int]) -> set[int]:
        """Those of the variables that are true in the last solution; those that occur in no clause are false."""
        model = self._model
        return {variable for variable in variables if variable <= len(model) and model[variable - 1] > 0}
