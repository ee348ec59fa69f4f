"""Store-buffer rings: n threads, each stores to its own location and then loads its neighbour's."""

from __future__ import annotations

from bench.family import family
from bench.litmus import OPENCL, C, Test, all_of, load, store, thread


@family("SB+rlx", model="rc11", states=lambda n: 2**n)
def relaxed(n: int) -> Test:
    """Store-buffer ring of n threads, relaxed: every combination of reads is a state."""
    return _ring(C, n, "relaxed")


@family("SB+sc", model="rc11", states=lambda n: 2**n - 1)
def sequential(n: int) -> Test:
    """Store-buffer ring of n threads, seq_cst: all but the state in which every load came first."""
    return _ring(C, n, "seq_cst")


@family("SB+sc-fences", model="rc11", states=lambda n: 2**n - 1)
def fenced(n: int) -> Test:
    """Store-buffer ring of n threads, relaxed with a seq_cst fence in each."""
    return _ring(C, n, "relaxed", "atomic_thread_fence(memory_order_seq_cst);")


@family("SB+sc.dev", model="opencl-3.0", states=lambda n: 2**n - 1)
def sequential_on_a_device(n: int) -> Test:
    """Store-buffer ring of n work-groups, seq_cst: a total order S of 2n operations has to exist."""
    return _ring(OPENCL, n, "seq_cst")


def _ring(dialect: str, n: int, order: str, *fence: str) -> Test:
    kind = "atomic_int" if dialect == C else "global atomic_int"
    return Test(
        dialect,
        {f"x{i}": kind for i in range(n)},
        tuple(thread(store(f"x{i}", 1, order), *fence, load("r0", f"x{(i + 1) % n}", order)) for i in range(n)),
        all_of(f"{i}:r0=0" for i in range(n)),
    )
