"""Decodes solutions of the formula to executions and final states."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.engine.smt.evaluation import Evaluation
from mcm.execution.candidate import Candidate
from mcm.execution.event import EventKind
from mcm.program.condition import RegisterName
from mcm.program.types import Location
from mcm.program.value_arithmetic import is_true

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mcm.engine.smt.encode import Encoding
    from mcm.program.condition import Observable
    from mcm.program.types import Value


class Decoder:
    """Decodes executions from the variables of solutions; everything else is evaluated."""

    def __init__(self, encoding: Encoding) -> None:
        self._encoding = encoding
        self._skeleton = encoding.skeleton
        self._initial = {e.identifier for e in encoding.skeleton.events if e.kind is EventKind.INITIAL}
        execution = encoding.execution
        literals = [
            *encoding.values.choices,
            *execution.reads_from.values(),
            *execution.order_variables.values(),
            *(literal for cases in encoding.circular.values() for literal in cases.values()),
            *(literal for order in encoding.orders for literal in order.members.values()),
        ]
        self._variables = list(dict.fromkeys(literals))

    def decode(self, reads: Mapping[int, Value] | None = None) -> Candidate:
        """The execution of the last solution; `reads` are the values of all reads if the formula leaves some open."""
        # Of total orders there may be more with each solution that is asked for.
        ordered = (variable for order in self._encoding.orders for variable in order.variables.values())
        true = self._encoding.truth([*self._variables, *ordered])
        execution, values = self._encoding.execution, self._encoding.values
        choices = tuple(literal in true for literal in values.choices)
        reads_from = {read: write for (write, read), literal in execution.reads_from.items() if literal in true}
        reader = Evaluation({}, choices)
        if reads is None:
            self._read_values(true, reads_from, reader)
        else:
            reader.reads.update(reads)
        executed = [e for e in self._skeleton.events if is_true(reader.value(e.guard) or 0)]
        locations: dict[int, Location] = {}
        for event in executed:
            if event.address is not None:
                location = reader.known_value(event.address)
                assert isinstance(location, Location), "an executed access reaches a location"
                locations[event.identifier] = location
        return Candidate(
            skeleton=self._skeleton,
            executed=frozenset(e.identifier for e in executed),
            reads_from=dict(sorted(reads_from.items())),
            modification_orders=self._modification_orders(true, locations),
            locations=locations,
            read_values=dict(sorted(reader.reads.items())),
            written_values={e.identifier: reader.known_value(e.value) for e in executed if e.kind.writes},
            choices=choices,
            linearisations={
                order.name: order.sorted([e for e, literal in order.members.items() if literal in true], true)
                for order in self._encoding.orders
            },
        )

    def _read_values(self, true: set[int], reads_from: Mapping[int, int], reader: Evaluation) -> None:
        """Compute the values of the reads, each after those that its value depends on."""
        for read in self._encoding.read_order:
            if read not in reads_from:
                continue
            circular = self._encoding.circular.get(read)
            if circular is None:
                reader.reads[read] = reader.known_value(self._skeleton.events[reads_from[read]].value)
            else:
                reader.reads[read] = next(value for value, literal in circular.items() if literal in true)

    def _modification_orders(
        self, true: set[int], locations: Mapping[int, Location]
    ) -> dict[Location, tuple[int, ...]]:
        writes: dict[Location, list[int]] = {}
        for event, location in locations.items():
            if self._skeleton.events[event].kind.writes:
                writes.setdefault(location, []).append(event)
        variables = self._encoding.execution.order_variables
        return {
            location: tuple(e for e in members if e in self._initial)
            + self._total_order([e for e in members if e not in self._initial], variables, true)
            for location, members in sorted(writes.items())
        }

    @staticmethod
    def _total_order(events: list[int], variables: Mapping[tuple[int, int], int], true: set[int]) -> tuple[int, ...]:
        """The events sorted by variables that say of `a < b` whether `a` comes before `b`."""

        def rank(event: int) -> int:
            return sum(
                variables[other, event] in true if other < event else variables[event, other] not in true
                for other in events
                if other != event
            )

        return tuple(sorted(events, key=rank))


def final_state(candidate: Candidate, observed: Iterable[Observable]) -> tuple[Value, ...]:
    """The final values of an execution."""
    reader = Evaluation(dict(candidate.read_values), candidate.choices)
    return tuple(
        reader.known_value(candidate.skeleton.registers[what])
        if isinstance(what, RegisterName)
        else candidate.written_values[candidate.modification_orders[what][-1]]
        for what in observed
    )
