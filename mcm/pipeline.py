"""From a text to results, one stage after the other: parse, resolve, elaborate, ask, judge."""

from __future__ import annotations

from dataclasses import field, replace
from time import perf_counter
from typing import TYPE_CHECKING, Final

from mcm.answer.query import Limits, Query, SolverName
from mcm.answer.result import Checked, Observation, Result, Status, Verdict
from mcm.base.diagnostic import InputError
from mcm.base.record import record
from mcm.engine.choose import EngineName, decide
from mcm.execution.elaborate import elaborate
from mcm.explain.expectation import expectation_for, is_met, require_known_models
from mcm.explain.judgement import Reachability, conditional_verdict, reachability
from mcm.explain.observed import observed_by, show_states
from mcm.explain.races import (
    IMPL_DEFINED_FLAGS,
    UNDEFINED_FLAGS,
    explain_faults,
    explain_flags,
    explain_other_flags,
)
from mcm.models.selection import load_model, model_names, without_load_buffering
from mcm.program.condition import Not, Quantifier
from mcm.program.resolve import resolve
from mcm.program.resolve.header import DEFAULT_MODEL
from mcm.syntax.fingerprint import fingerprint
from mcm.syntax.parse import IncompleteError, parse

if TYPE_CHECKING:
    from mcm.answer.answer import Answer
    from mcm.answer.result import Problem
    from mcm.base.diagnostic import Diagnostic
    from mcm.base.source import Source
    from mcm.cat.model import Model
    from mcm.execution.skeleton import Skeleton
    from mcm.program.condition import Observable
    from mcm.program.program import Expectation, Program


@record(frozen=True, slots=True)
class Options:
    """How to check: `models` are names, files, or `all` (none: the dialect's own); limits hold for each model.

    `without` are rules that are left out, by ID; `profile` is what the device offers (None: everything).
    `forbids_load_buffering` adds to each model that program order and reads-from make no cycle.
    """

    models: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    engine: EngineName = EngineName.AUTO
    bound: int = 2
    wants_states: bool = True
    counts: bool = False
    profile: str | None = None
    forbids_load_buffering: bool = False
    limits: Limits = field(default_factory=Limits)
    solver: SolverName = SolverName.Z3


@record(frozen=True, slots=True)
class _Test:
    """A test as far as it does not depend on the model."""

    program: Program
    skeletons: tuple[Skeleton, ...]
    observed: tuple[Observable, ...]


def check(source: Source, options: Options) -> tuple[Result, ...]:
    """The results of one test, one for each model."""
    try:
        tree = parse(source)
    except InputError as error:
        return (without_answer(source.name, options, _all_complaints(source, error)),)
    blank = replace(without_answer(source.name, options), test=tree.name, fingerprint=fingerprint(tree))
    models = tuple(load_model(name, options.without) for name in model_names(options.models, tree.dialect.value))
    if options.forbids_load_buffering:
        models = tuple(map(without_load_buffering, models))
    expected = {model.name: expectation_for(model.name, tree, options.without) for model in models}
    try:
        program = resolve(tree, source)
        require_known_models(program, models)
        if options.profile is not None:
            # Imported here, as in `compare`: a check of one test against one model needs none of it.
            from mcm.program.capability import require_features  # noqa: PLC0415

            require_features(program, options.profile)
        skeletons = elaborate(program, options.bound)
    except InputError as error:
        return tuple(_invalid(replace(blank, model=name), expected[name], error) for name in expected)
    test = _Test(program, skeletons, observed_by(program))
    return tuple(
        _under(model, test, replace(blank, model=model.name, expected=expected[model.name]), options)
        for model in models
    )


_NO_THREAD: Final = "E148"


def _all_complaints(source: Source, error: InputError) -> tuple[Diagnostic, ...]:
    """What is wrong with the syntax, and with the meaning of the parts whose syntax is right.

    The condition and its like are left out there: they may speak of what could not be parsed. Nor is it known that
    there is no thread.
    """
    found = list(error.diagnostics)
    if isinstance(error, IncompleteError):
        try:
            resolve(replace(error.rest, scope_tree=(), locations=(), filter=None, condition=None), source)
        except InputError as further:
            found += (each for each in further.diagnostics if each.is_error and each.code != _NO_THREAD)
    return InputError(*found).diagnostics


