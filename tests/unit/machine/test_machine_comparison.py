"""What counts as a contradiction between the machine and a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from mcm import Options
from mcm.answer.machine_comparison import BlockedContradiction, ProblemContradiction, StateContradiction
from mcm.answer.result import Judged, Verdict
from mcm.execute import REPLAY, RunOptions, run_program
from mcm.machine.schedule import read_schedule
from mcm.machine_comparison import compare_with_machine
from mcm.session import Session

if TYPE_CHECKING:
    from mcm.answer.machine_comparison import MachineComparison
    from mcm.answer.result import Found

HEAD = "OPENCL t\n{ int x = 0; int f = 0; int r = 0; }\n"
RACE = HEAD + "P0 (global int* x) { *x = 1; }\nP1 (global int* x) { int r = *x; }\nexists (1:r=1)\n"
PREFIX_RACE = (
    HEAD
    + "P0@wg 0 (global int* x, global int* f) { *x = 1; *f = 1; }\n"
    + "P1@wg 1 (global int* x, global int* f) { while (*f == 0) { } int r = *x; }\nexists (1:r=0)\n"
)
DIVERGENCE = HEAD + "P0 () { work_group_barrier(CLK_GLOBAL_MEM_FENCE); }\nP1 () { int r = 1; }\nexists (1:r=1)\n"
OUTSIDE = "OPENCL t\n{ int a[2] = {0, 0}; }\nP0 (global int* a) { a[2] = 1; }\nexists (a[0]=0)\n"
PROBLEMS = {
    "data-race": RACE,
    "data-race of an unfinished run": PREFIX_RACE,
    "barrier-divergence": DIVERGENCE,
    "out-of-bounds": OUTSIDE,
}


def compared(
    text: str, model: str = "opencl-3.0", without: tuple[str, ...] = (), **changes: object
) -> MachineComparison:
    """A comparison with the result of a model, after some changes of the result."""
    session = Session()
    test, chosen = session.parse(text), session.load_model(model, without)
    result: Found = session.check(test, chosen)
    found = Judged(file=result.file, model=result.model, bound=result.bound, verdict=Verdict.FORBIDDEN)
    found = replace(found, **{"condition": result.condition, "states": result.states, **changes})
    (comparison,) = compare_with_machine(test, [(chosen, found)], lambda _: found, runs=100, seed=0)
    return comparison


@pytest.mark.parametrize("kind", PROBLEMS)
def test_a_problem_that_the_model_does_not_report_contradicts_it(kind: str) -> None:
    text = PROBLEMS[kind]
    found = compared(text)
    problems = [one for one in found.contradictions if isinstance(one, ProblemContradiction)]

    assert {one.problem.kind for one in problems} == {kind.partition(" ")[0]}
    program = Session().parse(text).program
    for one in problems:
        schedule = read_schedule(one.repetition.schedule)
        again = run_program(program, RunOptions(REPLAY, one.repetition.memory, replay=schedule))
        assert one.problem.kind in {problem.kind for problem in again.problems}
        assert one.repetition.is_least


@pytest.mark.parametrize("kind", PROBLEMS)
def test_a_problem_that_the_model_reports_contradicts_nothing(kind: str) -> None:
    (comparison,) = Session().check_and_run(PROBLEMS[kind], Options(), 100, 0)

    assert not comparison.contradictions
    assert comparison.problems


@pytest.mark.parametrize("kind", ["data-race", "barrier-divergence"])
def test_an_answer_that_is_not_complete_is_not_contradicted(kind: str) -> None:
    found = compared(PROBLEMS[kind], reason="timeout")

    assert found.problems
    assert found.contradictions == ()
    assert not found.is_judged


def test_a_rule_that_is_left_out_is_not_missed() -> None:
    assert compared(DIVERGENCE, without=("BAR-DIV",)).contradictions == ()


def test_a_model_that_raises_no_flag_for_races_is_not_contradicted_by_them() -> None:
    assert compared(RACE, model="sc").problems
    assert compared(RACE, model="sc").contradictions == ()


def test_a_state_that_is_forbidden_contradicts_the_model() -> None:
    text = "OPENCL t\n{ int x = 0; }\nP0 (global int* x) { *x = 1; }\nexists (x=1)\n"
    (one,) = compared(text, states=()).contradictions

    assert isinstance(one, StateContradiction)
    assert dict(one.values) == {"x": 1}
    assert (one.repetition.schedule, one.repetition.switches) == ("0", 0)


BLOCKED = HEAD + "P0 (global atomic_int* x) { while (atomic_load(x) == 0) { } }\nexists (x=0)\n"


def test_units_that_wait_for_ever_in_no_execution_contradict_the_model() -> None:
    (one,) = compared(BLOCKED).contradictions

    assert isinstance(one, BlockedContradiction)
    assert [(unit.thread, unit.waits_for) for unit in one.units] == [("P0", "x to change from 0")]
    schedule = read_schedule(one.repetition.schedule)
    again = run_program(Session().parse(BLOCKED).program, RunOptions(REPLAY, one.repetition.memory, replay=schedule))
    assert [blocked.units for blocked in again.blocked] == [one.units]


def test_units_that_wait_for_ever_in_an_execution_contradict_nothing() -> None:
    (comparison,) = Session().check_and_run(BLOCKED, Options(), 100, 0)

    assert not comparison.contradictions
    assert [blocked.units for blocked in comparison.result.blocked] == list(comparison.blocked)
