"""What engines are asked about a test, and in which order: undefined behaviour first, since it decides the verdict."""

from __future__ import annotations

from functools import partial
from operator import attrgetter
from time import perf_counter
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.answer.query import Query, Sought
from mcm.answer.result import EVENTS, FIRST_PROBLEM, Observation
from mcm.base.deadline import MEMORY, LimitReachedError, seconds_left, time_limit
from mcm.engine.choose import (
    Before,
    EngineName,
    OpenEvents,
    decide,
    enough_iterations,
    is_settled,
    open_events,
    remaining,
    short_limits,
    was_listing,
    with_all_else,
)
from mcm.execution.event import EventKind
from mcm.execution.shared import EventLimitError
from mcm.execution.skeleton import is_cut
from mcm.explain.flag_names import undefined_flags
from mcm.explain.judgement import UNKNOWN, Reachability, reachability
from mcm.explain.sizes import VERY_LARGE
from mcm.program.condition import Not, Quantifier, Truth
from mcm.queries import kinds_that_cut, needs_no_dependencies, query_for, skeletons_for
from mcm.run_numbers import RUNS
from mcm.runs_before import NOTHING, Runs, runs_met, states_of_runs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mcm.answer.answer import Answer
    from mcm.catalogue.library import ChosenModel
    from mcm.execution.candidate import Candidate
    from mcm.execution.skeleton import Skeleton
    from mcm.execution.supposition import Suppositions
    from mcm.front_end.test import Test
    from mcm.program.header import Expectation
    from mcm.program.program import Program
    from mcm.program.types import Value
    from mcm.queries import Elaborate, Options

# Programs beyond these sizes are run a few times before they are searched: a run meets most races of a large program at
# once, where to search for one takes seconds. Of programs of more events, iterations counted, data may decide how many
# there are. Litmus tests stay far below.
_MANY_THREADS: Final = 16
MANY_EVENTS: Final = 100

# Events and iterations, where each thread may take all jobs from a counter: more take longer than a few seconds.
_MOST_FOR_JOBS: Final = 20_000

# Where a run met undefined behaviour, it is not elaborated further to see whether a program is that large.
_FAR_TOO_MANY: Final = 1_000

_FIRST_RUN: Final = RUNS[:1]
_FURTHER_RUNS: Final = RUNS[1:]

# Where data decides nothing, a program elaborates to no more events and iterations than so many for each operation of a
# run: those that are not performed, and iterations, are few.
_MOST_FOR_EACH: Final = 2

# Runs are looked for that end in one of so many states at most.
_MOST_SHOWN: Final = 1_000

# What of the time a search may take that is followed by runs.
_BEFORE_RUNS: Final = 0.7

# What of the time a search may take where something is to be told already: to explain that takes time, too.
_FOR_SEARCH: Final = 0.9

# Programs with more threads than these are looked at up to their first problem if a short search does not answer
# everything. In those of fewer, the solver is given so many seconds for the rest where runs have met a problem.
_FEW_THREADS: Final = 4
_AFTER_A_PROBLEM: Final = 10.0


class Looked(Struct, frozen=True):
    """What was found, and what it says of the condition. `query` is None where no engine was asked."""

    answer: Answer
    reach: Reachability
    query: Query | None


def look_at_each(
    test: Test, chosen: ChosenModel, options: Options, elaborate: Elaborate, expected: Expectation | None
) -> Looked:
    """As `_look`, in each order of calls; whoever asks more of the query, asks silently."""
    looked = _look(test, chosen, options, elaborate, expected)
    if looked.query is None or looked.query.on_state is None:
        return looked
    return replace(looked, query=replace(looked.query, on_state=None))


def _look(
    test: Test, chosen: ChosenModel, options: Options, elaborate: Elaborate, expected: Expectation | None
) -> Looked:
    """Ask a few runs of the machine, if the program is large, and the engine, unless the former decide the verdict.

    The first run meets most races. Further ones are asked only where much is left to be searched.
    """
    runs = runs_met(test, chosen, _FIRST_RUN) if len(test.program.threads) > _MANY_THREADS else None
    seed = None if runs is None else runs.met
    if seed is not None and not options.goes_on:
        return Looked(seed, UNKNOWN, None)
    return _kept(seed, partial(_look_on, test, chosen, options, elaborate, expected, runs))


