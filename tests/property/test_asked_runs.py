"""Runs of random kernels in which one read takes an older value are executions that engines know of.

`MCM_KERNEL_COUNT` and `MCM_KERNEL_SEED` choose how many kernels are looked at, and which.
"""

from __future__ import annotations

import os
from functools import reduce
from itertools import islice
from typing import TYPE_CHECKING, Final

import pytest
from data_generate import data_kernel
from kernels_generate import kernel_from_seed
from moves_generate import moves_kernel
from msgspec.structs import replace

from mcm import asked_runs
from mcm.answer.query import Limits, Query
from mcm.asked_runs import AskedRun, AskedRuns
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.catalogue.evaluate import is_consistent, structure_of
from mcm.catalogue.weaken import weakened, with_only
from mcm.engine.choose import EngineName, decide
from mcm.execution.elaborate import elaborate
from mcm.execution.evaluate import evaluate
from mcm.execution.event import EventKind
from mcm.explain.forbidden import excluded_few, exclusion
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test
from mcm.program.condition import Comparison, Fixed, Observed, Or, Truth
from mcm.program.types import Location
from mcm.program.value_arithmetic import is_true
from mcm.relation.evaluate import Evaluator

if TYPE_CHECKING:
    from mcm.cat.model import Model
    from mcm.execution.candidate import Candidate
    from mcm.execution.event import Event
    from mcm.execution.skeleton import Skeleton
    from mcm.program.condition import Proposition
    from mcm.program.program import Program
    from mcm.program.types import Value

pytestmark = pytest.mark.slow

SEED: Final = os.environ.get("MCM_KERNEL_SEED", "2026")
COUNT: Final = int(os.environ.get("MCM_KERNEL_COUNT", "4"))
MODELS: Final = ("opencl-3.0", "opencl-3.1", "sycl-2020", "c11", "opencl-3.0")
KINDS: Final = (moves_kernel, moves_kernel, data_kernel, kernel_from_seed)
LIMITS: Final = Limits(seconds=600, nodes=100)
# More than any loop of these kernels is repeated.
BOUND: Final = 5
MOST_EVENTS: Final = 130
MOST_RUNS: Final = 5


def program_of(number: int) -> Program:
    return read_test(Source("kernel", KINDS[number % len(KINDS)](SEED, number))).program


def goal_of(program: Program, model: Model) -> Proposition | None:
    """That some location does not have the value that it has after a run; None where no run is as it should be."""
    places = [what for what in observed_by(program) if isinstance(what, Location)]
    ends = next(AskedRuns(program, model, Truth(value=True)).ends(places), None)
    if ends is None or not places:
        return None
    return reduce(Or, (Comparison("!=", Observed(p), Fixed(v)) for p, v in zip(places, ends[0], strict=True)))


def is_execution(candidate: Candidate, skeleton: Skeleton) -> bool:
    """Whether units do in a skeleton just what they do in a candidate, when they read what they read there."""
    done: dict[int | None, list[Event]] = {}
    for event in candidate.skeleton.events:
        done.setdefault(event.thread, []).append(event)
    reads: dict[int, Value] = {}
    choices = [True] * skeleton.choices
    for event in skeleton.events:
        guard = evaluate(event.guard, reads, choices)
        if event.thread is None or guard is None or not is_true(guard):
            continue
        left = done.get(event.thread, [])
        # Operands are read in any order.
        other = next((e for e in left if (e.kind, e.span.start) == (event.kind, event.span.start)), None)
        if other is None:
            return False
        left.remove(other)
        number = other.identifier
        if event.address is not None and evaluate(event.address, reads, choices) != candidate.locations[number]:
            return False
        if event.kind.reads:
            reads[event.identifier] = candidate.read_values[number]
        if event.value is not None and evaluate(event.value, reads, choices) != candidate.written_values[number]:
            return False
    done.pop(None, None)
    constraints = [evaluate(constraint, reads, choices) for constraint in skeleton.constraints]
    return not any(done.values()) and all(value is not None and is_true(value) for value in constraints)


