"""The final states of an execution in which all reads have writes: they differ in the last writes of locations."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Final

from mcm.base.bits import members
from mcm.engine.explicit.orders import possible_last_writes, with_last_write
from mcm.program.condition import RegisterName

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcm.engine.explicit.findings import Values
    from mcm.engine.explicit.propagation import ConstraintProblem
    from mcm.engine.explicit.valuation import Valuation
    from mcm.program.condition import Observable
    from mcm.program.types import Location, Value


class FinalStates:
    """The values of watched registers, and for watched locations the writes that can be the last."""

    def __init__(self, valuation: Valuation, watched: tuple[Observable, ...]) -> None:
        self._valuation: Final = valuation
        self._watched: Final = watched
        self._registers: Final[dict[Observable, Value]] = {}
        self._writes: Final[dict[Location, int]] = {}
        for what in watched:
            if isinstance(what, RegisterName):
                value = valuation.evaluate(valuation.packed.skeleton.registers[what])
                assert value is not None, "a register depends only on reads that are executed"
                self._registers[what] = value
            else:
                self._writes[what] = self._writes_to(what)

    def _writes_to(self, location: Location) -> int:
        valuation = self._valuation
        writing = valuation.executed & valuation.packed.writers
        return sum(
            1 << event for event, reached in valuation.locations.items() if reached == location and writing >> event & 1
        )

    @property
    def are_known(self) -> bool:
        """Whether there is one final state, whichever writes are the last."""
        return not self._writes

    def possible(self, problem: ConstraintProblem) -> Iterator[Values]:
        """The final states of the solutions of the problem, and perhaps some more."""
        written = self._valuation.written
        choices = [
            {self._registers[what]}
            if isinstance(what, RegisterName)
            else {written[w] for w in members(possible_last_writes(problem, self._writes[what]))}
            for what in self._watched
        ]
        return product(*choices)

    def split(self, problem: ConstraintProblem) -> Iterator[tuple[Values, ConstraintProblem]]:
        """The problem, split by which writes are the last, with the final state of each part."""
        return self._split(problem, tuple(self._writes), self._registers)

    def _split(
        self, problem: ConstraintProblem, locations: tuple[Location, ...], known: Mapping[Observable, Value]
    ) -> Iterator[tuple[Values, ConstraintProblem]]:
        if not locations:
            yield tuple(map(known.__getitem__, self._watched)), problem
            return
        location, *rest = locations
        writes = self._writes[location]
        candidates = list(members(possible_last_writes(problem, writes)))
        for last in candidates:
            part = problem if len(candidates) == 1 else with_last_write(problem, writes, last)
            if part is not None:
                yield from self._split(part, tuple(rest), {**known, location: self._valuation.written[last]})


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
