"""Verdicts and expectations in the words that every report for people uses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, assert_never

from mcm.answer.result import Invalid, Judged, Undecided, Unreadable, Verdict

if TYPE_CHECKING:
    from mcm.answer.result import Found, Problem, Result
    from mcm.program.header import Expectation


# Stands above the states of a program without defined behaviour.
MEANINGLESS: Final = "The program is undefined, so these states mean nothing for it:"

# Reasons that reports call by other words than data does.
_REASONS: Final = {"first-problem": "ended at the first problem"}


def verdict_in_words(result: Result) -> str:
    """The verdict with its immediate reason: `undefined (data race)`, `undecided (timeout)`."""
    match result:
        case Undecided():
            return f"undecided ({reason_in_words(result.reason)})"
        case Invalid():
            return "invalid"
        case Unreadable():
            return "cannot be read"
        case Judged(verdict=Verdict.UNDEFINED):
            return f"undefined ({_kinds(result.undefined)})"
        case Judged(verdict=Verdict.IMPL_DEFINED):
            return "implementation-defined"
        case Judged(verdict=Verdict.NO_EXECUTION):
            return "no complete execution"
        case Judged():
            word: str = result.verdict.value
            return word
        case _:
            assert_never(result)


def verdict_with_cut(result: Result) -> str:
    """The verdict, and that something was not looked at: `allowed, bounded`, `undefined (data race), timeout`."""
    words = verdict_in_words(result)
    if not isinstance(result, Judged):
        return words
    cuts = [*(["bounded"] if result.bounded else []), *([reason_in_words(result.reason)] if result.reason else [])]
    return ", ".join([words, *cuts])


def reason_in_words(reason: str) -> str:
    """Why a search ended or concludes nothing, for people."""
    return _REASONS.get(reason, reason)


def observation_in_words(result: Result) -> str:
    """How often the proposition holds: `Sometimes, in 1 of 4 states`; empty when nothing was asked."""
    if not isinstance(result, Judged | Undecided) or result.observation is None:
        return ""
    if not result.states:
        return result.observation.value
    return f"{result.observation.value}, in {result.satisfying} of {counted(len(result.states), 'state')}"


def answer_in_words(result: Found) -> str:
    """What is known of the states that satisfy the proposition, in one line."""
    if words := observation_in_words(result):
        return words
    if result.has_execution is False and not result.bounded:
        return "no execution is complete, so that there is no final state to satisfy it"
    if result.reachable is None:
        return "not known whether some execution satisfies it"
    return "some execution satisfies it" if result.reachable else "no execution satisfies it"


def expectation_in_words(expectation: Expectation) -> str:
    """The expectation as its key line states it: `Never no-race`."""
    claims = [
        expectation.observation,
        {True: "race", False: "no-race", None: None}[expectation.race],
        "divergence" if expectation.divergence else None,
        "defined" if expectation.defined else None,
        "impl-defined" if expectation.impl_defined else None,
        "invalid" if expectation.invalid else None,
        {True: "terminates", False: "may-block", None: None}[expectation.terminates],
    ]
    return " ".join(claim for claim in claims if claim)


def counted(number: int, noun: str, several: str | None = None) -> str:
    """`1 state`, `2 states`; `several` is the plural where it is not the noun with an s.

    >>> counted(1, "race"), counted(2, "race"), counted(2, "switch", "switches")
    ('1 race', '2 races', '2 switches')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {several or noun + 's'}"


def kind_in_words(problem: Problem) -> str:
    """`data race` for `data-race`."""
    return problem.kind.replace("-", " ").replace("_", " ")


def _kinds(problems: tuple[Problem, ...]) -> str:
    return ", ".join(dict.fromkeys(kind_in_words(problem) for problem in problems))
