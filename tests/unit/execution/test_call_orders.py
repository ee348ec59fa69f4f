"""Calls and plain accesses of one expression come in both orders only where it makes a difference."""

import pytest
from small_threads import skeletons

import mcm
from mcm.base.diagnostic import InputError
from mcm.base.source import Source
from mcm.execution import call_orders
from mcm.execution.elaborate import elaborate
from mcm.front_end.read import read_test

TAKES = "d[atomic_fetch_add(x, 1)] = a[1];"
ARRAYS = "[x]=0; [y]=0; int d[4]; int a[2]={1,2};"


def test_what_nobody_writes_may_be_read_at_any_time() -> None:
    assert len(skeletons(TAKES, TAKES, initial=ARRAYS)) == 1


def test_so_may_what_the_thread_has_written_itself() -> None:
    assert len(skeletons("a[1] = 7; " + TAKES + " a[1] = 8;", "int r = a[0];", initial=ARRAYS)) == 1


def test_what_another_thread_writes_is_read_before_and_after_the_call() -> None:
    assert len(skeletons(TAKES, "a[1] = 7;", initial=ARRAYS)) == 2


def test_so_is_what_the_call_writes() -> None:
    text = """OPENCL test
{ int x = 0; int a = 0; }
P0 (global int* x) { int r0 = 0; r0 = atomic_inc(x) + 10 * *x; }
exists (0:r0=10)
"""
    assert len(elaborate(read_test(Source("test.litmus", text)).program)) == 2


def test_calls_that_use_memory_come_in_all_orders() -> None:
    assert len(skeletons("int r = atomic_load(x) + atomic_load(y);")) == 2


LOADED = "int r = atomic_load_explicit({}, memory_order_{}) + atomic_load_explicit({}, memory_order_{});"


@pytest.mark.parametrize(
    ("loads", "others", "orders"),
    [
        (("x", "relaxed", "y", "acquire"), "", 1),
        (("x", "acquire", "y", "acquire"), "", 2),
        (("x", "relaxed", "y", "acquire"), "atomic_store(y, 1);", 1),
        (("x", "relaxed", "y", "acquire"), "atomic_store(x, 1);", 2),
        # Nothing but relaxed loads, of different locations.
        (("x", "relaxed", "y", "relaxed"), "atomic_store(x, 1); atomic_store(y, 1);", 1),
        (("x", "relaxed", "x", "relaxed"), "atomic_store(x, 1);", 2),
    ],
)
def test_so_may_a_relaxed_load(loads: tuple[str, ...], others: str, orders: int) -> None:
    assert len(skeletons(LOADED.format(*loads), others)) == orders


def test_what_an_asynchronous_copy_writes_is_not_the_threads_own() -> None:
    text = """OPENCL test
{ [x]=0; int d[4]; int a[2]={1,2}; }
kernel K (global atomic_int* x, global int* d, global int* a) {
  local int t[2];
  event_t e = async_work_group_copy(t, a, 2, 0);
  d[atomic_fetch_add(x, 1)] = t[0];
  wait_group_events(1, &e);
}
launch K global 1, local 1;
exists (x=1)
"""
    assert len(elaborate(read_test(Source("test.litmus", text)).program)) == 2


def test_kernels_of_commands_read_at_any_time_what_no_command_writes() -> None:
    text = """SYCL test
{ int x = 0; int y = 0; int w[2] = {1, 2}; }
host {
  queue q;
  q.parallel_for(range<1>(2), [=](id<1> i) {
    atomic_ref<int, memory_order::relaxed, memory_scope::device> a(*x), b(*y);
    int r = a.fetch_add(1) + w[i];
    int s = a.load() + b.load();
    b.store(r + s);
  });
}
exists (x=2)
"""
    assert len(elaborate(read_test(Source("test.litmus", text)).program)) == 1


GROUP_FUNCTIONS = """OPENCL test
{{ [x]=0; int d[2]; }}
kernel K (global atomic_int* x, global int* d) {{
  int l = get_local_id(0);
  d[l] = work_group_reduce_add(l) + {other};
}}
launch K global 2, local 2;
forall (d[0]=2 /\\ d[1]=2)
"""


def test_group_functions_come_in_any_order_among_themselves() -> None:
    test = mcm.parse(GROUP_FUNCTIONS.format(other="work_group_reduce_max(l)"))
    assert len(elaborate(test.program)) == 1
    for engine in ("explicit", "smt"):
        assert mcm.check(test, "opencl-3.0", engine=engine).verdict is mcm.Verdict.REQUIRED


def test_group_functions_come_before_and_after_other_calls() -> None:
    test = mcm.parse(GROUP_FUNCTIONS.format(other="1 + atomic_load(x)"))
    assert len(elaborate(test.program)) == 4


def test_too_many_orders_are_refused_where_they_are_written() -> None:
    with pytest.raises(InputError) as caught:
        skeletons(*["int r = 0; r = atomic_load(x) + atomic_load(y);"] * 7, "atomic_store(x, 1);")
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.code, diagnostic.span.line) == ("E153", 3)
    assert "128 orders" in diagnostic.message
    assert diagnostic.notes


# The read of the expression is next to calls that order what is around it.
PUBLISHES = """C test
{ int s[2]; int d[4]; }
P0 (int* s, int* d, atomic_int* x, atomic_int* y) {
  s[0] = 5;
  d[atomic_fetch_add_explicit(x, 1, memory_order_acq_rel)] = s[0] + 1;
  s[0] = 6;
  atomic_store_explicit(y, 1, memory_order_release);
}
P1 (int* s, int* d, atomic_int* x, atomic_int* y) {
  int r0 = atomic_load_explicit(y, memory_order_relaxed);
  int r1 = 0;
  s[1] = r0;
  d[2 + atomic_fetch_add_explicit(x, 1, memory_order_acq_rel)] = s[1] + 3;
  if (atomic_load_explicit(x, memory_order_acquire) == 2) { r1 = d[0]; }
}
locations [x; d; 1:r0; 1:r1;]
exists (x=2)
"""


@pytest.mark.parametrize("model", ["c11", "rc11", "c++20", "sc"])
def test_answers_are_those_of_both_orders(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    test = mcm.parse(PUBLISHES)
    assert len(elaborate(test.program)) == 1
    told = mcm.check(test, model)
    monkeypatch.setattr(call_orders, "_idle_reads", lambda *_: 0)
    assert len(elaborate(test.program)) == 4
    by_all = mcm.check(test, model)
    assert told.verdict is by_all.verdict
    assert set(told.states) == set(by_all.states)
    assert {race.rules for race in told.races} == {race.rules for race in by_all.races}
