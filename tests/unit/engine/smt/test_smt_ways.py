"""What a write can write, by what is read on the way to it."""

from __future__ import annotations

from smt_inputs import query

from mcm.engine.smt.ways import MOST_WAYS, ways_to_write

LOOK_BACK = """OPENCL look-back
{ int state[3] = {513, 257, 257}; [out]=0; [c]=0; }
P0@wg 0 (global atomic_int* state, global int* out, global atomic_int* c) {
  int before = 0;
  int s = atomic_load_explicit(state + 2, memory_order_acquire, memory_scope_device);
  if (s >= 512) { before = s - 512; }
  else if (s >= 256) {
    int t = atomic_load_explicit(state + 1, memory_order_acquire, memory_scope_device);
    if (t >= 512) { before = s - 256 + t - 512; } else { return; }
  } else { return; }
  %s
}
P1@wg 1 (global atomic_int* state) {
  atomic_store_explicit(state + 1, 514, memory_order_release, memory_scope_device);
}
exists (out=0)
"""
# What each read may return; the first one of state[2], the second one of state[1].
RETURNED = ((0, 257, 515), (257, 514))


def ways(statement: str) -> dict[tuple[int, ...], object] | None:
    """What is written by the last write of the first thread, by what is read on the way."""
    (skeleton,) = query(LOOK_BACK % statement, "opencl-3.0").skeletons
    reads = [event.identifier for event in skeleton.events if event.kind.reads and event.thread == 0]
    domains = dict(zip(reads, (*RETURNED, *((0, 1),) * len(reads)), strict=False))
    *_, write = (event for event in skeleton.events if event.kind.writes and event.thread == 0)
    found = ways_to_write(write, domains.__getitem__)
    return None if found is None else {tuple(way[read] for read in reads if read in way): v for way, v in found}


def test_what_is_not_executed_writes_nothing() -> None:
    assert ways("*out = before + 1;") == {(515,): 4, (257, 514): 4}


def test_a_value_of_one_read_has_no_ways_to_tell() -> None:
    assert ways("*out = s;") is None


def test_reads_that_do_not_depend_on_each_other_have_too_many_ways() -> None:
    assert MOST_WAYS < 2**9
    adding = "n = n + atomic_load(c); " * 9
    assert ways(f"int n = before; {adding} *out = n;") is None


def test_choices_are_not_listed() -> None:
    assert ways("int e = 0; int n = atomic_compare_exchange_weak(c, &e, 1); *out = before + n;") is None
