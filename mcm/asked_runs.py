"""Executions of a large program that end as asked, found by running it: as it is, or with one read of an older value.

Where data decides where a program goes, what might be executed is too much to be listed. A run needs no list: from the
read on, each unit does what follows from what it has read. So all of these are executions of the program, whatever a
model says of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.base.deadline import poll
from mcm.catalogue.evaluate import is_consistent, structure_of
from mcm.confirm import MANY_OPERATIONS, execution_of, open_operations, runs_of
from mcm.execution.elaborate import initial_write
from mcm.execution.event import EventKind
from mcm.execution.expression import Constant
from mcm.execution.outcome import decisive, holds, observables
from mcm.machine.build import build
from mcm.program.types import Location
from mcm.relation.evaluate import Evaluator

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from mcm.cat.model import Model
    from mcm.execution.candidate import Candidate
    from mcm.machine.recording import Operation, Recording
    from mcm.program.condition import Observable, Proposition
    from mcm.program.program import Program
    from mcm.program.types import Value

    # Where in the text a read and the write that it takes its value from begin, and whether one unit does both.
    Kind = tuple[int, int | None, bool]

# Runs that are made to find one that ends as asked.
_RUNS: Final = range(50)
# So many operations are performed at most in all of them together, and in all with an older value.
_MOST_OPERATIONS: Final = 300_000
# Of executions with more events, relations are not computed.
_MOST_EVENTS: Final = 8_000
# What an older value may be: that of an object that has none yet.
_OLDER: Final = frozenset({"uninitialised-read"})
# The final values of so many locations are shown.
_FEW: Final = 8


class AskedRun(Struct, frozen=True):
    """An execution that ends as asked.

    Of a large one that a model forbids, `candidate` is the part that decides that. `because` is what of the question
    its final state makes true. `steps` are all that units do in it.
    """

    candidate: Candidate
    because: Proposition
    steps: int


class AskedRuns:
    """Runs of one program that end as asked, under one model."""

    def __init__(self, program: Program, model: Model, goal: Proposition) -> None:
        self._program = program
        self._model = model
        self._goal = goal
        self._machine = build(program, "views", counts_loops=True)
        self._run_of = runs_of(program)

    def allowed(self) -> AskedRun | None:
        """A run as it is that the model allows, the whole of it; None if none of a few runs ends as asked."""
        for run in self._runs():
            found = self._asked(run, ())
            if found is not None and self._is_allowed(found.candidate):
                return replace(found, candidate=self.whole(run))
        return None

    def ends(
        self,
        observed: Sequence[Observable],
        most_operations: int = _MOST_OPERATIONS,
        most_in_vain: int | None = None,
    ) -> Iterator[tuple[tuple[Value, ...], Recording]]:
        """Final states, as the values of what is observed, of runs that the model allows, each with its run.

        No more are made after `most_in_vain` in a row that have shown nothing new.
        """
        met: set[tuple[Value, ...]] = set()
        in_vain = 0
        for run in self._runs(most_operations):
            if in_vain == most_in_vain:
                return
            in_vain += 1
            if not _is_complete(run):
                continue
            state = self._state(run, observed)
            values = tuple(state[what] for what in observed)
            if values not in met:
                in_vain = 0
                met.add(values)
                part = self._part(run, ())
                if part is not None and self._is_allowed(part):
                    yield values, run

    def whole(self, run: Recording) -> Candidate:
        """The execution that a run is, the whole of it."""
        return execution_of(run, self._program, self._model)

    def with_an_older_value(self) -> Iterator[AskedRun]:
        """Runs in which one read takes a value that was replaced before, at different places of the text first."""
        first = self._run_of(_RUNS[0])
        if not _is_complete(first):
            return
        performed = 0
        for read, source in _in_turn(self._older_sources(first), first.operations):
            poll()
            run = self._run_of(_RUNS[0], {read: source})
            performed += len(run.operations)
            found = self._asked(run, (read,))
            if found is not None:
                yield found
            if performed > _MOST_OPERATIONS:
                return

    def _runs(self, most_operations: int = _MOST_OPERATIONS) -> Iterator[Recording]:
        """A few runs, as they are, of so many operations together."""
        performed = 0
        for number in _RUNS:
            poll()
            run = self._run_of(number)
            yield run
            performed += len(run.operations)
            if performed > most_operations:
                return

    def _asked(self, run: Recording, named: Sequence[int]) -> AskedRun | None:
        """The execution that a run is, if it ends as asked; what is `named` of it is in the part that is looked at."""
        if not _is_complete(run, _OLDER if named else ()):
            return None
        state = self._state(run, observables(self._goal))
        if not holds(self._goal, state):
            return None
        because = decisive(self._goal, state)
        candidate = self._part(run, (*named, *self._last_writes(run, because)[:_FEW]))
        if candidate is None:
            return None
        return AskedRun(candidate, because, sum(operation.thread is not None for operation in run.operations))

    def _part(self, run: Recording, named: Collection[int]) -> Candidate | None:
        """What of a run decides whether a model allows it; None if that is too much."""
        chosen: Sequence[int] = range(len(run.operations))
        if len(chosen) >= MANY_OPERATIONS:
            chosen = open_operations(chosen, named, run, self._program, self._model)
        return None if len(chosen) > _MOST_EVENTS else execution_of(run, self._program, self._model, chosen)

    def _is_allowed(self, candidate: Candidate) -> bool:
        return is_consistent(candidate, self._model, Evaluator(structure_of(candidate)))

    def _state(self, run: Recording, observed: Iterable[Observable]) -> dict[Observable, Value]:
        """What has which value in the end of what is observed."""
        assert run.end is not None, "it is complete"
        named = dict.fromkeys(observed)
        registers = [what for what in named if not isinstance(what, Location)]
        (values,) = self._machine.finals(run.end, registers) if registers else ((),)
        state: dict[Observable, Value] = dict(zip(registers, values, strict=True))
        for what in named:
            if isinstance(what, Location):
                state[what] = self._written(run, run.orders.get(what, (None,))[-1], what)
        return state

    def _written(self, run: Recording, write: int | None, location: Location) -> Value:
        """What a write has written, None being the initial one."""
        if write is None:
            value = initial_write(self._program, location, 0).value
            assert isinstance(value, Constant), "initial values are known"
            return value.value
        written = run.operations[write].written
        assert written is not None, "it is a write"
        return written

    def _last_writes(self, run: Recording, proposition: Proposition) -> list[int]:
        """The last writes of the locations that a proposition names."""
        named = dict.fromkeys(observables(proposition))
        return [run.orders[what][-1] for what in named if isinstance(what, Location) and what in run.orders]

    def _older_sources(self, run: Recording) -> Iterator[tuple[int, int | None]]:
        """Reads, with writes of other values that were replaced before; those nearest to the outcome come first."""
        for number in self._behind(run):
            operation = run.operations[number]
            location = operation.location
            if operation.kind is not EventKind.READ or location is None:
                continue
            writes: list[int | None] = [None, *run.orders.get(location, ())]
            for write in reversed(writes[: writes.index(operation.source)]):
                if self._written(run, write, location) != operation.read:
                    yield number, write

    def _behind(self, run: Recording) -> list[int]:
        """The operations that the outcome may rest on.

        What is closest comes first: what the units do that wrote it, from the last operation on, then what those do
        that these have read from, and so on.
        """
        of_thread: dict[int | None, list[int]] = {}
        for number, operation in enumerate(run.operations):
            of_thread.setdefault(operation.thread, []).append(number)
        last = self._last_writes(run, self._goal)
        # Of each unit, up to where it was reached.
        ends = {run.operations[number].thread: number + 1 for number in sorted(last)}
        if any(not isinstance(what, Location) for what in observables(self._goal)):
            ends = dict.fromkeys(of_thread, len(run.operations))
        done = dict.fromkeys(of_thread, 0)
        found: list[int] = []
        while ends:
            new = [n for thread, end in ends.items() for n in of_thread[thread] if done[thread] <= n < end]
            done.update(ends)
            found += sorted(new, key=lambda n: (_is_of_own(run.operations[n], run.operations), -n))
            ends = {}
            for number in new:
                source = run.operations[number].source
                thread = None if source is None else run.operations[source].thread
                if source is not None and source >= done[thread]:
                    ends[thread] = max(ends.get(thread, 0), source + 1)
        return found


def _is_complete(run: Recording, permitted: Collection[str] = ()) -> bool:
    """Whether all threads have finished, and nothing was found wrong but what is permitted."""
    return run.end is not None and all(found.finding.kind in permitted for found in run.findings)


def _is_of_own(operation: Operation, operations: Sequence[Operation]) -> bool:
    """Whether an operation reads what its own unit has written."""
    return operation.source is not None and operations[operation.source].thread == operation.thread


def _in_turn(
    pairs: Iterable[tuple[int, int | None]], operations: Sequence[Operation]
) -> Iterator[tuple[int, int | None]]:
    """Reads with sources: the first of each kind, then the second of each, and so on."""
    kinds: dict[Kind, list[tuple[int, int | None]]] = {}
    for read, write in pairs:
        reader, writer = operations[read], None if write is None else operations[write]
        kind = (
            reader.span.start,
            None if writer is None else writer.span.start,
            writer is not None and reader.thread == writer.thread,
        )
        kinds.setdefault(kind, []).append((read, write))
    turn = 0
    while any(turn < len(those) for those in kinds.values()):
        yield from (those[turn] for those in kinds.values() if turn < len(those))
        turn += 1
