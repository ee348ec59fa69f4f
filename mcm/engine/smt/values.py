"""Symbolic values as literals: conditions directly, other values one-hot over their domains.

An expression is undefined in an execution where a read that it needs is not executed; then no literal for any of its
values is true, neither is that for `true` nor that for `zero`. This is what `execution.evaluate` calls None.

NOTE(late-domains): which values a read can return is worked out only after the model has been asserted (a model may
exclude the cycles through which values come out of thin air). Until then a condition on values is a deferred literal;
`settle` binds all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from mcm.engine.smt.circuit import FALSE, TRUE
from mcm.engine.smt.common_part import Shapes
from mcm.engine.smt.ways import ways_to_write
from mcm.execution.evaluate import reads_of
from mcm.execution.expression import (
    BinaryValue,
    Choice,
    Constant,
    GroupResult,
    ReadValue,
    Select,
    UnaryValue,
    is_large,
    parts,
    unfilled,
)
from mcm.program.value_arithmetic import apply_binary, apply_unary, is_true

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcm.engine.smt.budget import Budget
    from mcm.engine.smt.circuit import Circuit
    from mcm.execution.event import Event
    from mcm.execution.expression import Expression
    from mcm.execution.skeleton import Skeleton
    from mcm.program.types import Type, Value

Cases = dict["Value", int]

_COMPARISONS = frozenset({"==", "!=", "<", ">", "<=", ">="})


class Values:
    """The literals of all expressions of one skeleton.

    Of `open_reads` the formula does not say what they return: whatever needs them is a variable.
    """

    def __init__(
        self, skeleton: Skeleton, circuit: Circuit, budget: Budget, open_reads: frozenset[int] = frozenset()
    ) -> None:
        self._open_reads = open_reads
        self._open: dict[Expression, bool] = {}
        self._skeleton = skeleton
        self._circuit = circuit
        self._budget = budget
        self.choices = [circuit.variable() for _ in range(skeleton.choices)]
        self._reads: Mapping[int, Cases] | None = None
        self._executed: dict[int, int] = {}
        self._true: dict[Expression, int] = {}
        self._zero: dict[Expression, int] = {}
        self._defined: dict[Expression, int] = {}
        self._cases: dict[Expression, Cases] = {}
        self._written: dict[int, Cases] = {}
        self._deferred: list[tuple[int, Expression, Value | None]] = []
        self._equal: dict[tuple[Expression, Value], int] = {}
        self._shapes = Shapes()

    # --- conditions ---------------------------------------------------------------------------------------------------

    def is_open(self, expression: Expression) -> bool:
        """Whether an expression mentions an open read."""
        if not self._open_reads:
            return False
        found = self._open.get(expression)
        if found is None:
            found = self._open[expression] = not self._open_reads.isdisjoint(reads_of(expression))
        return found

    def executed(self, event: int) -> int:
        """The literal that an event is executed."""
        found = self._executed.get(event)
        if found is None:
            found = self._executed[event] = self.true(self._skeleton.events[event].guard)
        return found

    def conjuncts(self, guard: Expression) -> frozenset[int]:
        """Literals whose conjunction is equivalent to a guard."""
        found: set[int] = set()
        work = [guard]
        while work:
            part = work.pop()
            if isinstance(part, BinaryValue) and part.operator == "&&":
                work += [part.left, part.right]
            else:
                found.add(self.true(part))
        found.discard(TRUE)
        return frozenset(found)

    def true(self, expression: Expression) -> int:
        """The literal that an expression is defined and not zero."""
        found = self._true.get(expression)
        if found is None:
            self._settle_conditions(expression)
            found = self._true[expression] = self._find_true(expression)
        return found

    def zero(self, expression: Expression) -> int:
        """The literal that an expression is zero."""
        found = self._zero.get(expression)
        if found is None:
            self._settle_conditions(expression)
            found = self._zero[expression] = self._find_zero(expression)
        return found

    def _settle_conditions(self, expression: Expression) -> None:
        """Find the literals of the parts of a large condition, from the innermost to the outermost: it may be deep."""
        if not is_large(expression):
            return
        for part in parts(expression, _is_made_of_conditions):
            if part is expression or part in self._zero or part in self._true or not is_large(part):
                continue
            self._true[part], self._zero[part] = self._find_true(part), self._find_zero(part)

    def _find_true(self, expression: Expression) -> int:
        circuit = self._circuit
        match expression:
            case Constant(value):
                return TRUE if is_true(value) else FALSE
            case Choice(index):
                return self.choices[index]
            case BinaryValue("&&", _, _, _):
                return circuit.all_of(self.conjuncts(expression))
            case BinaryValue("||", left, right, _):
                return circuit.either(self.true(left), self.true(right))
            case BinaryValue("!=", left, right, type_):
                return self.zero(BinaryValue("==", left, right, type_))
            case UnaryValue("!", operand, _):
                return self.zero(operand)
            case Select(condition, then, otherwise):
                return circuit.either(
                    circuit.both(self.true(condition), self.true(then)),
                    circuit.both(self.zero(condition), self.true(otherwise)),
                )
            case _:
                return self._condition(expression)

    def _find_zero(self, expression: Expression) -> int:
        circuit = self._circuit
        match expression:
            case Constant(value):
                return FALSE if is_true(value) else TRUE
            case Choice(index):
                return -self.choices[index]
            case BinaryValue("&&", left, right, _):
                return circuit.either(self.zero(left), self.zero(right))
            case BinaryValue("||", left, right, _):
                return circuit.both(self.zero(left), self.zero(right))
            case BinaryValue("!=", left, right, type_):
                return self.true(BinaryValue("==", left, right, type_))
            case UnaryValue("!", operand, _):
                return self.true(operand)
            case Select(condition, then, otherwise):
                return circuit.either(
                    circuit.both(self.true(condition), self.zero(then)),
                    circuit.both(self.zero(condition), self.zero(otherwise)),
                )
            case _:
                return circuit.both(self.defined(expression), -self.true(expression))

    def _condition(self, expression: Expression) -> int:
        """A condition that compares values; deferred while reads have none, and a variable if it needs open reads."""
        if self.is_open(expression):
            return self._circuit.variable()
        if self._reads is None:
            literal = self._circuit.deferred()
            self._deferred.append((literal, expression, None))
            return literal
        return self._condition_on_values(expression)

    def _condition_on_values(self, expression: Expression) -> int:
        circuit = self._circuit
        common = self._shapes.common_part(expression)
        if common is not None:
            cases = self._cases_by_part(expression, common)
            return circuit.any_of(literal for value, literal in cases.items() if is_true(value))
        match expression:
            case BinaryValue("==", left, right, type_):
                first, second = self.cases(left), self.cases(right)
                if not (_has_floats(first) or _has_floats(second)):
                    return circuit.any_of(
                        circuit.both(literal, second.get(value, FALSE)) for value, literal in first.items()
                    )
                return self._where("==", first, second, type_)
            case BinaryValue(symbol, left, right, type_) if symbol in _COMPARISONS:
                first, second = self.cases(left), self.cases(right)
                return self._where(symbol, first, second, type_)
            case _:
                return circuit.any_of(literal for value, literal in self.cases(expression).items() if is_true(value))

    def _where(self, symbol: str, first: Cases, second: Cases, type_: Type) -> int:
        """The literal that two values compare so."""
        return self._circuit.any_of(
            self._circuit.both(a, b)
            for one, a in first.items()
            for other, b in second.items()
            if apply_binary(symbol, one, other, type_)
        )

    def defined(self, expression: Expression) -> int:
        """The literal that an expression has a value."""
        found = self._defined.get(expression)
        if found is None:
            known = self._defined
            for part in parts(expression, lambda part: part not in known) if is_large(expression) else (expression,):
                if part not in known:
                    found = known[part] = self._find_defined(part)
        assert found is not None, "the last part is the expression"
        return found

    def _find_defined(self, expression: Expression) -> int:
        circuit = self._circuit
        match expression:
            case Constant() | Choice():
                return TRUE
            case ReadValue(event) if self._reads is None or event in self._executed:
                return self.executed(event)
            case ReadValue():
                # While reads are linked: a guard may depend on reads that have no literals yet.
                return circuit.any_of(self.cases(expression).values())
            case UnaryValue(_, operand, _):
                return self.defined(operand)
            case BinaryValue("&&" | "||", _, _, _):
                return circuit.either(self.true(expression), self.zero(expression))
            case BinaryValue(_, left, right, _):
                return circuit.both(self.defined(left), self.defined(right))
            case Select(condition, then, otherwise):
                return circuit.either(
                    circuit.both(self.true(condition), self.defined(then)),
                    circuit.both(self.zero(condition), self.defined(otherwise)),
                )
            case GroupResult():
                raise unfilled(expression)
            case _:
                assert_never(expression)

    def equals(self, expression: Expression, value: Value) -> int:
        """The literal that an expression has a certain value."""
        key = (expression, value)
        found = self._equal.get(key)
        if found is None:
            if self.is_open(expression):
                found = self._circuit.variable()
            elif self._reads is not None:
                found = self.cases(expression).get(value, FALSE)
            elif isinstance(expression, Constant):
                found = TRUE if expression.value == value else FALSE
            else:
                found = self._circuit.deferred()
                self._deferred.append((found, expression, value))
            self._equal[key] = found
        return found

    # --- values -------------------------------------------------------------------------------------------------------

    def set_reads(self, reads: Mapping[int, Cases]) -> None:
        """Set the literals of the values of each read; values of reads may be added to `reads` later."""
        self._reads = reads

    def domains(self) -> dict[int, tuple[Value, ...]] | None:
        """The values that each read may return in some execution; None where that of some read is open."""
        if self._reads is None or self._open_reads:
            return None
        return {read: tuple(cases) for read, cases in self._reads.items()}

    def resolve_deferred(self) -> None:
        """Define the conditions that were deferred until reads have values."""
        for literal, expression, value in self._deferred:
            if value is None:
                meaning = self._condition_on_values(expression)
            else:
                meaning = self.cases(expression).get(value, FALSE)
            self._circuit.bind(literal, meaning)
        self._deferred.clear()

    def cases(self, expression: Expression) -> Cases:
        """The values that an expression can have, each with its literal."""
        found = self._cases.get(expression)
        if found is None:
            known = self._cases
            for part in parts(expression, lambda part: part not in known) if is_large(expression) else (expression,):
                if part not in known:
                    found = known[part] = self._find_cases(part)
        assert found is not None, "the last part is the expression"
        return found

    def written(self, write: int) -> Cases:
        """The values that a write can write where it is executed, each with its literal."""
        cases = self._written.get(write)
        if cases is None:
            cases = self._written[write] = self._find_written(self._skeleton.events[write])
        return cases

    def _find_written(self, write: Event) -> Cases:
        assert self._reads is not None, "values are asked for before they are settled"
        reads = self._reads
        ways = ways_to_write(write, reads.__getitem__)
        if ways is None:
            assert write.value is not None, "a write writes a value"
            return self.cases(write.value)
        found: dict[Value, list[int]] = {}
        for way, value in ways:
            self._budget.tick()
            found.setdefault(value, []).append(self._circuit.all_of(reads[read][each] for read, each in way.items()))
        return _present({value: self._circuit.any_of(literals) for value, literals in found.items()})

    def _find_cases(self, expression: Expression) -> Cases:
        circuit = self._circuit
        found: dict[Value, list[int]] = {}
        common = self._shapes.common_part(expression)
        if common is not None:
            return self._cases_by_part(expression, common)
        match expression:
            case Constant(value):
                return {value: TRUE}
            case ReadValue(event):
                assert self._reads is not None, "values are asked for before they are settled"
                return self._reads[event]
            case Choice(index):
                return {0: -self.choices[index], 1: self.choices[index]}
            case UnaryValue("!", _, _):
                return _present({0: self.zero(expression), 1: self.true(expression)})
            case UnaryValue(symbol, operand, type_):
                for value, literal in self.cases(operand).items():
                    found.setdefault(apply_unary(symbol, value, type_), []).append(literal)
            case BinaryValue(symbol, _, _, _) if symbol in _COMPARISONS or symbol in {"&&", "||"}:
                return _present({0: self.zero(expression), 1: self.true(expression)})
            case BinaryValue(symbol, left, right, type_):
                second = self.cases(right)
                for one, a in self.cases(left).items():
                    for other, b in second.items():
                        self._budget.tick()
                        found.setdefault(apply_binary(symbol, one, other, type_), []).append(circuit.both(a, b))
            case Select(condition, then, otherwise):
                for test, branch in ((self.true(condition), then), (self.zero(condition), otherwise)):
                    if test != FALSE:
                        for value, literal in self.cases(branch).items():
                            found.setdefault(value, []).append(circuit.both(test, literal))
            case GroupResult():
                raise unfilled(expression)
            case _:
                assert_never(expression)
        return _present({value: circuit.any_of(literals) for value, literals in found.items()})

    def _cases_by_part(self, expression: Expression, common: Expression) -> Cases:
        """The values of an expression that depends on nothing but a part of it."""
        cases = self.cases(common)
        found: dict[Value, list[int]] = {}
        for each, value in self._shapes.by_part(expression, cases):
            self._budget.tick()
            found.setdefault(value, []).append(cases[each])
        return _present({value: self._circuit.any_of(literals) for value, literals in found.items()})


def _is_made_of_conditions(expression: Expression) -> bool:
    match expression:
        case BinaryValue(symbol, _, _, _):
            return symbol in {"&&", "||"}
        case UnaryValue(symbol, _, _):
            return symbol == "!"
        case _:
            return True


def _has_floats(cases: Cases) -> bool:
    """Whether values may be equal that tables tell apart, as -0.0 and 0.0 are, or unequal to themselves."""
    return any(isinstance(value, float) for value in cases)


def _present(cases: Cases) -> Cases:
    return {value: literal for value, literal in cases.items() if literal != FALSE}
