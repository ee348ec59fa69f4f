"""Expectations against results: met, not met, or not to be told from an answer that is not complete."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.answer.result import Observation, Status
from mcm.program.resolve.header import DEFAULT_MODEL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.answer.result import Result
    from mcm.program.program import Expectation


def expectation_for(expectations: tuple[Expectation, ...], model: str, *, is_default: bool) -> Expectation | None:
    """The expectation that names a model; one for `default` counts when the model is the dialect's default."""
    by_name = {expectation.model: expectation for expectation in expectations}
    return by_name.get(model) or (by_name.get(DEFAULT_MODEL) if is_default else None)


def is_met(expectation: Expectation, result: Result) -> bool | None:
    """Whether every claim is true of the result; None when some claim cannot be told and none is false."""
    if expectation.invalid or result.status is Status.INVALID:
        return bool(expectation.invalid) == (result.status is Status.INVALID)
    judged = list(_judge_claims(expectation, result))
    if False in judged:
        return False
    return None if None in judged else True


def _judge_claims(expectation: Expectation, result: Result) -> Iterator[bool | None]:
    """One answer for each claim that is stated."""
    kinds = {problem.kind for problem in result.undefined}
    if expectation.observation is not None:
        yield _is_observed(Observation(expectation.observation), result)
    if expectation.race is not None:
        yield _is_found(expectation.race, bool(kinds & {"data-race", "unsequenced-race"}), result)
    if expectation.divergence is not None:
        yield _is_found(expectation.divergence, "barrier-divergence" in kinds, result)
    if expectation.impl_defined is not None:
        yield _is_found(expectation.impl_defined, bool(result.impl_defined), result)


def _is_found(stated: bool, found: bool, result: Result) -> bool | None:  # noqa: FBT001 - a claim and a fact
    """A problem that was found is certain; that there is none is certain only of a complete answer."""
    if found:
        return stated
    return not stated if result.complete else None


def _is_observed(stated: Observation, result: Result) -> bool | None:
    """Executions that were not looked at can turn Never or Always into Sometimes, and change nothing else."""
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
