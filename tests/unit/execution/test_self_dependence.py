"""What an update writes depends on what it reads, or it does not; engines mark thin air by this."""

import pytest

from mcm import EngineName, Source, check_all

THREADS = """{ [x]=0; [y]=0; }
P0 (atomic_int* x, atomic_int* y) {
  int r0 = atomic_load_explicit(y, memory_order_relaxed);
  atomic_store_explicit(x, r0, memory_order_relaxed);
}
P1 (atomic_int* x, atomic_int* y) {
"""
EXCHANGE = """
  int r1 = atomic_exchange_explicit(x, 5, memory_order_relaxed);
}
P2 (atomic_int* x, atomic_int* y) {
  int r2 = atomic_load_explicit(x, memory_order_relaxed);
  atomic_store_explicit(y, r2, memory_order_relaxed);
}
exists (0:r0=5 /\\ 1:r1=5)
"""
COMPARE_EXCHANGE = """
  int e = 7;
  int r1 = atomic_compare_exchange_strong_explicit(x, &e, 8, memory_order_relaxed, memory_order_relaxed);
  if (r1) { atomic_store_explicit(y, 7, memory_order_relaxed); }
}
exists (0:r0=7 /\\ 1:r1=1)
"""


@pytest.mark.parametrize("engine", [EngineName.EXPLICIT, EngineName.SMT])
@pytest.mark.parametrize(("rest", "thin_air"), [(EXCHANGE, False), (COMPARE_EXCHANGE, True)])
def test_a_circle_through_an_update(engine: EngineName, rest: str, thin_air: bool) -> None:
    (result,) = check_all(Source("circle.litmus", f"C circle\n{THREADS}{rest}"), engine=engine)
    (state,) = [state for state in result.states if state.satisfies]
    assert state.thin_air is thin_air
