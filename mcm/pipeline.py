"""From a test to its result under a model, one stage after the other: elaborate, ask an engine, judge, explain."""

from __future__ import annotations

from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Final, Protocol

from msgspec import Struct, field
from msgspec.structs import replace

from mcm.answer.answer import Answer
from mcm.answer.progress import Progress
from mcm.answer.query import Limits, Query, SolverName, Sought
from mcm.answer.result import (
    BOUND,
    EVENTS,
    FIRST_PROBLEM,
    Invalid,
    Judged,
    Observation,
    Undecided,
    Verdict,
)
from mcm.engine.choose import EngineName, decide, excluded_by
from mcm.execution.elaborate import MOST_EVENTS
from mcm.execution.shared import EventLimitError
from mcm.execution.skeleton import StopKind
from mcm.explain.expectation import expectation_for, is_met
from mcm.explain.judgement import UNKNOWN, Reachability, conditional_verdict, reachability
from mcm.explain.observed import observed_by, show_states
from mcm.explain.races import (
    IMPL_DEFINED_FLAGS,
    UNDEFINED_FLAGS,
    explain_faults,
    explain_flags,
    explain_other_flags,
)
from mcm.explain.waiting import depends, explain_blocked, explain_exclusion, explain_waits
from mcm.program.condition import Not, Quantifier

if TYPE_CHECKING:
    from mcm.answer.answer import Waiting
    from mcm.answer.result import Exclusion, Found
    from mcm.base.diagnostic import InputError
    from mcm.cat.model import Model
    from mcm.catalogue.library import ChosenModel, ModelLike
    from mcm.execution.skeleton import Skeleton
    from mcm.front_end.test import Test
    from mcm.program.header import Expectation, Header
    from mcm.program.program import Program

# Programs beyond these sizes are run a few times before they are searched: a race decides the verdict, and a run meets
# most races of a large program at once, where to search for one takes seconds. Litmus tests stay far below.
_MANY_THREADS: Final = 16
_MANY_EVENTS: Final = 100


class Elaborate(Protocol):
    """Gives the skeletons of a test."""

    def __call__(self, *, waiting: bool) -> tuple[Skeleton, ...]:
        """The skeletons; with `waiting`, threads stop where they only wait (ADR 0018)."""


class Options(Struct, frozen=True, kw_only=True):
    """What to check with, and how: `models` are names, files, or `all` (none: the dialect's own).

    `without` are rules that are left out, by ID; `profile` is what the device offers (None: everything). `limits` hold
    for each model, `events` for each test. `wants_states`: all final states are listed, else only the condition is
    answered. `wants_executions`: each state keeps an execution that ends so. `counts`: the executions of each state
    are counted. `accepts_bounded`: what holds within `bound` iterations of a loop is taken for an answer.
    `progress` is what the device promises (None: what the dialect's devices do). `goes_on`: a large program that is
    undefined is searched for all its states and problems nevertheless, as far as `limits` allow.
    """

    models: tuple[ModelLike, ...] = ()
    without: tuple[str, ...] = ()
    engine: EngineName = EngineName.AUTO
    bound: int = 2
    accepts_bounded: bool = False
    progress: Progress | None = None
    wants_states: bool = True
    wants_executions: bool = False
    counts: bool = False
    profile: str | None = None
    events: int = MOST_EVENTS
    limits: Limits = field(default_factory=Limits)
    goes_on: bool = False
    solver: SolverName = SolverName.Z3


class _Looked(Struct, frozen=True):
    """What was found, and what it says of the condition. `query` is None where no engine was asked."""

    answer: Answer
    reach: Reachability
    query: Query | None


