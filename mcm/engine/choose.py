"""Which engine answers: the one asked for, or first the explicit search within a budget and then the solver.

The solver need not find again what the search has found.
"""

from __future__ import annotations

from enum import Enum
from operator import attrgetter
from time import perf_counter
from typing import TYPE_CHECKING, Final, assert_never

from msgspec import Struct
from msgspec.structs import replace

from mcm.answer.answer import Answer
from mcm.answer.result import FIRST_PROBLEM
from mcm.base.deadline import MEMORY, TIMEOUT, limits_of_c_functions, seconds_left, want_solver

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mcm.answer.answer import State
    from mcm.answer.query import Limits, Query
    from mcm.engine.explicit.ways import Ways
    from mcm.execution.skeleton import Skeleton
    from mcm.execution.supposition import Suppositions


class EngineName(Enum):
    """The engines, and the rule that picks between them."""

    AUTO = "auto"
    EXPLICIT = "explicit"
    SMT = "smt"


# Search nodes after which the solver is the better bet, measured over the shipped tests and the families of `bench`:
# small tests end far below; beyond, the solver is nearly always quicker, and often many times so. Up to there a search
# takes about as long as the solver does where it is loaded already, and a fifth of that where it has to be loaded.
NODE_BUDGET: Final = 75
# A search that is likely to end within so many goes on: to load the solver takes as long.
LIKELY_TO_END: Final = 300


class Before(Struct, frozen=True):
    """What is known before the solver is asked: how long it may take (None: as the limits say), and final states."""

    seconds: float | None = None
    states: tuple[State, ...] = ()


@limits_of_c_functions()
def decide(
    query: Query, engine: EngineName = EngineName.AUTO, before_solver: Callable[[], Before] | None = None
) -> Answer:
    """The answer of an engine within the limits of the query, and the time that is left.

    Where a search is followed by the solver, `before_solver` is asked between them. Engines are imported here, so that
    none is loaded that is not used.
    """
    query = _in_time_left(query)
    match engine:
        case EngineName.EXPLICIT:
            from mcm.engine.explicit.decide import decide as decide_explicitly  # noqa: PLC0415 - see above

            return decide_explicitly(query)
        case EngineName.SMT:
            want_solver()
            from mcm.engine.smt.decide import decide as decide_with_solver  # noqa: PLC0415 - see above

            return decide_with_solver(query)
        case EngineName.AUTO:
            return _decide_by_both(query, before_solver)
        case _:
            assert_never(engine)


@limits_of_c_functions()
def ways(query: Query, most: int) -> Ways:
    """At most so many ways to the outcome that a query asks about: what the explicit engine finds of them."""
    from mcm.engine.explicit.ways import find_ways  # noqa: PLC0415 - see `decide`

    return find_ways(_in_time_left(query), most)


# What of the time that is left an engine may take: who has to interrupt it gets nothing of what it has found.
_FOR_ENGINE: Final = 0.98


def _in_time_left(query: Query) -> Query:
    """The query, with no more time than is left for the work around it."""
    left, asked = seconds_left(), query.limits.seconds
    if left is None:
        return query
    most = left * _FOR_ENGINE
    if asked is not None and asked <= most:
        return query
    return replace(query, limits=replace(query.limits, seconds=most))


# A search of so many events looks at each part of an execution in milliseconds. Where a program has so many times as
# many events as are open, a run of it takes longer than to search them.
_FEW_EVENTS: Final = 100
_FEW_OF_MANY: Final = 8


class OpenEvents(Enum):
    """How many events there are to decide on, after what barriers settle."""

    FEW = "few"
    FEW_OF_MANY = "few of many"
    MANY = "many"


