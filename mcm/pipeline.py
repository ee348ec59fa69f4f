"""From a text to results, one stage after the other: parse, resolve, elaborate, ask, judge."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field
from msgspec.structs import replace

from mcm.answer.query import Limits, Query, SolverName
from mcm.answer.result import Checked, Observation, Result, Status, Verdict
from mcm.base.diagnostic import InputError
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
from mcm.front_end.read import read_test
from mcm.front_end.test import InvalidTestError
from mcm.models.selection import load_model, model_names, without_load_buffering
from mcm.program.condition import Not, Quantifier
from mcm.program.header import DEFAULT_MODEL

if TYPE_CHECKING:
    from mcm.answer.answer import Answer
    from mcm.answer.result import Problem
    from mcm.base.diagnostic import Diagnostic
    from mcm.base.source import Source
    from mcm.cat.model import Model
    from mcm.execution.skeleton import Skeleton
    from mcm.front_end.test import Test
    from mcm.program.condition import Observable
    from mcm.program.header import Expectation, Header


class Options(Struct, frozen=True):
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


class _Elaborated(Struct, frozen=True):
    """A test as far as it does not depend on the model."""

    test: Test
    skeletons: tuple[Skeleton, ...]
    observed: tuple[Observable, ...]


def check(source: Source, options: Options) -> tuple[Result, ...]:
    """The results of one test, one for each model."""
    try:
        test = read_test(source)
    except InvalidTestError as error:
        return tuple(_invalid(blank, error) for _, blank in _models(source, error.header, options))
    except InputError as error:
        return (without_answer(source.name, options, error.diagnostics),)
    models = _models(source, test.header, options)
    try:
        require_known_models(test.header, [model for model, _ in models])
        if options.profile is not None:
            # Imported here, as in `compare`: a check of one test against one model needs none of it.
            from mcm.program.capability import require_features  # noqa: PLC0415

            require_features(test.program, options.profile)
        elaborated = _Elaborated(test, elaborate(test.program, options.bound), observed_by(test.program))
    except InputError as error:
        return tuple(_invalid(blank, error) for _, blank in models)
    return tuple(_under(model, elaborated, blank, options) for model, blank in models)


def _models(source: Source, header: Header, options: Options) -> list[tuple[Model, Result]]:
    """The models that a test is checked with, each with the result that says what is known before."""
    blank = replace(without_answer(source.name, options), test=header.name, fingerprint=header.fingerprint)
    models = [load_model(name, options.without) for name in model_names(options.models, header.dialect)]
    if options.forbids_load_buffering:
        models = [without_load_buffering(model) for model in models]
    expected = [expectation_for(model.name, header, options.without) for model in models]
    return [(m, replace(blank, model=m.name, expected=e)) for m, e in zip(models, expected, strict=True)]


def compare(source: Source, options: Options) -> Checked:
    """The results of one test, with the rules that separate neighbouring models."""
    from mcm.explain.difference import separations  # noqa: PLC0415 - see `check`

    def judge(model: str, rule: str) -> Result:
        return check(source, replace(options, models=(model,), without=(*options.without, rule)))[0]

    results = check(source, options)
    return Checked(results, separations(results, load_model, judge))


def _invalid(blank: Result, error: InputError) -> Result:
    """The result of a test that a compiler must reject; a test may expect that."""
    result = replace(blank, status=Status.INVALID, diagnostics=error.diagnostics)
    return replace(result, as_expected=is_met(result.expected, result) if result.expected else None)


def _under(model: Model, elaborated: _Elaborated, blank: Result, options: Options) -> Result:
    """The result of a test under one model."""
    start = perf_counter()
    test = elaborated.test
    program, asked = test.program, test.program.condition
    answer, reach = _ask(elaborated, model, options, blank.expected)
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
        states=show_states(answer.states, elaborated.observed, program) if options.wants_states else (),
        undefined=undefined,
        impl_defined=impl_defined,
        flags=explain_other_flags(answer.flags, model),
        diagnostics=test.diagnostics,
        seconds=perf_counter() - start,
    )
    return replace(result, as_expected=is_met(result.expected, result) if result.expected else None)


def _ask(
    elaborated: _Elaborated, model: Model, options: Options, expected: Expectation | None
) -> tuple[Answer, Reachability]:
    """The answer of the engine, and what it says of the condition.

    Without a list of states the proposition is pushed into the search, and its negation asked for apart where the
    quantifier or the expectation needs to know.
    """
    program = elaborated.test.program
    condition = program.condition
    query = Query(
        skeletons=elaborated.skeletons,
        model=model,
        observed=elaborated.observed,
        proposition=condition.proposition if condition else None,
        filter=program.filter,
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
