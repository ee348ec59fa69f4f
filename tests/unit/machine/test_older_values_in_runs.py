"""Among the runs that look for undefined behaviour are some in which loads return older values."""

from __future__ import annotations

from mcm.base.source import Source
from mcm.catalogue.registry import get
from mcm.confirm import runs_of, undefined_behaviour
from mcm.front_end.read import read_test
from mcm.run_numbers import OLDER, RUNS

# The barrier does not order local memory, so that the load may miss what others have added; then work-groups take
# ranges that overlap. Where each load has the newest value, none do.
RANGES = """OPENCL ranges
{{ int out[32]; }}
kernel K (global int* out, global atomic_int* count) {{
  local atomic_int own; local int base;
  if (get_local_id(0) == 0) {{ atomic_store_explicit(&own, 0, memory_order_relaxed, memory_scope_work_group); }}
  barrier(CLK_LOCAL_MEM_FENCE);
  int place = atomic_fetch_add_explicit(&own, 1, memory_order_relaxed, memory_scope_work_group);
  barrier({});
  if (get_local_id(0) == 0) {{
    int needed = atomic_load_explicit(&own, memory_order_relaxed, memory_scope_work_group);
    base = atomic_fetch_add_explicit(count, needed, memory_order_relaxed, memory_scope_device);
  }}
  barrier(CLK_LOCAL_MEM_FENCE);
  out[base + place] = 1;
}}
launch K global 32, local 8, dev 0;
forall (count=32)
"""


def kinds(flag: str, runs: tuple[int, ...]) -> set[str]:
    """What runs meet, and OpenCL 3.0 confirms."""
    program = read_test(Source("ranges", RANGES.format(flag))).program
    return {flag.name for flag in undefined_behaviour(program, get("opencl-3.0"), runs).flags}


def test_a_race_that_needs_an_older_value_is_met() -> None:
    newest = tuple(number for number in RUNS if number not in OLDER)

    assert kinds("CLK_GLOBAL_MEM_FENCE", newest) == set()
    assert kinds("CLK_GLOBAL_MEM_FENCE", RUNS) == {"data_race"}
    assert kinds("CLK_LOCAL_MEM_FENCE", RUNS) == set()


def test_a_run_is_the_same_whenever_it_is_asked_for() -> None:
    run_of = runs_of(read_test(Source("ranges", RANGES.format("CLK_GLOBAL_MEM_FENCE"))).program)

    for number in RUNS:
        assert run_of(number).operations == run_of(number).operations
