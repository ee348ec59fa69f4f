"""What the search has found so far: states, flags, faults and stops, each once, with an execution that shows it."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Final

from mcm.answer.answer import Answer, Blocked, RaisedFault, RaisedFlag, Waiting
from mcm.answer.many_states import satisfying
from mcm.engine.explicit.found_states import FoundStates
from mcm.execution.outcome import observables
from mcm.execution.skeleton import StopKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mcm.answer.answer import Varying
    from mcm.answer.blocked import BlockedRank
    from mcm.answer.places import PlacePair, Rank
    from mcm.answer.query import Query
    from mcm.base.source import Span
    from mcm.engine.explicit.propagation import ConstraintProblem
    from mcm.engine.explicit.valuation import Valuation
    from mcm.execution.candidate import Candidate
    from mcm.execution.skeleton import Fault, Stop
    from mcm.program.condition import Observable
    from mcm.program.types import Location, Value

Values = tuple["Value", ...]


def watched(query: Query) -> tuple[Observable, ...]:
    """The registers and locations that are observed, then those of conditions."""
    named = (o for p in (query.proposition, query.filter) if p is not None for o in observables(p))
    return tuple(dict.fromkeys((*query.observed, *named)))


class Findings:
    """The findings of one query; `watched` are the observed registers and locations, then those of conditions.

    `found` has the final states: the values of what is observed.
    `complete_exists`: some complete execution was found; `has_problem`: the first problem that the query asks for was;
    `is_decided`: a problem was that is decisive.
    """

    def __init__(self, query: Query) -> None:
        self.query: Final = query
        self.watched: Final = watched(query)
        self.found: Final = FoundStates(query)
        # For each execution with values that depend on themselves, how often it counts for a state if it can end there.
        self._circular: Final[list[Callable[[Values], int]]] = []
        self._flags: Final[dict[tuple[int, PlacePair], tuple[Rank, RaisedFlag]]] = {}
        self._faults: Final[dict[tuple[object, ...], RaisedFault]] = {}
        self._cuts: Final[dict[Span, None]] = {}
        self._waits: Final[dict[tuple[int, Span], Waiting]] = {}
        self._blocked: dict[frozenset[Span], tuple[BlockedRank, Blocked]] = {}
        self.complete_exists = bool(query.known)
        self.has_problem = False
        self.is_decided = False

    def witness(self, valuation: Valuation, problem: ConstraintProblem) -> Candidate:
        """The execution that was found as a solution of a problem."""
        # Imported here: many small tests have no execution to show.
        from mcm.engine.explicit.witness import witness_of  # noqa: PLC0415

        return witness_of(valuation, problem, self.query.model)

    # --- states -------------------------------------------------------------------------------------------------------

    def is_new(self, values: Values, *, thin_air: bool) -> bool:
        """Whether an execution with this final state, given as the values of what is watched, adds something."""
        query = self.query
        if not self.wants_more_states or not (query.wants_states or self.found.satisfies(values)):
            return False
        return query.counts or not self.found.is_known(values, thin_air=thin_air)

    def add_state(self, values: Values, witness: Candidate | None, *, thin_air: bool) -> None:
        """Add the final state of a consistent execution."""
        self.complete_exists = True
        self.found.add(values[: len(self.query.observed)], witness, thin_air=thin_air)

    def wants_example(self, values: Values) -> bool:
        """Whether a final state of an execution with values that depend on themselves is asked for."""
        return self.wants_more_states and (self.query.wants_states or self.found.satisfies(values))

    def add_example(self, values: Values, witness: Candidate | None, varying: tuple[Varying, ...]) -> None:
        """Add a final state that stands for others: those of the same execution with other values."""
        self.complete_exists = True
        self.found.add_example(values[: len(self.query.observed)], witness, varying)

    def note_circular(self, executions: Callable[[Values], int]) -> None:
        """Note executions to be counted once all states are known: how many of them can end in a state."""
        self._circular.append(executions)

    def count_circular(self) -> None:
        """Add the executions noted to the states in which they can end."""
        if self._circular:
            self.found.count_more(self._circular)

    @property
    def states(self) -> int:
        """How many states were found."""
        return len(self.found)

    @property
    def has_enough(self) -> bool:
        """Whether no further state is asked for: where not all are wanted, one that was asked for will do."""
        return not self.query.wants_states and self.states > 0

    @property
    def wants_more_states(self) -> bool:
        """Whether states are asked for, and more than were found."""
        return self.query.wants_outcomes and not self.has_enough

    @property
    def is_complete(self) -> bool:
        """Whether nothing more is asked for."""
        return self.has_problem or (not self.query.wants_flags and self.has_enough)

    @property
    def wants_one_of_each_leaf(self) -> bool:
        """Whether of executions that read from the same writes one is enough."""
        return False

    @property
    def asks_whether_complete(self) -> bool:
        """Whether there may be complete executions that add no state."""
        query = self.query
        return query.wants_outcomes and (query.filter is not None or not query.wants_states)

    # --- flags, faults and stops --------------------------------------------------------------------------------------

    def raise_flag(
        self, number: int, places: PlacePair, events: tuple[int, ...], rank: Rank, witness: Candidate
    ) -> None:
        """Add a flag of a consistent execution, by its number; of each pair of places the first raising is kept."""
        flag, query = self.query.model.flags[number], self.query
        self.has_problem |= query.first_problem is not None and flag.name in query.first_problem.flags
        self.is_decided |= query.decisive is not None and flag.name in query.decisive.flags
        known = self.rank_of_flag(number, places)
        if known is None or rank < known:
            rule = None if flag.rule is None else flag.rule.identifier
            self._flags[number, places] = rank, RaisedFlag(flag.name, rule, events, witness)

    @property
    def has_flags(self) -> bool:
        """Whether some flag was raised."""
        return bool(self._flags)

    def rank_of_flag(self, number: int, places: PlacePair) -> Rank | None:
        """The rank of what is known of a flag at a pair of places; None where it was not raised."""
        known = self._flags.get((number, places))
        return None if known is None else known[0]

    def raise_fault(self, fault: Fault, witness: Candidate) -> None:
        """Add a fault of a consistent execution, once for each reason and places."""
        query = self.query
        self.has_problem |= query.first_problem is not None and query.first_problem.decides(fault)
        self.is_decided |= query.decisive is not None and query.decisive.decides(fault)
        self._faults.setdefault(fault.reported, RaisedFault(fault, witness))

    def has_fault(self, fault: Fault) -> bool:
        """Whether a fault was raised."""
        return fault.reported in self._faults

    def add_stop(self, stop: Stop) -> None:
        """Add a stop that a consistent execution reaches."""
        match stop.kind:
            case StopKind.BOUND:
                self._cuts.setdefault(stop.span)
            case StopKind.WAIT:
                if stop.fails_again:
                    self._waits.setdefault((stop.thread, stop.span), _waiting(stop, stop.places))
            case StopKind.BARRIER | StopKind.EVENT:
                # A unit waits for a unit that stops elsewhere, or for what never comes: a blocked execution says so.
                pass

    @property
    def is_cut(self) -> bool:
        """Whether some consistent execution is cut by the bound of a loop."""
        return bool(self._cuts)

    def has_stop(self, stop: Stop) -> bool:
        """Whether it is known of a stop that it is reached."""
        match stop.kind:
            case StopKind.BOUND:
                return stop.span in self._cuts
            case StopKind.WAIT:
                return not stop.fails_again or (stop.thread, stop.span) in self._waits
            case StopKind.BARRIER | StopKind.EVENT:
                return True

    def add_blocked(self, stops: Sequence[Stop], witness: Candidate) -> bool:
        """Add an execution in which units wait for ever; false if another one is told instead.

        Only those are kept with the fewest places, and of those with the same places the one with the least rank.
        """
        # Imported here: most programs are not blocked.
        from mcm.answer.blocked import rank_of_blocked  # noqa: PLC0415

        places = frozenset(stop.span for stop in stops)
        rank, known = rank_of_blocked(stops, witness), self.rank_of_blocked(places)
        if self.is_blocked_at_fewer(places) or (known is not None and known <= rank):
            return False
        units = sorted((_waiting(stop, stop.reached(witness.locations)) for stop in stops), key=attrgetter("place"))
        self._blocked = {known: found for known, found in self._blocked.items() if not places < known}
        self._blocked[places] = rank, Blocked(tuple(units), witness)
        return True

    def is_blocked_at_fewer(self, places: frozenset[Span]) -> bool:
        """Whether a blocked execution is known that stops at some of these places, but not at all of them."""
        return any(known < places for known in self._blocked)

    def rank_of_blocked(self, places: frozenset[Span]) -> BlockedRank | None:
        """The rank of the blocked execution that is known to stop at just these places."""
        known = self._blocked.get(places)
        return None if known is None else known[0]

    def answer(self, undecided: str | None) -> Answer:
        """Everything found, sorted; `undecided` is the reason why the search is incomplete, if it is."""
        states = self.found.sorted()
        is_all = undecided is None and not self.has_problem
        reachable = None
        if is_all and self.query.proposition is not None:
            reachable = satisfying(states) > 0
        return Answer(
            engine="explicit",
            states=states,
            flags=tuple(flag for _, (_, flag) in sorted(self._flags.items(), key=lambda item: item[0])),
            faults=tuple(sorted(self._faults.values(), key=lambda raised: _position_of(raised.fault))),
            bounded=tuple(sorted(self._cuts, key=lambda span: (span.start, span.end))),
            reachable=reachable,
            undecided=undecided,
            waits=tuple(sorted(self._waits.values(), key=attrgetter("place"))),
            blocked=tuple(
                sorted((one for _, one in self._blocked.values()), key=lambda one: [unit.place for unit in one.units])
            ),
            complete_exists=self.complete_exists or (False if is_all and self.query.wants_outcomes else None),
        )


def _position_of(fault: Fault) -> tuple[object, ...]:
    """A key that sorts faults by their positions in the text."""
    thread = -1 if fault.thread is None else fault.thread
    return [(span.start, span.end) for span in fault.spans], fault.kind, fault.why, thread


def _waiting(stop: Stop, places: Iterable[Location]) -> Waiting:
    """The unit that stops, and the locations that it reads."""
    return Waiting(stop.thread, stop.span, tuple(sorted(places)), stop.barrier, stop.awaits)
