"""From a test to its result under a model, one stage after the other: elaborate, ask an engine, judge, explain."""

from __future__ import annotations

from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field
from msgspec.structs import replace

from mcm.answer.query import Limits, Query, SolverName
from mcm.answer.result import Invalid, Judged, Observation, Undecided, Verdict
from mcm.engine.choose import EngineName, decide
from mcm.execution.elaborate import elaborate
from mcm.explain.expectation import expectation_for, is_met
from mcm.explain.judgement import Reachability, conditional_verdict, reachability
from mcm.explain.observed import observed_by, show_states
from mcm.explain.races import (
    IMPL_DEFINED_FLAGS,
    UNDEFINED_FLAGS,
    explain_faults,
    explain_flags,
    explain_other_flags,
)
from mcm.program.condition import Not, Quantifier

if TYPE_CHECKING:
    from mcm.answer.answer import Answer
    from mcm.answer.result import Found, Problem
    from mcm.base.diagnostic import InputError
    from mcm.catalogue.library import ChosenModel, ModelLike
    from mcm.execution.skeleton import Skeleton
    from mcm.front_end.test import Test
    from mcm.program.condition import Observable
    from mcm.program.header import Expectation, Header


class Options(Struct, frozen=True, kw_only=True):
    """What to check with, and how: `models` are names, files, or `all` (none: the dialect's own).

    `without` are rules that are left out, by ID; `profile` is what the device offers (None: everything). `limits` hold
    for each model. `wants_states`: all final states are listed, else only the condition is answered.
    `wants_executions`: each state keeps an execution that ends so. `counts`: the executions of each state are counted.
    """

    models: tuple[ModelLike, ...] = ()
    without: tuple[str, ...] = ()
    engine: EngineName = EngineName.AUTO
    bound: int = 2
    wants_states: bool = True
    wants_executions: bool = False
    counts: bool = False
    profile: str | None = None
    limits: Limits = field(default_factory=Limits)
    solver: SolverName = SolverName.Z3


class Elaborated(Struct, frozen=True):
    """A test as far as it does not depend on the model."""

    test: Test
    skeletons: tuple[Skeleton, ...]
    observed: tuple[Observable, ...]


def elaborate_test(test: Test, bound: int) -> Elaborated:
    """The events of a test, loops cut after `bound` iterations; InputError when it is too large."""
    return Elaborated(test, elaborate(test.program, bound), observed_by(test.program))


def check(elaborated: Elaborated, chosen: ChosenModel, options: Options) -> Found:
    """The result of a test under one model."""
    start = perf_counter()
    test, model = elaborated.test, chosen.model
    program, asked = test.program, test.program.condition
    expected = expectation_for(chosen, test.header)
    answer, reach = _ask(elaborated, chosen, options, expected)
    faults = tuple(raised for raised in answer.faults if raised.fault.rule not in chosen.without)
    undefined = explain_flags(answer.flags, UNDEFINED_FLAGS, model) + explain_faults(faults)
    impl_defined = explain_flags(answer.flags, IMPL_DEFINED_FLAGS, model)
    make = (
        partial(Judged, verdict=_verdict(undefined, impl_defined, conditional_verdict(asked, reach)))
        if answer.undecided is None
        else partial(Undecided, reason=answer.undecided)
    )
    result = make(
        file=test.source.name,
        model=chosen.name,
        test=program.name,
        fingerprint=test.header.fingerprint,
        expected=expected,
        engine=answer.engine,
        condition=asked,
        reachable=reach.satisfied if asked else None,
        holds=reach.holds(asked.quantifier) if asked else None,
        observation=reach.observation if asked else None,
        bound=options.bound,
        bounded=answer.bounded,
        states=show_states(answer.states, elaborated.observed, program) if options.wants_states else (),
        undefined=undefined,
        impl_defined=impl_defined,
        flags=explain_other_flags(answer.flags, model),
        diagnostics=test.diagnostics,
        seconds=perf_counter() - start,
    )
    return replace(result, as_expected=is_met(expected, result) if expected else None)


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


def _ask(
    elaborated: Elaborated, chosen: ChosenModel, options: Options, expected: Expectation | None
) -> tuple[Answer, Reachability]:
    """The answer of the engine, and what it says of the condition.

    Without a list of states the proposition is pushed into the search, and its negation asked for apart where the
    quantifier or the expectation needs to know.
    """
    program = elaborated.test.program
    condition = program.condition
    query = Query(
        skeletons=elaborated.skeletons,
        model=chosen.model,
        observed=elaborated.observed,
        proposition=condition.proposition if condition else None,
        filter=program.filter,
        wants_states=options.wants_states or condition is None,
        wants_witnesses=options.wants_executions,
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


def _verdict(undefined: tuple[Problem, ...], impl_defined: tuple[Problem, ...], conditional: Verdict) -> Verdict:
    """The strongest verdict that applies."""
    if undefined:
        return Verdict.UNDEFINED
    return Verdict.IMPL_DEFINED if impl_defined else conditional
