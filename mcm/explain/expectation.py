"""Whether results meet what tests expect: yes, no, or not known from an incomplete answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.answer.result import RACES, Invalid, Observation
from mcm.base.diagnostic import Diagnostic
from mcm.base.suggest import did_you_mean
from mcm.catalogue import registry
from mcm.front_end.test import InvalidTestError
from mcm.program.header import DEFAULT_MODEL

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mcm.answer.result import Found
    from mcm.catalogue.library import ChosenModel
    from mcm.program.header import Expectation, Header


def expectation_for(chosen: ChosenModel, header: Header) -> Expectation | None:
    """What a test states for a model, without the rules that the model lacks.

    Where no model is named, the default model of the dialect is meant.
    """
    stated = {e.model: e for e in header.expectations if e.without == frozenset(chosen.without)}
    keys = (*chosen.keys, DEFAULT_MODEL) if header.dialect.default_model in chosen.keys else chosen.keys
    return next((stated[key] for key in keys if key in stated), None)


def require_known_models(header: Header, models: Iterable[ChosenModel]) -> None:
    """A test may state expectations for built-in models, for those it is checked with, and for the default."""
    known = {*registry.names(), *(key for model in models for key in model.keys), DEFAULT_MODEL}
    unknown = [
        Diagnostic(
            "E146",
            f"an expectation for '{expectation.model}', which is no model{did_you_mean(expectation.model, known)}",
            expectation.span,
        )
        for expectation in header.expectations
        if expectation.model not in known
    ]
    if unknown:
        raise InvalidTestError(header, *unknown)


def is_met(expectation: Expectation, result: Found | Invalid, *, waits_block: bool = False) -> bool | None:
    """Whether every claim is true of the result; None when some claim cannot be told and none is false.

    `waits_block`: a unit whose end depends on others that nobody promises to go on counts as one that may block.
    """
    if isinstance(result, Invalid):
        return bool(expectation.invalid)
    if expectation.invalid:
        return False
    judged = list(_judge_claims(expectation, result, waits_block))
    if False in judged:
        return False
    return None if None in judged else True


def _judge_claims(
    expectation: Expectation,
    result: Found,
    waits_block: bool,  # noqa: FBT001 - see `is_met`
) -> Iterator[bool | None]:
    """One answer for each claim that is stated."""
    kinds = {problem.kind for problem in result.undefined}
    if expectation.observation is not None:
        yield _is_observed(Observation(expectation.observation), result)
    if expectation.race is not None:
        yield _is_found(expectation.race, bool(kinds & RACES), result)
    if expectation.divergence is not None:
        yield _is_found(expectation.divergence, "barrier-divergence" in kinds, result)
    if expectation.impl_defined is not None:
        yield _is_found(expectation.impl_defined, bool(result.impl_defined), result)
    if expectation.terminates is not None:
        blocks = bool(result.blocked or (waits_block and result.waits))
        yield _is_found(not expectation.terminates, blocks, result)


def _is_found(stated: bool, found: bool, result: Found) -> bool | None:  # noqa: FBT001 - a claim and a fact
    """A problem that was found is certain; that there is none is certain only of a complete answer."""
    if found:
        return stated
    return not stated if result.complete else None


def _is_observed(stated: Observation, result: Found) -> bool | None:
    """Executions that were not looked at can turn Never or Always into Sometimes, and change nothing else.

    Where no execution is complete, that something is never observed is true, and nothing else.
    """
    if result.complete and result.has_execution is False:
        return stated is Observation.NEVER
    if result.complete:
        return result.observation is stated
    both = result.observation is Observation.SOMETIMES
    match stated:
        case Observation.NEVER:
            return False if result.reachable else None
        case Observation.ALWAYS:
            return False if both or any(not state.satisfies for state in result.states) else None
        case Observation.SOMETIMES:
            return True if both else None
