"""From a test to its result under a model, one stage after the other: elaborate, ask an engine, judge, explain."""

from __future__ import annotations

from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.answer.many_states import satisfying
from mcm.answer.progress import Progress
from mcm.answer.result import BOUND, DEEPEST, Invalid, Judged, Undecided, Verdict
from mcm.answer.shown_states import counted_states
from mcm.asking import look_at_each
from mcm.base.deadline import LimitReachedError, seconds_left, time_limit
from mcm.base.frozen import FrozenMapping
from mcm.engine.choose import enough_iterations, excluded_by
from mcm.execution.call_orders import TooManyOrdersError
from mcm.execution.skeleton import IMPL_DEFINED_FAULTS
from mcm.explain.expectation import expectation_for, is_met
from mcm.explain.judgement import UNKNOWN, Reachability, conditional_verdict
from mcm.explain.observed import names_in_words, observed_by, show_states
from mcm.program.instruction import Loop

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from mcm.answer.answer import Answer, RaisedFault, RaisedFlag
    from mcm.answer.result import BlockedExecution, Exclusion, Found, Problem, WaitingUnit
    from mcm.answer.shown_states import ShownState
    from mcm.asking import Looked
    from mcm.base.diagnostic import InputError
    from mcm.base.source import Span
    from mcm.cat.model import Model
    from mcm.catalogue.library import ChosenModel
    from mcm.front_end.test import Test
    from mcm.program.condition import Observable
    from mcm.program.header import Expectation, Header
    from mcm.program.program import Program
    from mcm.queries import Elaborate, Options

# What of the time that is left it may take to look for longer executions.
_FOR_LONGER: Final = 0.5

# What of the time that is left it may take to explain all problems: there is some left for the first of them then.
_FOR_ALL_PROBLEMS: Final = 0.8

# So many seconds it may take to tell why no execution is complete, where nobody has said how long: the rest is known.
_FOR_EXCLUSION: Final = 5.0


def check(test: Test, chosen: ChosenModel, options: Options, elaborate: Elaborate) -> Found:
    """The result of a test under one model; InputError when the program cannot be elaborated.

    Where no bound is given, and what is found within the usual one is not all that is asked, the bound is what runs of
    the machine need, if that is more (ADR 61).
    """
    result = _check(test, chosen, options, elaborate)
    loops = tuple(span for span in result.bounded if span not in result.written_out)
    if options.bound is not None or not loops or not _lacks_longer_runs(result, options):
        return result
    # Imported here: most tests have no loop that is cut.
    from mcm.deepening import bounds_of_runs  # noqa: PLC0415

    best, needed, told, left = result, None, result.states, seconds_left()
    try:
        with time_limit(None if left is None else left * _FOR_LONGER):
            for bound in bounds_of_runs(test.program, loops):
                if bound <= result.bound:
                    continue
                needed = bound
                if bound > DEEPEST:
                    break
                deeper = replace(options, bound=bound, on_state=_untold(told, options.on_state))
                longer = _check(test, chosen, deeper, partial(elaborate, bound=bound))
                told = (*told, *longer.states)
                if _says_more(longer, best):
                    best, needed = longer, None
                if not best.bounded or not _lacks_longer_runs(best, options):
                    return best
    except (LimitReachedError, MemoryError):
        # What was found before is still so.
        pass
    return best if needed is None else replace(best, needed=needed)


def _written_out(bounded: Collection[Span], program: Program) -> Mapping[Span, int]:
    """How often loops that enqueue commands are written out, of those that were cut."""
    if not bounded or not program.has_commands:
        return FrozenMapping({})
    # Imported here: most tests have no commands.
    from mcm.program.resolve.call_walk import WRITTEN_OUT  # noqa: PLC0415
    from mcm.program.walk import walk_once  # noqa: PLC0415

    nodes = walk_once(thread.body for thread in program.threads)
    cut = {node.span for node in nodes if isinstance(node, Loop) and node.is_cut}
    return FrozenMapping({span: WRITTEN_OUT for span in bounded if span in cut})


def _lacks_longer_runs(result: Found, options: Options) -> bool:
    """Whether executions that were cut may answer what is asked: all states, where there is no condition."""
    wants_all = result.condition is None and not options.accepts_bounded
    return result.reason == BOUND or (result.reason is None and wants_all and not result.undefined)


def _says_more(longer: Found, result: Found) -> bool:
    """Whether what was found within a larger bound takes the place of what was found before."""
    is_decided = isinstance(longer, Judged) and not isinstance(result, Judged)
    return longer.reason in {None, BOUND} or bool(longer.undefined) or is_decided


def _untold(
    told: Sequence[ShownState], on_state: Callable[[str, ShownState], None] | None
) -> Callable[[str, ShownState], None] | None:
    """What tells of states, except for those that were told of."""
    if on_state is None:
        return None
    known = {tuple(state.values.items()) for state in told}

    def tell(model: str, state: ShownState) -> None:
        if tuple(state.values.items()) not in known:
            on_state(model, state)

    return tell


