"""The final states of an execution in which all reads have writes: they differ in the last writes of locations."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Final

from mcm.base.bits import members
from mcm.engine.explicit.orders import possible_last_writes, with_last_write
from mcm.program.condition import RegisterName

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mcm.engine.explicit.findings import Values
    from mcm.engine.explicit.propagation import ConstraintProblem
    from mcm.engine.explicit.valuation import Valuation
    from mcm.execution.expression import Expression
    from mcm.execution.skeleton import Skeleton
    from mcm.program.condition import Observable
    from mcm.program.types import Location, Value


def final_expression(what: Observable, skeleton: Skeleton) -> Expression | None:
    """The final value as an expression: that of a register, or of a location where it is known; else None."""
    return skeleton.registers[what] if isinstance(what, RegisterName) else skeleton.finals.get(what)


class FinalWrites:
    """The expressions of watched registers, and for watched locations the writes that can be the last."""

    def __init__(self, valuation: Valuation, watched: tuple[Observable, ...]) -> None:
        self._valuation: Final = valuation
        skeleton = valuation.packed.skeleton
        self._registers: Final[dict[Observable, Expression]] = {
            what: known for what in watched if (known := final_expression(what, skeleton)) is not None
        }
        self._writes: Final = {
            what: self._writes_to(what)
            for what in watched
            if not isinstance(what, RegisterName) and what not in skeleton.finals
        }

    def _writes_to(self, location: Location) -> int:
        valuation = self._valuation
        writing = valuation.executed & valuation.packed.writers
        return sum(
            1 << event for event, reached in valuation.locations.items() if reached == location and writing >> event & 1
        )

    def last(self, location: Location, problem: ConstraintProblem) -> Iterator[int]:
        """The writes that can be the last of a location."""
        return members(possible_last_writes(problem, self._writes[location]))

    def split(self, problem: ConstraintProblem) -> Iterator[tuple[dict[Observable, Expression], ConstraintProblem]]:
        """The problem, split by which writes are the last, with the expressions of the final values in each part."""
        known = dict(self._registers)
        locations = tuple(self._writes)
        if not locations:
            yield known, problem
            return
        levels = [self._parts(problem, locations[0], known)]
        while levels:
            part = next(levels[-1], None)
            if part is None:
                levels.pop()
            elif len(levels) == len(locations):
                yield dict(known), part
            else:
                levels.append(self._parts(part, locations[len(levels)], known))

    def _parts(
        self, problem: ConstraintProblem, location: Location, known: dict[Observable, Expression]
    ) -> Iterator[ConstraintProblem]:
        """The problem, split by the last write of a location, whose value is in `known` while its part is looked at."""
        writes = self._writes[location]
        candidates = list(self.last(location, problem))
        if self._write_the_same(candidates):
            known[location] = self._value_of(candidates[0])
            yield problem
            return
        for last in candidates:
            part = with_last_write(problem, writes, last)
            if part is not None:
                known[location] = self._value_of(last)
                yield part

    def _write_the_same(self, writes: Sequence[int]) -> bool:
        """Whether one of some writes is the last, whichever it is, with a value that is known."""
        written = self._valuation.written
        return len(writes) == 1 or (
            all(write in written for write in writes) and len({written[write] for write in writes}) == 1
        )

    def _value_of(self, write: int) -> Expression:
        value = self._valuation.packed.events[write].value
        assert value is not None, "a write writes a value"
        return value


class FinalStates:
    """The final states of executions of one skeleton in which all values are known."""

    def __init__(self, skeleton: Skeleton, watched: tuple[Observable, ...]) -> None:
        self._watched: Final = watched
        expressions = (final_expression(what, skeleton) for what in watched)
        self._expressions: Final = [expression for expression in expressions if expression is not None]
        # Whether each execution has one final state, whichever writes are the last.
        self._are_known: Final = len(self._expressions) == len(watched)

    def _all_possible(self, writes: FinalWrites, valuation: Valuation, problem: ConstraintProblem) -> Iterator[Values]:
        """The final states of the solutions of the problem, and perhaps some more."""
        return product(*[self._possible(what, writes, valuation, problem) for what in self._watched])

    @staticmethod
    def _possible(
        what: Observable, writes: FinalWrites, valuation: Valuation, problem: ConstraintProblem
    ) -> set[Value]:
        known = final_expression(what, valuation.packed.skeleton)
        if known is not None:
            return {_value(known, valuation)}
        assert not isinstance(what, RegisterName), "the final value of a register is an expression"
        return {valuation.written[write] for write in writes.last(what, problem)}

    def split(
        self, valuation: Valuation, problem: ConstraintProblem, is_sought: Callable[[Values], bool] | None = None
    ) -> Iterator[tuple[Values, ConstraintProblem]]:
        """The problem, split by which writes are the last, with the final state of each part.

        Nothing, where several states are possible of which none is sought.
        """
        if self._are_known:
            yield tuple([_value(known, valuation) for known in self._expressions]), problem
            return
        writes = FinalWrites(valuation, self._watched)
        if is_sought is not None and not any(map(is_sought, self._all_possible(writes, valuation, problem))):
            return
        for finals, part in writes.split(problem):
            yield tuple([_value(finals[what], valuation) for what in self._watched]), part


def _value(expression: Expression, valuation: Valuation) -> Value:
    value = valuation.evaluate(expression)
    assert value is not None, "a final value depends only on reads that are executed"
    return value


def possible_final_values(
    location: Location, valuation: Valuation, problem: ConstraintProblem
) -> frozenset[Value] | None:
    """The final values that a location can have below a partial execution; None if one of them is not known."""
    packed = valuation.packed
    writes = [
        event
        for event in packed.events
        if event.value is not None
        and not valuation.skipped >> event.identifier & 1
        and location in event.locations
        and valuation.locations.get(event.identifier, location) == location
    ]
    last = possible_last_writes(problem, sum(1 << event.identifier for event in writes))
    values: set[Value] = set()
    for event in writes:
        if last >> event.identifier & 1:
            assert event.value is not None
            value = valuation.evaluate(event.value)
            if value is None:
                return None
            values.add(value)
    return frozenset(values)
