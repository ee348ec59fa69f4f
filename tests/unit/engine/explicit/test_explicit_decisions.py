"""What is asked for steers the search: a few hundred nodes decide what millions of executions would show."""

import pytest

from mcm import Judged, Options, Progress, shared_session
from mcm.answer.query import Limits
from mcm.base.source import Source
from mcm.engine.choose import EngineName

COPIERS = """C copiers
{}
P0 (atomic_int* x) {
  int r0 = atomic_load_explicit(x, memory_order_relaxed);
  int r1 = atomic_load_explicit(x, memory_order_relaxed);
}
P1 (atomic_int* x, int* y) {
  *y = atomic_load_explicit(x, memory_order_relaxed);
  while (atomic_compare_exchange_strong_explicit(x, y, *y, memory_order_relaxed, memory_order_relaxed) == 0) {}
  atomic_store_explicit(x, 1, memory_order_relaxed);
}
P2 (atomic_int* x, int* a) {
  *a = atomic_load_explicit(x, memory_order_relaxed);
  while (atomic_compare_exchange_strong_explicit(x, a, *a, memory_order_relaxed, memory_order_relaxed) == 0) {}
  atomic_store_explicit(x, 2, memory_order_relaxed);
}
exists (0:r0=2 /\\ 0:r1=0)
"""


def test_that_loops_end_within_their_bound_is_shown_without_trying_every_execution() -> None:
    options = Options(models=("rc11",), engine=EngineName.EXPLICIT, limits=Limits(nodes=2000))
    (result,) = shared_session().results(Source("copiers", COPIERS), options)
    assert isinstance(result, Judged)
    assert result.bounded == ()
    assert len(result.states) == 7
    assert result.reachable is False


def test_a_loop_that_waits_is_found_and_not_followed_further() -> None:
    waits = "while (atomic_load_explicit(x, memory_order_relaxed) == 0) {}"
    threads = "\n".join(f"P{n} (atomic_int* x) {{ {waits} int r0 = 1; }}" for n in range(4))
    text = f"C waiters\n{{}}\n{threads}\nP4 (atomic_int* x) {{ atomic_store_explicit(x, 1, memory_order_relaxed); }}"
    options = Options(models=("rc11",), engine=EngineName.EXPLICIT, progress=Progress.UNFAIR, limits=Limits(nodes=200))
    (result,) = shared_session().results(Source("waiters", f"{text}\nexists (0:r0=1)"), options)
    assert isinstance(result, Judged)
    assert [unit.thread for unit in result.waits] == ["P0", "P1", "P2", "P3"]
    assert result.bounded == ()
    assert [state.satisfies for state in result.states] == [True]


LOCKS = {
    "compare-exchange": """kernel k (global atomic_int* lock, global int* x) {
  while (atomic_exchange_explicit(lock, 1, memory_order_acquire, memory_scope_device) == 1) { }
  *x = *x + 1;
  atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
}""",
    "ticket": """kernel k (global atomic_int* next, global atomic_int* owner, global int* x) {
  int ticket = atomic_fetch_add_explicit(next, 1, memory_order_relaxed, memory_scope_device);
  while (atomic_load_explicit(owner, memory_order_acquire, memory_scope_device) != ticket) { }
  *x = *x + 1;
  atomic_store_explicit(owner, ticket + 1, memory_order_release, memory_scope_device);
}""",
}


@pytest.mark.parametrize("kernel", LOCKS.values(), ids=LOCKS)
def test_locks_are_searched_along_the_order_in_which_they_are_taken(kernel: str) -> None:
    """With the data first, or with each thread's stop for itself, thousands of nodes would be needed."""
    text = f"OPENCL lock\n{{}}\n{kernel}\nlaunch k global 6, local 1;\nexists (~x=6)"
    options = Options(models=("opencl-3.0",), engine=EngineName.EXPLICIT, limits=Limits(nodes=600))
    (result,) = shared_session().results(Source("lock", text), options)
    assert isinstance(result, Judged)
    assert (result.reachable, result.bounded, result.undefined) == (False, (), ())


ROOTS = """OPENCL roots
{ int p[3] = {0, 0, 1}; }
P0 (global atomic_int* p) {
  int x = 2;
  while (1) {
    int q = atomic_load(&p[x]);
    while (x != q) { x = q; q = atomic_load(&p[x]); }
    if (x == 2) break;
    int e = x;
    if (atomic_compare_exchange_strong(&p[x], &e, 2)) break;
  }
}
exists (p[0]=2)
"""


@pytest.mark.slow
def test_one_visit_shows_that_none_of_many_stops_is_reached() -> None:
    """A visit to each of the places where these loops could be cut would take many times as many nodes."""
    options = Options(models=("opencl-3.0",), engine=EngineName.EXPLICIT, limits=Limits(nodes=400))
    (result,) = shared_session().results(Source("roots", ROOTS), options)
    assert isinstance(result, Judged)
    assert (result.bounded, [state.satisfies for state in result.states]) == ((), [True])