def check(test: Test, chosen: ChosenModel, options: Options, elaborate: Elaborate) -> Found:
    """The result of a test under one model; InputError when the program cannot be elaborated."""
    start = perf_counter()
    program, model = test.program, chosen.model
    asked, expected = program.condition, expectation_for(chosen, test.header)
    looked = _look(test, chosen, options, elaborate, expected)
    answer = looked.answer
    faults = tuple(raised for raised in answer.faults if raised.fault.rule not in chosen.without)
    undefined = explain_flags(answer.flags, UNDEFINED_FLAGS, model) + explain_faults(faults)
    impl_defined = explain_flags(answer.flags, IMPL_DEFINED_FLAGS, model)
    reach = _certain(looked, options)
    verdict = (
        Verdict.UNDEFINED if undefined else _verdict(looked, bool(impl_defined), conditional_verdict(asked, reach))
    )
    progress = options.progress or (Progress.UNFAIR if test.header.dialect.has_devices else Progress.FAIR)
    make = (
        partial(Undecided, reason=verdict)
        if isinstance(verdict, str)
        else partial(Judged, reason=answer.undecided, verdict=verdict)
    )
    result = make(
        file=test.source.name,
        model=chosen.name,
        bound=options.bound,
        test=program.name,
        fingerprint=test.header.fingerprint,
        expected=expected,
        has_execution=answer.complete_exists,
        engine=answer.engine,
        condition=asked,
        reachable=reach.satisfied if asked else None,
        holds=reach.holds(asked.quantifier) if asked else None,
        observation=reach.observation if asked else None,
        bounded=answer.bounded,
        waits=explain_waits(_open_waits(looked, program, progress, options), program),
        blocked=explain_blocked(answer.blocked, program),
        excluded=_exclusion(looked, chosen) if verdict is Verdict.NO_EXECUTION else None,
        states=show_states(answer.states, observed_by(program), program) if options.wants_states else (),
        undefined=undefined,
        impl_defined=impl_defined,
        flags=explain_other_flags(answer.flags, model),
        diagnostics=test.diagnostics,
        time_limit=options.limits.seconds,
        seconds=perf_counter() - start,
    )
    waits_block = options.progress is not None
    return replace(result, as_expected=is_met(expected, result, waits_block=waits_block) if expected else None)


def invalid(error: InputError, header: Header, chosen: ChosenModel, options: Options) -> Invalid:
    """The result of a test that a compiler must reject; a test may expect that."""
    expected = expectation_for(chosen, header)
    result = Invalid(
        file=error.diagnostics[0].span.source.name,
        model=chosen.name,
        bound=options.bound,
        test=header.name,
        fingerprint=header.fingerprint,
        expected=expected,
        diagnostics=error.diagnostics,
    )
    return replace(result, as_expected=is_met(expected, result) if expected else None)


def _look(
    test: Test, chosen: ChosenModel, options: Options, elaborate: Elaborate, expected: Expectation | None
) -> _Looked:
    """Ask a few runs of the machine, if the program is large, and the engine, unless the former decide the verdict."""
    large = len(test.program.threads) > _MANY_THREADS
    seed = _by_runs(test, chosen) if large else None
    if seed is not None and not options.goes_on:
        return _Looked(seed, UNKNOWN, None)
    try:
        skeletons = _skeletons(chosen.model, elaborate)
    except EventLimitError:
        return _Looked(replace(seed or _NOTHING, undecided=EVENTS), UNKNOWN, None)
    if not large and any(len(skeleton.events) > _MANY_EVENTS for skeleton in skeletons):
        large, seed = True, _by_runs(test, chosen)
        if seed is not None and not options.goes_on:
            return _Looked(seed, UNKNOWN, None)
    query = _query(test, chosen, options, skeletons)
    if large and not options.goes_on:
        query = replace(query, first_problem=Sought(UNDEFINED_FLAGS, frozenset(chosen.without)))
    looked = _ask(query, test, options, expected)
    if seed is None:
        return looked
    answer = looked.answer
    return replace(looked, answer=replace(answer, flags=answer.flags + seed.flags, faults=answer.faults + seed.faults))


_NOTHING: Final = Answer(engine="machine", states=(), flags=(), faults=(), bounded=(), reachable=None)


def _by_runs(test: Test, chosen: ChosenModel) -> Answer | None:
    """Undefined behaviour that a few runs of the machine meet and the model confirms; None if they meet none."""
    # Imported here: small tests need none of the machine.
    from mcm.confirm import undefined_behaviour  # noqa: PLC0415

    met = undefined_behaviour(test.program, chosen.model)
    faults = tuple(raised for raised in met.faults if raised.fault.rule not in chosen.without)
    if not (met.flags or faults):
        return None
    return replace(_NOTHING, flags=met.flags, faults=faults, undecided=FIRST_PROBLEM)


