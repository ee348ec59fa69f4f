"""Final states as literals: values of registers and locations, and propositions about them."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from mcm.engine.smt.circuit import FALSE, TRUE
from mcm.execution.outcome import holds, observables
from mcm.program.condition import And, Comparison, Fixed, Not, Observed, Or, RegisterName, Truth

if TYPE_CHECKING:
    from mcm.engine.smt.circuit import Circuit
    from mcm.engine.smt.execution import Execution
    from mcm.engine.smt.stops import Stops
    from mcm.engine.smt.values import Cases, Values
    from mcm.execution.expression import Expression
    from mcm.execution.skeleton import Skeleton
    from mcm.program.condition import Observable, Operand, Proposition
    from mcm.program.types import Location, Value


def known_final(what: Observable, skeleton: Skeleton) -> Expression | None:
    """The final value of a register, or of a location where it does not depend on the order of writes."""
    return skeleton.registers[what] if isinstance(what, RegisterName) else skeleton.finals.get(what)


class FinalState:
    """The literals of the final values of registers and locations."""

    def __init__(self, execution: Execution, values: Values, circuit: Circuit, stops: Stops) -> None:
        self._execution = execution
        self._stops = stops
        self._values = values
        self._circuit = circuit
        self._known: dict[Observable, Cases] = {}
        self._last: dict[tuple[int, Location], int] = {}

    def cases(self, what: Observable) -> Cases:
        """The possible final values of a register or location, each with its literal."""
        found = self._known.get(what)
        if found is None:
            known = known_final(what, self._execution.skeleton)
            if known is not None:
                found = self._values.cases(known)
            else:
                assert not isinstance(what, RegisterName), "the final value of a register is an expression"
                found = self._in_memory(what)
            self._known[what] = found
        return found

    def _in_memory(self, location: Location) -> Cases:
        circuit = self._circuit
        parts: dict[Value, list[int]] = {}
        for write, last in self.last_writes(location):
            for each, literal in self._values.written(write).items():
                parts.setdefault(each, []).append(circuit.both(last, literal))
        cases = {value: circuit.any_of(literals) for value, literals in parts.items()}
        return {value: literal for value, literal in cases.items() if literal != FALSE}

    def last_writes(self, location: Location) -> list[tuple[int, int]]:
        """The writes that may be the last of a location, each with the literal that it is."""
        execution = self._execution
        writes = [
            event.identifier
            for event, reached in zip(execution.skeleton.events, execution.locations, strict=True)
            if event.kind.writes and location in reached
        ]
        lasts = [(write, self._is_last(write, location, writes)) for write in writes]
        # Every total order has a last member: this is implied, but hard to derive for the solver.
        self._circuit.require(*(last for _, last in lasts))
        return [(write, last) for write, last in lasts if last != FALSE]

    def _is_last(self, write: int, location: Location, writes: list[int]) -> int:
        execution = self._execution
        followed = [-execution.writes_before(write, other) for other in writes if self._may_follow(write, other)]
        return self._circuit.all_of([execution.executed[write], execution.locations[write][location], *followed])

    def _may_follow(self, write: int, other: int) -> bool:
        return write != other and self._execution.may_meet(write, other)

    def proposition(self, proposition: Proposition) -> int:
        """The literal that a proposition holds in the final state."""
        circuit = self._circuit
        match proposition:
            case Truth(value):
                return TRUE if value else FALSE
            case Not(body):
                return -self.proposition(body)
            case And(left, right):
                return circuit.both(self.proposition(left), self.proposition(right))
            case Or(left, right):
                return circuit.either(self.proposition(left), self.proposition(right))
            case Comparison(symbol, left, right):
                second = self._operand(right)
                return circuit.any_of(
                    circuit.both(a, b)
                    for one, a in self._operand(left).items()
                    for other, b in second.items()
                    if holds(Comparison(symbol, Fixed(one), Fixed(other)), {})
                )
            case _:
                assert_never(proposition)

    def may_hold(self, proposition: Proposition, *, negated: bool = False) -> int:
        """The literal that a proposition (its negation, if `negated`) holds or may still come to hold.

        Where units have stopped, memory is not final, nor are their own registers.
        """
        match proposition:
            case Truth(value):
                return FALSE if value is negated else TRUE
            case Not(body):
                return self.may_hold(body, negated=not negated)
            case And(left, right) | Or(left, right):
                sides = self.may_hold(left, negated=negated), self.may_hold(right, negated=negated)
                needs_both = isinstance(proposition, And) is not negated
                return self._circuit.both(*sides) if needs_both else self._circuit.either(*sides)
            case Comparison():
                literal = self.proposition(proposition)
                unknown = [self._is_unknown(what) for what in observables(proposition)]
                return self._circuit.any_of([*unknown, -literal if negated else literal])
            case _:
                assert_never(proposition)

    def _is_unknown(self, what: Observable) -> int:
        """The literal that units have stopped on which a value in the end depends."""
        return self._stops.stopped(what.thread if isinstance(what, RegisterName) else None)

    def _operand(self, operand: Operand) -> Cases:
        match operand:
            case Fixed(value):
                return {value: TRUE}
            case Observed(what):
                return self.cases(what)
            case _:
                assert_never(operand)
