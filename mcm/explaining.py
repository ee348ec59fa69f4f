"""Explanations of a test: checked first, then explained by its verdict; models against each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.answer.explanation import Explanation, Kind, Sentence
from mcm.answer.result import Judged, Verdict
from mcm.asking import query_for, skeletons_for
from mcm.base.deadline import LimitReachedError, seconds_left, time_limit
from mcm.base.source import Source
from mcm.catalogue.rules import without
from mcm.explain.difference import differing_rules
from mcm.explain.forbidden import MOST_SETS, Exclusions, Ways, exclusion
from mcm.explain.story import excluded_story, told_once
from mcm.explain.witness_search import OpenError, WitnessSearch, goal_of
from mcm.pipeline import check
from mcm.program.condition import Quantifier

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mcm.answer.explanation import RuleSet
    from mcm.answer.machine_comparison import Repetition
    from mcm.answer.result import BlockedExecution, Found, Problem
    from mcm.answer.shown_states import ShownState
    from mcm.asking import Elaborate, Options
    from mcm.catalogue.library import ChosenModel
    from mcm.front_end.test import Test
    from mcm.program.condition import Proposition
    from mcm.program.program import Program

# So many stories of one outcome are told; the others are counted.
_MOST_TOLD: Final = 4

# The search for a schedule of the machine: configurations, seconds.
_CONFIGURATIONS: Final = 3_000
_SECONDS: Final = 1.0
# What of the time that is left engines may take to find the rules that exclude all ways; some of these need less.
_FOR_ALL_WAYS: Final = 0.5
# Runs of large programs.
_FEW_RUNS: Final = 4


class Wanted(Struct, frozen=True):
    """What is to be explained: the outcome whatever else is wrong (`outcome`), the problem of this number, or all."""

    outcome: bool = False
    problem: int | None = None
    everything: bool = False


class _Case(Struct, frozen=True):
    """A test under a model, with its result and the outcome that it asks about."""

    test: Test
    chosen: ChosenModel
    result: Found
    search: WitnessSearch
    goal: Proposition

    def explanation(self, kind: Kind, subject: str, **fields: object) -> Explanation:
        """An explanation of this case."""
        return Explanation(
            kind=kind,
            test=self.test.program.name,
            model=self.chosen.name,
            file=self.test.source.name,
            verdict=self.result.verdict,
            subject=subject,
            condition=self.test.program.condition,
            **fields,  # type: ignore[arg-type]
        )


def asking_for(test: Test, state: str) -> Source:
    """The text of a test with another condition: that some execution ends as `state` says."""
    source, condition = test.source, test.program.condition
    text = source.text
    if condition is not None:
        text = text[: condition.span.start] + text[condition.span.end :]
    return Source(source.name, f"{text.rstrip()}\nexists ({state})\n")


def explain(
    test: Test, chosen: ChosenModel, options: Options, elaborate: Elaborate, wanted: Wanted
) -> tuple[Explanation, ...]:
    """Why a test has the result that it has under a model; InputError where it cannot be elaborated."""
    case = _case(test, chosen, options, elaborate)
    try:
        return tuple(_explanations(case, wanted))
    except OpenError as open_:
        return (_open(case, open_.reason),)


def _case(test: Test, chosen: ChosenModel, options: Options, elaborate: Elaborate) -> _Case:
    # Of the states nothing is told but which satisfy the condition, and all of them may be many.
    asked = replace(options, wants_states=test.program.condition is None)
    result = check(test, chosen, asked, elaborate)
    query = query_for(test, chosen, options, skeletons_for(chosen.model, elaborate))
    goal = goal_of(test.program.condition)
    search = WitnessSearch(replace(query, proposition=goal), options.engine)
    return _Case(test, chosen, result, search, goal)


def _explanations(case: _Case, wanted: Wanted) -> Iterable[Explanation]:
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
        yield _outcome(case)
    # Units that wait for ever are what people ask about where there are some: they come first, and alone.
    waits_for_all = is_told and not wanted.outcome and not wanted.everything
    for number, blocked in enumerate(result.blocked, start=1):
        yield _blocked(case, blocked, is_last=number == len(result.blocked) and waits_for_all)
    if is_told and not wanted.outcome and (wanted.everything or not result.blocked):
        yield _outcome(case)


# --- the outcome ------------------------------------------------------------------------------------------------------


def _outcome(case: _Case) -> Explanation:
    """Why the outcome is allowed or forbidden, whatever the verdict."""
    result = case.result
    if not isinstance(result, Judged) and result.reason != "first-problem":
        return _open(case, result.reason)
    known = result.verdict in {Verdict.FORBIDDEN, Verdict.REQUIRED, Verdict.NO_EXECUTION}
    if known or case.search.find(case.chosen.model) is None:
        return _forbidden(case)
    return _allowed(case)


def _forbidden(case: _Case) -> Explanation:
    exclusions = Exclusions(case.search, case.chosen.model)
    few = exclusions.of_deviations() if case.search.is_very_large else None
    if few is not None:
        return _of_few_ways(case, *few)
    left = seconds_left()
    try:
        with time_limit(None if left is None else left * _FOR_ALL_WAYS):
            sets = exclusions.rule_sets(MOST_SETS)
    except (OpenError, LimitReachedError):
        few = exclusions.of_deviations()
        if few is None:
            raise
        return _of_few_ways(case, *few)
    rules = sets[0].rules
    ways = exclusions.ways(rules)
    sentences = tuple(_conclusion(sets, _kind(case))) if ways.executions or rules else (Sentence(_IMPOSSIBLE),)
    # What the program's values exclude takes no rule: that is no set of rules, and not one without any.
    return _excluded(case, rules, ways, sets if rules else (), sentences)


def _of_few_ways(case: _Case, rules: tuple[str, ...], ways: Ways) -> Explanation:
    """Ways of which it is not known what excludes all others."""
    return _excluded(case, rules, ways, (), (Sentence(_OF_FEW.format(_listed(rules)), rules),))


def _excluded(
    case: _Case, rules: Sequence[str], ways: Ways, sets: tuple[RuleSet, ...], sentences: tuple[Sentence, ...]
) -> Explanation:
    """Ways to an outcome, how rules exclude each, and what follows."""
    stories = [
        excluded_story(candidate, excluded, case.chosen.model, _observed(case), rules)
        for candidate, excluded in ways.executions
    ]
    return case.explanation(
        _kind(case),
        _kind(case).value.replace("-", " "),
        stories=told_once(stories, _MOST_TOLD),
        rule_sets=sets,
        sentences=sentences,
        looked_at_all=ways.is_all,
    )


def _kind(case: _Case) -> Kind:
    return {Verdict.REQUIRED: Kind.REQUIRED, Verdict.NO_EXECUTION: Kind.NO_EXECUTION}.get(
        case.result.verdict, Kind.FORBIDDEN
    )


_OF_FEW: Final = "These ways are excluded by {}: without any one of them, some of these ways is not."
_IMPOSSIBLE: Final = "The program has no such execution, whatever a model says: its values do not lead to this outcome."


def _observed(case: _Case) -> Proposition | None:
    condition = case.test.program.condition
    return None if condition is None else condition.proposition


def _conclusion(sets: Sequence[RuleSet], kind: Kind) -> Iterable[Sentence]:
    """What it takes, and what could be spared."""
    first = sets[0]
    outcome = {
        Kind.NO_EXECUTION: "some execution is complete",
        Kind.REQUIRED: "it is no longer required",
    }.get(kind, "it is no longer forbidden")
    if not first.rules:
        yield Sentence(_IMPOSSIBLE)
        return
    if len(first.rules) == len(first.alone) + len(first.permitting):
        but = f" but {_listed(first.permitting)}" if first.permitting else ""
        alone = f"without any one of them{but} {outcome}" if len(first.rules) > 1 else f"without it {outcome}"
        yield Sentence(f"It takes {_listed(first.rules)}: {alone}.", first.rules)
    else:
        spare = f"It takes {_listed(first.rules)}: these suffice, and none of them can be left out."
        yield Sentence(spare, first.rules)
        for other in sets[1:]:
            instead = [rule for rule in other.rules if rule not in first.rules]
            spared = [rule for rule in first.rules if rule not in other.rules]
            yield Sentence(f"{_listed(instead)} can stand in for {_listed(spared)}.", other.rules)
        if first.alone:
            yield Sentence(f"Without {_listed(first.alone, 'or')}, {outcome}.")
    if first.permitting:
        yield Sentence(_also_permitting(first.permitting), first.permitting)


def _also_permitting(rules: Sequence[str]) -> str:
    """What to expect of `--without` for rules that do not only forbid."""
    one = len(rules) == 1
    options = " ".join(f"--without {rule}" for rule in rules[:1])
    return (
        f"({_listed(rules)} also {'permits' if one else 'permit'} what the outcome needs:"
        f" `{options}` takes that away too, so that it stays excluded.)"
    )


def _listed(rules: Sequence[str], word: str = "and") -> str:
    return rules[0] if len(rules) == 1 else f"{', '.join(rules[:-1])} {word} {rules[-1]}"


def _allowed(case: _Case) -> Explanation:
    # Imported here, as below: each kind of explanation needs its own part.
    from mcm.explain.allowed import allowed_story, closest  # noqa: PLC0415

    found = closest(case.search, case.chosen.model)
    assert found is not None, "an allowed outcome has an execution"
    story = allowed_story(found, case.chosen.model, _observed(case))
    kind = Kind.VIOLATED if case.result.verdict is Verdict.VIOLATED else Kind.ALLOWED
    schedule = None if case.search.is_large else _schedule(case)
    sentences = () if schedule is not None else tuple(_of_machine(case))
    return case.explanation(
        kind, kind.value, stories=(story,), execution=story.execution, schedule=schedule, sentences=sentences
    )


def _schedule(case: _Case) -> Repetition | None:
    """A schedule of the machine that ends as asked, with as few switches as can be had; None if none is found."""
    from mcm.execute import EXHAUSTIVE, RunOptions, clearest_schedule, run_program  # noqa: PLC0415
    from mcm.machine.exhaustive import Budget  # noqa: PLC0415

    program = case.test.program
    budget = Budget(configurations=_CONFIGURATIONS, seconds=_SECONDS)
    for memory in ("interleaving", "views"):
        runs = run_program(program, RunOptions(schedule=EXHAUSTIVE, memory=memory, budget=budget))
        for count in runs.states:
            if _is_asked_for(count.state, program):
                return clearest_schedule(program, runs, tuple(count.state.values.items()))
    return None


def _is_asked_for(state: ShownState, program: Program) -> bool:
    """Whether the outcome that is explained is that of a state."""
    condition = program.condition
    return condition is None or state.satisfies is (condition.quantifier is not Quantifier.FORALL)


def _of_machine(case: _Case) -> Iterable[Sentence]:
    """Why there is no schedule of the machine, as far as that is known."""
    from mcm.catalogue.library import without_load_buffering  # noqa: PLC0415
    from mcm.execute import RunOptions, run_program  # noqa: PLC0415

    program = case.test.program
    if case.search.is_large:
        # Schedules of so many steps say nothing, and take long to be made clear.
        runs = run_program(program, RunOptions(runs=_FEW_RUNS, until_found=True))
        shows = any(_is_asked_for(count.state, program) for count in runs.states)
        yield Sentence("mcm run --until-found shows it" if shows else "a few runs (mcm run) did not show it")
    elif case.search.find(without_load_buffering(case.chosen).model) is None:
        yield Sentence("mcm run does not show it: a read would see a write that is executed later (load buffering)")
    else:
        yield Sentence("mcm run did not show it within the schedules that were tried")


# --- problems ---------------------------------------------------------------------------------------------------------


def _problem(case: _Case, problem: Problem, others: int) -> Explanation:
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


def _blocked(case: _Case, blocked: BlockedExecution, *, is_last: bool) -> Explanation:
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


def _open(case: _Case, reason: str | None) -> Explanation:
    text = f"nothing can be explained: undecided ({reason})"
    return case.explanation(Kind.UNDECIDED, "undecided", sentences=(Sentence(text),), looked_at_all=False)


# --- two models -------------------------------------------------------------------------------------------------------


def difference(
    test: Test, one: ChosenModel, other: ChosenModel, options: Options, elaborate: Elaborate
) -> Explanation | None:
    """What separates two models: an execution that the first allows and the second does not; None if they agree."""
    first, second = (_case(test, chosen, options, elaborate) for chosen in (one, other))
    try:
        return _difference(first, second) or _difference(second, first)
    except OpenError:
        return None


def _difference(allows: _Case, forbids: _Case) -> Explanation | None:
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
    story = excluded_story(candidate, excluded, model, _observed(allows), None)
    name = allows.chosen.name
    by = _listed(excluded.broken.rules or rules)
    text = f"{name} allows this execution; {forbids.chosen.name} excludes it by {by}."
    separating = tuple(_separating(allows, forbids))
    if separating:
        text += f" What separates them is {_listed(separating, 'or')}."
    return forbids.explanation(
        Kind.DIFFERENCE,
        f"{name} allows what {forbids.chosen.name} forbids",
        stories=(story,),
        sentences=(Sentence(text, separating or excluded.rules), *_undefined(allows), *_undefined(forbids)),
        execution=story.execution,
    )


def _undefined(case: _Case) -> Iterable[Sentence]:
    """What has to be said of executions under a model that calls the test undefined."""
    problems = case.result.undefined
    if problems:
        kind = problems[0].kind.replace("-", " ")
        text = f"Under {case.chosen.name} the test is undefined ({kind}), so that its executions promise nothing there."
        yield Sentence(text)


def _separating(allows: _Case, forbids: _Case) -> Iterable[str]:
    """The rules without which one of two models says what the other says."""
    for rule in differing_rules(allows.chosen.model, forbids.chosen.model):
        is_forbidden_then = allows.search.find(without(allows.chosen.model, (rule,))) is None
        if is_forbidden_then or forbids.search.find(without(forbids.chosen.model, (rule,))) is not None:
            yield rule
