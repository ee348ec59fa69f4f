"""Whether results meet what tests expect: yes, no, or not known from an incomplete answer."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from mcm.answer.result import RACES, Invalid, Observation
from mcm.base.diagnostic import Diagnostic
from mcm.base.suggest import did_you_mean
from mcm.catalogue import registry
from mcm.front_end.test import InvalidTestError
from mcm.program.condition import Quantifier
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
    if header.is_for_all:
        return next(iter(header.expectations), None)
    stated = {e.model: e for e in header.expectations if e.without == frozenset(chosen.without)}
    keys = (*chosen.keys, DEFAULT_MODEL) if header.dialect.default_model in chosen.keys else chosen.keys
    return next((stated[key] for key in keys if key in stated), None)


def require_known_models(header: Header, models: Iterable[ChosenModel]) -> None:
    """A test may state expectations for built-in models, for those it is checked with, and for the default."""
    known = {*registry.names(), *(key for model in models for key in model.keys), DEFAULT_MODEL}
    # Where several are as near, the default model is meant.
    words = (header.dialect.default_model, *sorted(known))
    unknown = [
        Diagnostic(
            "E146",
            f"an expectation for '{expectation.model}', which is no model{did_you_mean(expectation.model, words)}",
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
    judged = {answer for _, answer in judge_claims(expectation, result, waits_block=waits_block)}
    if False in judged:
        return False
    return None if None in judged else True


class Claim(Enum):
    """What an expectation may state."""

    OBSERVATION = "observation"
    HOLDS = "holds"
    REACHABLE = "reachable"
    RACE = "race"
    DIVERGENCE = "divergence"
    DEFINED = "defined"
    IMPL_DEFINED = "impl-defined"
    TERMINATES = "terminates"


def judge_claims(
    expectation: Expectation, result: Found, *, waits_block: bool = False
) -> Iterator[tuple[Claim, bool | None]]:
    """Each claim that is stated, with its answer."""
    kinds = {problem.kind for problem in result.undefined}
    if expectation.observation is not None:
        yield Claim.OBSERVATION, _is_observed(Observation(expectation.observation), result)
    if expectation.holds is not None:
        holds = _certainly_holds(result)
        yield Claim.HOLDS, None if holds is None else holds is expectation.holds
    if expectation.reachable is not None:
        yield Claim.REACHABLE, _is_found(expectation.reachable, bool(result.reachable), result)
    if expectation.race is not None:
        yield Claim.RACE, _is_found(expectation.race, bool(kinds & RACES), result)
    if expectation.divergence is not None:
        yield Claim.DIVERGENCE, _is_found(expectation.divergence, "barrier-divergence" in kinds, result)
    if expectation.defined is not None:
        yield Claim.DEFINED, _is_found(not expectation.defined, bool(result.undefined), result)
    if expectation.impl_defined is not None:
        yield Claim.IMPL_DEFINED, _is_found(expectation.impl_defined, bool(result.impl_defined), result)
    if expectation.terminates is not None:
        blocks = bool(result.blocked or (waits_block and result.waits))
        yield Claim.TERMINATES, _is_found(not expectation.terminates, blocks, result)


def _is_found(stated: bool, found: bool, result: Found) -> bool | None:  # noqa: FBT001 - a claim and a fact
    """A problem that was found is certain; that there is none is certain only of a complete answer."""
    if found:
        return stated
    return not stated if _knows_all_but_states(result) else None


def _knows_all_but_states(result: Found) -> bool:
    """Whether all executions were looked at for everything but their final states."""
    return result.complete or (result.lacks_only_states and not result.bounded)


def _certainly_holds(result: Found) -> bool | None:
    """Whether the quantified condition holds; of an incomplete answer only what a state that was found shows."""
    if _knows_all_but_states(result) or result.condition is None or result.holds is None:
        return result.holds
    shown_by_a_state = result.condition.quantifier is Quantifier.EXISTS
    return result.holds if result.holds is shown_by_a_state else None


def _is_observed(stated: Observation, result: Found) -> bool | None:
    """Executions that were not looked at can turn Never or Always into Sometimes, and change nothing else.

    Where no execution is complete, that something is never observed is true, and nothing else.
    """
    if result.complete and result.has_execution is False:
        return stated is Observation.NEVER
    if _knows_all_but_states(result):
        return result.observation is stated
    both = result.observation is Observation.SOMETIMES
    match stated:
        case Observation.NEVER:
            return False if result.reachable else None
        case Observation.ALWAYS:
            return False if both or result.satisfying < len(result.states) else None
        case Observation.SOMETIMES:
            return True if both else None
