"""An index whose value depends on itself may reach out of an array, also behind an exchange that may fail."""

from __future__ import annotations

from typing import Final

import pytest

from mcm import EngineName, Judged, Source, check

TEXT: Final = """OPENCL links
{ [top] = 1; int next[3]; int out[1]; }
P0 (global atomic_int* top, global atomic_int* next, global int* out) {
  int old = atomic_load_explicit(top, memory_order_relaxed, memory_scope_device);
  atomic_store_explicit(&next[1], old, memory_order_relaxed, memory_scope_device);
  int head = atomic_load_explicit(top, memory_order_relaxed, memory_scope_device);
  if (head != 0 && atomic_compare_exchange_weak_explicit(
        top, &head, atomic_load_explicit(&next[head], memory_order_relaxed, memory_scope_device),
        memory_order_relaxed, memory_order_relaxed, memory_scope_device)) {
    out[0] = atomic_load_explicit(&next[head], memory_order_relaxed, memory_scope_device);
  }
}
P1 (global atomic_int* top, global atomic_int* next) {
  int head = 1;
  atomic_compare_exchange_strong_explicit(
    top, &head, atomic_load_explicit(&next[1], memory_order_relaxed, memory_scope_device),
    memory_order_relaxed, memory_order_relaxed, memory_scope_device);
}
exists (next[1] = 0)
"""


@pytest.mark.parametrize("engine", [EngineName.EXPLICIT, EngineName.SMT])
def test_each_place_is_told_that_may_be_reached_with_such_an_index(engine: EngineName) -> None:
    result = check(Source("links.litmus", TEXT), model="opencl-scoped", engine=engine)
    assert isinstance(result, Judged)
    assert [site.span.line for problem in result.undefined for site in problem.sites] == [8, 10]
