"""Objects that nobody writes, and elaboration that knows what is read there."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcm import Judged, KernelRequest, KernelSource, check
from mcm.base.source import Source
from mcm.catalogue.dependencies import mentions_dependencies
from mcm.catalogue.registry import get, load_file
from mcm.execution.elaborate import elaborate
from mcm.execution.expression import Constant
from mcm.execution.unwritten import unwritten_objects
from mcm.front_end.read import read_test

TEXT = """OPENCL t
{{ global int a[2] = {{1, 0}}; global int b[2]; global atomic_int c; global float f; global int* q = &a; }}
{}
P0@dev 0 (global int* a, global int* b, global atomic_int* c, global float* f, global int** q) {{ {} }}
"""
ALL = {"a", "b", "c", "f", "q"}
# What a thread does, and which objects nobody writes then.
WRITTEN = {
    "nothing is written": ("int r = a[0] + b[1];", ALL),
    "a write": ("b[a[0]] = 1;", ALL - {"b"}),
    "an increment": ("a[1]++;", ALL - {"a"}),
    "an atomic store": ("atomic_store(c, 1);", ALL - {"c"}),
    "an atomic update": ("atomic_fetch_add(c, 1);", ALL - {"c"}),
    "an initialisation": ("atomic_init(c, 1);", ALL - {"c"}),
    "an update of OpenCL 1": ("atomic_cmpxchg(a, 0, 1);", ALL - {"a"}),
    "an expectation in memory": ("atomic_compare_exchange_strong(c, a, 1);", ALL - {"a", "c"}),
    "through a variable": ("global int* p = b; p = p + 1; if (*f) { p = a; } *p = 1;", ALL - {"a", "b"}),
    "from a number on": ("*(1 + b) = 1;", ALL - {"b"}),
    "after something else": ("int r = 0; *(r++, b) = 1;", ALL - {"b"}),
    "what was just assigned": ("global int* p = a; *(p = b) = 1;", ALL - {"b"}),
    "through a choice": ("*(*f ? a : b) = 1;", ALL - {"a", "b"}),
    "through a cast": ("*(global float*)a = 1;", ALL - {"a"}),
    "through a function": ("set(b);", ALL - {"b"}),
    "a private variable": ("int r; int* p = &r; *p = 1;", ALL),
    "a pointer from memory": ("**q = 1;", set()),
    "a pointer to a pointer": ("global int* p = a; int* r = (int*)&p; *p = 1;", set()),
    "an address in a number": ("long n = (long)a; *(global int*)n = 1;", set()),
}


@pytest.mark.parametrize(("body", "expected"), WRITTEN.values(), ids=WRITTEN)
def test_what_nobody_writes(body: str, expected: set[str]) -> None:
    text = TEXT.format("void set(global int* p) { *p = 1; }", body)
    program = read_test(Source("t.litmus", text)).program
    assert {program.objects[number].name for number in unwritten_objects(program)} == expected


def unwritten(text: str) -> set[str]:
    program = read_test(Source("t.litmus", text)).program
    return {program.objects[number].name for number in unwritten_objects(program)}


def test_any_thread_may_write() -> None:
    text = TEXT.format("", "int r = a[0];") + "P1@dev 0 (global int* b, global atomic_int* c) { *b = 1; }\n"
    assert unwritten(text) == ALL - {"b"}


def test_nothing_is_said_where_a_group_copies() -> None:
    copy = "event_t e = async_work_group_copy(t, a, 2, 0); wait_group_events(1, &e); int r = t[0];"
    kernel = "OPENCL t\n{{ int a[2]; int b; }}\nkernel K (global int* a, local int t[2]) {{ {} }}\nlaunch K global 2;\n"
    assert unwritten(kernel.format("int r = a[0];")) >= {"a", "b"}
    assert unwritten(kernel.format(copy)) == set()


def test_what_is_read_there_is_known() -> None:
    body = "b[a[1]] = a[0]; int r = b[0]; int s = *(a + r);"
    program = read_test(Source("t.litmus", TEXT.format("", body))).program
    (plain,), (folded,) = elaborate(program), elaborate(program, folds=True)
    (write,) = (event for event in folded.events if event.thread is not None and event.kind.writes)
    assert (write.address, write.value) == (Constant(write.locations[0]), Constant(1))
    # Each read is performed, and b is read from memory.
    assert [event.kind for event in folded.events] == [event.kind for event in plain.events]
    assert not any(folded.relations["data"])
    assert any(folded.relations["addr"])
    assert any(plain.relations["data"])


def test_local_memory_without_a_value_is_not_known() -> None:
    text = "OPENCL t\n{}\nkernel K (local int* t, global int* x) { *x = *t; }\nlaunch K global 2;\n"
    (skeleton,) = elaborate(read_test(Source("t.litmus", text)).program, folds=True)
    assert not any(isinstance(e.value, Constant) for e in skeleton.events if e.thread is not None and e.kind.writes)


@pytest.mark.parametrize("name", ["opencl-3.0", "opencl-scoped", "sycl-2020", "c11", "sc"])
def test_models_of_languages_mention_no_dependencies(name: str) -> None:
    assert not mentions_dependencies(get(name))


@pytest.mark.parametrize("check", ["acyclic rf | ctrl", "acyclic data+ ; rf", "empty [domain(addr)] ; rf"])
def test_models_of_processors_do(check: str) -> None:
    assert mentions_dependencies(load_file(Path("m.cat"), lambda _: f'"m"\n{check} as one\n'))


def test_how_often_a_loop_goes_round_is_told_by_it_in_programs_of_any_size() -> None:
    # Groups that meet at an atomic object: nothing is supposed of what a run reads; and there are many events.
    kernel = """
kernel void k(global int *out, global int *sum, global const int *in, global atomic_int *count) {
  local int part[4];
  const int l = get_local_id(0), i = get_global_id(0);
  int n = in[l], all = l;
  part[l] = n;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int j = 0; j < (n & 3); j++) { all += j; }
  atomic_fetch_add(count, 1);
  n = i == in[n & 3] ? 3 : part[l];
  out[i] = all; sum[i] = n + 7 * part[l];
}
"""
    request = KernelRequest(
        ("k global 8, local 4",),
        initial=("out[8]", "sum[8]", "in[4] = {5, -3, 100, 7}", "count[1]"),
        questions=("forall out[3]=6 /\\ out[4]=0 /\\ sum[0]=40 /\\ count[0]=8",),
    )
    found = check(KernelSource("k.cl", kernel, request))

    assert isinstance(found, Judged)
    assert found.holds
    assert found.bounded == ()


HOST = """SYCL t
{{ int x = 1; int y = 2; int z = 3; int w = 4; }}
host {{
  queue q;
  int* p = {pointer};
  {command}
  q.wait();
}}
locations [x; y; z; w;]
"""


@pytest.mark.parametrize(
    ("pointer", "command", "expected"),
    [
        # What a kernel is passed is what the host's pointer may lead to.
        ("x", "p = y; q.single_task([=] { *p = 1; });", {"z", "w"}),
        ("x", "p = y; q.single_task([=] { *z = *p; });", {"x", "y", "w"}),
        ("x", "q.memcpy(y, z, sizeof(int));", {"x", "z", "w"}),
        ("x", "q.fill(w, 1, 1);", {"x", "y", "z"}),
    ],
)
def test_what_commands_do_not_write(pointer: str, command: str, expected: set[str]) -> None:
    assert unwritten(HOST.format(pointer=pointer, command=command)) == expected
