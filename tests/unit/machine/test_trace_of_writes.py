"""The trace of a run says where a write does not come last in modification order."""

import mcm

WRITES = """OPENCL writes
{ [x]=0; }
P0 (global atomic_int* x) { atomic_store_explicit(x, 1, memory_order_relaxed, memory_scope_device); }
P1 (global atomic_int* x) { atomic_store_explicit(x, 2, memory_order_relaxed, memory_scope_device); }
exists (x=1)
"""
SOONER = "earlier in modification order than a write before"


def test_where_a_write_comes_is_said_if_it_is_not_last() -> None:
    test = mcm.parse(mcm.Source("writes.litmus", WRITES))
    told = set()
    for seed in range(40):
        run = mcm.run(test, runs=1, seed=seed, trace=True)
        first, second = (line.what for line in run.trace.lines if "writes" in line.what)
        (count,) = run.states
        is_last = f"writes {count.state.values['x']}" in second
        assert SOONER not in first
        assert (SOONER in second) is not is_last
        told.add(is_last)
    assert told == {True, False}
