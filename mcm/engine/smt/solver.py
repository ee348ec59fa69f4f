"""The interface to SAT solvers: clauses in bulk, assumptions, values. The query says which solver is used.

Where it leaves the choice, small formulas go to Z3, which is always there, and large ones to CaDiCaL, if that is
installed: it takes a third of the time at the same clauses.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Final, Protocol, assert_never

from mcm.answer.query import SolverName

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcm.engine.smt.budget import Budget

# The module that a solver is in, and the distribution that brings it, where it does not come with this package.
_EXTRAS: Final = {SolverName.CADICAL: ("pysat", "python-sat")}


# Literals in the first clauses of a formula from which on it is large: below, either solver takes milliseconds.
_LARGE: Final = 2_000


class Solver(Protocol):
    """The interface of a SAT solver."""

    def add(self, clauses: list[int]) -> None:
        """Assert clauses, given as DIMACS literals with 0 behind each clause."""

    def solve(self, assumptions: Iterable[int] = ()) -> bool:
        """Whether everything asserted can hold together with the assumptions. Raises UndecidedError."""

    def truth(self, variables: Iterable[int]) -> set[int]:
        """Those of the variables that are true in the last solution; unconstrained ones are false."""


def chosen_solver(name: SolverName, literals: int) -> SolverName:
    """The solver that is used for a formula whose first clauses have so many literals."""
    if name is not SolverName.AUTO:
        return name
    has_fast = literals >= _LARGE and missing_distribution(SolverName.CADICAL) is None
    return SolverName.CADICAL if has_fast else SolverName.Z3


def new_solver(budget: Budget, name: SolverName = SolverName.Z3) -> Solver:
    """A new solver; solvers are imported here, so that only the one that is used is loaded."""
    match name:
        case SolverName.Z3 | SolverName.AUTO:
            from mcm.engine.smt.z3_solver import Z3Solver  # noqa: PLC0415 - see above

            return Z3Solver(budget)
        case SolverName.CADICAL:
            from mcm.engine.smt.cadical import CadicalSolver  # noqa: PLC0415 - see above

            return CadicalSolver(budget)
        case _:
            assert_never(name)


def missing_distribution(name: SolverName) -> str | None:
    """The distribution that has to be installed before the solver can be used; None if it is there."""
    module, distribution = _EXTRAS.get(name, (None, None))
    return None if module is None or find_spec(module) is not None else distribution
