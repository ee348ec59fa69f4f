"""Iterations that write what the next one writes anew, and wait all the same (ADR 129)."""

from __future__ import annotations

import pytest
from small_threads import skeletons, stops

from mcm import Verdict, check
from mcm.base.source import Source
from mcm.execution.skeleton import StopKind

RELAXED = "memory_order_relaxed, memory_order_relaxed, memory_scope_device"
PUSH = f"atomic_compare_exchange_weak_explicit(x, &o, 1, {RELAXED})"
RELEASE = "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);"
BEGIN = "int o = atomic_load_explicit(x, memory_order_relaxed, memory_scope_device);"


@pytest.mark.parametrize(
    ("body", "stores"),
    [
        (f"{BEGIN} do {{ *d = o; }} while (!{PUSH});", True),
        (f"{BEGIN} do {{ *d = o; a[1] = 7; }} while (!{PUSH});", True),
        (f"{BEGIN} while (1) {{ *d = o; if ({PUSH}) break; }}", True),
        ("int r; do { r = atomic_load(x); *d = r; } while (r == 0);", True),
        # Who reads it reads what this iteration has written.
        (f"{BEGIN} do {{ *d = o; int now = *d; }} while (!{PUSH});", True),
        # A fence lets nobody know of it: what tells others comes behind the next write.
        (f"{BEGIN} do {{ *d = o; {RELEASE} }} while (!{PUSH});", True),
        # It reads what the iteration before has written.
        (f"{BEGIN} do {{ int before = *d; *d = o; }} while (!{PUSH});", False),
        # Not the last one.
        ("while (atomic_load(x) == 0) { *d = 1; }", False),
        ("while (1) { if (atomic_load(x)) break; *d = 1; }", False),
        (f"{BEGIN} do {{ if (o == 0) *d = o; }} while (!{PUSH});", False),
        # Others learn of it by the exchange, which writes back what it has read.
        ("do { *d = 1; } while (atomic_exchange(x, 1) == 1);", False),
        # The last one tells them before it writes.
        ("while (1) { if (atomic_load(x)) { atomic_store(y, 1); *d = 2; break; } *d = 2; }", False),
        # It writes here and there.
        (f"{BEGIN} do {{ d[a[0]] = o; }} while (!{PUSH});", False),
    ],
)
def test_what_an_iteration_that_waits_may_write(body: str, *, stores: bool) -> None:
    initial = "[x]=0; [y]=0; int d[3]; int a[2]={1,2};"
    (only,) = skeletons(body, "*y = 1;", initial=initial, waiting=True, overwrites=True)

    assert bool(stops(only, StopKind.BOUND)) is not stores
    assert any(stop.stores for stop in stops(only, StopKind.WAIT)) is stores


STACK = """OPENCL stack
{{ [head] = 0; int next[3]; int value[3]; }}
P0@wg 0, dev 0 (global atomic_int* head, global int* next, global int* value) {{
  value[1] = 10;
  int old = atomic_load_explicit(head, memory_order_relaxed, memory_scope_device);
  do {{ next[1] = old; }} while (!atomic_compare_exchange_weak_explicit(
    head, &old, 1, memory_order_{order}, memory_order_relaxed, memory_scope_device));
}}
P1@wg 1, dev 0 (global atomic_int* head, global int* next, global int* value) {{
  int got = -1;
  int old = atomic_load_explicit(head, memory_order_acquire, memory_scope_device);
  while (old != 0 && !atomic_compare_exchange_weak_explicit(
    head, &old, next[old], memory_order_acquire, memory_order_acquire, memory_scope_device)) {{}}
  if (old != 0) {{ got = value[old]; }}
}}
{more}
locations [head; 1:got;]
"""


@pytest.mark.parametrize("engine", ["explicit", "smt"])
def test_what_is_said_of_a_stack_is_exact(engine: str) -> None:
    result = check(Source("stack", STACK.format(order="release", more="")), engine=engine)

    assert result.complete
    assert not result.bounded
    states = {(state.values["head"], state.values["1:got"]) for state in result.states}
    assert states == {(0, 10), (1, -1)}


