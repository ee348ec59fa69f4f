"""Of the executions that are blocked at the same places one is told, and both engines tell the same one."""

from __future__ import annotations

from typing import Final

import pytest

from mcm import EngineName, Judged, Source, check

# One of four gets the lock: any three others can be those that wait.
LOCK: Final = """OPENCL lock
{ [l]=0; }
kernel k (global atomic_int* l) {
  while (atomic_exchange_explicit(l, 1, memory_order_acquire, memory_scope_device)) { }
}
launch k global 4, local 1;
"""
# Who comes after another waits: three of four, but not four different sets of them as places go.
TICKETS: Final = """OPENCL tickets
{ [l]=0; [n]=0; }
kernel k (global atomic_int* l, global atomic_int* n) {
  int m = atomic_fetch_add_explicit(n, 1, memory_order_relaxed, memory_scope_device);
  while (atomic_load_explicit(l, memory_order_acquire, memory_scope_device) < m) { }
}
launch k global 4, local 1;
"""
# The threads wait in the end for the value that was written last.
VALUES: Final = """OPENCL values
{ [x]=0; }
P0 (global atomic_int* x) { while (atomic_load_explicit(x, memory_order_relaxed, memory_scope_device) != 5) { } }
P1 (global atomic_int* x) { while (atomic_load_explicit(x, memory_order_relaxed, memory_scope_device) != 5) { } }
P2 (global atomic_int* x) { atomic_store_explicit(x, 2, memory_order_relaxed, memory_scope_device); }
P3 (global atomic_int* x) { atomic_store_explicit(x, 1, memory_order_relaxed, memory_scope_device); }
"""
# Which element is waited for depends on what was read before.
ELEMENTS: Final = """OPENCL elements
{ [c]=0; int a[2]; }
P0 (global atomic_int* c, global atomic_int* a) {
  int i = atomic_load_explicit(c, memory_order_relaxed, memory_scope_device);
  while (atomic_load_explicit(a + i, memory_order_relaxed, memory_scope_device) == 0) { }
}
P1 (global atomic_int* c) { atomic_store_explicit(c, 1, memory_order_relaxed, memory_scope_device); }
"""
# Either branch waits: these are different places, and both are told, each for the first of its values.
PLACES: Final = """OPENCL places
{ [c]=0; [a]=0; [b]=0; }
P0 (global atomic_int* c, global atomic_int* a, global atomic_int* b) {
  if (atomic_load_explicit(c, memory_order_relaxed, memory_scope_device)) {
    while (atomic_load_explicit(a, memory_order_relaxed, memory_scope_device) < 3) { }
  } else { while (atomic_load_explicit(b, memory_order_relaxed, memory_scope_device) == 0) { } }
}
P1 (global atomic_int* c) { atomic_store_explicit(c, 1, memory_order_relaxed, memory_scope_device); }
P2 (global atomic_int* a) { atomic_store_explicit(a, 2, memory_order_relaxed, memory_scope_device); }
P3 (global atomic_int* a) { atomic_store_explicit(a, 1, memory_order_relaxed, memory_scope_device); }
"""
CASES: Final = [
    (LOCK, [[("k[0]", 4, "l to change from 1"), ("k[1]", 4, "l to change from 1"), ("k[2]", 4, "l to change from 1")]]),
    (
        TICKETS,
        [[("k[0]", 5, "l to change from 0"), ("k[1]", 5, "l to change from 0"), ("k[2]", 5, "l to change from 0")]],
    ),
    (VALUES, [[("P0", 3, "x to change from 1"), ("P1", 4, "x to change from 1")]]),
    (ELEMENTS, [[("P0", 5, "a[0] to change from 0")]]),
    (PLACES, [[("P0", 5, "a to change from 1")], [("P0", 6, "b to change from 0")]]),
]


@pytest.mark.parametrize("engine", [EngineName.EXPLICIT, EngineName.SMT])
@pytest.mark.parametrize(("text", "told"), CASES, ids=[text.split()[1] for text, _ in CASES])
def test_the_least_of_alike_blocked_executions_is_told(
    text: str, told: list[list[tuple[str, int, str]]], engine: EngineName
) -> None:
    result = check(Source("blocked.litmus", text), engine=engine)

    assert isinstance(result, Judged)
    assert result.complete
    found = [[(unit.thread, unit.span.line, unit.waits_for) for unit in one.units] for one in result.blocked]
    assert found == told