def _look_on(
    test: Test,
    chosen: ChosenModel,
    options: Options,
    elaborate: Elaborate,
    expected: Expectation | None,
    runs: Runs | None,
) -> Looked:
    """Elaborate, and ask more runs and the engine; `runs`: the first run, where it was made before."""
    # A single unit races with nobody.
    may_race = len(test.program.threads) > 1
    large = runs is not None
    if large:
        # Imported here: small tests need none of it.
        from mcm.numbered_groups import with_tickets  # noqa: PLC0415

        elaborate = with_tickets(test, chosen, options, elaborate)
    try:
        query = _small_query(test, chosen, options, elaborate) if may_race and not large else None
        if query is None and may_race:
            runs = runs or runs_met(test, chosen, _FIRST_RUN)
            shown = _shown_by_runs(test, chosen, options, elaborate, expected, runs)
            if shown is not None:
                return shown
            query = _supposed_query(test, chosen, options, elaborate, runs)
        if query is None:
            folds = large and needs_no_dependencies(chosen.model)
            # Beyond, what a run met decides.
            is_met = runs is not None and runs.met is not None and not options.goes_on
            limited = partial(elaborate, limit=min(options.events, _FAR_TOO_MANY)) if is_met else elaborate
            skeletons = skeletons_for(chosen.model, limited, folds=folds)
            if not folds and _folding_tells_of_loops(skeletons, test, chosen, options):
                skeletons = skeletons_for(chosen.model, limited, folds=True)
            query = query_for(test, chosen, options, skeletons)
        if not may_race and _is_cut_by_data(query, test.program):
            runs = runs_met(test, chosen, _FIRST_RUN)
            query = _supposed_query(test, chosen, options, elaborate, runs) or query
        query = _query_of_all_jobs(query, test, chosen, options, elaborate) or query
    except EventLimitError:
        if runs is not None and runs.met is not None and not options.goes_on:
            return Looked(runs.met, UNKNOWN, None)
        return Looked(replace(NOTHING, undecided=EVENTS), UNKNOWN, None)
    seed = None
    few_of_many = False
    if not large and may_race and any(len(skeleton.events) > MANY_EVENTS for skeleton in query.skeletons):
        large, runs = True, runs or runs_met(test, chosen, _FIRST_RUN)
        seed = runs.met
    if large and not (runs and runs.met):
        found = open_events(query)
        few_of_many = found is OpenEvents.FEW_OF_MANY
        if found is OpenEvents.MANY:
            seed = runs_met(test, chosen, _FURTHER_RUNS).met
    if seed is not None and not options.goes_on:
        return Looked(seed, UNKNOWN, None)
    return _kept(
        seed, partial(_ask_about, query, test, chosen, options, expected, large=large, few_of_many=few_of_many)
    )


def _small_query(test: Test, chosen: ChosenModel, options: Options, elaborate: Elaborate) -> Query | None:
    """The query about a program that is elaborated soon; None if it is not.

    Where a loop is cut, what nobody writes may tell how often it is executed, or else what a run reads.
    """
    try:
        limited = partial(elaborate, limit=min(options.events, MANY_EVENTS))
        skeletons = skeletons_for(chosen.model, limited)
        if _folding_tells_of_loops(skeletons, test, chosen, options):
            skeletons = skeletons_for(chosen.model, limited, folds=True)
        if _are_cut_by_loads(skeletons) and not options.counts and needs_no_dependencies(chosen.model):
            # Imported here: most tests have no loop that is cut.
            from mcm.supposing import may_be_supposed  # noqa: PLC0415

            if may_be_supposed(test.program):
                return None
    except EventLimitError:
        return None
    return query_for(test, chosen, options, skeletons)


def _have_cut_loops(skeletons: Iterable[Skeleton]) -> bool:
    """Whether a loop of some of the skeletons is cut."""
    return any(is_cut(skeleton.stops) for skeleton in skeletons)


def _are_cut_by_loads(skeletons: Iterable[Skeleton]) -> bool:
    """Whether a loop is cut, and what a load or a plain read returns has a say in how often it is executed."""
    return EventKind.READ in kinds_that_cut(skeletons)


