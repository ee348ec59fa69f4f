"""Z3 as a SAT solver, the default. Of the values of programs, this knows nothing: see `engine.equations`."""

from __future__ import annotations

from atexit import register
from ctypes import py_object, pythonapi
from threading import local
from typing import TYPE_CHECKING, Any, Final

import z3
from z3 import z3core

from mcm.engine.equations.context import context_of_this_thread
from mcm.engine.equations.solving import memory_is_a_reason, time_is_a_reason
from mcm.engine.smt.budget import UndecidedError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

from mcm.engine.smt.budget import Budget

# Only a few variables of each model are used, so compacting it does not pay. Z3 ignores this option on a solver.
z3.set_param("model.compact", "false")

# Z3 takes up to a tenth of a second to read a text of so many literals; it cannot be interrupted.
_MOST_LITERALS: Final = 100_000

# Parsing a text of clauses visits all variables so far, this many of them in about the time of one clause.
_VARIABLES_A_CLAUSE: Final = 20


class _Names(dict[int, str]):
    """The numbers of literals in a text of clauses.

    Variables are numbered as they occur: most never do, and Z3 would allocate every number that is left out.
    """

    def __init__(self) -> None:
        super().__init__({0: "0"})
        self.count = 0

    def __missing__(self, literal: int) -> str:
        self.count += 1
        variable = abs(literal)
        self[variable], self[-variable] = str(self.count), str(-self.count)
        return self[literal]


class _Unfreed(local):
    """Solvers of this thread whose time was up: to free a large one takes Z3 up to a second.

    The next query frees them, in its own time; what is left when the process ends is not freed.
    """

    def __init__(self) -> None:
        super().__init__()
        self.solvers: list[tuple[Any, ...]] = []
        register(pythonapi.Py_IncRef, py_object(self.solvers))


_UNFREED: Final = _Unfreed()


class Z3Solver:
    """Z3's SAT core, through its solver for finite domains."""

    def __init__(self, budget: Budget) -> None:
        _UNFREED.solvers.clear()
        self._budget = budget
        self._solver = z3.SolverFor("QF_FD", ctx=context_of_this_thread())
        self._context = self._solver.ctx.ref()
        self._sort = z3core.Z3_mk_bool_sort(self._context)
        self._names: Final = _Names()
        self._literals: dict[int, Any] = {}
        self._declarations: dict[int, Any] = {}
        self._model: Any = None

    def __del__(self) -> None:
        """Leave for later what takes time, if there is none."""
        left = self._budget.milliseconds
        if left is not None and left <= 0:
            _UNFREED.solvers.append((self._solver, self._model, self._literals, self._declarations))

    def add(self, clauses: list[int]) -> None:
        """Assert clauses, given as DIMACS literals with 0 behind each clause."""
        if not clauses:
            return
        count = clauses.count(0)
        with memory_is_a_reason(UndecidedError):
            if count * _VARIABLES_A_CLAUSE <= self._names.count + 2 * _VARIABLES_A_CLAUSE:
                self._add_singly(clauses)
            else:
                for part in _in_parts(clauses):
                    text = " ".join(map(self._names.__getitem__, part))
                    self._solver.from_string(f"p cnf {self._names.count} {part.count(0)}\n{text}\n")
                    self._budget.check()

    def _add_singly(self, clauses: list[int]) -> None:
        clause: list[int] = []
        for literal in clauses:
            if literal:
                clause.append(literal)
                continue
            array = (z3.Ast * len(clause))(*(self._literal(each).as_ast() for each in clause))
            disjunction = z3.BoolRef(z3core.Z3_mk_or(self._context, len(clause), array), self._solver.ctx)
            z3core.Z3_solver_assert(self._context, self._solver.solver, disjunction.as_ast())
            clause = []

    def solve(self, assumptions: Iterable[int] = ()) -> bool:
        """Whether everything asserted can hold together with the assumptions. Raises UndecidedError."""
        left = self._budget.milliseconds
        if left is not None:
            if left <= 0:
                raise UndecidedError("timeout")
            self._solver.set("timeout", left)
        megabytes = self._budget.megabytes
        if megabytes is not None:
            # The limit includes what Z3 has allocated already. Of what it frees it keeps some, and does not count that.
            self._solver.set("max_memory", max(0, megabytes) * 7 // 8 + (z3core.Z3_get_estimated_alloc_size() >> 20))
        with memory_is_a_reason(UndecidedError), time_is_a_reason(self._budget, UndecidedError):
            result = self._solver.check(*(self._literal(each) for each in assumptions))
        if result == z3.unknown:
            raise UndecidedError(_reason(self._solver.reason_unknown()))
        self._model = self._solver.model() if result == z3.sat else None
        return self._model is not None

    def truth(self, variables: Iterable[int]) -> set[int]:
        """Those of the variables that are true in the last solution; unconstrained ones are false."""
        assert self._model is not None
        model, context = self._model.model, self._context
        found = set()
        for variable in variables:
            declaration = self._declaration(variable)
            value = z3core.Z3_model_get_const_interp(context, model, declaration)
            if value and z3core.Z3_get_bool_value(context, value) == z3.Z3_L_TRUE:
                found.add(variable)
        return found

    def _literal(self, number: int) -> Any:
        """The z3 constant of a variable in a text of clauses, or its negation."""
        found = self._literals.get(number)
        if found is None:
            if number < 0:
                found = z3.Not(self._literal(-number))
            else:
                symbol = z3core.Z3_mk_int_symbol(self._context, int(self._names[number]))
                found = z3.BoolRef(z3core.Z3_mk_const(self._context, symbol, self._sort), self._solver.ctx)
            self._literals[number] = found
        return found

    def _declaration(self, variable: int) -> Any:
        found = self._declarations.get(variable)
        if found is None:
            found = self._declarations[variable] = self._literal(variable).decl().ast
        return found


def _in_parts(clauses: list[int]) -> Iterator[list[int]]:
    """Clauses, with 0 behind each, in parts that Z3 reads quickly."""
    start = 0
    while start < len(clauses):
        end = len(clauses)
        if end - start > _MOST_LITERALS:
            end = clauses.index(0, start + _MOST_LITERALS) + 1
        yield clauses[start:end]
        start = end


def _reason(words: str) -> str:
    if "memory" in words:
        return "memory"
    if words in {"timeout", "canceled"}:
        return "timeout"
    return f"the solver gave up: {words}"
