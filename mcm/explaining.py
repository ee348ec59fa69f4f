"""Explanations of a test: checked first, then explained by its verdict; models against each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.answer.explanation import Kind, Sentence
from mcm.answer.result import Verdict
from mcm.base.deadline import LimitReachedError
from mcm.catalogue.rules import without
from mcm.explain.difference import differing_rules
from mcm.explain.forbidden import Exclusions, exclusion
from mcm.explain.story import excluded_story
from mcm.explain.witness_search import OpenError
from mcm.explained_case import Case
from mcm.explained_outcome import explained_outcome, listed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcm.answer.explanation import Explanation
    from mcm.answer.result import BlockedExecution, Found, Problem
    from mcm.catalogue.library import ChosenModel
    from mcm.front_end.test import Test
    from mcm.queries import Elaborate, Options


# Of executions with more events, relations take seconds.
_FEW_EVENTS: Final = 300


class Wanted(Struct, frozen=True):
    """What is to be explained: the outcome whatever else is wrong (`outcome`), the problem of this number, or all."""

    outcome: bool = False
    problem: int | None = None
    everything: bool = False


def explain(
    test: Test, chosen: ChosenModel, options: Options, elaborate: Elaborate, wanted: Wanted
) -> tuple[Explanation, ...]:
    """Why a test has the result that it has under a model; InputError where it cannot be elaborated."""
    case = Case(test, chosen, options, elaborate)
    found: list[Explanation] = []
    try:
        # What was told before a limit is reached is kept.
        found.extend(_explanations(case, wanted))
    except OpenError as open_:
        found.append(case.unexplained(open_.reason))
    except LimitReachedError as reached:
        if not found:
            raise
        found.append(case.unexplained(reached.reason))
    return tuple(found)


def explain_soon(
    test: Test, chosen: ChosenModel, options: Options, elaborate: Elaborate, result: Found
) -> tuple[Explanation, ...]:
    """What of the result of a large program is told soon: a problem, or an outcome where data decides where it goes."""
    case = Case(test, chosen, options, elaborate, result)
    problems = (*result.undefined, *result.impl_defined, *result.flags)
    if problems:
        execution = problems[0].execution
        is_small = execution is not None and len(execution.candidate.executed) <= _FEW_EVENTS
        # A page lists the others.
        return (_problem(case, problems[0], 0),) if is_small else ()
    try:
        return () if case.supposed is None else (explained_outcome(case),)
    except OpenError:
        return ()


def _explanations(case: Case, wanted: Wanted) -> Iterable[Explanation]:
    result = case.result
    problems = (*result.undefined, *result.impl_defined, *result.flags)
    chosen = problems if wanted.everything else ()
    if wanted.problem is not None:
        chosen = problems[wanted.problem - 1 : wanted.problem]
    elif problems and not wanted.outcome and not wanted.everything:
        chosen = problems[:1]
    for problem in chosen:
        yield _problem(case, problem, len(problems) - 1 if len(chosen) == 1 else 0)
    if wanted.problem is not None or (problems and not wanted.outcome and not wanted.everything):
        return
    is_told = result.verdict is not Verdict.NO_EXECUTION or not result.blocked
    if is_told and wanted.outcome:
        yield explained_outcome(case)
    # Units that wait for ever are what people ask about where there are some: they come first, and alone.
    waits_for_all = is_told and not wanted.outcome and not wanted.everything
    for number, blocked in enumerate(result.blocked, start=1):
        yield _blocked(case, blocked, is_last=number == len(result.blocked) and waits_for_all)
    if is_told and not wanted.outcome and (wanted.everything or not result.blocked):
        yield explained_outcome(case)


# --- problems ---------------------------------------------------------------------------------------------------------


def _problem(case: Case, problem: Problem, others: int) -> Explanation:
    from mcm.explain.problem_story import problem_story  # noqa: PLC0415

    story = None if problem.execution is None else problem_story(problem, case.chosen.model)
    more = (
        (Sentence(f"{others} more {'problem: --all explains it' if others == 1 else 'problems: --all explains them'}"),)
        if others
        else ()
    )
    return case.explanation(
        Kind.PROBLEM,
        problem.kind.replace("-", " "),
        stories=() if story is None else (story,),
        problem=problem,
        sentences=more,
        execution=problem.execution,
    )


_RATHER_ALL: Final = "The outcome is {}: --all explains that too."


def _blocked(case: Case, blocked: BlockedExecution, *, is_last: bool) -> Explanation:
    from mcm.explain.blocked_story import blocked_story  # noqa: PLC0415

    story = blocked_story(blocked)
    verdict = case.result.verdict.value.replace("-", " ")
    return case.explanation(
        Kind.BLOCKED,
        "units wait forever",
        stories=() if story is None else (story,),
        sentences=(Sentence(_RATHER_ALL.format(verdict)),) if is_last else (),
        execution=blocked.execution,
    )


# --- two models -------------------------------------------------------------------------------------------------------


def difference(
    test: Test, one: ChosenModel, other: ChosenModel, options: Options, elaborate: Elaborate
) -> Explanation | None:
    """What separates two models: an execution that the first allows and the second does not; None if they agree."""
    first, second = (Case(test, chosen, options, elaborate) for chosen in (one, other))
    if first.is_possible is not None and first.is_possible is second.is_possible:
        return None
    try:
        return _difference(first, second) or _difference(second, first)
    except OpenError:
        return None


def _difference(allows: Case, forbids: Case) -> Explanation | None:
    model = forbids.chosen.model
    if forbids.search.find(model) is not None:
        return None
    candidate = allows.search.find(allows.chosen.model)
    if candidate is None:
        return None
    exclusions = Exclusions(forbids.search, model)
    rules = exclusions.rule_sets(1)[0].rules
    excluded = exclusion(candidate, model)
    assert excluded is not None, "what a model forbids it excludes"
    story = excluded_story(candidate, excluded, model, allows.observed, None)
    name = allows.chosen.name
    by = listed(excluded.broken.rules or rules)
    text = f"{name} allows this execution; {forbids.chosen.name} excludes it by {by}."
    separating = tuple(_separating(allows, forbids))
    if separating:
        text += f" What separates them is {listed(separating, 'or')}."
    return forbids.explanation(
        Kind.DIFFERENCE,
        f"{name} allows what {forbids.chosen.name} forbids",
        stories=(story,),
        sentences=(Sentence(text, separating or excluded.rules), *_undefined(allows), *_undefined(forbids)),
        execution=story.execution,
    )


def _undefined(case: Case) -> Iterable[Sentence]:
    """What has to be said of executions under a model that calls the test undefined."""
    problems = case.result.undefined
    if problems:
        kind = problems[0].kind.replace("-", " ")
        text = f"Under {case.chosen.name} the test is undefined ({kind}), so that its executions promise nothing there."
        yield Sentence(text)


def _separating(allows: Case, forbids: Case) -> Iterable[str]:
    """The rules without which one of two models says what the other says."""
    for rule in differing_rules(allows.chosen.model, forbids.chosen.model):
        is_forbidden_then = allows.search.find(without(allows.chosen.model, (rule,))) is None
        if is_forbidden_then or forbids.search.find(without(forbids.chosen.model, (rule,))) is not None:
            yield rule
