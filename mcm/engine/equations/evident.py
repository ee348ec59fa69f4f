"""Conflicts of a decided execution that are seen by computing: values that come from constants on some way.

They are conflicts as `ConflictFinder` finds them, of decisions that no execution takes together, without a solver.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.answer.conflict import ChoiceTaken, Executed, ReadFrom, Supposition
from mcm.base.bits import members
from mcm.execution.algebra import TRUE, facts, is_truth, negation
from mcm.execution.expression import BinaryValue, Choice, Constant, ReadValue, Select, UnaryValue
from mcm.program.types import Location
from mcm.program.value_arithmetic import apply_binary, apply_unary, is_true

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.answer.conflict import Conflict, Decision
    from mcm.engine.equations.decided import DecidedExecution
    from mcm.execution.expression import Expression
    from mcm.program.types import Value

    # A value, and the decisions that it follows from.
    Found = tuple[Value, Conflict]

# Of so many conflicts of an execution the shortest are told: each forbids the more executions, the shorter it is.
_MOST: Final = 16


def evident_conflicts(decided: DecidedExecution) -> list[Conflict]:
    """Conflicts of an execution, the shortest first; none where computing shows none."""
    try:
        found = {frozenset(conflict): conflict for conflict in _Evidence(decided).conflicts()}
    except RecursionError:
        return []
    return sorted(found.values(), key=len)[:_MOST]


class _Evidence:
    """What follows from the decisions of an execution.

    `_told` has parts of what is decided with the values that they have then: of the condition under which an event is
    executed, and of the address of an access. `_clashes` are conflicts that were met while something was computed.
    """

    def __init__(self, decided: DecidedExecution) -> None:
        self._decided: Final = decided
        self._events: Final = decided.skeleton.events
        self._found: Final[dict[Expression, Found | None]] = {}
        self._told: Final[dict[Expression, Found]] = {}
        self._clashes: Final[list[Conflict]] = []

    def conflicts(self) -> Iterator[Conflict]:
        """Sets of decisions that contradict each other."""
        self._tell()
        decided, events = self._decided, self._events
        for constraint in decided.skeleton.constraints:
            yield from self._contradicted(constraint, holds=True)
        for event in members(decided.executed):
            yield from self._contradicted(events[event].guard, Executed(event, is_executed=True), holds=True)
        for event in members(decided.skipped):
            yield from self._contradicted(events[event].guard, Executed(event, is_executed=False), holds=False)
        for place, address in self._decided.places():
            found = self._value(address)
            if found is not None and found[0] != place.location:
                yield _together(found[1], (place, Executed(place.event, is_executed=True)))
        for condition, value in decided.supposed.items():
            if isinstance(value, int):
                yield from self._contradicted(condition, Supposition(condition, holds=bool(value)), holds=bool(value))
        yield from self._clashes

    def _tell(self) -> None:
        """Take note of what is decided."""
        for event in members(self._decided.executed):
            self._tell_condition(self._events[event].guard, Executed(event, is_executed=True))
        for event in members(self._decided.skipped):
            self._tell_condition(negation(self._events[event].guard), Executed(event, is_executed=False))
        for place, address in self._decided.places():
            match address:
                case BinaryValue("+", Constant(Location(number, offset)), index, _) if number == place.location.object:
                    because = (place, Executed(place.event, is_executed=True))
                    self._tell_value(index, place.location.offset - offset, because)

    def _tell_condition(self, condition: Expression, because: Decision) -> None:
        """Note that a condition holds."""
        for part, truth in facts(condition).items():
            if is_truth(part):
                self._tell_value(part, int(truth is TRUE), (because,))

    def _tell_value(self, part: Expression, value: int, because: Conflict) -> None:
        told = self._told.setdefault(part, (value, because))
        if told[0] != value:
            self._clashes.append(_together(told[1], because))

    def _contradicted(self, condition: Expression, *because: Decision, holds: bool) -> Iterator[Conflict]:
        """Why a condition is not as it was decided, if it is not."""
        found = self._value(condition)
        if found is not None and is_true(found[0]) is not holds:
            yield _together(found[1], because)

    def _value(self, expression: Expression) -> Found | None:
        """The value of an expression; None where it does not follow."""
        if expression not in self._found:
            told = self._told.get(expression)
            # Values that depend on themselves do not follow from anything else.
            self._found[expression] = told
            computed = self._computed(expression)
            if computed is not None and told is not None and computed[0] != told[0]:
                self._clashes.append(_together(computed[1], told[1]))
            if computed is not None and (told is None or len(computed[1]) < len(told[1])):
                self._found[expression] = computed
        return self._found[expression]

    def _computed(self, expression: Expression) -> Found | None:
        match expression:
            case Constant(value):
                return value, ()
            case ReadValue(read):
                return self._read(read)
            case Choice(index):
                taken = self._decided.choices[index]
                return None if taken is None else (int(taken), (ChoiceTaken(index, is_taken=taken),))
            case UnaryValue(operator, operand, type_):
                inner = self._value(operand)
                return None if inner is None else (apply_unary(operator, inner[0], type_), inner[1])
            case BinaryValue("&&" | "||" as operator, left, right):
                return self._connected(self._value(left), self._value(right), decisive=operator == "||")
            case BinaryValue(operator, left, right, type_):
                one, other = self._value(left), self._value(right)
                if one is None or other is None:
                    return None
                return apply_binary(operator, one[0], other[0], type_), _together(one[1], other[1])
            case Select(condition, then, otherwise):
                chosen = self._value(condition)
                if chosen is None:
                    return None
                branch = self._value(then if is_true(chosen[0]) else otherwise)
                return None if branch is None else (branch[0], _together(chosen[1], branch[1]))
            case _:
                return None

    def _connected(self, one: Found | None, other: Found | None, *, decisive: bool) -> Found | None:
        """That of a disjunction, or of a conjunction, for which a part decides that holds, or that does not."""
        deciding = [found for found in (one, other) if found is not None and is_true(found[0]) is decisive]
        if deciding:
            return int(decisive), min((found[1] for found in deciding), key=len)
        return None if one is None or other is None else (int(not decisive), _together(one[1], other[1]))

    def _read(self, read: int) -> Found | None:
        """What a read returns, if that follows from where it reads."""
        write = self._decided.sources.get(read)
        written = None if write is None else self._events[write].value
        found = None if written is None else self._value(written)
        if found is None or write is None or isinstance(found[0], float):
            return None
        return found[0], _together(found[1], (ReadFrom(write, read),))


def _together(one: Conflict, other: Conflict) -> Conflict:
    """The decisions of both, each once."""
    return tuple(dict.fromkeys((*one, *other)))
