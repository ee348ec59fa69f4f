"""The answer about a program that falls apart, from answers about its parts: each situation is looked at once."""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import count
from operator import attrgetter
from time import perf_counter
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.answer.answer import Answer, State
from mcm.engine.phases.cut import next_cut
from mcm.engine.phases.models import falls_apart
from mcm.engine.phases.parts import Parts, Situation

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.answer.answer import Waiting
    from mcm.answer.query import Query
    from mcm.base.source import Span
    from mcm.execution.skeleton import Skeleton
    from mcm.program.condition import Observable
    from mcm.program.types import Value

    Ask = Callable[[Query], Answer]


# More are not looked at, and no more states of a part: then the solver does better, which knows of symmetry.
_MOST_SITUATIONS: Final = 20_000
_MOST_STATES: Final = 2_000


class _UnclearError(Exception):
    """A part has something to show, such as a race or a thread that waits for ever, or is not decided."""


def decide_by_phases(query: Query, watched: tuple[Observable, ...], ask: Ask) -> Answer | None:
    """The answer where nothing is to be shown but final states, and all is decided in time; else None.

    `watched` is what is observed in the end and what conditions mention. `ask` answers a query about a part.
    """
    if query.wants_witnesses or query.counts or len(query.skeletons) != 1 or not falls_apart(query.model):
        return None
    (skeleton,) = query.skeletons
    if skeleton.shown is not None or skeleton.supposed:
        return None
    try:
        return _Phases(query, watched, ask).answer(skeleton)
    except _UnclearError:
        return None


class _Phases:
    """The parts of one program, and what is found of them."""

    def __init__(self, query: Query, watched: tuple[Observable, ...], ask: Ask) -> None:
        self._query: Final = query
        self._watched: Final = watched
        self._ask_engine: Final = ask
        self._end: Final = None if query.limits.seconds is None else perf_counter() + query.limits.seconds
        self._states: Final[dict[tuple[Value, ...], State]] = {}
        self._bounded: Final[dict[Span, None]] = {}
        self._waits: Final[dict[tuple[int, Span], Waiting]] = {}
        self._engines: Final[dict[str, None]] = {}
        self._solvers: Final[dict[str, None]] = {}
        self._waiting: Final[list[tuple[int, int, Situation]]] = []
        self._seen: Final[set[tuple[object, ...]]] = set()
        self._order: Final = count()
        self._cuts: Final[dict[tuple[object, ...], frozenset[int] | None]] = {}
        self._complete_exists = False
        # Why not all states of a last part are listed.
        self._states_left: str | None = None

    def answer(self, skeleton: Skeleton) -> Answer | None:
        """The answer; None where the program does not fall apart."""
        # Where a fault leads to is not told here.
        faults = tuple(replace(fault, operand=None) for fault in skeleton.faults)
        self._add(Situation(replace(skeleton, faults=faults), tuple(range(len(skeleton.events)))))
        is_whole = True
        while self._waiting and not self._has_enough:
            if self._seconds_left == 0:
                raise _UnclearError
            _, _, situation = heappop(self._waiting)
            parts = self._parts(situation)
            if parts is None:
                if is_whole:
                    return None
                self._end_with(situation)
            else:
                answer = self._ask(self._about(parts))
                if answer.waits or answer.bounded:
                    # Others go on in the rest when a thread has stopped in the part.
                    raise _UnclearError
                for state in answer.states:
                    self._add(parts.behind(state.values))
            is_whole = False
        return self._found()

    def _add(self, situation: Situation) -> None:
        """Add a situation, to be looked at after all that have more left."""
        key = situation.key
        if len(self._seen) == _MOST_SITUATIONS:
            raise _UnclearError
        if key not in self._seen:
            self._seen.add(key)
            heappush(self._waiting, (-len(situation.numbers), next(self._order), situation))

    def _parts(self, situation: Situation) -> Parts | None:
        if situation.outline not in self._cuts:
            self._cuts[situation.outline] = next_cut(situation.skeleton, self._query.model)
        cut = self._cuts[situation.outline]
        parts = None if cut is None else Parts(situation, cut, self._watched)
        return parts if parts is not None and parts.is_possible else None

    @property
    def _has_enough(self) -> bool:
        return bool(self._states) and not (self._query.wants_states or self._query.wants_flags)

    def _about(self, parts: Parts) -> Query:
        """What is asked about the part before a point: all its final states."""
        found = count(1)

        def note(_: State) -> None:
            if next(found) > _MOST_STATES:
                raise _UnclearError

        return replace(
            self._query,
            skeletons=(parts.before,),
            observed=parts.observed,
            proposition=None,
            filter=None,
            wants_states=True,
            wants_outcomes=True,
            first_problem=None,
            known=(),
            conflicts=None,
            on_state=note,
        )

    def _end_with(self, situation: Situation) -> None:
        """Add the final states of what does not fall apart any more."""
        answer = self._ask(
            replace(self._query, skeletons=(situation.skeleton,), known=(), conflicts=None, on_state=None), is_last=True
        )
        self._complete_exists |= bool(answer.complete_exists)
        self._states_left = self._states_left or answer.states_left
        for state in answer.states:
            self._states.setdefault(state.values, state)

    def _ask(self, query: Query, *, is_last: bool = False) -> Answer:
        """The answer about a part; of the last one, behind which nothing comes, some states may be missing."""
        limits = replace(query.limits, seconds=self._seconds_left)
        answer = self._ask_engine(replace(query, limits=limits))
        lacks_states = answer.states_left and not is_last
        is_clear = not (answer.undecided or lacks_states or answer.flags or answer.faults or answer.blocked)
        if not is_clear or any(state.thin_air or state.varying for state in answer.states):
            raise _UnclearError
        self._bounded.update(dict.fromkeys(answer.bounded))
        for waiting in answer.waits:
            self._waits.setdefault((waiting.thread, waiting.span), waiting)
        self._engines[answer.engine] = None
        if answer.solver is not None:
            self._solvers[answer.solver] = None
        return answer

    @property
    def _seconds_left(self) -> float | None:
        """The time that is left; None without a limit."""
        return None if self._end is None else max(0.0, self._end - perf_counter())

    def _found(self) -> Answer:
        states = sorted(self._states.values(), key=attrgetter("rank"))
        if self._query.on_state is not None:
            # Only now it is known that nobody else is asked, who would find them again.
            for state in states:
                self._query.on_state(state)
        return Answer(
            engine="smt" if "smt" in self._engines else "explicit",
            states=tuple(states),
            flags=(),
            faults=(),
            bounded=tuple(sorted(self._bounded, key=lambda span: (span.start, span.end))),
            reachable=None if self._query.proposition is None else any(state.satisfies for state in states),
            waits=tuple(sorted(self._waits.values(), key=attrgetter("place"))),
            complete_exists=self._complete_exists if self._query.wants_outcomes else None,
            solver=next(reversed(self._solvers), None),
            states_left=self._states_left,
        )
