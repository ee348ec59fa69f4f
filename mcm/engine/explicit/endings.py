"""The final states in which an execution can end whose reads all have their writes: they differ in the last writes."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Final

from mcm.base.bits import members
from mcm.engine.explicit.orders import last_in, make_last
from mcm.program.condition import RegisterName

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcm.engine.explicit.bounds import Bounds
    from mcm.engine.explicit.findings import Values
    from mcm.engine.explicit.valuation import Valuation
    from mcm.program.condition import Observable
    from mcm.program.types import Location, Value


class Endings:
    """The values of watched registers, and for watched locations the writes that can be the last."""

    def __init__(self, valuation: Valuation, watched: tuple[Observable, ...]) -> None:
        self._valuation: Final = valuation
        self._watched: Final = watched
        self._registers: Final[dict[Observable, Value]] = {}
        self._writes: Final[dict[Location, int]] = {}
        for what in watched:
            if isinstance(what, RegisterName):
                value = valuation.evaluate(valuation.layout.skeleton.registers[what])
                assert value is not None, "a register depends only on reads that are executed"
                self._registers[what] = value
            else:
                self._writes[what] = self._writes_to(what)

    def _writes_to(self, place: Location) -> int:
        valuation = self._valuation
        writing = valuation.executed & valuation.layout.writers
        return sum(
            1 << event for event, reached in valuation.places.items() if reached == place and writing >> event & 1
        )

    @property
    def are_known(self) -> bool:
        """Whether there is one ending, whichever writes are the last."""
        return not self._writes

    def possible(self, bounds: Bounds) -> Iterator[Values]:
        """The states that may be reached within the bounds, and perhaps some more."""
        written = self._valuation.written
        choices = [
            {self._registers[what]}
            if isinstance(what, RegisterName)
            else {written[w] for w in members(last_in(bounds, self._writes[what]))}
            for what in self._watched
        ]
        return product(*choices)

    def split(self, bounds: Bounds) -> Iterator[tuple[Values, Bounds]]:
        """The bounds, divided by which writes are the last, with the state in each part."""
        return self._split(bounds, tuple(self._writes), self._registers)

    def _split(
        self, bounds: Bounds, places: tuple[Location, ...], known: Mapping[Observable, Value]
    ) -> Iterator[tuple[Values, Bounds]]:
        if not places:
            yield tuple(map(known.__getitem__, self._watched)), bounds
            return
        place, *rest = places
        writes = self._writes[place]
        candidates = list(members(last_in(bounds, writes)))
        for last in candidates:
            part = bounds if len(candidates) == 1 else make_last(bounds, writes, last)
            if part is not None:
                yield from self._split(part, tuple(rest), {**known, place: self._valuation.written[last]})


def last_in_place(place: Location, valuation: Valuation, bounds: Bounds) -> frozenset[Value] | None:
    """The values that a location can end with in a partial execution; None if one of them is not known."""
    layout = valuation.layout
    writes = [
        event
        for event in layout.events
        if event.value is not None
        and not valuation.skipped >> event.identifier & 1
        and place in event.locations
        and valuation.places.get(event.identifier, place) == place
    ]
    last = last_in(bounds, sum(1 << event.identifier for event in writes))
    values: set[Value] = set()
    for event in writes:
        if last >> event.identifier & 1:
            assert event.value is not None
            value = valuation.evaluate(event.value)
            if value is None:
                return None
            values.add(value)
    return frozenset(values)
