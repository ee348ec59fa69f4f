"""The value equations of an execution: each read returns what its write wrote, and what is decided holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, assert_never

import z3

from mcm.engine.equations.context import context_of_this_thread
from mcm.engine.equations.errors import UndecidedEquationsError
from mcm.engine.equations.solving import decide, memory_is_a_reason
from mcm.engine.equations.terms import Terms
from mcm.execution.evaluate import evaluate, reads_of
from mcm.execution.expression import Constant, ReadValue
from mcm.execution.outcome import holds, observables
from mcm.program.condition import And, Comparison, Fixed, Not, Observed, Or, Truth

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mcm.engine.equations.decided import DecidedExecution
    from mcm.engine.equations.solving import Left
    from mcm.execution.expression import Expression
    from mcm.program.condition import Observable, Operand, Proposition
    from mcm.program.types import Type, Value


class Equations:
    """The equations of one execution, and what is left for solving them.

    Every question raises `UndecidedEquationsError` where the values are of a kind that is not exact, or a limit is
    reached.
    """

    def __init__(self, decided: DecidedExecution, left: Left) -> None:
        self.decided: Final = decided
        self._left: Final = left
        skeleton = decided.skeleton
        reading = [e.identifier for e in skeleton.events if e.kind.reads and e.identifier not in decided.known]
        open_reads = [r for r in reading if not (decided.executed | decided.skipped) >> r & 1]
        self.unknown: Final = [r for r in reading if decided.executed >> r & 1 and r in decided.sources]
        unassigned = [r for r in reading if decided.executed >> r & 1 and r not in decided.sources]
        variables = {r: self._type_of(r) for r in (*self.unknown, *unassigned, *open_reads)}
        context = context_of_this_thread()
        self.types: Final[Mapping[int, Type]] = variables
        addresses = skeleton.addresses if self.unknown else frozenset()
        self.terms: Final = Terms(context, decided.known, variables, frozenset(open_reads), decided.choices, addresses)
        self._model: Any = None
        self._solver = z3.SolverFor("QF_BV", ctx=context)
        try:
            self.equalities: Final = {read: self._equality(read) for read in self.unknown}
            self.conditions: Final = list(self._conditions())
        except RecursionError:
            raise UndecidedEquationsError("values that depend on themselves are nested too deeply") from None
        self._solver.add(*(self.terms.in_range(r) for r in (*self.unknown, *unassigned)))
        self._solver.add(*(self.terms.variable(r) == value for r, value in self.equalities.items()), *self.conditions)

    def _type_of(self, read: int) -> Type:
        skeleton = self.decided.skeleton
        location = self.decided.locations.get(read) or skeleton.events[read].locations[0]
        return skeleton.program.object_at(location).type

    def _equality(self, read: int) -> Any:
        written = self._written(self.decided.sources[read])
        return self.terms.value(written)

    def _written(self, write: int) -> Expression:
        value = self.decided.skeleton.events[write].value
        assert value is not None, "a write writes a value"
        return value

    def _conditions(self) -> Iterable[Any]:
        """Everything that is decided, as conditions on the values."""
        decided, terms = self.decided, self.terms
        for read in self.unknown:
            yield terms.defined(self._written(decided.sources[read]))
        for event in decided.skeleton.events:
            if decided.executed >> event.identifier & 1:
                yield terms.true(event.guard)
                if event.address is not None and not isinstance(event.address, Constant):
                    location = decided.locations.get(event.identifier)
                    if location is not None:
                        yield terms.reaches(event.address, location)
            elif decided.skipped >> event.identifier & 1:
                yield z3.Not(terms.true(event.guard))
        for constraint in decided.skeleton.constraints:
            yield terms.true(constraint)
        for expression, value in decided.supposed.items():
            # Addresses that are supposed are those of events.
            if isinstance(value, int):
                yield terms.true(expression) if value else z3.Not(terms.true(expression))

    # --- questions ----------------------------------------------------------------------------------------------------

    def is_possible(self, *conditions: Any) -> bool:
        """Whether some values solve the equations under conditions."""
        with memory_is_a_reason():
            self._solver.push()
            try:
                self._solver.add(*conditions)
                result = decide(self._solver, self._left)
                self._model = self._solver.model() if result == z3.sat else None
            finally:
                self._solver.pop()
        return bool(result == z3.sat)

    def solution(self, *conditions: Any) -> dict[int, Value] | None:
        """Values of the unknown reads that solve the equations under conditions; None if there are none."""
        if not self.is_possible(*conditions):
            return None
        return self.last_solution()

    def last_solution(self) -> dict[int, Value]:
        """The values of the unknown reads in the last solution."""
        return {r: self.terms.numbers.value(self._number_of(self.terms.variable(r))) for r in self.unknown}

    def _number_of(self, term: Any) -> int:
        number: int = self._model.eval(term, model_completion=True).as_signed_long()
        return number

    def least(self, targets: Iterable[Expression], *conditions: Any) -> dict[int, Value] | None:
        """The solution in which the targets, one after the other, are nearest to zero, and not negative if possible.

        So it depends on nothing but the solutions. None if there are none.
        """
        fixed = list(conditions)
        if not self.is_possible(*fixed):
            return None
        # A target that is looked at twice, as what a register has from a read, has its value already.
        for target in dict.fromkeys((*targets, *map(ReadValue, self.unknown))):
            term, solution = self.terms.value(target), self._model
            # Nothing is nearer to zero than that, and most targets have one value.
            number = self._number_of(term)
            if number and self.is_possible(*fixed, term != number):
                number = self._nearest_to_zero(term, fixed)
            else:
                self._model = solution
            fixed.append(term == number)
        return self.last_solution()

    def _nearest_to_zero(self, term: Any, fixed: list[Any]) -> int:
        """The number; the last solution has it."""
        if self.is_possible(*fixed, term == 0):
            return 0
        is_negative = not self.is_possible(*fixed, term > 0)
        size = -term if is_negative else term
        side = [*fixed, size > 0]
        bound = 2
        while not self.is_possible(*side, size < bound):
            bound *= 2
        low = bound // 2
        # The least size is in [low, bound).
        while low + 1 < bound:
            middle = (low + bound) // 2
            if self.is_possible(*side, size < middle):
                bound = middle
            else:
                low = middle
        found = self.is_possible(*fixed, size == low)
        assert found, "the value was possible"
        return -low if is_negative else low

    def always(self, premises: list[Any], conclusions: list[Any]) -> bool:
        """Whether all values that satisfy the premises satisfy the conclusions, solutions of the equations or not."""
        apart = z3.SolverFor("QF_BV", ctx=self._solver.ctx)
        apart.add(*premises, z3.Not(z3.And(*conclusions)))
        return bool(decide(apart, self._left) == z3.unsat)

    # --- propositions -------------------------------------------------------------------------------------------------

    def proposition(self, proposition: Proposition, finals: Mapping[Observable, Expression | None]) -> tuple[Any, Any]:
        """That a proposition may be true, and that it may be false, in a final state.

        `finals` are the values of what it names; None for one that is not final, about which nothing is known.
        """
        match proposition:
            case Truth(value):
                return (self.terms.yes, self.terms.no) if value else (self.terms.no, self.terms.yes)
            case Not(body):
                true, false = self.proposition(body, finals)
                return false, true
            case And(left, right) | Or(left, right):
                (one, not_one), (other, not_other) = (self.proposition(side, finals) for side in (left, right))
                if isinstance(proposition, And):
                    return z3.And(one, other), z3.Or(not_one, not_other)
                return z3.Or(one, other), z3.And(not_one, not_other)
            case Comparison(symbol, left_operand, right_operand):
                if any(finals[what] is None for what in observables(proposition)):
                    return self.terms.yes, self.terms.yes
                true = self._comparison(symbol, _operand(left_operand, finals), _operand(right_operand, finals))
                return true, z3.Not(true)
            case _:
                assert_never(proposition)

    def _comparison(self, symbol: str, left: Expression, right: Expression) -> Any:
        known, choices = self.decided.known, self.decided.choices
        one, other = evaluate(left, known, choices), evaluate(right, known, choices)
        if one is not None and other is not None:
            return self.terms.yes if holds(Comparison(symbol, Fixed(one), Fixed(other)), {}) else self.terms.no
        return self.terms.compare("==" if symbol == "=" else symbol, left, right)

    def equals(self, expression: Expression, value: Value) -> Any:
        """That an expression has a value; it is defined."""
        known = evaluate(expression, self.decided.known, self.decided.choices)
        if known is not None:
            return self.terms.yes if known == value else self.terms.no
        return self.terms.value(expression) == self.terms.constant(value)

    def depends_on_unknown(self, expression: Expression) -> bool:
        """Whether the value of an expression is not known without solving the equations."""
        return evaluate(expression, self.decided.known, self.decided.choices) is None and bool(reads_of(expression))


def _operand(operand: Operand, finals: Mapping[Observable, Expression | None]) -> Expression:
    match operand:
        case Fixed(value):
            return Constant(value)
        case Observed(what):
            found = finals[what]
            assert found is not None, "the value is final"
            return found
        case _:
            assert_never(operand)
