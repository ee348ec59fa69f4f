"""The findings of a query so far, over all its skeletons."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from msgspec.structs import replace

from mcm.answer.answer import Answer, Blocked, RaisedFault, RaisedFlag, State, Waiting, more_general
from mcm.answer.blocked import rank_of_blocked
from mcm.answer.query import SolverName
from mcm.execution.outcome import holds
from mcm.program.value_order import rank_of_values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mcm.answer.answer import Varying
    from mcm.answer.blocked import BlockedRank
    from mcm.answer.places import PlacePair, Rank
    from mcm.answer.query import Query
    from mcm.base.source import Span
    from mcm.engine.smt.raisings import Raising
    from mcm.execution.candidate import Candidate
    from mcm.execution.skeleton import Fault, Stop
    from mcm.program.types import Location, Value

StateValues = tuple["Value", ...]
Spans = frozenset["Span"]


class Findings:
    """What was found, each once; a state that has an execution without thin air has none.

    `complete_exists`: some complete execution was found. `looked_at`: of so many skeletons all is known but the states.
    """

    def __init__(self, query: Query) -> None:
        self._query = query
        self._states: dict[StateValues, State] = {state.values: state for state in query.known}
        self._flags: dict[tuple[int, PlacePair], tuple[Rank, RaisedFlag]] = {}
        self._faults: dict[tuple[object, ...], RaisedFault] = {}
        self._cuts: dict[Span, None] = {}
        self._waits: dict[tuple[int, Span], Waiting] = {}
        self._blocked: dict[Spans, tuple[BlockedRank, Blocked]] = {}
        # For each execution with values that depend on themselves, how often it counts for a state if it can end there.
        self._circular: list[Callable[[StateValues], int]] = []
        self.complete_exists = bool(query.known)
        self.looked_at = 0
        self._solvers: set[SolverName] = set()

    def note_solver(self, solver: SolverName | None) -> None:
        """Note what a formula was given to; None if it was given to no solver."""
        if solver is not None:
            self._solvers.add(solver)

    def add_state(self, values: StateValues, witness: Candidate | None, *, thin_air: bool) -> None:
        """A final state of a consistent execution."""
        self.complete_exists = True
        known = self._states.get(values)
        if known is None or (known.thin_air and not thin_air):
            executions = None if known is None else known.executions
            varying = () if known is None else known.varying
            state = State(values, self._satisfies(values), thin_air, executions, witness, varying)
            self._states[values] = state
            if self._query.on_state is not None and not (thin_air or self._query.counts):
                self._query.on_state(state)

    def wants_example(self, values: StateValues) -> bool:
        """Whether a final state of an execution with values that depend on themselves is asked for."""
        return self._query.wants_states or (not self.is_reached and self._satisfies(values))

    def add_example(self, values: StateValues, witness: Candidate | None, varying: tuple[Varying, ...]) -> None:
        """A final state that stands for others: those of the same execution with other values."""
        known = self._states.get(values)
        if known is None:
            executions = 0 if self._query.counts else None
            known = State(values, self._satisfies(values), thin_air=True, executions=executions, witness=witness)
        self._states[values] = replace(known, varying=more_general(known.varying, varying))

    def note_circular(self, executions: Callable[[StateValues], int]) -> None:
        """Executions to be counted once all states are known: how many of them can end in a state."""
        self._circular.append(executions)

    def count_circular(self) -> None:
        """Add the executions noted to the states in which they can end."""
        for values in list(self._states):
            more = sum(executions(values) for executions in self._circular)
            if more:
                self.add_executions(values, more)

    @property
    def problems(self) -> int:
        """How many flags and faults were found."""
        return len(self._flags) + len(self._faults)

    def rank_of_flag(self, number: int, places: PlacePair) -> Rank | None:
        """The rank of what is known of a flag at a pair of places; None where it was not raised."""
        known = self._flags.get((number, places))
        return None if known is None else known[0]

    def has_fault(self, fault: Fault) -> bool:
        """Whether a fault was found."""
        return fault.reported in self._faults

    def add_executions(self, values: StateValues, number: int) -> None:
        """More executions that end in a known state."""
        known = self._states[values]
        self._states[values] = replace(known, executions=number + (known.executions or 0))

    def _satisfies(self, values: StateValues) -> bool:
        proposition = self._query.proposition
        return proposition is None or holds(proposition, dict(zip(self._query.observed, values, strict=True)))

    @property
    def states(self) -> int:
        """How many states were found."""
        return len(self._states)

    def has_state(self, *, satisfies: bool) -> bool:
        """Whether a state was found that satisfies the proposition, or one that does not; all do if there is none."""
        return any(state.satisfies is satisfies for state in self._states.values())

    @property
    def is_reached(self) -> bool:
        """Whether a state that satisfies the proposition (any state, if there is none) has been found."""
        return self.has_state(satisfies=True)

    @property
    def is_all_that_is_wanted(self) -> bool:
        """Whether nothing but a state that satisfies the proposition is asked for, and one has been found."""
        query = self._query
        return not query.wants_states and not query.wants_flags and self.is_reached

    def add_flag(self, raising: Raising, witness: Candidate) -> None:
        """A raised flag; of each pair of places the first is kept."""
        known = self.rank_of_flag(raising.flag, raising.places)
        if known is None or raising.rank < known:
            flag = self._query.model.flags[raising.flag]
            rule = None if flag.rule is None else flag.rule.identifier
            raised = RaisedFlag(flag.name, rule, raising.events, witness)
            self._flags[raising.flag, raising.places] = raising.rank, raised

    def add_fault(self, fault: Fault, witness: Candidate) -> None:
        """A fault of the program."""
        self._faults.setdefault(fault.reported, RaisedFault(fault, witness))

    def add_cut(self, cut: Stop) -> None:
        """A loop at which some execution is cut."""
        self._cuts.setdefault(cut.span)

    def add_wait(self, stop: Stop) -> None:
        """A loop in which some execution waits."""
        self._waits.setdefault((stop.thread, stop.span), _waiting(stop, stop.places))

    def add_blocked(self, stops: Sequence[Stop], witness: Candidate) -> None:
        """An execution in which units wait for ever; of those with the same places that of least rank is kept.

        Others are known to stop at some of its places, but not at all; or it does so for others: these are then left.
        """
        places = frozenset(stop.span for stop in stops)
        rank, known = rank_of_blocked(stops, witness), self._blocked.get(places)
        if self.is_blocked_at_fewer(places) or (known is not None and known[0] <= rank):
            return
        units = sorted((_waiting(stop, stop.reached(witness.locations)) for stop in stops), key=attrgetter("place"))
        self._blocked = {known: found for known, found in self._blocked.items() if not places < known}
        self._blocked[places] = rank, Blocked(tuple(units), witness)

    def is_blocked_at_fewer(self, places: Spans) -> bool:
        """Whether a blocked execution is known that stops at some of these places, but not at all of them."""
        return any(known < places for known in self._blocked)

    def _solver(self) -> str | None:
        """The solver that was used: of several skeletons, that of the largest formula."""
        used = [name.value for name in (SolverName.CADICAL, SolverName.Z3) if name in self._solvers]
        return used[0] if used else None

    def answer(self, undecided: str | None = None, *, has_problem: bool = False) -> Answer:
        """The answer, complete if `undecided` is None and it is not just that the program `has_problem`."""
        states_left = None
        if self.looked_at == len(self._query.skeletons):
            undecided, states_left = None, undecided
        is_all = undecided is None and not has_problem
        reachable: bool | None = None
        if self._query.proposition is not None and (is_all or self.is_reached):
            reachable = self.is_reached
        return Answer(
            engine="smt",
            solver=self._solver(),
            states=tuple(sorted(self._states.values(), key=lambda state: rank_of_values(state.values))),
            flags=tuple(flag for _, (_, flag) in sorted(self._flags.items(), key=lambda item: item[0])),
            faults=tuple(sorted(self._faults.values(), key=lambda raised: _position_of(raised.fault))),
            bounded=tuple(sorted(self._cuts, key=lambda span: (span.start, span.end))),
            reachable=reachable,
            undecided=undecided,
            waits=tuple(sorted(self._waits.values(), key=attrgetter("place"))),
            blocked=tuple(
                sorted((one for _, one in self._blocked.values()), key=lambda one: [unit.place for unit in one.units])
            ),
            complete_exists=self.complete_exists or (False if is_all and self._query.wants_outcomes else None),
            states_left=states_left,
        )


def _position_of(fault: Fault) -> tuple[list[tuple[int, int]], str, str, int]:
    """A key that sorts faults by their positions in the text."""
    thread = -1 if fault.thread is None else fault.thread
    return [(span.start, span.end) for span in fault.spans], fault.kind, fault.why, thread


def _waiting(stop: Stop, places: Iterable[Location]) -> Waiting:
    """The unit that stops, and the locations that it reads."""
    return Waiting(stop.thread, stop.span, tuple(sorted(places)), stop.barrier, stop.awaits)
