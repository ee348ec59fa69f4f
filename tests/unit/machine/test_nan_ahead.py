"""What is looked ahead of knows NaN again, which is equal to nothing."""

from __future__ import annotations

import pytest

from mcm.base.source import Source
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test
from mcm.machine.build import build
from mcm.machine.exhaustive import Budget, explore

HOW = "memory_order_relaxed, memory_scope_device"


def states(body: str, memory: str) -> set[str]:
    text = f"""OPENCL floats
{{ atomic_float c = 0.0; atomic_int f = 0; }}
kernel K (global atomic_float* c, global atomic_int* f) {{
  int l = get_local_id(0);
  {body}
}}
launch K global 2, local 2, dev 0;
locations [c;]
"""
    program = read_test(Source("floats", text)).program
    found = explore(build(program, memory), observed_by(program), Budget(configurations=2_000, operations=60))
    assert found.is_complete
    return set(map(str, found.states))


@pytest.mark.parametrize("memory", ["views", "interleaving"])
def test_a_loop_with_nan_is_looked_ahead_of_to_its_end(memory: str) -> None:
    body = f"""float k = NAN;
  while (atomic_load_explicit(f, {HOW}) < l) {{ k = k + 1; }}
  atomic_store_explicit(c, k, {HOW}); atomic_fetch_add_explicit(f, 1, {HOW});"""
    assert states(body, memory) == {"(nan,)"}
