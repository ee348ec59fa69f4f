"""Images (IMG-1), asynchronous copies (ASYNC-1): both engines say what trying all executions says, the machine no more.

`MCM_HOST_COUNT` and `MCM_RANDOM_SEED` choose how many random programs and which.
"""

import os
from typing import Final

import pytest

from mcm.base.source import Source
from mcm.engine.choose import EngineName
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test
from mcm.machine.build import build
from mcm.machine.exhaustive import Budget, explore
from mcm.program.condition import Observable, RegisterName
from mcm.program.program import Program
from oracle.copies_brute import GroupAnswer, group_answer
from oracle.copies_program import (
    Barrier,
    Copy,
    Fence,
    GroupProgram,
    Kind,
    Read,
    Step,
    Wait,
    Write,
    program_from_seed,
    to_litmus,
)
from oracle.host_comparison import mcm_answer

SEED: Final = os.environ.get("MCM_RANDOM_SEED", "2026")
COUNT: Final = int(os.environ.get("MCM_HOST_COUNT", "40"))
T0, A0, IMG = (Kind.LOCAL, 0), (Kind.GLOBAL, 0), (Kind.IMAGE, 0)
COPY, WAIT = Copy("e", T0, A0), Wait("e")


def found_by(text: str, engine: EngineName) -> GroupAnswer:
    answer = mcm_answer(text, engine)
    assert answer.findings <= {"data_race"}, text
    assert not answer.blocked, text
    return GroupAnswer(set(answer.states), bool(answer.findings))


def expect_no_difference(program: GroupProgram) -> None:
    """The engines agree with the oracle; the machine shows no more, and lets the last work-item perform all copies."""
    text, expected = to_litmus(program), group_answer(program)
    for engine in (EngineName.EXPLICIT, EngineName.SMT):
        assert found_by(text, engine) == expected, (engine, text)
    test = read_test(Source("copies", text)).program
    shown = explore(build(test, "views"), observed_by(test), Budget(configurations=20_000, operations=200))
    names = [_name(what, test) for what in observed_by(test)]
    states = {tuple(sorted(zip(names, values, strict=True))) for values in shown.states}
    by_last = group_answer(program, by_last=True)
    assert states <= by_last.states, text
    assert any(finding.kind == "data-race" for finding in shown.findings) == by_last.races, text


def _name(what: Observable, program: Program) -> str:
    assert isinstance(what, RegisterName)
    return f"{program.thread(what.thread).name}:{what.register}"


ROWS: Final = (
    # A read of its own image write sees it behind a fence with the image flag, and may miss it elsewhere.
    ((Write(0, IMG, 1), Read(0, IMG, "r")), {0, 1}, False),
    ((Write(0, IMG, 1), Fence(0, is_image=True), Read(0, IMG, "r")), {1}, False),
    ((Write(0, IMG, 1), Fence(0, is_image=False), Read(0, IMG, "r")), {0, 1}, False),
    # It is ordered with the accesses of others by a barrier with that flag, and by one with the global flag.
    ((Write(1, IMG, 1), Barrier(frozenset({Kind.IMAGE})), Read(0, IMG, "r")), {1}, False),
    ((Write(1, IMG, 1), Barrier(frozenset({Kind.IMAGE, Kind.LOCAL})), Read(0, IMG, "r")), {1}, False),
    ((Write(1, IMG, 1), Barrier(frozenset({Kind.GLOBAL})), Read(0, IMG, "r")), {1}, False),
    ((Write(1, IMG, 1), Barrier(frozenset({Kind.LOCAL})), Read(0, IMG, "r")), {0}, True),
    # Other memory is not, whatever images the work-item accesses beside it.
    ((Write(1, A0, 1), Write(1, IMG, 1), Barrier(frozenset({Kind.IMAGE})), Read(0, A0, "r")), {0}, True),
    # A copy sees what its work-item wrote before the call, and who waits sees the copy.
    ((Write(0, A0, 1), COPY, WAIT, Read(0, T0, "r")), {1}, False),
    ((Write(0, A0, 1), COPY, Read(0, T0, "r"), WAIT), {0}, True),
    ((COPY, Write(0, A0, 1), WAIT, Read(0, T0, "r")), {0}, True),
)
"""Steps of one work-item, what it reads, and whether there is a race."""


@pytest.mark.parametrize(("steps", "values", "races"), ROWS)
def test_the_oracle_says_what_the_rows_say(steps: tuple[Step, ...], values: set[int], *, races: bool) -> None:
    program = GroupProgram(1 + max(step.item for step in steps if isinstance(step, Write | Read | Fence)), steps)
    assert group_answer(program) == GroupAnswer({(("K[0]:r", value),) for value in values}, races)
    expect_no_difference(program)


def test_any_work_item_may_perform_a_copy() -> None:
    """What one work-item has written before the call is ordered with the copy only if that one performs it."""
    steps = (Write(0, A0, 1), COPY, WAIT, Read(1, T0, "r"))
    assert group_answer(GroupProgram(2, steps)) == GroupAnswer({(("K[1]:r", 0),), (("K[1]:r", 1),)}, races=True)


@pytest.mark.slow
def test_agreement_on_random_programs() -> None:
    for number in range(COUNT):
        expect_no_difference(program_from_seed(SEED, number))
