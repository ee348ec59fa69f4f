"""CaDiCaL as a solver, from python-sat: many times quicker than Z3 at the same clauses.

It cannot be interrupted: a time limit that passes while it solves is noticed when it is done, or by whoever runs the
whole check against a clock.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from pysat.solvers import Cadical195

if TYPE_CHECKING:
    from collections.abc import Iterable


class CadicalSolver:
    """CaDiCaL, incremental and under assumptions."""

    def __init__(self) -> None:
        self._solver = Cadical195()
        self._model: list[int] = []

    def add(self, clauses: list[int]) -> None:
        """Assert clauses, given as DIMACS literals with 0 behind each clause."""
        self._solver.append_formula([list(clause) for is_clause, clause in groupby(clauses, bool) if is_clause])

    def solve(self, assumptions: Iterable[int] = ()) -> bool:
        """Whether everything asserted can hold together with the assumptions."""
        found = bool(self._solver.solve(assumptions=list(assumptions)))
        self._model = self._solver.get_model() if found else []
        return found

    def truth(self, variables: Iterable[int]) -> set[int]:
        """Those of the variables that are true in the last solution; those that occur in no clause are false."""
        model = self._model
        return {variable for variable in variables if variable <= len(model) and model[variable - 1] > 0}