def assert_reads_follow(candidate: Candidate) -> None:
    """Reads return what their sources write; all but one take what was newest then."""
    newest: dict[Location, int] = {}
    older = 0
    for event in candidate.skeleton.events:
        number = event.identifier
        place = candidate.locations.get(number)
        if place is None:
            continue
        if event.kind.reads:
            source = candidate.reads_from[number]
            assert candidate.locations[source] == place
            assert candidate.read_values[number] == candidate.written_values[source]
            older += source != newest[place]
        if event.kind.writes or event.kind is EventKind.INITIAL:
            newest[place] = number
    assert older == 1


def older(program: Program, model: Model) -> list[AskedRun]:
    goal = goal_of(program, model)
    return [] if goal is None else list(islice(AskedRuns(program, model, goal).with_an_older_value(), MOST_RUNS))


def says(program: Program, model: Model, goal: Proposition) -> bool | None:
    """Whether an engine finds an execution that ends as asked, nothing being supposed; None if it does not know."""
    skeletons = elaborate(program, BOUND, waiting=True)
    if any(len(skeleton.events) > MOST_EVENTS for skeleton in skeletons):
        return None
    query = Query(skeletons, model, observed_by(program), proposition=goal, limits=LIMITS, wants_states=False)
    answer = decide(query, EngineName.EXPLICIT)
    return None if answer.undecided or answer.bounded else answer.reachable


@pytest.mark.parametrize("number", range(COUNT))
def test_runs_with_an_older_value_are_executions(number: int) -> None:
    program, model = program_of(number), registry.get(MODELS[number % len(MODELS)])
    skeletons = elaborate(program, BOUND, waiting=True)
    for run in older(program, model):
        assert_reads_follow(run.candidate)
        assert any(is_execution(run.candidate, skeleton) for skeleton in skeletons), program.source.text


@pytest.mark.parametrize("number", range(COUNT))
def test_explanations_agree_with_the_engine(number: int) -> None:
    """What the engine forbids, each such run breaks a rule of; what a run shows, the engine allows."""
    program, model = program_of(number), registry.get(MODELS[number % len(MODELS)])
    goal = goal_of(program, model)
    reachable = None if goal is None else says(program, model, goal)
    if goal is None or reachable is None:
        return
    assert reachable or AskedRuns(program, model, goal).allowed() is None
    if reachable:
        return
    candidates = [run.candidate for run in older(program, model)]
    few = excluded_few(candidates, model)
    assert len(() if few is None else few[1]) == len(candidates), program.source.text
    for rule in () if few is None else few[0]:
        less = weakened(replace(model, flags=()), (rule,), definitions=False)
        if any(is_consistent(one, less, Evaluator(structure_of(one))) for one in candidates):
            assert says(program, less, goal) is not False, (rule, program.source.text)


@pytest.mark.parametrize("number", range(COUNT))
def test_the_part_that_is_looked_at_decides(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is left of a run breaks a rule where all of it does, also where the model has only some of its rules."""
    program, model = program_of(number), registry.get(MODELS[number % len(MODELS)])
    wholes = older(program, model)
    with monkeypatch.context() as patched:
        patched.setattr(asked_runs, "MANY_OPERATIONS", 0)
        parts = older(program, model)
    assert [one.because for one in parts] == [one.because for one in wholes]
    few = excluded_few([one.candidate for one in parts], model)
    rules = () if few is None else few[0]
    for whole, part in zip(wholes, parts, strict=True):
        of_whole, of_part = (Evaluator(structure_of(one.candidate)) for one in (whole, part))
        assert (exclusion(whole.candidate, model) is None) is (exclusion(part.candidate, model) is None)
        for rule in rules:
            for less in (weakened(model, (rule,)), with_only(model, [other for other in rules if other != rule])):
                said = is_consistent(part.candidate, less, of_part)
                assert said is is_consistent(whole.candidate, less, of_whole), (rule, program.source.text)


def test_many_kernels_have_such_runs() -> None:
    model = registry.get("opencl-3.0")
    found = 0
    for program in map(program_of, range(40)):
        found += bool(older(program, model))

    assert found > 10