def _check(test: Test, chosen: ChosenModel, options: Options, elaborate: Elaborate) -> Found:
    """The result within the bound of the options."""
    start = perf_counter()
    program, model = test.program, chosen.model
    asked, expected = program.condition, expectation_for(chosen, test.header)
    looked = _look(test, chosen, options, elaborate, expected)
    looked, (undefined, impl_defined, others) = _explained(looked, chosen, options)
    answer = looked.answer
    reach = _certain(looked, options, impl_defined)
    verdict = (
        Verdict.UNDEFINED if undefined else _verdict(looked, bool(impl_defined), conditional_verdict(asked, reach))
    )
    make = (
        partial(Undecided, reason=verdict)
        if isinstance(verdict, str)
        else partial(Judged, reason=answer.undecided or answer.states_left, verdict=verdict)
    )
    observed = observed_by(program) if options.explains else ()
    result = make(
        file=test.source.name,
        model=chosen.name,
        bound=options.iterations,
        test=program.name,
        bare=test.header.bare if options.explains else None,
        expected=expected,
        has_execution=answer.complete_exists,
        passes=None if program.filter is None else reach.passes,
        engine=answer.engine,
        solver=answer.solver,
        condition=asked,
        reachable=reach.satisfied if asked else None,
        holds=reach.holds(asked.quantifier) if asked else None,
        observation=reach.observation if asked else None,
        bounded=answer.bounded,
        written_out=_written_out(answer.bounded, program),
        enough=_enough(looked),
        waits=_waits(looked, test, options),
        blocked=_blocked(looked, program, model),
        excluded=_exclusion(looked, chosen, options),
        states=_states(answer, observed, program, model, options),
        names=names_in_words(observed, program),
        undefined=undefined,
        impl_defined=impl_defined,
        flags=others,
        diagnostics=test.diagnostics,
        time_limit=options.limits.seconds,
        seconds=perf_counter() - start,
    )
    result = _with_reason(result, looked, options, verdict)
    met = is_met(expected, result, waits_block=options.progress is not None) if expected else None
    return replace(result if options.explains else _in_short(result), as_expected=met)


def _look(
    test: Test, chosen: ChosenModel, options: Options, elaborate: Elaborate, expected: Expectation | None
) -> Looked:
    """What is found in each order of calls, or in any, where these are too many; InputError where that is not known."""
    try:
        return look_at_each(test, chosen, options, elaborate, expected)
    except TooManyOrdersError:
        # Imported here: few programs have so many.
        from mcm.any_order import look_in_any_order  # noqa: PLC0415

        looked = look_in_any_order(test, chosen, options, elaborate, expected)
        if looked is None:
            raise
        return looked


def invalid(error: InputError, header: Header, chosen: ChosenModel, options: Options) -> Invalid:
    """The result of a test that a compiler must reject; a test may expect that."""
    expected = expectation_for(chosen, header)
    result = Invalid(
        file=error.diagnostics[0].span.source.name,
        model=chosen.name,
        bound=options.iterations,
        test=header.name,
        bare=header.bare,
        expected=expected,
        diagnostics=error.diagnostics,
    )
    return replace(result, as_expected=is_met(expected, result) if expected else None)


def unfinished(header: Header, file: str, chosen: ChosenModel, options: Options, reason: str) -> Undecided:
    """The result of a test of which nothing is found out, for a reason such as a limit."""
    return Undecided(
        file=file,
        model=chosen.name,
        bound=options.iterations,
        test=header.name,
        bare=header.bare,
        expected=expectation_for(chosen, header),
        reason=reason,
        time_limit=options.limits.seconds,
    )


def _explained(looked: Looked, chosen: ChosenModel, options: Options) -> tuple[Looked, tuple[tuple[Problem, ...], ...]]:
    """What was found, with its problems; with the first of them where there are more than there is time to explain."""
    answer, model = looked.answer, chosen.model
    faults = tuple(raised for raised in answer.faults if raised.fault.rule not in chosen.without)
    if not (answer.flags or faults):
        return looked, ((), (), ())
    left = seconds_left()
    try:
        with time_limit(None if left is None else left * _FOR_ALL_PROBLEMS):
            return looked, _problems(answer.flags, faults, model, explains=options.explains)
    except LimitReachedError as reached:
        ended = replace(looked, answer=replace(answer, undecided=answer.undecided or reached.reason))
        return ended, _problems(answer.flags[:1], faults[:1], model, explains=options.explains)


def _problems(
    flags: tuple[RaisedFlag, ...], faults: tuple[RaisedFault, ...], model: Model, *, explains: bool
) -> tuple[tuple[Problem, ...], ...]:
    """What makes a program undefined, what is implementation-defined, and the flags under names of the model's own."""
    # Imported here: most tests raise nothing.
    from mcm.explain.causes import by_cause  # noqa: PLC0415
    from mcm.explain.flag_names import IMPL_DEFINED_FLAGS, undefined_flags  # noqa: PLC0415
    from mcm.explain.races import explain_faults, explain_flags, explain_other_flags  # noqa: PLC0415

    explain = partial(explain_flags, model=model, tells_why=explains)
    defined = [raised for raised in faults if raised.fault.kind in IMPL_DEFINED_FAULTS]
    others = [raised for raised in faults if raised not in defined]
    return (
        by_cause(explain(flags, undefined_flags(model)), explain_faults(others, model)),
        by_cause(explain(flags, IMPL_DEFINED_FLAGS), explain_faults(defined, model)),
        explain_other_flags(flags, model, tells_why=explains),
    )