def test_a_push_that_does_not_release_races() -> None:
    result = check(Source("stack", STACK.format(order="relaxed", more="")))

    assert result.verdict is Verdict.UNDEFINED
    assert {problem.kind for problem in result.undefined} == {"data-race"}
    assert len(result.undefined) == 2


def test_what_is_accessed_atomically_elsewhere_is_bounded() -> None:
    more = "P2@wg 2, dev 0 (global int* next) { atomic_xchg(next + 1, 0); }"
    result = check(Source("stack", STACK.format(order="release", more=more)))

    assert result.bounded


# Who comes after a failed attempt reads what that has written.
OWN = """OPENCL own
{ [x] = 0; [d] = 0; }
P0@wg 0, dev 0 (global atomic_int* x, global int* d) {
  int before = -1;
  int o = atomic_load_explicit(x, memory_order_relaxed, memory_scope_device);
  do { before = *d; *d = o + 5; } while (!atomic_compare_exchange_strong_explicit(
    x, &o, 9, memory_order_relaxed, memory_order_relaxed, memory_scope_device));
}
P1@wg 1, dev 0 (global atomic_int* x) { atomic_store_explicit(x, 1, memory_order_relaxed, memory_scope_device); }
exists (0:before=5 /\\ d=6)
"""
# The last iteration tells others, and waits for them, before it writes.
TOLD = """OPENCL told
{ [x] = 0; [y] = 0; [z] = 0; [d] = 0; }
P0@wg 0, dev 0 (global atomic_int* x, global atomic_int* y, global atomic_int* z, global int* d) {
  while (1) {
    if (atomic_load(x) == 1) { atomic_store(y, 1); while (atomic_load(z) == 0) {} *d = 2; break; }
    *d = 7;
  }
}
P1@wg 1, dev 0 (global atomic_int* x, global atomic_int* y, global atomic_int* z, global int* d) {
  int r = -1;
  atomic_store(x, 1);
  while (atomic_load(y) == 0) {}
  r = *d;
  atomic_store(z, 1);
}
exists (1:r=7 /\\ d=2)
"""
# Nothing that a work-item writes to an image hides what it has written there before.
IMAGE = """OPENCL image
{ [x] = 0; image int i[1] = {0}; }
P0@wg 0, dev 0 (global atomic_int* x, read_write image1d_t i) {
  int r;
  do { r = atomic_load(x); write_imagei(i, 0, (int4)(5 + r, 0, 0, 0)); } while (r == 0);
  int q = read_imagei(i, 0).x;
}
P1@wg 1, dev 0 (global atomic_int* x) { atomic_store(x, 1); }
exists (0:q=5)
"""


@pytest.mark.parametrize("text", [OWN, TOLD, IMAGE])
def test_what_an_attempt_has_written_is_not_lost(text: str) -> None:
    result = check(Source("kept", text))

    assert result.verdict is Verdict.ALLOWED


def test_what_is_told_by_a_call_that_may_come_before_the_next_write_is_kept() -> None:
    """C lets the exchange come first, though it is written last."""
    written = "((c = (atomic_load(y) >= r)) ? (*d = 2 + r) : 0)"
    loop = (
        "while (1) {{ int r = atomic_load(x), c; int s = ({} {} (r ? {} : 0)); "
        "if (!c) {{ while (1) {{}} }} if (r) break; }}"
    )

    def stores(between: str, told: str) -> set[bool]:
        found = skeletons(loop.format(written, between, told), waiting=True, overwrites=True)
        return {any(stop.stores for stop in stops(each, StopKind.WAIT)) for each in found}

    assert stores("+", "atomic_exchange(y, 1)") == {False}
    assert stores("+", "1") == {True}
    assert stores(",", "atomic_exchange(y, 1)") == {True}
