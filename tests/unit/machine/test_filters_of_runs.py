"""Problems of runs count where a filter lets the run count."""

from __future__ import annotations

from typing import Final

import pytest

from mcm import MachineComparison, Options, Source, parse, shared_session
from mcm.execute import CLOVER, EXHAUSTIVE, RANDOM, RunOptions, run_program

OUTSIDE: Final = """OPENCL outside
{ int a[1]; atomic_int x; }
kernel K (global int* a, global atomic_int* x) {
  int w = get_global_id(0); int r = 0;
  if (w == 1) { a[w] = 1; atomic_store_explicit(x, 1, memory_order_relaxed, memory_scope_device); }
  if (w == 0) { r = 1 + atomic_load_explicit(x, memory_order_relaxed, memory_scope_device); }
}
launch K global 2, local 1, dev 0;
filter (K[0]:r=VALUE)
exists (a[0]=0)
"""


@pytest.mark.parametrize("schedule", [CLOVER, EXHAUSTIVE, RANDOM])
def test_a_problem_of_runs_that_the_filter_leaves_out_is_none(schedule: str) -> None:
    done = run_program(parse(OUTSIDE.replace("VALUE", "0")).program, RunOptions(schedule, "interleaving", runs=20))

    assert not done.states
    assert not done.problems


@pytest.mark.parametrize("value", [1, 2])
def test_a_problem_counts_if_a_run_that_has_it_passes(value: int) -> None:
    # Once the second has stored, either value is read only if the first has loaded before, or does so later.
    done = run_program(parse(OUTSIDE.replace("VALUE", str(value))).program, RunOptions(EXHAUSTIVE, "interleaving"))

    assert [problem.kind for problem in done.problems] == ["out-of-bounds"]


@pytest.mark.parametrize("value", [0, 1, 2])
def test_such_problems_contradict_no_model(value: int) -> None:
    source = Source("outside", OUTSIDE.replace("VALUE", str(value)))
    for one in shared_session().check_and_run(source, Options(), 50, 0):
        assert isinstance(one, MachineComparison)
        assert not one.contradictions