def _skeletons(model: Model, elaborate: Elaborate) -> tuple[Skeleton, ...]:
    """The events of a test; where a thread only waits, it stops, if that is right for the model (ADR 0019)."""
    skeletons = elaborate(waiting=True)
    if not any(stop.kind is StopKind.WAIT for skeleton in skeletons for stop in skeleton.stops):
        return skeletons
    # Imported here: few tests wait.
    from mcm.catalogue.waiting import drops_failed_reads, mixes_orders  # noqa: PLC0415

    if not drops_failed_reads(model) or (model.linearisations and any(map(mixes_orders, skeletons))):
        return elaborate(waiting=False)
    return skeletons


def _query(test: Test, chosen: ChosenModel, options: Options, skeletons: tuple[Skeleton, ...]) -> Query:
    program = test.program
    return Query(
        skeletons=skeletons,
        model=chosen.model,
        observed=observed_by(program),
        proposition=program.condition.proposition if program.condition else None,
        filter=program.filter,
        wants_states=options.wants_states or program.condition is None,
        wants_witnesses=options.wants_executions,
        counts=options.counts,
        limits=options.limits,
        solver=options.solver,
    )


def _ask(query: Query, test: Test, options: Options, expected: Expectation | None) -> _Looked:
    """The answer of the engine, and what it says of the condition.

    Without a list of states the proposition is pushed into the search, and its negation asked for apart where the
    quantifier or the expectation needs to know.
    """
    condition = test.program.condition
    answer = decide(query, options.engine)
    if query.first_problem is not None and answer.undecided is None and _is_undefined(answer, query.first_problem):
        return _Looked(replace(answer, undecided=FIRST_PROBLEM), UNKNOWN, query)
    if query.wants_states or condition is None:
        return _Looked(answer, reachability(answer), query)
    if condition.quantifier is not Quantifier.FORALL and not (expected and expected.observation in _NEEDS_NEGATION):
        return _Looked(answer, Reachability(satisfied=answer.reachable, failed=None), query)
    negated = replace(query, proposition=Not(condition.proposition), wants_flags=False)
    other = decide(negated, options.engine)
    answer = replace(answer, undecided=answer.undecided or other.undecided)
    return _Looked(answer, Reachability(satisfied=answer.reachable, failed=other.reachable), query)


_NEEDS_NEGATION: Final = {Observation.SOMETIMES.value, Observation.ALWAYS.value}


def _is_undefined(answer: Answer, sought: Sought) -> bool:
    return any(flag.name in sought.flags for flag in answer.flags) or any(
        raised.fault.rule not in sought.without for raised in answer.faults
    )


def _certain(looked: _Looked, options: Options) -> Reachability:
    """What is certain of the condition: what was not found may be where nobody looked."""
    answer, reach = looked.answer, looked.reach
    if answer.complete_exists is False:
        return UNKNOWN
    if not answer.bounded or options.accepts_bounded:
        return reach
    return Reachability(satisfied=reach.satisfied or None, failed=reach.failed or None)


def _verdict(looked: _Looked, impl_defined: bool, conditional: Verdict) -> Verdict | str:  # noqa: FBT001 - a finding
    """The strongest verdict that applies to a program without undefined behaviour, or why there is none."""
    answer = looked.answer
    if answer.undecided is not None:
        return answer.undecided
    if impl_defined:
        return Verdict.IMPL_DEFINED
    if answer.complete_exists is False:
        return BOUND if answer.bounded else Verdict.NO_EXECUTION
    return BOUND if conditional is Verdict.UNDECIDED and answer.bounded else conditional


def _open_waits(looked: _Looked, program: Program, progress: Progress, options: Options) -> tuple[Waiting, ...]:
    """The waits whose end depends on units that the device does not promise to go on."""
    waits, query = looked.answer.waits, looked.query
    if query is None or not waits or progress is Progress.FAIR:
        return ()
    if progress is Progress.OBE:
        # Imported here: few ask for it.
        from mcm.occupancy import waits_for_absent  # noqa: PLC0415

        return waits_for_absent(program, waits, query, options.engine, options.bound)
    return tuple(unit for unit in waits if depends(unit, query.skeletons, program, progress))


def _exclusion(looked: _Looked, chosen: ChosenModel) -> Exclusion | None:
    """Why no execution is complete; None where units wait in all of them, or it is not found out in time."""
    if looked.query is None or looked.answer.blocked:
        return None
    checks = excluded_by(looked.query)
    return None if checks is None else explain_exclusion(checks, chosen.model)
