"""Long runs of evidence: they go on where they ended, and their limits are of processor time."""

from __future__ import annotations

import time
from itertools import combinations
from typing import TYPE_CHECKING

import pytest
from z3 import Solver, sat

from mcm import LimitReachedError
from mcm.answer.query import Limits
from mcm.base.deadline import poll
from mcm.engine.smt.budget import Budget, UndecidedError
from mcm.engine.smt.z3_solver import Z3Solver
from oracle.evidence_log import Case, Key, append_to_log, read_log, report_on, total_of
from oracle.processor_time import INTERVAL, processor_time_limit

if TYPE_CHECKING:
    from pathlib import Path

ONE, OTHER = Key("SB.litmus", "c11", "outcomes"), Key("SB.litmus", "rc11", "outcomes")


def test_the_last_case_of_each_question_counts(tmp_path: Path) -> None:
    log = tmp_path / "log"

    append_to_log(log, Case(ONE, {"forbidden": 1}, open="timeout"))
    append_to_log(log, Case(OTHER, {"forbidden": 1}))
    append_to_log(log, Case(ONE, {"forbidden": 1, "ways": 3}))

    assert read_log(log) == {ONE: Case(ONE, {"forbidden": 1, "ways": 3}), OTHER: Case(OTHER, {"forbidden": 1})}


def test_a_run_that_was_ended_while_it_wrote_goes_on(tmp_path: Path) -> None:
    log = tmp_path / "log"
    append_to_log(log, Case(ONE, {"forbidden": 1}))
    log.write_bytes(log.read_bytes()[:-9])

    append_to_log(log, Case(OTHER, {"allowed": 1}))

    assert read_log(log) == {OTHER: Case(OTHER, {"allowed": 1})}


def test_what_is_open_counts_for_nothing_and_is_named() -> None:
    cases = [Case(ONE, {"forbidden": 1}, open="timeout"), Case(OTHER, {"forbidden": 1}, wrong=["rc11 is wrong"])]

    assert total_of(cases) == {"forbidden": 1}
    assert list(report_on(cases)) == [
        "WRONG rc11 is wrong",
        "OPEN SB.litmus c11: outcomes (timeout)",
        "      1 forbidden",
        "TOTAL 1 files, 2 cases, 1 wrong, 1 open; 0 s of processor time",
    ]


def test_time_that_others_take_is_not_counted() -> None:
    with processor_time_limit(0.1):
        time.sleep(0.2)
        poll()


def test_time_that_is_worked_is_counted() -> None:
    with processor_time_limit(0.01):
        end = time.process_time() + 0.02
        while time.process_time() < end:
            pass

        with pytest.raises(LimitReachedError):
            poll()


def test_the_solver_is_interrupted() -> None:
    """Twelve pigeons for eleven holes: minutes of work."""
    pigeons, holes = 12, 11
    variables = [[1 + pigeon * holes + hole for hole in range(holes)] for pigeon in range(pigeons)]
    clauses = [*variables, *([-a, -b] for hole in zip(*variables, strict=True) for a, b in combinations(hole, 2))]
    with processor_time_limit(0.05):
        solver = Z3Solver(Budget(Limits(seconds=0.05)))
        solver.add([literal for clause in clauses for literal in (*clause, 0)])

        with pytest.raises(UndecidedError):
            solver.solve()


def test_an_interruption_ends_only_what_was_begun_before_the_limit() -> None:
    with processor_time_limit(0.0):
        time.sleep(2 * INTERVAL)

    solver = Solver()
    solver.push()

    assert solver.check() == sat
