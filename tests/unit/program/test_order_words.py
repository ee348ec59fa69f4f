"""Memory orders, scopes and flags by other names: parameters of functions, constants, what macros choose."""

from __future__ import annotations

import pytest

from mcm import InputError, Judged, KernelRequest, KernelSource, check
from mcm.front_end.kernel_file import read

FILE = """
#define PICK(weak) ((weak) == 1 ? memory_order_relaxed : memory_order_release)
static void store(global atomic_int *p, int v, memory_order order, const memory_scope scope) {
  atomic_store_explicit(p, v, order, scope);
}
static void publish(global atomic_int *p, memory_order order) {
  const memory_scope wide = memory_scope_device;
  const memory_order same = order, again = same;
  store(p, 1, again, wide);
}
static void wait(cl_mem_fence_flags flags) { barrier(flags); }
kernel void K(global atomic_int *flag, global int *data) {
  const memory_order seen = !WEAK ? memory_order_acquire : memory_order_relaxed;
  if (get_group_id(0) == 0) {
    *data = 42;
    publish(flag, PICK(STORED));
  } else if (atomic_load_explicit(flag, seen, memory_scope_device) == 1) {
    *data = 43;
  }
}
kernel void shared_by_group(global int *data) {
  local int t[2];
  t[get_local_id(0)] = 1;
  wait(FLAGS);
  data[get_local_id(0)] = t[1 - get_local_id(0)];
}
kernel void named_flags(global int *data) {
  const cl_mem_fence_flags none = 0, one = FLAGS;
  cl_mem_fence_flags all = none | one;
  local int t[2];
  t[get_local_id(0)] = 1;
  barrier(all);
  data[get_local_id(0)] = t[1 - get_local_id(0)];
  if (get_fence(&data[0]) == one) data[get_local_id(0)] = 2;
}
kernel void open_flags(global int *data) {
  cl_mem_fence_flags flags = get_fence(data);
  work_group_barrier(flags);
}
kernel void open_choice(global atomic_int *flag) {
  const memory_order order = get_global_id(0) ? memory_order_acquire : memory_order_relaxed;
  atomic_load_explicit(flag, order, memory_scope_device);
}
kernel void changed(global atomic_int *flag) {
  memory_order order = memory_order_relaxed;
  order = memory_order_acquire;
  atomic_load_explicit(flag, order, memory_scope_device);
}
"""


def source(launch: str, *definitions: str) -> KernelSource:
    return KernelSource("w.cl", FILE, KernelRequest((launch,), definitions=definitions))


@pytest.mark.parametrize(
    ("launch", "definitions", "races"),
    [
        pytest.param("K global 2, local 1", ("WEAK=0", "STORED=0"), False, id="released and acquired"),
        pytest.param("K global 2, local 1", ("WEAK=1", "STORED=0"), True, id="read relaxed"),
        pytest.param("K global 2, local 1", ("WEAK=0", "STORED=1"), True, id="stored relaxed"),
        pytest.param("shared_by_group global 2", ("FLAGS=CLK_LOCAL_MEM_FENCE",), False, id="the flag of local memory"),
        pytest.param("shared_by_group global 2", ("FLAGS=CLK_GLOBAL_MEM_FENCE",), True, id="the flag of global memory"),
        pytest.param("shared_by_group global 2", ("FLAGS=0",), True, id="no flag"),
        pytest.param("named_flags global 2", ("FLAGS=CLK_LOCAL_MEM_FENCE",), False, id="the flag in a variable"),
        pytest.param("named_flags global 2", ("FLAGS=CLK_GLOBAL_MEM_FENCE",), True, id="another flag in a variable"),
    ],
)
def test_the_word_behind_a_name_decides(launch: str, definitions: tuple[str, ...], *, races: bool) -> None:
    found = check(source(launch, *definitions))

    assert isinstance(found, Judged)
    assert bool(found.races) is races


@pytest.mark.parametrize(
    ("launch", "code"),
    [
        pytest.param("open_choice global 2", "E105", id="chosen when the program runs"),
        pytest.param("changed global 1", "E100", id="changed later"),
        pytest.param("open_flags global 1", "E107", id="flags of a pointer"),
    ],
)
def test_an_order_that_is_no_constant_is_refused(launch: str, code: str) -> None:
    with pytest.raises(InputError) as caught:
        read(source(launch))

    assert code in {diagnostic.code for diagnostic in caught.value.diagnostics}
