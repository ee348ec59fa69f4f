"""Recorded runs in which some loads have given sources."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcm import LimitReachedError, parse, time_limit
from mcm.confirm import runs_of
from mcm.execution.event import EventKind

if TYPE_CHECKING:
    from mcm.machine.recording import Recording
    from mcm.program.program import Program

KERNEL = """OPENCL kernel
{ int out[2]; }
kernel k (global int* out, local int t[2]) {
  int i = get_local_id(0);
  t[i] = 1;
  t[i] = i + 5;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (t[1 - i] > 4) out[i] = t[1 - i];
}
launch k global 2, local 2;
"""


def program() -> Program:
    return parse(KERNEL).program


def reads(run: Recording) -> list[int]:
    return [number for number, operation in enumerate(run.operations) if operation.kind is EventKind.READ]


def test_a_load_reads_what_it_is_given_and_the_thread_goes_on_with_it() -> None:
    run_of = runs_of(program())
    run = run_of(0)
    first = reads(run)[0]
    source = run.operations[first].source
    assert source is not None
    older = run_of(0, {first: source - 1})

    assert run.operations[first].read in {5, 6}
    assert (older.operations[first].source, older.operations[first].read) == (source - 1, 1)
    # One unit does not write, and does not read a second time.
    assert len(reads(run)) == 4
    assert len(reads(older)) == 3
    assert older.operations[:first] == run.operations[:first]


def test_none_is_the_initial_value() -> None:
    run_of = runs_of(program())
    first = reads(run_of(0))[0]
    older = run_of(0, {first: None})

    assert older.operations[first].source is None
    assert [found.finding.kind for found in older.findings] == ["uninitialised-read"]


def test_what_is_not_there_is_not_read() -> None:
    run_of = runs_of(program())
    run = run_of(0)
    first = reads(run)[0]

    # What is written later, or somewhere else, is not in the history of the location.
    assert run_of(0, {first: len(run.operations) - 1}).operations == run.operations
    assert run_of(0, {first - 1: 0}).operations == run.operations


def test_a_run_that_ends_has_an_end() -> None:
    assert runs_of(program())(0).end is not None
    assert runs_of(parse(KERNEL.replace("out[i] =", "out[0] =")).program)(0).end is None


def test_a_run_ends_with_the_time_that_there_is() -> None:
    """Those of a large program take long, and are made by checks that have a limit."""
    run_of = runs_of(program())
    with time_limit(-1), pytest.raises(LimitReachedError):
        run_of(0)
