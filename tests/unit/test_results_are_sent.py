"""Results, tests and sessions go to other processes, and are shown in few words."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ProcessPoolExecutor

import mcm

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