def open_events(query: Query) -> OpenEvents:
    """How many of the events of a query are open; those of the skeleton with the most count."""
    from mcm.engine.explicit.decide import open_skeleton  # noqa: PLC0415 - see `decide`

    open_ = [len(open_skeleton(skeleton, query).events) for skeleton in query.skeletons]
    if all(number <= _FEW_EVENTS for number in open_):
        return OpenEvents.FEW
    all_ = (len(skeleton.events) for skeleton in query.skeletons)
    is_few = all(number <= events // _FEW_OF_MANY for number, events in zip(open_, all_, strict=True))
    return OpenEvents.FEW_OF_MANY if is_few else OpenEvents.MANY


def is_settled(query: Query) -> bool:
    """Whether barriers, and updates that commute, leave nothing to be decided."""
    from mcm.engine.explicit.decide import open_skeleton  # noqa: PLC0415 - see `decide`

    return _have_only_initial_writes(open_skeleton(skeleton, query) for skeleton in query.skeletons)


def _have_only_initial_writes(skeletons: Iterable[Skeleton]) -> bool:
    return all(event.thread is None for skeleton in skeletons for event in skeleton.events)


def objects_of_suppositions(query: Query) -> frozenset[int]:
    """The numbers of the objects of which something is supposed that is not shown."""
    from mcm.engine.explicit.decide import open_skeleton  # noqa: PLC0415 - see `decide`

    found: set[int] = set()
    for skeleton in query.skeletons:
        for read in open_skeleton(skeleton, query).supposed:
            found.update(location.object for location in skeleton.events[read].locations)
    return frozenset(found)


def told_in(query: Query) -> Suppositions:
    """What members of groups are told once, each by another one: what every execution of the program reads there."""
    from mcm.engine.explicit.findings import watched  # noqa: PLC0415 - see `decide`
    from mcm.engine.explicit.settled.settling import look_at  # noqa: PLC0415
    from mcm.execution.broadcasts import told_to_groups  # noqa: PLC0415
    from mcm.execution.expression import ReadValue  # noqa: PLC0415

    if len(query.skeletons) != 1:
        return {}
    (skeleton,) = query.skeletons
    looked = look_at(skeleton, query.model, watched(query))
    if looked is None:
        return {}
    known = looked[1].substitution.apply
    return told_to_groups(skeleton, lambda read: known(ReadValue(read.identifier)))


def enough_iterations(query: Query) -> int | None:
    """How often a loop may go round at most in which jobs are taken from a counter; None if there is none."""
    from mcm.engine.explicit.decide import open_skeleton  # noqa: PLC0415 - see `decide`
    from mcm.engine.explicit.settled.chains import most_iterations  # noqa: PLC0415

    def most(skeleton: Skeleton) -> int | None:
        # Where one member of a group takes jobs for all, it is known after a look that all go on together.
        found = most_iterations(skeleton)
        return most_iterations(open_skeleton(skeleton, query)) if found is None else found

    return max((found for found in map(most, query.skeletons) if found is not None), default=None)


@limits_of_c_functions()
def excluded_by(query: Query) -> tuple[str, ...] | None:
    """Names of checks (and linearisations) that together exclude every complete execution, whatever its final state.

    Empty when the program's values alone exclude them; None when there is one, or when it is not found out in time.
    """
    want_solver()
    from mcm.engine.smt.budget import UndecidedError  # noqa: PLC0415 - see `decide`
    from mcm.engine.smt.unsat_core import forbidding_rules  # noqa: PLC0415 - see `decide`

    try:
        return forbidding_rules(replace(_in_time_left(query), proposition=None, filter=None))
    except UndecidedError:
        return None


def _without_settled(query: Query) -> Query:
    """The query about what is left to be decided, by either engine: the solver has relations of all events too."""
    from mcm.engine.explicit.decide import open_skeleton  # noqa: PLC0415 - see `decide`

    return replace(query, skeletons=tuple(open_skeleton(skeleton, query) for skeleton in query.skeletons))


# What an engine knows that has not begun.
_NOTHING: Final = Answer(
    engine="explicit", states=(), flags=(), faults=(), bounded=(), reachable=None, undecided=TIMEOUT
)

# For each pair of events: how long it takes either engine to begin, with each relation of the model; and what of the
# time that may take before what a program falls apart into is looked at instead.
_SECONDS_TO_BEGIN: Final = 2e-7
_FOR_BEGINNING: Final = 0.05


def _is_vast(query: Query) -> bool:
    """Whether it would take an engine too much of the time to begin."""
    seconds = query.limits.seconds
    pairs = max(len(skeleton.events) ** 2 for skeleton in query.skeletons)
    return seconds is not None and pairs * _SECONDS_TO_BEGIN > seconds * _FOR_BEGINNING


def _decide_by_both(query: Query, before_solver: Callable[[], Before] | None) -> Answer:
    from mcm.engine.explicit.decide import decide_rest  # noqa: PLC0415 - see `decide`

    start, whole = perf_counter(), query
    query = _without_settled(query)
    answer = _NOTHING if _is_vast(query) else decide_rest(replace(query, limits=short_limits(query)))
    if answer.undecided is None:
        return answer
    if was_listing(query, answer):
        return with_all_else(replace(whole, limits=remaining(query.limits, perf_counter() - start)), answer)
    if _has_enough_of_undefined(query, answer):
        return replace(answer, undecided=FIRST_PROBLEM)
    by_phases = _decide_by_phases(replace(query, limits=remaining(query.limits, perf_counter() - start)))
    if by_phases is not None:
        return by_phases
    want_solver()
    before = Before() if before_solver is None else before_solver()
    left = remaining(query.limits, perf_counter() - start)
    if before.seconds is not None:
        left = replace(left, seconds=before.seconds if left.seconds is None else min(left.seconds, before.seconds))
    if left.seconds == 0:
        return replace(answer, undecided=TIMEOUT)
    # Executions that were counted in part have to be counted again, and a better one may turn up for thin air.
    known = () if query.counts else tuple(state for state in answer.states if not state.thin_air)
    met = {state.values for state in known}
    others = tuple(state for state in before.states if state.values not in met)
    if query.on_state is not None:
        for state in others:
            query.on_state(state)
    begun = perf_counter()
    listing = lacks_only_states(query)
    skeletons = tuple(with_awaited(skeleton, replace(query, limits=left)) for skeleton in query.skeletons)
    left = remaining(left, perf_counter() - begun)
    asked = replace(query, skeletons=skeletons, limits=left, known=(*known, *others))
    if left.seconds is not None and query.wants_states and not query.counts:
        asked = replace(asked, limits=replace(left, seconds=left.seconds * _FOR_STATES))
    if listing:
        asked = replace(asked, wants_flags=False, first_problem=None)
    answer = _by_solver(asked)
    is_known = answer.undecided is None or answer.flags or answer.faults
    if is_known or not (listing or was_listing(query, answer)):
        return answer
    return with_all_else(replace(whole, limits=remaining(left, perf_counter() - begun)), answer)


# Where one of these ends the solver, it ends a search, too.
_LIMITS: Final = frozenset({TIMEOUT, MEMORY})
# So few events are searched in seconds, however many ways there are, or nearly so; and what of the time the solver has
# before that. A few updates of one number that depend on each other are easy for the search alone.
_FEW_TO_SEARCH: Final = 20
_BEFORE_SEARCH: Final = 1 / 3


def _by_solver(query: Query) -> Answer:
    """What the solver says; where no formula says what is asked, as of too many values, what a search says.

    So it is where the solver takes long over few events. Settled accesses were taken out of the skeletons.
    """
    from mcm.engine.explicit.decide import decide_rest  # noqa: PLC0415 - see `decide`

    start, limits = perf_counter(), query.limits
    is_small = all(len(skeleton.events) <= _FEW_TO_SEARCH for skeleton in query.skeletons)
    if is_small and limits.seconds is not None:
        limits = replace(limits, seconds=limits.seconds * _BEFORE_SEARCH)
    answer = decide(replace(query, limits=limits), EngineName.SMT)
    may_go_on = is_small and answer.undecided == TIMEOUT
    if answer.undecided is None or (answer.undecided in _LIMITS and not may_go_on):
        return answer
    left = remaining(query.limits, perf_counter() - start)
    # Executions that were counted in part have to be counted again.
    known = query.known if query.counts else tuple(state for state in answer.states if not state.thin_air)
    found = decide_rest(replace(query, limits=left, known=known))
    return answer if may_go_on and found.undecided is not None else found


def _has_enough_of_undefined(query: Query, answer: Answer) -> bool:
    """Whether a problem decides, and as many states were found as are enough then."""
    if query.decisive is None or not query.decisive.is_in(answer):
        return False
    from mcm.engine.explicit.budget import STATES_OF_UNDEFINED  # noqa: PLC0415 - see `decide`

    return len(answer.states) >= STATES_OF_UNDEFINED


# What of the time that is left may be spent on what a program falls apart into.
_FOR_PHASES: Final = 0.4


def _decide_by_phases(query: Query) -> Answer | None:
    """The answer from one barrier, or wait, to the next, where a program falls apart there; else None."""
    from mcm.engine.explicit.decide import decide_rest  # noqa: PLC0415 - see `decide`
    from mcm.engine.explicit.findings import watched  # noqa: PLC0415
    from mcm.engine.phases.decide import decide_by_phases  # noqa: PLC0415

    def ask(part: Query) -> Answer:
        """The answer about a part: most are small."""
        start = perf_counter()
        answer = decide_rest(replace(part, limits=short_limits(part)))
        if answer.undecided is None:
            return answer
        part = replace(part, limits=remaining(part.limits, perf_counter() - start))
        start, found = perf_counter(), _decide_by_phases(part)
        left = remaining(part.limits, perf_counter() - start)
        return found or decide(replace(_without_settled(part), limits=left), EngineName.SMT)

    seconds = query.limits.seconds
    limits = replace(query.limits, seconds=None if seconds is None else seconds * _FOR_PHASES)
    return decide_by_phases(replace(query, limits=limits), watched(query), ask)


# What of the time that is left a search may take that finds state after state; the rest is for all else.
_FOR_STATES: Final = 0.8


# However few events there are: what is left of many may be few.
_ANY: Final = 0


def lacks_only_states(query: Query) -> bool:
    """Whether nothing is to be decided but which states there are: the rest is settled if nobody asks for these."""
    if not query.wants_states or query.counts or query.filter is not None:
        return False
    from mcm.engine.explicit.decide import open_skeleton  # noqa: PLC0415 - see `decide`

    rest = replace(query, wants_states=False, proposition=None, observed=(), on_state=None, known=())
    rest = replace(rest, skeletons=tuple(open_skeleton(skeleton, rest, _ANY) for skeleton in query.skeletons))
    if not _have_only_initial_writes(rest.skeletons):
        return False
    answer = decide(rest, EngineName.EXPLICIT)
    return answer.undecided is None and not (answer.flags or answer.faults or answer.bounded or answer.waits)


# Where it is shown what units wait for, little else is left than whether they wait for ever, which the solver tells.
_PART_WHERE_SOME_WAIT: Final = 16


def short_limits(query: Query) -> Limits:
    """The limits of a search that another engine follows, or a search for all but states where there are too many."""
    limits = query.limits
    seconds = None if limits.seconds is None else limits.seconds * _FOR_STATES
    part = _PART_WHERE_SOME_WAIT if any(skeleton.shown is not None for skeleton in query.skeletons) else 1
    nodes, in_all = (min(limits.nodes or most, most // part) for most in (NODE_BUDGET, LIKELY_TO_END))
    return replace(limits, nodes=nodes, nodes_in_all=in_all, seconds=seconds)


def was_listing(query: Query, answer: Answer) -> bool:
    """Whether time has ended a search that found states: that all are listed was asked for, and takes longest."""
    return answer.undecided == TIMEOUT and bool(answer.states) and query.wants_states and not query.counts


def with_all_else(query: Query, answer: Answer) -> Answer:
    """What a search has found of the states until time ended it, with all else that is asked for, if that is decided.

    It is asked for in a search of its own, for at most one state more: of the truth values of the proposition that is
    still missing.
    """
    from mcm.answer.many_states import satisfying  # noqa: PLC0415 - hardly any search gets so far
    from mcm.execution.outcome import observables  # noqa: PLC0415
    from mcm.program.condition import Not  # noqa: PLC0415

    known, proposition = satisfying(answer.states), query.proposition
    is_missing = proposition is not None and known in {0, len(answer.states)}
    wanted = None if not is_missing or proposition is None else Not(proposition) if known else proposition
    asked = replace(query, wants_states=False, proposition=wanted, on_state=None, known=())
    # What nobody asks about may differ, and is settled by that.
    rest = decide(replace(asked, observed=() if wanted is None else tuple(dict.fromkeys(observables(wanted)))))
    if rest.undecided is not None:
        return answer
    if rest.flags or rest.faults:
        return replace(rest, states=answer.states, reachable=answer.reachable, undecided=answer.undecided)
    states = answer.states
    if rest.reachable:
        whole = decide(replace(asked, wants_flags=False, first_problem=None))
        if whole.undecided is not None:
            return answer
        new = [replace(state, satisfies=not known) for state in whole.states[:1]]
        states = tuple(sorted((*states, *new), key=attrgetter("rank")))
    reachable = None if proposition is None else satisfying(states) > 0
    return replace(rest, states=states, reachable=reachable, complete_exists=True, states_left=answer.undecided)


# How much of the time that is left may be spent on what units wait for.
_FOR_WAITS: Final = 0.4


def with_awaited(skeleton: Skeleton, query: Query) -> Skeleton:
    """What is left of a skeleton where it is shown what units wait for, and what that settles."""
    from mcm.engine.explicit.decide import open_skeleton, synchronising  # noqa: PLC0415 - see `decide`

    found = synchronising(skeleton, query)
    if found is None:
        return skeleton
    from mcm.engine.smt.awaiting import shown_of  # noqa: PLC0415 - see `decide`

    limits = query.limits
    if limits.seconds is not None:
        limits = replace(limits, seconds=limits.seconds * _FOR_WAITS)
    shown = found.shown(*shown_of(found.part, query.model, limits, query.solver))
    return open_skeleton(replace(skeleton, shown=shown), query) if shown.awaited or shown.orders else skeleton


def remaining(limits: Limits, spent: float) -> Limits:
    """The limits of what is asked next, when so many seconds have gone by."""
    if limits.seconds is None:
        return limits
    return replace(limits, seconds=max(0.0, limits.seconds - spent))
