"""Why an outcome is allowed or forbidden, as it is told."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

from mcm.answer.explanation import Kind, Sentence
from mcm.answer.result import Judged, Verdict
from mcm.base.deadline import LimitReachedError, seconds_left, time_limit
from mcm.execution.outcome import decisive, first_parts, observables
from mcm.execution.skeleton import IMPL_DEFINED_FAULTS
from mcm.explain.forbidden import MOST_SETS, Exclusions, excluded_few
from mcm.explain.sizes import LARGE
from mcm.explain.story import excluded_story, told_once
from mcm.explain.witness_search import OpenError, final_values
from mcm.program.condition import Quantifier

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mcm.answer.explanation import Explanation, RuleSet, Story
    from mcm.answer.machine_comparison import Repetition
    from mcm.answer.query import Query
    from mcm.answer.shown_states import ShownState
    from mcm.asked_runs import AskedRun, AskedRuns
    from mcm.execution.candidate import Candidate
    from mcm.explain.forbidden import Ways
    from mcm.explained_case import Case
    from mcm.program.condition import Proposition
    from mcm.program.program import Program

# So many stories of one outcome are told; the others are counted.
_MOST_TOLD: Final = 4

# The search for a schedule of the machine: configurations, seconds.
_CONFIGURATIONS: Final = 3_000
_SECONDS: Final = 1.0
# What of the time that is left engines may take to find the rules that exclude all ways; some of these need less.
_FOR_ALL_WAYS: Final = 0.5
# The same where data decides where the program goes, and where they mostly find nothing in whatever time.
_WHERE_DATA_DECIDES: Final = 0.2
# Runs of large programs.
_FEW_RUNS: Final = 4
# Of conditions about more, only what comes true is told.
_FEW_OBSERVED: Final = 8
# Of runs that read one older value, fewer are looked at where they have many steps.
_FEWEST_WAYS: Final = 4
_MOST_WAYS: Final = 12
_STEPS_OF_WAYS: Final = 8_000


def explained_outcome(case: Case) -> Explanation:
    """Why the outcome is allowed or forbidden, whatever the verdict."""
    result = case.result
    if not isinstance(result, Judged) and result.reason != "first-problem":
        return case.unexplained(result.reason)
    known = case.is_possible is False
    supposed = case.supposed
    by_runs = None if supposed is None else _by_runs(case, supposed)
    if by_runs is not None:
        return by_runs
    if known and supposed is not None:
        left = seconds_left()
        try:
            with time_limit(None if left is None else left * _WHERE_DATA_DECIDES):
                return _forbidden(case)
        except (OpenError, LimitReachedError):
            return _of_no_way(case, _supposed(case, supposed))
    try:
        if known or case.search.find(case.chosen.model) is None:
            return _forbidden(case)
        return _allowed(case)
    except OpenError:
        # The verdict need not rest on executions: updates that commute may have too many values in between.
        if case.is_possible is None or not case.is_settled:
            raise
        return _by_runs_alone(case)


def _forbidden(case: Case) -> Explanation:
    if any(problem.kind in IMPL_DEFINED_FAULTS for problem in case.result.impl_defined):
        # What was looked for has one of many values in the place of what is open.
        return case.unexplained("the outcome may rest on a quotient that is open")
    exclusions = Exclusions(case.search, case.chosen.model)
    few = exclusions.of_deviations() if case.search.is_very_large else None
    if few is not None:
        return _of_few_ways(case, *few)
    left = seconds_left()
    try:
        with time_limit(None if left is None else left * _FOR_ALL_WAYS):
            sets = exclusions.rule_sets(MOST_SETS)
    except (OpenError, LimitReachedError) as limit:
        few = exclusions.of_deviations()
        # Of ways within a bound it is not known that they are those of the program.
        if few is None and limit.reason != "bound":
            few = exclusions.of_found_ways()
        if few is None:
            raise
        return _of_few_ways(case, *few)
    if not all(exclusions.are_of_all_executions(each.rules) for each in sets):
        few = Exclusions(case.search_of_all_stores, case.chosen.model).of_some_ways()
        return case.unexplained(_OF_STORES) if few is None else _of_few_ways(case, *few)
    rules = sets[0].rules
    ways = exclusions.ways(rules)
    sentences = tuple(_conclusion(sets, case)) if ways.executions or rules else (_impossible(case),)
    # What the program's values exclude takes no rule: that is no set of rules, and not one without any.
    return _excluded(case, rules, ways, sets if rules else (), sentences)


def _of_few_ways(case: Case, rules: tuple[str, ...], ways: Ways) -> Explanation:
    """Ways of which it is not known what excludes all others."""
    return _excluded(case, rules, ways, (), (Sentence(_OF_FEW.format(listed(rules)), rules),))


def _excluded(
    case: Case, rules: Sequence[str], ways: Ways, sets: tuple[RuleSet, ...], sentences: tuple[Sentence, ...]
) -> Explanation:
    """Ways to an outcome, how rules exclude each, and what follows."""
    stories = [
        excluded_story(candidate, excluded, case.chosen.model, _made_true(case, candidate), rules)
        for candidate, excluded in ways.executions
    ]
    return _told(case, stories, sets, sentences, looked_at_all=ways.is_all)


def _made_true(case: Case, candidate: Candidate) -> Proposition | None:
    """What of the condition is told of an execution: of a large one what comes true there."""
    observed = case.observed
    if observed is None or len(set(observables(observed))) <= _FEW_OBSERVED:
        return observed
    return decisive(case.goal, dict(final_values(candidate)))


def _told(
    case: Case,
    stories: Iterable[Story],
    sets: tuple[RuleSet, ...],
    sentences: tuple[Sentence, ...],
    *,
    looked_at_all: bool,
) -> Explanation:
    """An outcome that is excluded, with stories of which those that are alike are told once."""
    return case.explanation(
        _kind(case),
        _kind(case).value.replace("-", " "),
        stories=told_once(stories, _MOST_TOLD),
        rule_sets=sets,
        sentences=sentences,
        looked_at_all=looked_at_all,
    )


# --- by runs ----------------------------------------------------------------------------------------------------------


def _by_runs(case: Case, supposed: Query) -> Explanation | None:
    """The explanation of a program in which data decides where it goes; None where runs are not how to explain it."""
    shown = _supposed(case, supposed)
    told = _told_by_runs(case, shown)
    if told is not None or case.is_possible is None:
        return told
    is_large = max(len(skeleton.events) for skeleton in supposed.skeletons) > LARGE
    return _told_by_no_run(case, shown) if is_large else None


def _by_runs_alone(case: Case) -> Explanation:
    """The explanation of a program of which all is settled, and that has more executions than engines look at."""
    shown = _SETTLED.format(case.chosen.name)
    return _told_by_runs(case, shown) or _told_by_no_run(case, shown)


def _told_by_runs(case: Case, shown: str) -> Explanation | None:
    """An explanation by a run that ends as asked, or by some that read an older value; None where none is found.

    `shown` says what the verdict rests on.
    """
    # Imported here: small tests need none of the machine.
    from mcm.asked_runs import AskedRuns  # noqa: PLC0415

    runs = AskedRuns(case.test.program, case.chosen.model, case.goal)
    return _forbidden_to_runs(case, runs, shown) if case.is_possible is False else _allowed_by_run(case, runs)


def _told_by_no_run(case: Case, shown: str) -> Explanation:
    """What is known of the outcome where no run tells it."""
    if case.is_possible:
        kind = _kind_of_allowed(case)
        return case.explanation(kind, kind.value, sentences=(Sentence(_NO_RUN),))
    return _of_no_way(case, shown)


def _allowed_by_run(case: Case, runs: AskedRuns) -> Explanation | None:
    from mcm.explain.allowed import Closest, allowed_story  # noqa: PLC0415

    run = runs.allowed()
    if run is None:
        return None
    because = first_parts(run.because, _FEW_OBSERVED)
    story = allowed_story(Closest(run.candidate, ()), case.chosen.model, because)
    others = len(set(observables(run.because)) - set(observables(because)))
    sentences = [Sentence("mcm run --until-found shows it")]
    if others:
        sentences.insert(0, Sentence(f"{others} more {'value is' if others == 1 else 'values are'} as asked"))
    return _told_as_allowed(case, story, None, tuple(sentences))


def _forbidden_to_runs(case: Case, runs: AskedRuns, shown: str) -> Explanation | None:
    """How some runs with one older value are excluded; None where none of them ends as asked.

    `shown` says what the verdict rests on.
    """
    found: list[AskedRun] = []
    left = seconds_left()
    with suppress(LimitReachedError), time_limit(None if left is None else left * _FOR_ALL_WAYS):
        for run in runs.with_an_older_value():
            found.append(run)
            if len(found) >= max(_FEWEST_WAYS, min(_MOST_WAYS, _STEPS_OF_WAYS // run.steps)):
                break
    try:
        few = excluded_few([run.candidate for run in found], case.chosen.model)
    except OpenError:
        return None
    if few is None:
        return None
    rules, ways = few
    because = {id(run.candidate): run.because for run in found}
    stories = [
        excluded_story(candidate, excluded, case.chosen.model, because[id(candidate)], rules)
        for candidate, excluded in ways
    ]
    sentences = (
        Sentence(_ONE_READ),
        Sentence(_OF_FEW.format(listed(rules)), rules),
        Sentence(f"{shown}: {_NO_OTHER}"),
    )
    return _told(case, stories, (), sentences, looked_at_all=False)


def _of_no_way(case: Case, shown: str) -> Explanation:
    sentences = Sentence(f"{shown}."), Sentence(_NO_WAY)
    return _told(case, (), (), sentences, looked_at_all=False)


def _supposed(case: Case, supposed: Query) -> str:
    """What was shown of all executions."""
    reads = min(len(skeleton.supposed) for skeleton in supposed.skeletons)
    return f"In every execution that {case.chosen.name} allows, {reads} plain reads return what they return in a run"


_SETTLED: Final = "What barriers order, and updates that commute, have one result in every execution that {} allows"
_NO_RUN: Final = "Some execution ends so, but none of a few runs: mcm run --until-found looks for one that does."
_ONE_READ: Final = "In each of these ways one read takes a value that was replaced before; the rest follows from it."
_NO_OTHER: Final = "so it was shown that it allows none of the other ways either."
_NO_WAY: Final = (
    "No way to the outcome is told: none was found in which only one read takes a value that was replaced before."
    " A smaller launch may be told in full."
)


def _kind(case: Case) -> Kind:
    return {Verdict.REQUIRED: Kind.REQUIRED, Verdict.NO_EXECUTION: Kind.NO_EXECUTION}.get(
        case.result.verdict, Kind.FORBIDDEN
    )


_OF_STORES: Final = "what loops store while they wait may be read without some rules, but not within the bound"
_OF_FEW: Final = "These ways are excluded by {}: without any one of them, some of these ways is not."
_IMPOSSIBLE: Final = "The program has no such execution, whatever a model says: its values do not lead to this outcome."


_NONE_PASSES: Final = "No execution passes the filter of the test, so that none is left that could end so."


def _impossible(case: Case) -> Sentence:
    """Why no execution ends so, where that takes no rule."""
    return Sentence(_IMPOSSIBLE if case.passes_filter else _NONE_PASSES)


def _conclusion(sets: Sequence[RuleSet], case: Case) -> Iterable[Sentence]:
    """What it takes, and what could be spared."""
    first, kind = sets[0], _kind(case)
    outcome = {
        Kind.NO_EXECUTION: "some execution is complete",
        Kind.REQUIRED: "it is no longer required",
    }.get(kind, "it is no longer forbidden")
    if not first.rules:
        yield _impossible(case)
        return
    if len(first.rules) == len(first.alone) + len(first.permitting):
        but = f" but {listed(first.permitting)}" if first.permitting else ""
        alone = f"without any one of them{but} {outcome}" if len(first.rules) > 1 else f"without it {outcome}"
        yield Sentence(f"It takes {listed(first.rules)}: {alone}.", first.rules)
    else:
        enough = "it suffices" if len(first.rules) == 1 else "these suffice, and none of them can be left out"
        spare = f"It takes {listed(first.rules)}: {enough}."
        yield Sentence(spare, first.rules)
        for other in sets[1:]:
            instead = [rule for rule in other.rules if rule not in first.rules]
            spared = [rule for rule in first.rules if rule not in other.rules]
            yield Sentence(f"{listed(instead)} can stand in for {listed(spared)}.", other.rules)
        if first.alone:
            yield Sentence(f"Without {listed(first.alone, 'or')}, {outcome}.")
    if first.permitting:
        yield Sentence(_also_permitting(first.permitting), first.permitting)


def _also_permitting(rules: Sequence[str]) -> str:
    """What to expect of `--without` for rules that do not only forbid."""
    one = len(rules) == 1
    options = " ".join(f"--without {rule}" for rule in rules[:1])
    return (
        f"({listed(rules)} also {'permits' if one else 'permit'} what the outcome needs:"
        f" `{options}` takes that away too, so that it stays excluded.)"
    )


def listed(rules: Sequence[str], word: str = "and") -> str:
    """Rules in a row."""
    return rules[0] if len(rules) == 1 else f"{', '.join(rules[:-1])} {word} {rules[-1]}"


def _allowed(case: Case) -> Explanation:
    # Imported here, as below: each kind of explanation needs its own part.
    from mcm.explain.allowed import allowed_story, closest  # noqa: PLC0415

    found = closest(case.search, case.chosen.model)
    assert found is not None, "an allowed outcome has an execution"
    story = allowed_story(found, case.chosen.model, case.observed)
    schedule = None if case.search.is_large else _schedule(case)
    sentences = () if schedule is not None else tuple(_of_machine(case))
    return _told_as_allowed(case, story, schedule, sentences)


def _told_as_allowed(
    case: Case, story: Story, schedule: Repetition | None, sentences: tuple[Sentence, ...]
) -> Explanation:
    kind = _kind_of_allowed(case)
    return case.explanation(
        kind, kind.value, stories=(story,), execution=story.execution, schedule=schedule, sentences=sentences
    )


def _kind_of_allowed(case: Case) -> Kind:
    return Kind.VIOLATED if case.result.verdict is Verdict.VIOLATED else Kind.ALLOWED


def _schedule(case: Case) -> Repetition | None:
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


def _of_machine(case: Case) -> Iterable[Sentence]:
    """Why there is no schedule of the machine, as far as that is known."""
    from mcm.execute import RunOptions, run_program  # noqa: PLC0415

    program = case.test.program
    if case.search.is_large:
        # Schedules of so many steps say nothing, and take long to be made clear.
        runs = run_program(program, RunOptions(runs=_FEW_RUNS, until_found=True))
        shows = any(_is_asked_for(count.state, program) for count in runs.states)
        yield Sentence("mcm run --until-found shows it" if shows else "a few runs (mcm run) did not show it")
    elif _needs_load_buffering(case):
        yield Sentence("mcm run does not show it: a read would see a write that is executed later (load buffering)")
    else:
        yield Sentence("mcm run did not show it within the schedules that were tried")


def _needs_load_buffering(case: Case) -> bool:
    """Whether the outcome is known to have no other executions."""
    from mcm.catalogue.library import without_load_buffering  # noqa: PLC0415

    try:
        return case.search.find(without_load_buffering(case.chosen).model) is None
    except OpenError:
        return False