def compare(source: Source, options: Options) -> Checked:
    """The results of one test, with the rules that separate neighbouring models."""
    from mcm.explain.difference import separations  # noqa: PLC0415 - see `check`

    def judge(model: str, rule: str) -> Result:
        return check(source, replace(options, models=(model,), without=(*options.without, rule)))[0]

    results = check(source, options)
    return Checked(results, separations(results, load_model, judge))


def _invalid(blank: Result, expected: Expectation | None, error: InputError) -> Result:
    """The result of a test that a compiler must reject; a test may expect that."""
    result = replace(blank, status=Status.INVALID, diagnostics=error.diagnostics, expected=expected)
    return replace(result, as_expected=is_met(expected, result) if expected else None)


def _under(model: Model, test: _Test, blank: Result, options: Options) -> Result:
    """The result of a test under one model."""
    start = perf_counter()
    program, asked = test.program, test.program.condition
    answer, reach = _ask(test, model, options, blank.expected)
    faults = tuple(raised for raised in answer.faults if raised.fault.rule not in options.without)
    undefined = explain_flags(answer.flags, UNDEFINED_FLAGS, model) + explain_faults(faults)
    impl_defined = explain_flags(answer.flags, IMPL_DEFINED_FLAGS, model)
    result = replace(
        blank,
        engine=answer.engine,
        status=Status.UNDECIDED if answer.undecided else Status.OK,
        reason=answer.undecided,
        condition=asked,
        verdict=_verdict(answer, undefined, impl_defined, conditional_verdict(asked, reach)),
        reachable=reach.satisfied if asked else None,
        holds=reach.holds(asked.quantifier) if asked else None,
        observation=reach.observation if asked else None,
        bounded=answer.bounded,
        states=show_states(answer.states, test.observed, program) if options.wants_states else (),
        undefined=undefined,
        impl_defined=impl_defined,
        flags=explain_other_flags(answer.flags, model),
        diagnostics=program.diagnostics,
        seconds=perf_counter() - start,
    )
    return replace(result, as_expected=is_met(result.expected, result) if result.expected else None)


def _ask(test: _Test, model: Model, options: Options, expected: Expectation | None) -> tuple[Answer, Reachability]:
    """The answer of the engine, and what it says of the condition.

    Without a list of states the proposition is pushed into the search, and its negation asked for apart where the
    quantifier or the expectation needs to know.
    """
    condition = test.program.condition
    query = Query(
        skeletons=test.skeletons,
        model=model,
        observed=test.observed,
        proposition=condition.proposition if condition else None,
        filter=test.program.filter,
        wants_states=options.wants_states or condition is None,
        wants_witnesses=False,
        counts=options.counts,
        limits=options.limits,
        solver=options.solver,
    )
    answer = decide(query, options.engine)
    if query.wants_states or condition is None:
        return answer, reachability(answer)
    if condition.quantifier is not Quantifier.FORALL and not (expected and expected.observation in _NEEDS_NEGATION):
        return answer, Reachability(satisfied=answer.reachable, failed=None)
    negated = replace(query, proposition=Not(condition.proposition), wants_flags=False)
    other = decide(negated, options.engine)
    answer = replace(answer, undecided=answer.undecided or other.undecided)
    return answer, Reachability(satisfied=answer.reachable, failed=other.reachable)


_NEEDS_NEGATION: Final = {Observation.SOMETIMES.value, Observation.ALWAYS.value}


def _verdict(
    answer: Answer, undefined: tuple[Problem, ...], impl_defined: tuple[Problem, ...], conditional: Verdict
) -> Verdict:
    """The strongest verdict that applies; a search that ended early gives none."""
    if answer.undecided:
        return Verdict.UNDECIDED
    if undefined:
        return Verdict.UNDEFINED
    return Verdict.IMPL_DEFINED if impl_defined else conditional


def without_answer(file: str, options: Options, diagnostics: tuple[Diagnostic, ...] = ()) -> Result:
    """The result for a file that cannot be read as a test; every other result begins with it."""
    return Result(
        file=file,
        test=None,
        model=", ".join(options.models) or DEFAULT_MODEL,
        engine=None,
        status=Status.ERROR,
        reason=None,
        condition=None,
        verdict=Verdict.INVALID,
        reachable=None,
        holds=None,
        observation=None,
        bound=options.bound,
        bounded=(),
        states=(),
        undefined=(),
        impl_defined=(),
        flags=(),
        diagnostics=diagnostics,
        expected=None,
        as_expected=None,
        seconds=0.0,
    )
