"""Read-modify-writes on one counter."""

from __future__ import annotations

from bench.family import family
from bench.litmus import C, Test, all_of, fetch_add, thread


@family("counter", model="rc11", states=lambda _: 1)
def counter(n: int) -> Test:
    """Each of n threads adds 1 to one counter, and only the counter is observed: n! executions, one state."""
    return Test(C, {"x": "atomic_int"}, (thread(fetch_add("r0", "x", "relaxed")),) * n, all_of([f"x={n}"]))
