"""Expectations and what was found in their place, in the words of a header."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, assert_never

from mcm.answer.result import RACES, Invalid, Judged, Observation, Unreadable
from mcm.explain.expectation import Claim, judge_claims
from mcm.report.words import expectation_in_words

if TYPE_CHECKING:
    from mcm.answer.result import Found, Result
    from mcm.answer.shown_states import ShownState
    from mcm.program.header import Expectation

_OPEN: Final = "open"


def stated_in_words(expectation: Expectation) -> str:
    """What is expected: `Never no-race`."""
    words = [expectation_in_words(expectation)]
    if expectation.holds is not None:
        words.append("holds" if expectation.holds else "does not hold")
    if expectation.reachable is not None:
        words.append("reachable" if expectation.reachable else "not reachable")
    return " ".join(filter(None, words))


def found_in_words(expectation: Expectation, result: Result) -> str:
    """What was found instead of each claim that is stated: `Sometimes race`."""
    if isinstance(result, Unreadable):
        return "not a test"
    if isinstance(result, Invalid):
        return "invalid"
    words = [_found(claim, answer, expectation, result) for claim, answer in judge_claims(expectation, result)]
    return " ".join(["valid", *words] if expectation.invalid else words)


def _found(claim: Claim, answer: bool | None, expectation: Expectation, result: Found) -> str:  # noqa: FBT001 - see `judge_claims`
    if answer is None:
        return _OPEN
    match claim:
        case Claim.OBSERVATION:
            return _observed(result)
        case Claim.HOLDS:
            return "holds" if expectation.holds is answer else "does not hold"
        case Claim.REACHABLE:
            return "reachable" if expectation.reachable is answer else "not reachable"
        case Claim.RACE:
            return "race" if expectation.race is answer else "no-race"
        case Claim.DIVERGENCE:
            return "divergence" if expectation.divergence is answer else "no divergence"
        case Claim.DEFINED:
            return "defined" if expectation.defined is answer else "undefined"
        case Claim.IMPL_DEFINED:
            return "impl-defined" if expectation.impl_defined is answer else "not impl-defined"
        case Claim.TERMINATES:
            return "terminates" if expectation.terminates is answer else "may-block"
        case _:
            assert_never(claim)


def _observed(result: Found) -> str:
    if result.observation is not None:
        return result.observation.value
    if result.has_execution is False:
        return Observation.NEVER.value
    # What contradicts `Always` or `Never` is known, though not everything was looked at.
    return Observation.SOMETIMES.value if result.reachable else "not Always"


_FACTS: Final = frozenset(
    {
        "Never",
        "Sometimes",
        "Always",
        "race",
        "no-race",
        "divergence",
        "defined",
        "impl-defined",
        "invalid",
        "terminates",
        "may-block",
    }
)
_OPPOSITE: Final = {
    "0": "1", "1": "0",
    "allow": "Forbid", "forbid": "Allow",
    "allowed": "Forbidden", "forbidden": "Allowed",
}  # fmt: skip


def restated(expectation: Expectation, result: Result) -> str | None:
    """What to write where an expectation stands that is not met; None where its words cannot say what was found."""
    text, found = expectation.span.text, found_in_words(expectation, result)
    if text.lower() in _OPPOSITE:
        return _OPPOSITE[text.lower()]
    if text.lower().startswith("require"):
        end = text[len("require") :]
        return f"Allow{end and 'ed'}" if isinstance(result, Judged) and result.reachable else f"Forbid{end and 'den'}"
    words = " ".join(word for word in re.sub(r"\b(?:no|not) (?:\S+)", "", found).split() if word in _FACTS)
    if not words or _OPEN in found.split():
        return None
    if text.startswith("Result:"):
        return f"Result: {words}"
    key, separator, _ = text.partition("=")
    return f"{key}={words}" if separator else words


def state_in_words(state: ShownState, result: Found) -> str:
    """`0:r0=1; x=2`."""
    return "; ".join(f"{result.shown_name(name)}={value}" for name, value in state.values.items())


def states_that_differ(expectation: Expectation, result: Found) -> tuple[str, ...]:
    """The states that contradict what is stated of the condition; all states where one is missed."""
    answers = dict(judge_claims(expectation, result))
    if Claim.OBSERVATION in answers and answers[Claim.OBSERVATION] is False:
        match Observation(expectation.observation):
            case Observation.NEVER:
                wanted = {True}
            case Observation.ALWAYS:
                wanted = {False}
            case Observation.SOMETIMES:
                wanted = {True, False}
    elif answers.get(Claim.REACHABLE) is False or answers.get(Claim.HOLDS) is False:
        wanted = {True} if result.reachable else {False}
    else:
        return ()
    return tuple(state_in_words(state, result) for state in result.states if state.satisfies in wanted)


def is_stated(kind: str, expectation: Expectation) -> bool:
    """Whether a problem of this kind is what the test says that it has."""
    if kind in RACES:
        return expectation.race is True
    if kind == "barrier-divergence":
        return expectation.divergence is True
    return False
