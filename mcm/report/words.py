"""Verdicts and expectations in the words that every report for people uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.answer.result import Status, Verdict

if TYPE_CHECKING:
    from mcm.answer.result import Problem, Result
    from mcm.program.header import Expectation


def verdict_in_words(result: Result) -> str:
    """The verdict with its immediate reason: `undefined (data race)`, `undecided (timeout)`."""
    match result.verdict:
        case Verdict.UNDEFINED:
            return f"undefined ({_kinds(result.undefined)})"
        case Verdict.IMPL_DEFINED:
            return "implementation-defined"
        case Verdict.UNDECIDED:
            return f"undecided ({result.reason})" if result.reason else "undecided"
        case Verdict.INVALID:
            return "cannot be read" if result.status is Status.ERROR else "invalid"
        case Verdict.ALLOWED | Verdict.FORBIDDEN | Verdict.REQUIRED | Verdict.VIOLATED:
            word: str = result.verdict.value
            return word


def observation_in_words(result: Result) -> str:
    """How often the proposition holds: `Sometimes, in 1 of 4 states`; empty when nothing was asked."""
    if result.condition is None or result.observation is None:
        return ""
    if not result.states:
        return result.observation.value
    return f"{result.observation.value}, in {result.satisfying} of {counted(len(result.states), 'state')}"


def expectation_in_words(expectation: Expectation) -> str:
    """The expectation as its key line states it: `Never no-race`."""
    claims = [
        expectation.observation,
        {True: "race", False: "no-race", None: None}[expectation.race],
        "divergence" if expectation.divergence else None,
        "impl-defined" if expectation.impl_defined else None,
        "invalid" if expectation.invalid else None,
    ]
    return " ".join(claim for claim in claims if claim)


def counted(number: int, noun: str) -> str:
    """`1 state`, `2 states`.

    >>> counted(1, "race"), counted(2, "race")
    ('1 race', '2 races')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def kind_in_words(problem: Problem) -> str:
    """`data race` for `data-race`."""
    return problem.kind.replace("-", " ").replace("_", " ")


def _kinds(problems: tuple[Problem, ...]) -> str:
    return ", ".join(dict.fromkeys(kind_in_words(problem) for problem in problems))
