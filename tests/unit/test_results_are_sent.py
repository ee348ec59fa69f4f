"""Results, tests and sessions go to other processes, and are shown in few words."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING

import pytest

import mcm

if TYPE_CHECKING:
    from collections.abc import Callable

RACE = """OPENCL race
{ }
P0@wg 0 (global int* x) { *x = 1; }
P1@wg 1 (global int* x) { int r0 = *x; }
exists (1:r0=1)
"""


def test_a_result_is_the_same_in_another_process() -> None:
    result = mcm.check(RACE, executions=True)
    sent = pickle.loads(pickle.dumps(result))  # noqa: S301 - our own data
    assert sent == result == copy.deepcopy(result)
    assert sent.races[0].execution.svg() == result.races[0].execution.svg()
    assert sent.explain() == result.explain()


def test_tests_are_checked_by_processes() -> None:
    with ProcessPoolExecutor(1) as pool:
        (found,) = pool.map(mcm.check, [mcm.parse(RACE)])
    assert found.verdict is mcm.Verdict.UNDEFINED


def test_a_session_begins_anew_in_another_process() -> None:
    session = mcm.Session(size=2)
    session.check(RACE)
    assert pickle.loads(pickle.dumps(session)).check(RACE).verdict is mcm.Verdict.UNDEFINED  # noqa: S301 - our own data


def test_a_text_is_shown_by_its_name() -> None:
    assert repr(mcm.Source("a.litmus", RACE)) == "Source('a.litmus')"
    assert "P0@wg 0" not in repr(mcm.check(RACE).races[0])


def _raise(error: Exception) -> None:
    raise error


@pytest.mark.parametrize(
    ("kind", "failing"),
    [
        (mcm.InputError, lambda: mcm.check("C T\nx")),
        (mcm.InvalidTestError, lambda: mcm.check("C T\n{ }\nP0 () { x = 1; y = 2; }\n")),
        (mcm.InputError, lambda: mcm.check("nowhere.litmus")),
        (mcm.UnknownModelError, lambda: mcm.check(RACE, "c12")),
        (mcm.InputError, lambda: mcm.load_model("c11", without=["NOPE"])),
        (mcm.UnknownFeatureError, lambda: mcm.check(RACE, profile="nothing")),
        (mcm.ReplayError, lambda: _raise(mcm.ReplayError("there is no thread 5"))),
        (mcm.ScheduleError, lambda: mcm.read_schedule("x")),
    ],
)
def test_an_error_is_the_same_in_another_process(kind: type[Exception], failing: Callable[[], object]) -> None:
    with pytest.raises(kind) as raised:
        failing()
    sent = pickle.loads(pickle.dumps(raised.value))  # noqa: S301 - our own data
    assert type(sent) is kind
    assert str(sent) == str(raised.value) == str(copy.copy(raised.value))
    assert vars(sent) == vars(raised.value)


def test_a_file_that_is_no_test_does_not_break_a_pool() -> None:
    with ProcessPoolExecutor(1) as pool:
        with pytest.raises(mcm.InputError) as raised:
            pool.submit(mcm.check, "OPENCL T\n{\n").result()
        assert raised.value.diagnostics[0].code == "E030"
        assert pool.submit(mcm.check, RACE).result().verdict is mcm.Verdict.UNDEFINED