def _states(
    answer: Answer, observed: tuple[Observable, ...], program: Program, model: Model, options: Options
) -> Sequence[ShownState]:
    """The final states as reports list them; only their numbers count where nothing is explained."""
    if not options.wants_states:
        return ()
    if not options.explains:
        return counted_states(len(answer.states), satisfying(answer.states))
    return show_states(answer.states, observed, program, model)


def _in_short(result: Found) -> Found:
    """The result without what no line about it tells."""
    return replace(result, condition=None, diagnostics=())


def _certain(looked: Looked, options: Options, impl_defined: tuple[Problem, ...]) -> Reachability:
    """What is certain of the condition: what was not found may be where nobody looked, or with another open value."""
    answer, reach = looked.answer, looked.reach
    if answer.complete_exists is False:
        return UNKNOWN
    is_open = any(problem.kind in IMPL_DEFINED_FAULTS for problem in impl_defined)
    if not is_open and (not answer.bounded or options.accepts_bounded):
        return reach
    return Reachability(satisfied=reach.satisfied or None, failed=reach.failed or None)


def _verdict(looked: Looked, impl_defined: bool, conditional: Verdict) -> Verdict | str:  # noqa: FBT001 - a finding
    """The strongest verdict that applies to a program without undefined behaviour, or why there is none."""
    answer = looked.answer
    if answer.undecided is not None:
        return answer.undecided
    if impl_defined:
        return Verdict.IMPL_DEFINED
    if answer.complete_exists is False:
        return BOUND if answer.bounded else Verdict.NO_EXECUTION
    return BOUND if conditional is Verdict.UNDECIDED and answer.bounded else conditional


def _waits(looked: Looked, test: Test, options: Options) -> tuple[WaitingUnit, ...]:
    """The units whose end depends on units that the device does not promise to go on."""
    waits, query, program = looked.answer.waits, looked.query, test.program
    progress = options.progress or (Progress.UNFAIR if test.header.dialect.has_devices else Progress.FAIR)
    if query is None or not waits or progress is Progress.FAIR:
        return ()
    # Imported here, as below: few tests wait.
    from mcm.explain.waiting import depends, explain_waits  # noqa: PLC0415

    if progress is Progress.OBE:
        from mcm.occupancy import waits_for_absent  # noqa: PLC0415 - see above

        return explain_waits(waits_for_absent(program, waits, query, options.engine, options.iterations), program)
    return explain_waits([unit for unit in waits if depends(unit, query.skeletons, program, progress)], program)


def _blocked(looked: Looked, program: Program, model: Model) -> tuple[BlockedExecution, ...]:
    """The executions in which units wait forever."""
    if not looked.answer.blocked:
        return ()
    from mcm.explain.waiting import explain_blocked  # noqa: PLC0415 - see `_waits`

    return explain_blocked(looked.answer.blocked, program, model)


def _with_reason(result: Found, looked: Looked, options: Options, verdict: Verdict | str) -> Found:
    """The result with the reason of a forbidden outcome in one line, where it was asked for."""
    if not options.wants_reason or looked.query is None or verdict not in {Verdict.FORBIDDEN, Verdict.REQUIRED}:
        return result
    from mcm.explain.one_line import reason_in_one_line  # noqa: PLC0415 - a report of one test shows it

    return replace(result, because=reason_in_one_line(looked.query, result.condition, options.engine))


def _enough(looked: Looked) -> int | None:
    """How often a loop goes round that takes all jobs from a counter, where the bound cut some loop."""
    if looked.query is None or not looked.answer.bounded:
        return None
    return enough_iterations(looked.query)


def _exclusion(looked: Looked, chosen: ChosenModel, options: Options) -> Exclusion | None:
    """Why no execution is complete; None where some is, or that is not known, or it is not found out in time.

    Nor is it asked where the search may visit a number of nodes only: the solver, which tells it, knows no such limit;
    or where no line about the result tells it.
    """
    if options.limits.nodes is not None or not options.explains:
        return None
    if looked.query is None or looked.answer.complete_exists is not False or looked.answer.bounded:
        return None
    from mcm.explain.waiting import explain_exclusion  # noqa: PLC0415 - see `_waits`

    limits = looked.query.limits
    if not options.goes_on:
        limits = replace(limits, seconds=min(_FOR_EXCLUSION, limits.seconds or _FOR_EXCLUSION))
    checks = excluded_by(replace(looked.query, limits=limits))
    return None if checks is None else explain_exclusion(checks, chosen.model)
