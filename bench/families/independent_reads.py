"""Two independent writers, and readers who need not agree on their order - or must, with seq_cst."""

from __future__ import annotations

from bench.family import family
from bench.litmus import OPENCL, C, Test, Thread, all_of, load, store, thread


@family("IRIW+rel+acq", model="rc11", states=lambda k: 4**k)
def release_acquire(k: int) -> Test:
    """Two release writes to two locations, and k threads that read both with acquire, in alternating order."""
    return Test(
        C,
        {"x": "atomic_int", "y": "atomic_int"},
        (*_writers("release"), *(_reader(2, reader, "acquire") for reader in range(k))),
        all_of(f"{thread}:r{read}={1 - read}" for thread in range(2, k + 2) for read in range(2)),
    )


@family("IRIW+sc.dev", model="opencl-3.0", states=lambda n: _sequential_states((n + 1) // 2, n // 2))
def sequential(n: int) -> Test:
    """Two seq_cst writes to two locations, and n seq_cst reads in two threads, alternating between the locations.

    With six reads this is the size at which `Overhauling SC atomics in C11 and OpenCL` (2016, figure 6) compares a
    simulation that lists the total orders S with one that needs none.
    """
    counts = ((n + 1) // 2, n // 2)
    return Test(
        OPENCL,
        {"x": "global atomic_int", "y": "global atomic_int"},
        (*_writers("seq_cst"), *(_reader(count, reader, "seq_cst") for reader, count in enumerate(counts))),
        all_of(f"{2 + reader}:r{read}={1 - read % 2}" for reader, count in enumerate(counts) for read in range(count)),
    )


def _writers(order: str) -> tuple[Thread, Thread]:
    return thread(store("x", 1, order)), thread(store("y", 1, order))


def _reader(count: int, reader: int, order: str) -> Thread:
    """A thread that reads `count` times; even readers begin with x, odd ones with y."""
    return thread(*(load(f"r{read}", "xy"[(reader + read) % 2], order) for read in range(count)))


def _sequential_states(first: int, second: int) -> int:
    """The states of sequential consistency, counted by when in each thread the first and the second write come."""

    def seen(count: int, reader: int, earlier: int) -> set[tuple[int, ...]]:
        return {
            tuple(int(read >= (one if (reader + read) % 2 == earlier else other)) for read in range(count))
            for one in range(count + 1)
            for other in range(one, count + 1)
        }

    states = {
        (left, right) for earlier in (0, 1) for left in seen(first, 0, earlier) for right in seen(second, 1, earlier)
    }
    return len(states)
