"""The least of the executions that are blocked at the same places (`answer.blocked`), found by further queries."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from mcm.engine.smt.evaluation import Evaluation
from mcm.execution.expression import ReadValue
from mcm.program.value_arithmetic import is_true
from mcm.program.value_order import rank_of_value

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mcm.base.source import Span
    from mcm.engine.smt.decode import Decoder
    from mcm.engine.smt.encode import Encoding
    from mcm.execution.candidate import Candidate
    from mcm.execution.skeleton import Stop
    from mcm.program.types import Location, Value

Case = TypeVar("Case")

# A stop and the literal that it is reached.
Reached = tuple["Stop", int]


def stops_of(execution: Candidate) -> list[Stop]:
    """The stops whose conditions hold in an execution."""
    reader = Evaluation(dict(execution.read_values), execution.choices)
    return [stop for stop in execution.skeleton.stops if is_true(reader.value(stop.condition) or 0)]


class LeastBlocked:
    """Decides what the rank of a blocked execution is made of, one thing after another, each as low as can be.

    `restrictions` are assumptions under which an execution is blocked and passes the filter, and `places` a least set
    of places: no execution is blocked at only some of them.
    """

    def __init__(
        self, encoding: Encoding, decoder: Decoder, places: frozenset[Span], restrictions: Sequence[int]
    ) -> None:
        self._encoding: Final = encoding
        self._decoder: Final = decoder
        all_stops = list(zip(encoding.skeleton.stops, encoding.stops.reached, strict=True))
        elsewhere = [literal for stop, literal in all_stops if stop.span not in places]
        nowhere_else = encoding.assumption(encoding.circuit.all_of([-literal for literal in elsewhere]))
        self._assumed: Final = [*restrictions, nowhere_else]
        self._stops: Final[dict[int, list[Reached]]] = {}
        for stop, literal in all_stops:
            if stop.span in places:
                self._stops.setdefault(stop.thread, []).append((stop, literal))

    def find(self, witness: Candidate) -> Candidate:
        """The least execution, given one that is blocked at these places."""
        for thread in sorted(self._stops, reverse=True):
            stopped = self._encoding.circuit.any_of(literal for _, literal in self._stops[thread])
            witness = self._least(witness, {False: -stopped, True: stopped}, partial(_stops, thread))
        threads = sorted(stop.thread for stop in stops_of(witness))
        for thread in threads:
            witness = self._least(witness, self._spans(thread), partial(_place_of, thread))
        for thread in threads:
            witness = self._least(witness, self._awaited(thread), partial(_awaited_by, thread))
            for location in self._read_by(thread):
                witness = self._least(witness, self._values(thread, location), partial(_value_at, thread, location))
        return witness

    def _least(self, witness: Candidate, cases: dict[Case, int], case_of: Callable[[Candidate], Case]) -> Candidate:
        """A witness of the first of some cases that is possible, which is assumed from now on; a case has a literal."""
        order = list(cases)
        while (position := order.index(case_of(witness))) > 0:
            earlier = self._encoding.assumption(*(cases[case] for case in order[:position]))
            if not self._encoding.solve([*self._assumed, earlier]):
                break
            witness = self._decoder.decode()
        if len(order) > 1:
            self._assumed.append(self._encoding.assumption(cases[order[position]]))
        return witness

    def _spans(self, thread: int) -> dict[Span, int]:
        """The places where a thread may stop, from first to last."""
        return self._grouped(thread, lambda stop: stop.span, lambda span: (span.start, span.end))

    def _awaited(self, thread: int) -> dict[tuple[int, ...], int]:
        """The commands that a thread may wait for."""
        return self._grouped(thread, lambda stop: stop.awaits, lambda awaits: awaits)

    def _grouped(
        self, thread: int, key: Callable[[Stop], Case], rank: Callable[[Case], tuple[int, ...]]
    ) -> dict[Case, int]:
        groups: dict[Case, list[int]] = {}
        for stop, literal in self._stops[thread]:
            groups.setdefault(key(stop), []).append(literal)
        return {case: self._encoding.circuit.any_of(groups[case]) for case in sorted(groups, key=rank)}

    def _read_by(self, thread: int) -> list[Location]:
        """The locations that a thread may read where it stops."""
        locations = self._encoding.execution.locations
        return sorted(
            {location for stop, _ in self._stops[thread] for read in stop.reads for location in locations[read]}
        )

    def _values(self, thread: int, location: Location) -> dict[Value | None, int]:
        """The values that a thread may read at a location where it stops, in order; last that it does not read it."""
        encoding, circuit = self._encoding, self._encoding.circuit
        found: dict[Value, list[int]] = {}
        for stop, reached in self._stops[thread]:
            for read in stop.reads:
                there = encoding.execution.locations[read].get(location)
                if there is not None:
                    for value, literal in encoding.values.cases(ReadValue(read)).items():
                        found.setdefault(value, []).append(circuit.all_of([reached, there, literal]))
        cases: dict[Value | None, int] = {v: circuit.any_of(found[v]) for v in sorted(found, key=rank_of_value)}
        cases[None] = -circuit.any_of(list(cases.values()))
        return cases


def _stops(thread: int, witness: Candidate) -> bool:
    """Whether a thread stops."""
    return any(stop.thread == thread for stop in stops_of(witness))


def _stop_of(thread: int, witness: Candidate) -> Stop:
    """Where a thread stops that does."""
    return next(stop for stop in stops_of(witness) if stop.thread == thread)


def _place_of(thread: int, witness: Candidate) -> Span:
    return _stop_of(thread, witness).span


def _awaited_by(thread: int, witness: Candidate) -> tuple[int, ...]:
    return _stop_of(thread, witness).awaits


def _value_at(thread: int, location: Location, witness: Candidate) -> Value | None:
    """What a unit reads at a location where it stops; None if it does not."""
    reads = _stop_of(thread, witness).reads
    return next((witness.read_values[read] for read in reads if witness.locations.get(read) == location), None)
