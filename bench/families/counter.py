"""Read-modify-writes on one counter."""

from __future__ import annotations

from typing import Final

from bench.family import family
from bench.litmus import C, Kernel, Test, all_of, fetch_add, thread

_DEVICE: Final = "memory_order_relaxed, memory_scope_device"


@family("counter", model="rc11", states=lambda _: 1)
def counter(n: int) -> Test:
    """Each of n threads adds 1 to one counter, and only the counter is observed: n! executions, one state."""
    return Test(C, {"x": "atomic_int"}, (thread(fetch_add("r0", "x", "relaxed")),) * n, all_of([f"x={n}"]))


@family("tried-sum", model="opencl-3.0", states=lambda _: 1)
def tried_sum(n: int) -> Kernel:
    """The work-items of n groups of four add their numbers to one by a compare-exchange, until that succeeds."""
    body = (
        "int v = get_global_id(0) + 1;",
        f"int old = atomic_load_explicit(sum, {_DEVICE});",
        "while (!atomic_compare_exchange_weak_explicit(",
        f"    sum, &old, old + v, memory_order_relaxed, {_DEVICE})) {{ }}",
    )
    return Kernel(("global atomic_int* sum",), body, 4, f"forall (sum={2 * n * (4 * n + 1)})", n, "[sum]=0;")


@family("float-sum", model="opencl-3.0", states=lambda _: 1)
def float_sum(n: int) -> Kernel:
    """The work-items of n groups of four add their numbers to a float."""
    body = (f"atomic_fetch_add_explicit(sum, (float)(get_global_id(0) + 1), {_DEVICE});",)
    return Kernel(
        ("global atomic_float* sum",), body, 4, f"forall (sum={2 * n * (4 * n + 1)}.0)", n, "atomic_float sum=0.0;"
    )
