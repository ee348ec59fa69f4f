"""What a write can write, by what is read on the way to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace
from smt_inputs import query

from mcm.answer.query import Limits
from mcm.engine.smt import domain
from mcm.engine.smt.budget import Budget
from mcm.engine.smt.ways import MOST_WAYS, ways_to_write
from mcm.execution import evaluate
from mcm.execution.event import writes_by_location
from mcm.execution.expression import BinaryValue, ReadValue
from mcm.program.types import Scalar
from mcm.program.value_arithmetic import apply_binary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import pytest

    from mcm.engine.smt.ways import Way
    from mcm.execution.event import Event
    from mcm.execution.expression import Expression
    from mcm.program.types import Type, Value

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
TICKETS = """OPENCL tickets
{ ticket = 0; status = {0, 0, 0}; in = {1, 2, 3}; out = {0, 0, 0}; }
kernel void scan (global atomic_uint* ticket, global atomic_uint* status, global const uint* in, global uint* out) {
  uint t = atomic_fetch_add_explicit(ticket, 1, memory_order_relaxed, memory_scope_device);
  if (t == 0) { atomic_store_explicit(&status[0], 512 | in[0], memory_order_relaxed, memory_scope_device); return; }
  atomic_store_explicit(&status[t], 256 | in[t], memory_order_relaxed, memory_scope_device);
  uint sum = 0;
  int p = t - 1;
  while (true) {
    uint s = atomic_load_explicit(&status[p], memory_order_relaxed, memory_scope_device);
    if (s & 512) { sum += s & 255; break; }
    if (s & 256) { sum += s & 255; p--; }
  }
  atomic_store_explicit(&status[t], 512 | (sum + in[t]), memory_order_relaxed, memory_scope_device);
}
launch scan global 2, local 1
exists (ticket=0)
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


def test_what_is_written_is_computed_again_only_where_a_read_may_return_more(monkeypatch: pytest.MonkeyPatch) -> None:
    (skeleton,) = query(TICKETS, "opencl-3.0").skeletons
    writes = writes_by_location(skeleton.events)
    sources = {
        event.identifier: [write.identifier for place in event.locations for write in writes.get(place, ())]
        for event in skeleton.events
        if event.kind.reads
    }
    computed: list[int] = []

    def listed(write: Event, of: Callable[[int], Iterable[Value]]) -> list[Way] | None:
        computed.append(write.identifier)
        return ways_to_write(write, of)

    monkeypatch.setattr(domain, "ways_to_write", listed)
    domain.read_domains(skeleton, sources, domain.value_rows(skeleton, sources), Budget(Limits()))
    assert len(computed) < 3 * len(set(computed))


def test_what_has_a_value_is_not_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a sum of many reads, each way further on computes what is added to it, and no more."""
    applied: list[str] = []

    def apply(symbol: str, left: Value, right: Value, type_: Type) -> Value:
        applied.append(symbol)
        return apply_binary(symbol, left, right, type_)

    monkeypatch.setattr(evaluate, "apply_binary", apply)
    count = 200
    total: Expression = ReadValue(0)
    for read in range(1, count):
        total = BinaryValue("+", total, ReadValue(read), Scalar.INT)
    write = query(LOOK_BACK % "*out = before;", "opencl-3.0").skeletons[0].events[0]
    found = ways_to_write(replace(write, value=total), lambda _: (1,))
    assert found is not None
    assert [value for _, value in found] == [count]
    assert len(applied) < 10 * count
