"""Where units stop, as literals: which executions are complete, and in which all that is unfinished waits for ever."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.engine.smt.circuit import FALSE
from mcm.execution.event import EventKind
from mcm.execution.skeleton import StopKind

if TYPE_CHECKING:
    from mcm.engine.smt.circuit import Circuit
    from mcm.engine.smt.execution import Execution
    from mcm.engine.smt.values import Values
    from mcm.execution.skeleton import Stop


class Stops:
    """The stops of one skeleton; `reached[i]` is the literal that the condition of the i-th holds."""

    def __init__(self, values: Values, execution: Execution, circuit: Circuit) -> None:
        self._stops = execution.skeleton.stops
        self._values = values
        self._execution = execution
        self._circuit = circuit
        self.reached = [values.true(stop.condition) for stop in self._stops]

    def of_kind(self, kind: StopKind) -> list[tuple[Stop, int]]:
        """The stops of a kind that some execution may reach, each with the literal that it does."""
        return [
            (stop, literal)
            for stop, literal in zip(self._stops, self.reached, strict=True)
            if stop.kind is kind and literal != FALSE
        ]

    def complete(self) -> int:
        """The literal that every unit finishes."""
        return self._circuit.all_of([-literal for literal in self.reached])

    def stopped(self, thread: int | None = None) -> int:
        """The literal that a thread (some thread, if none is given) stops."""
        return self._circuit.any_of(
            literal
            for stop, literal in zip(self._stops, self.reached, strict=True)
            if thread is None or stop.thread == thread
        )

    def blocked(self) -> int:
        """The literal that some unit stops, none because of the bound, and those that do wait for ever.

        A loop does so if what fails in it is not by chance, and if each of its reads has the last write of its
        location, or one that only iterations that wait themselves follow, with writes of the same value.
        """
        circuit = self._circuit
        demands = [-literal for _, literal in self.of_kind(StopKind.BOUND)]
        for stop, literal in self.of_kind(StopKind.WAIT):
            stuck = [self._reads_last_write(read) for read in stop.reads if read in self._execution.sources]
            demands.append(circuit.either(-literal, circuit.all_of([self._values.true(stop.persists), *stuck])))
        return circuit.all_of([self.stopped(), *demands])

    def _reads_last_write(self, read: int) -> int:
        execution, circuit = self._execution, self._circuit
        writes = execution.sources[read]
        return circuit.all_of([circuit.either(-execution.reads_from[w, read], self._is_final(w)) for w in writes])

    def _is_final(self, write: int) -> int:
        """The literal that no write changes what a write wrote."""
        execution = self._execution
        return self._circuit.all_of(
            [
                -self._circuit.both(execution.writes_before(write, other.identifier), -self._repeats(other.identifier))
                for other in execution.skeleton.events
                if other.kind.writes and other.identifier != write and execution.may_meet(write, other.identifier)
            ]
        )

    def _repeats(self, write: int) -> int:
        """The literal that a write is that of an iteration that waits: it writes what it has read."""
        if self._execution.skeleton.events[write].kind is not EventKind.UPDATE:
            return FALSE
        return self._circuit.any_of(literal for stop, literal in self.of_kind(StopKind.WAIT) if write in stop.reads)