def _is_cut_by_data(query: Query, program: Program) -> bool:
    """Whether a loop is cut, and what a run reads may tell how often it is executed."""
    if not _are_cut_by_loads(query.skeletons):
        return False
    # Imported here: most tests have no loop that is cut.
    from mcm.supposing import may_be_supposed  # noqa: PLC0415

    return may_be_supposed(program)


def _folding_tells_of_loops(skeletons: Iterable[Skeleton], test: Test, chosen: ChosenModel, options: Options) -> bool:
    """Whether loops are cut, and there is something that nobody writes: that may tell how often they are executed."""
    if options.counts or not _have_cut_loops(skeletons) or not needs_no_dependencies(chosen.model):
        return False
    from mcm.execution.unwritten import unwritten_objects  # noqa: PLC0415 - few tests have loops that are cut

    return bool(unwritten_objects(test.program))


def _supposed_query(
    test: Test, chosen: ChosenModel, options: Options, elaborate: Elaborate, runs: Runs
) -> Query | None:
    """The query about a program in which reads return what a run reads; None where they may return something else.

    Where executions are asked for, nothing is left out of them; and the solver alone is asked about everything.
    """
    wants_all = options.wants_executions or options.counts or options.engine is EngineName.SMT
    if runs.last is None or runs.met or wants_all or not needs_no_dependencies(chosen.model):
        return None
    # Imported here: small tests need none of it.
    from mcm.supposing import supposed_query  # noqa: PLC0415

    def query_of(suppositions: Suppositions) -> Query:
        skeletons = skeletons_for(chosen.model, partial(elaborate, supposed=suppositions), folds=True)
        return query_for(test, chosen, options, skeletons)

    return supposed_query(test.program, runs.last, query_of)


def _query_of_all_jobs(
    query: Query, test: Test, chosen: ChosenModel, options: Options, elaborate: Elaborate
) -> Query | None:
    """The query in which each thread may take all jobs from a counter, where nothing is left to be decided then.

    The bound is not for such loops: they come to an end by themselves (ADR 52).
    """
    wants_all = options.wants_executions or options.counts or options.engine is EngineName.SMT
    if wants_all or not kinds_that_cut(query.skeletons):
        return None
    most = enough_iterations(query)
    if most is None or most <= options.iterations:
        return None
    try:
        limited = partial(elaborate, bound=most, limit=min(options.events, _MOST_FOR_JOBS))
        deeper = query_for(test, chosen, options, skeletons_for(chosen.model, limited))
    except EventLimitError:
        return None
    return deeper if is_settled(deeper) else None


def supposed_query_about(
    test: Test, chosen: ChosenModel, options: Options, elaborate: Elaborate, runs: Runs | None = None
) -> Query | None:
    """The query in which reads return what a run reads, where data decides where a program goes; None for others.

    So it does if its text has conditions or addresses that depend on what is read, and the program elaborates to far
    more than a run performs, or to accesses of any of several locations; of a very large one that is not asked. No
    executions are asked for. `runs`: the first run, where it was made before.
    """
    options = replace(options, wants_executions=False)
    if len(test.program.threads) == 1 or _small_query(test, chosen, options, elaborate) is not None:
        return None
    # Imported here: small tests need none of it.
    from mcm.execution.data_decides import data_decides  # noqa: PLC0415

    if not data_decides(test.program):
        return None
    runs = runs or runs_met(test, chosen, _FIRST_RUN)
    query = _supposed_query(test, chosen, options, elaborate, runs)
    if query is None or sum(len(skeleton.events) for skeleton in query.skeletons) > VERY_LARGE:
        return query
    assert runs.last is not None, "what is supposed is from a run"
    most = min(options.events, _MOST_FOR_EACH * len(runs.last.operations))
    try:
        skeletons = skeletons_for(chosen.model, partial(elaborate, limit=most))
    except EventLimitError:
        return query
    is_open = any(len(event.locations) > 1 for skeleton in skeletons for event in skeleton.events)
    return query if is_open else None


