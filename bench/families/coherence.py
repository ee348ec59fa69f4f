"""Many writes to one location, whose orders need not be listed."""

from __future__ import annotations

from bench.family import family
from bench.litmus import C, Test, all_of, load, store, thread


@family("writers", model="rc11", states=lambda n: n)
def writers(n: int) -> Test:
    """Each of n threads writes to one location: n! orders, n final values."""
    return Test(
        C,
        {"x": "atomic_int"},
        tuple(thread(store("x", value, "relaxed")) for value in range(1, n + 1)),
        all_of(["x=1"]),
    )


@family("2xk+2R", model="rc11", smallest=1)
def writers_and_readers(k: int) -> Test:
    """Two threads write k times each to one location, and two threads read it twice each."""
    reader = thread(load("r0", "x", "relaxed"), load("r1", "x", "relaxed"))
    return Test(
        C,
        {"x": "atomic_int"},
        (
            thread(*(store("x", value, "relaxed") for value in range(1, k + 1))),
            thread(*(store("x", value, "relaxed") for value in range(k + 1, 2 * k + 1))),
            reader,
            reader,
        ),
        all_of(["2:r0=1", f"2:r1={k + 1}", f"3:r0={k + 1}", "3:r1=1"]),
    )
