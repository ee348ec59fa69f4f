from __future__ import annotations

from smt_inputs import counters, query

from mcm.engine.smt.symmetry import ordered_writes


def pairs(text: str) -> int:
    asked = query(text, "sc")
    return len(ordered_writes(asked.skeletons[0], asked.observed))


def test_equal_threads_are_ordered_by_their_first_writes() -> None:
    assert pairs(counters(4)) == 3


def test_observed_registers_tell_threads_apart() -> None:
    assert pairs(counters(2).replace("{ atomic", "{ int r = atomic").replace("(c=1)", "(0:r=1)")) == 0


def test_other_values_tell_threads_apart() -> None:
    assert pairs(counters(3, "1 + {}")) == 0


def test_other_orders_tell_threads_apart() -> None:
    text = counters(3)
    first = text.index("relaxed")
    assert pairs(text[:first] + text[first:].replace("relaxed", "acquire", 1)) == 1


def test_work_groups_tell_threads_apart() -> None:
    text = """OPENCL groups
{ [c]=0; }
P0@wg 0, dev 0 (global atomic_int* c) { atomic_fetch_add(c, 1); }
P1@wg 0, dev 0 (global atomic_int* c) { atomic_fetch_add(c, 1); }
P2@wg 1, dev 0 (global atomic_int* c) { atomic_fetch_add(c, 1); }
exists (c=2)
"""
    assert pairs(text) == 1


def test_choices_are_exchanged_with_their_threads() -> None:
    text = """C cas
{ [x]=0; [y]=0; }
P0 (atomic_int* x, atomic_int* y) { atomic_fetch_add(y, 1); int e = 0; atomic_compare_exchange_weak(x, &e, 1); }
P1 (atomic_int* x, atomic_int* y) { atomic_fetch_add(y, 1); int e = 0; atomic_compare_exchange_weak(x, &e, 1); }
exists (x=1)
"""
    assert pairs(text) == 1


def test_threads_without_a_write_in_common_are_left_alone() -> None:
    text = """C readers
{ [x]=0; }
P0 (atomic_int* x) { int r = atomic_load(x); }
P1 (atomic_int* x) { int r = atomic_load(x); }
exists (x=1)
"""
    assert pairs(text) == 0
