"""Why an expectation is not met: a reason in one line, and the rules that make the difference."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.answer.result import RACES
from mcm.explain.expectation import Claim, is_met, judge_claims
from mcm.program.header import DEFAULT_MODEL
from mcm.report.words import counted, kind_in_words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcm.answer.result import Found, Problem
    from mcm.program.header import Expectation, Header

# What decides first whether a program means anything.
_ORDER = (
    Claim.RACE,
    Claim.DIVERGENCE,
    Claim.DEFINED,
    Claim.OBSERVATION,
    Claim.HOLDS,
    Claim.REACHABLE,
    Claim.TERMINATES,
    Claim.IMPL_DEFINED,
)


def reason_of(expectation: Expectation, result: Found) -> tuple[str, tuple[str, ...]]:
    """Why an expectation is not met by a result, and the IDs of the rules that the reason rests on."""
    if expectation.invalid:
        return "a compiler need not reject the test", ()
    if result.because:
        rules, _, _ = result.because.partition(":")
        return result.because, tuple(rule.strip() for rule in rules.split(","))
    missed = {claim for claim, answer in judge_claims(expectation, result) if answer is False}
    claim = next(claim for claim in _ORDER if claim in missed)
    match claim:
        case Claim.RACE:
            return _of_problems(RACES, "a data race", result.undefined)
        case Claim.DIVERGENCE:
            return _of_problems({"barrier-divergence"}, "barrier divergence", result.undefined)
        case Claim.DEFINED:
            return _of_problems({problem.kind for problem in result.undefined}, "undefined behaviour", result.undefined)
        case Claim.IMPL_DEFINED:
            kinds = {problem.kind for problem in result.impl_defined}
            return _of_problems(kinds, "implementation-defined behaviour", result.impl_defined)
        case Claim.TERMINATES:
            return _of_waiting(result)
        case _:
            return _of_outcome(result)


def _of_problems(kinds: Iterable[str], name: str, problems: tuple[Problem, ...]) -> tuple[str, tuple[str, ...]]:
    first = next((problem for problem in problems if problem.kind in kinds), None)
    if first is None:
        return f"no execution has {name}", ()
    where = f" on {first.location}" if first.location else ""
    return f"{kind_in_words(first)}{where}: {first.why}", first.rules


def _of_waiting(result: Found) -> tuple[str, tuple[str, ...]]:
    units = [unit for blocked in result.blocked for unit in blocked.units] or list(result.waits)
    if not units:
        return "no unit waits forever", ()
    first = units[0]
    return f"{first.thread} waits at line {first.span.line} for {first.waits_for}", ()


def _of_outcome(result: Found) -> tuple[str, tuple[str, ...]]:
    if result.has_execution is False:
        excluded = result.excluded
        return "no execution is complete", excluded.rules if excluded else ()
    if result.reachable and result.satisfying < len(result.states):
        return f"{result.satisfying} of {counted(len(result.states), 'state')} satisfy the condition", ()
    return ("every state satisfies the condition" if result.reachable else "no state satisfies the condition"), ()


def rule_that_is_missing(header: Header, expectation: Expectation, result: Found) -> tuple[str, ...]:
    """The rules without which the test states just what was found: the model seems to have lost them."""
    if expectation.without:
        return ()
    default = header.dialect.default_model
    about = default if expectation.model == DEFAULT_MODEL else expectation.model
    for other in header.expectations:
        named = default if other.model == DEFAULT_MODEL else other.model
        if other.without and named == about and is_met(other, result):
            return tuple(sorted(other.without))
    return ()
