"""Threads that a run never starts: callbacks whose event never comes, kernels that a branch does not enqueue."""

from __future__ import annotations

import pytest

from mcm import EngineName, Source, check_all

NEVER = """OPENCL never
{ fine_svm int y = 3; user_event u; }
callback CB (global int* y) { int r3 = *y; }
P0@host () { clSetEventCallback(u, CB); }
exists (CB[0]:r3=0)
"""

CALLBACK = """OPENCL callback
{ fine_svm int y = 3; fine_svm_atomics int f = 0; user_event u; }
callback CB (global int* y) { int r3 = *y; }
P0@host (global atomic_int* f) {
  clSetEventCallback(u, CB);
  int r0 = atomic_load(f);
  if (r0 == 1) { clSetUserEventStatus(u, CL_COMPLETE); }
}
P1@host (global atomic_int* f) { atomic_store(f, 1); }
forall ((0:r0=0 /\\ CB[0]:r3=0) \\/ (0:r0=1 /\\ CB[0]:r3=3))
"""

KERNEL = """OPENCL kernel
{ fine_svm int y = 3; fine_svm_atomics int f = 0; queue q = in_order dev 0; }
kernel K (global int* y) { int r3 = *y; }
P0@host (global atomic_int* f) {
  int r0 = atomic_load(f);
  if (r0 == 1) { clEnqueueNDRangeKernel(q, K, 1, 1); }
}
P1@host (global atomic_int* f) { atomic_store(f, 1); }
forall ((0:r0=0 /\\ K[0]:r3=0) \\/ (0:r0=1 /\\ K[0]:r3=3))
"""


@pytest.mark.parametrize("engine", [EngineName.EXPLICIT, EngineName.SMT], ids=lambda engine: engine.value)
@pytest.mark.parametrize(("text", "count"), [(NEVER, 1), (CALLBACK, 2), (KERNEL, 2)])
def test_what_never_runs_reads_nothing(text: str, count: int, engine: EngineName) -> None:
    (result,) = check_all(Source("never", text), engine=engine)
    assert result.holds
    assert len(result.states) == count