def _shown_by_runs(
    test: Test, chosen: ChosenModel, options: Options, elaborate: Elaborate, expected: Expectation | None, runs: Runs
) -> Looked | None:
    """What is found without executions where data decides where a program goes, with runs that end in the states.

    None where executions are not asked for, and where some state is one that no run ends in.
    """
    if not options.wants_executions or supposed_query_about(test, chosen, options, elaborate, runs) is None:
        return None
    looked = _look_on(test, chosen, replace(options, wants_executions=False), elaborate, expected, runs)
    answer = looked.answer
    missing = {state.values for state in answer.states} if len(answer.states) <= _MOST_SHOWN else None
    if missing is None or looked.query is None:
        return None if answer.undecided is None else looked
    # Imported here: small tests need none of the machine.
    from mcm.asked_runs import AskedRuns  # noqa: PLC0415

    shown: dict[tuple[Value, ...], Candidate] = {}
    runs_of_program = AskedRuns(test.program, chosen.model, Truth(value=True))
    for values, run in runs_of_program.ends(looked.query.observed):
        if values in missing:
            shown[values] = runs_of_program.whole(run)
            missing.remove(values)
        if not missing:
            break
    if missing and answer.undecided is None:
        return None
    states = tuple(replace(state, witness=shown.get(state.values)) for state in answer.states)
    return replace(looked, answer=replace(answer, states=states))


def _ask_about(
    query: Query,
    test: Test,
    chosen: ChosenModel,
    options: Options,
    expected: Expectation | None,
    *,
    large: bool,
    few_of_many: bool,
) -> Looked:
    """Ask an engine for all that is wanted of a program; `few_of_many`: of the events of a large one, few are open."""
    if large and not options.goes_on:
        query = replace(query, first_problem=Sought(undefined_flags(chosen.model), frozenset(chosen.without)))
        if few_of_many:
            return _ask_before_runs(query, test, chosen, options, expected)
        return _ask(query, test, options.engine, expected, partial(_states_before_solver, query, test, chosen))
    if options.goes_on or (expected and expected.observation):
        # States are wanted, also of a program without defined behaviour.
        return _ask(query, test, options.engine, expected)
    return _ask_in_steps(query, test, chosen, options, expected)


def _ask_before_runs(
    query: Query, test: Test, chosen: ChosenModel, options: Options, expected: Expectation | None
) -> Looked:
    """Ask an engine up to the first problem, and for what further runs tell only if it does not know.

    These take long where a program is large, an engine where many of its events are open.
    """
    looked = _ask(_in_part_of_time(query), test, options.engine, expected)
    if looked.answer.undecided in {None, FIRST_PROBLEM}:
        return looked
    seed = runs_met(test, chosen, _FURTHER_RUNS).met
    if seed is not None:
        return Looked(seed, UNKNOWN, None)
    known = {state.values for state in looked.answer.states}
    new = [state for state in states_of_runs(query, test, chosen) if state.values not in known]
    if query.on_state is not None:
        for state in new:
            query.on_state(state)
    states = tuple(sorted((*looked.answer.states, *new), key=attrgetter("rank")))
    return _looked_at(replace(looked.answer, states=states), query)


def _states_before_solver(query: Query, test: Test, chosen: ChosenModel) -> Before:
    """States in which runs end that the model allows: the solver need not find them, and may take too long to."""
    return Before(states=states_of_runs(query, test, chosen))


def _in_part_of_time(query: Query) -> Query:
    """The query, with time left for runs behind it."""
    seconds = query.limits.seconds
    return query if seconds is None else replace(query, limits=replace(query.limits, seconds=seconds * _BEFORE_RUNS))


def _kept(seed: Answer | None, search: Callable[[], Looked]) -> Looked:
    """What a search says, and what runs met before; that is told as well where a limit interrupts the search."""
    if seed is None:
        return search()
    left = seconds_left()
    try:
        with time_limit(None if left is None else left * _FOR_SEARCH):
            return _with(seed, search())
    except LimitReachedError as reached:
        reason = reached.reason
    except MemoryError:
        reason = MEMORY
    return Looked(replace(seed, undecided=reason), UNKNOWN, None)


def _ask_in_steps(
    query: Query, test: Test, chosen: ChosenModel, options: Options, expected: Expectation | None
) -> Looked:
    """Ask for everything that a short search finds; where that is not all, end at the first problem."""
    if options.engine is not EngineName.AUTO or len(test.program.threads) == 1:
        return _ask(query, test, options.engine, expected)
    if len(test.program.threads) <= _FEW_THREADS:
        return _ask_with_runs(query, test, chosen, expected)
    start = perf_counter()
    sought = Sought(undefined_flags(chosen.model), frozenset(chosen.without))
    short = replace(query, limits=short_limits(query), decisive=sought)
    looked = _ask(short, test, EngineName.EXPLICIT, expected)
    if looked.answer.undecided is None:
        return looked
    is_met = sought.is_in(looked.answer)
    if not is_met and was_listing(query, looked.answer):
        left = replace(query, limits=remaining(query.limits, perf_counter() - start), first_problem=sought)
        return _looked_at(with_all_else(left, looked.answer), left)
    seed = None if is_met else runs_met(test, chosen, RUNS).met
    if is_met or seed is not None:
        return _with(seed, replace(looked, answer=replace(looked.answer, undecided=FIRST_PROBLEM)))
    query = replace(query, limits=remaining(query.limits, perf_counter() - start), first_problem=sought)
    if query.on_state is not None and not query.counts:
        # What was told of once is not told again.
        query = replace(query, known=tuple(state for state in looked.answer.states if not state.thin_air))
    return _ask(query, test, options.engine, expected)


def _ask_with_runs(query: Query, test: Test, chosen: ChosenModel, expected: Expectation | None) -> Looked:
    """Ask for everything; where a short search does not find it, a few runs may decide the verdict.

    The solver then gets some seconds for states and further problems, which mostly are enough for so few threads.
    """
    seed: Answer | None = None
    query = replace(query, decisive=Sought(undefined_flags(chosen.model), frozenset(chosen.without)))

    def before() -> Before:
        nonlocal seed
        seed = runs_met(test, chosen, RUNS).met
        return Before(None if seed is None else _AFTER_A_PROBLEM)

    looked = _ask(query, test, EngineName.AUTO, expected, before)
    if seed is None or looked.answer.undecided is None:
        return looked
    return _with(seed, replace(looked, answer=replace(looked.answer, undecided=FIRST_PROBLEM)))


def _with(seed: Answer | None, looked: Looked) -> Looked:
    """What runs met, and what was found: executions of runs are parts of some, and sooner explained."""
    if seed is None:
        return looked
    answer = looked.answer
    return replace(looked, answer=replace(answer, flags=seed.flags + answer.flags, faults=seed.faults + answer.faults))


def _ask(
    query: Query,
    test: Test,
    engine: EngineName,
    expected: Expectation | None,
    before_solver: Callable[[], Before] | None = None,
) -> Looked:
    """The answer of the engine, and what it says of the condition.

    Without a list of states the proposition is pushed into the search, and its negation asked for apart where the
    quantifier or the expectation needs to know.
    """
    condition = test.program.condition
    answer = decide(query, engine, before_solver)
    looked = _looked_at(answer, query)
    if query.wants_states or condition is None or looked.answer.undecided == FIRST_PROBLEM:
        return looked
    if condition.quantifier is not Quantifier.FORALL and not (expected and expected.observation in _NEEDS_NEGATION):
        return Looked(answer, Reachability(satisfied=answer.reachable, failed=None), query)
    negated = replace(query, proposition=Not(condition.proposition), wants_flags=False)
    other = decide(negated, engine)
    answer = replace(answer, undecided=answer.undecided or other.undecided)
    return Looked(answer, Reachability(satisfied=answer.reachable, failed=other.reachable), query)


def _looked_at(answer: Answer, query: Query) -> Looked:
    """An answer, and what it says of the condition: nothing, where it is the first problem."""
    if query.first_problem is not None and answer.undecided is None and query.first_problem.is_in(answer):
        return Looked(replace(answer, undecided=FIRST_PROBLEM), UNKNOWN, query)
    return Looked(answer, reachability(answer), query)


_NEEDS_NEGATION: Final = {Observation.SOMETIMES.value, Observation.ALWAYS.value}
