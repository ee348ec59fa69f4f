"""Tests in another language: the text, the reasons, and that both forms have the same answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcm import InputError, Source, check_all, convert_test
from mcm.front_end.read import read_test

OPENCL = Path(__file__).resolve().parents[3] / "litmus" / "opencl"
SYCL = OPENCL.parent / "sycl"
COMPARED = [path for name in ("separators", "patterns", "host") for path in sorted((OPENCL / name).rglob("*.litmus"))]
HOST_PROGRAMS = [path for path in sorted((SYCL / "host").glob("*.litmus")) if not path.stem.startswith("usm")]
MODEL = "sycl-next"


def source_of(path: Path) -> Source:
    return Source(path.name, path.read_text(encoding="utf-8"))


def _named(variable: str, names: dict[str, str]) -> str:
    number, colon, register = variable.partition(":")
    return f"{names[number]}:{register}" if colon else variable


def answer(source: Source) -> tuple[object, ...]:
    (result,) = check_all(source, models=(MODEL,))
    # A marker is a kernel in SYCL, so that others have other numbers, but not other names.
    names = {str(thread.index): thread.name for thread in read_test(source).program.threads}
    states = frozenset(
        tuple(sorted((_named(variable, names), value) for variable, value in state.values.items()))
        for state in result.states
    )
    return result.complete, states, {problem.kind for problem in result.undefined}


def test_message_passing_in_sycl() -> None:
    text = convert_test(source_of(OPENCL / "patterns" / "MP.dv.litmus"), "sycl")
    assert text.startswith("SYCL MP.dv\n")
    assert "atomic_ref<int, memory_order::relaxed, memory_scope::device>(*y).store(1, memory_order::release);" in text
    assert "P1@wg 1, dev 0 (int* x, int* y) {" in text


def test_a_kernel_in_sycl() -> None:
    text = convert_test(source_of(OPENCL / "kernels" / "histogram.litmus"), "sycl")
    assert "q.parallel_for<class histogram>(nd_range<1>(4, 2), [=](nd_item<1> it) {" in text
    assert "local_accessor uint mine[4];" in text
    assert "group_barrier(it.get_group());" in text


def test_a_kernel_in_opencl() -> None:
    text = convert_test(source_of(SYCL / "patterns" / "MP+rel+acq.device.litmus"), "opencl")
    assert "atomic_store_explicit(f, 1, memory_order_release, memory_scope_device);" in text
    assert "launch K0 global 4, local 2;" in text


def test_sizes_of_sub_groups_in_sycl() -> None:
    text = convert_test(source_of(OPENCL / "dartagnan" / "xf-barrier-2.1.2.litmus"), "sycl")
    assert "(nd_range<1>(4, 2), [=](nd_item<1> it) [[sycl::reqd_sub_group_size(2)]] {" in text


def test_a_host_program_in_sycl() -> None:
    text = convert_test(source_of(OPENCL / "host" / "stories" / "two-kernels.two-queues.event.litmus"), "sycl")
    assert "host {\n  queue q{property::queue::in_order()};\n" in text
    assert "event e = q.single_task<class produce>([=]() {\n    *x = 1;\n  });" in text
    assert "r.submit([&](handler& h) {\n    h.depends_on(e);\n    h.single_task<class consume>" in text


def test_a_marker_depends_on_what_stands_before_it() -> None:
    text = convert_test(source_of(OPENCL / "host" / "HOST-6.later.litmus"), "sycl")
    assert "event e1 = q.single_task<class A>" in text
    assert "h.depends_on(e1);\n    h.single_task([=]() {});" in text
    assert "\n  q.single_task<class B>" in text


def test_commands_on_memory_in_sycl() -> None:
    body = """
  clEnqueueFillBuffer(q, a, 7);
  event e = clEnqueueCopyBuffer(q, a, b);
  event f = clEnqueueWriteBuffer(q, c, CL_FALSE, 3, wait(e));
  int r = clEnqueueReadBuffer(q, c, CL_TRUE, wait(e, f));
  clEnqueueBarrierWithWaitList(q, wait(e));
  clWaitForEvents(e, f);
  clFlush(q);
"""
    parameters = "global int* a, global int* b, global int* c"
    head = "OPENCL t\n{ int a[2] = {0, 0}; int b[2] = {0, 0}; int c = 0; queue q = out_of_order dev 1; }\n"
    source = Source("t.litmus", f"{head}P0@host ({parameters}) {{{body}}}\nexists (0:r=3)\n")
    text = convert_test(source, "sycl")
    shown = """
  queue q{dev1};
  q.fill(a, 7, 2);
  event e = q.memcpy(b, a, 2 * sizeof(int));
  event f = q.fill(c, 3, 1, e);
  int r;
  q.memcpy(&r, c, sizeof(int), {e, f}).wait();
  q.ext_oneapi_submit_barrier({e});
  event::wait({e, f});
"""
    assert shown in text
    assert answer(Source("t.litmus", text)) == answer(source)


def test_a_kernel_in_several_dimensions_that_is_launched_twice() -> None:
    head = "OPENCL t\n{ int x[4] = {0, 0, 0, 0}; queue q = in_order dev 0; }\n"
    kernel = "kernel K (global int* x) { int r = get_global_id(0) + 2 * get_global_id(1); x[r] += 1; }\n"
    calls = (
        "clEnqueueNDRangeKernel(q, K, ndrange_2D(2, 2, 2, 1)); clEnqueueNDRangeKernel(q, K, ndrange_2D(2, 2, 2, 1));"
    )
    tail = f"P0@host () {{ {calls} }}\nexists (K[2]:r=2 /\\ K@ki1[3]:r=3 /\\ x[3]=2)\n"
    source = Source("t.litmus", head + kernel + tail)
    text = convert_test(source, "sycl")
    assert "q.parallel_for<class K_2>(nd_range<2>(range<2>(2, 2), range<2>(1, 2)), [=](nd_item<2> it) {" in text
    assert "int r = it.get_global_id(1) + 2 * it.get_global_id(0);" in text
    assert "exists (K[2]:r=2 /\\ K_2[3]:r=3 /\\ x[3]=2)" in text
    (result,) = check_all(Source("t.litmus", text), models=(MODEL,))
    assert result.reachable is True


def test_the_end_of_a_buffer_in_opencl() -> None:
    text = convert_test(source_of(SYCL / "host" / "buffer.litmus"), "opencl")
    assert "event event_2 = clEnqueueNDRangeKernel(q, second, 1, 1, wait(event_1));" in text
    assert "clWaitForEvents(event_1, event_2);\n  }\n  int r = *x;" in text


def test_events_without_a_name_take_none_that_is_there() -> None:
    text = (SYCL / "host" / "buffer.litmus").read_text(encoding="utf-8").replace("int r = *x;", "int event_1 = *x;")
    converted = convert_test(Source("t.litmus", text.replace("0:r=2", "0:event_1=2")), "opencl")
    assert "clWaitForEvents(event_1_, event_2);" in converted


@pytest.mark.parametrize(
    ("path", "language", "reason"),
    [
        ("host/HOST-11", "sycl", "SYCL has no callbacks of events"),
        ("host/HOST-12", "sycl", "SYCL has no events that the host sets"),
        ("host/HOST-13", "sycl", "a kernel of SYCL enqueues no kernels"),
        ("host/HOST-SVM-3.fine-svm", "sycl", "'y', fine-grain SVM without atomics, reach no further than one device"),
        ("host/CC-1", "sycl", "several kernels access 'x', a buffer, atomically, and nothing orders them"),
        ("host/CC-6", "sycl", "sub-buffers are not converted: in SYCL accessors order the commands on them"),
        ("host/MAP-1", "sycl", "SYCL has no maps"),
        ("host/MAP-4", "sycl", "the host cannot access 'x', which is malloc_device memory"),
        ("spec/BAR-DIV.flags", "sycl", "barriers differ in their flags"),
        ("spec/AS-4.read-constant", "sycl", "SYCL has no memory like that of 'c'"),
        ("spec/AS-1.to-functions", "sycl", "unknown function 'to_local'"),
        ("kernels/remainder-group", "sycl", "5 work-items are not groups of 2"),
    ],
)
def test_what_has_no_form_is_told_with_the_reason(path: str, language: str, reason: str) -> None:
    with pytest.raises(InputError) as caught:
        convert_test(source_of(OPENCL / f"{path}.litmus"), language)
    assert "no form in the other language" in caught.value.diagnostics[0].message
    assert reason in caught.value.diagnostics[0].message


def test_memory_without_a_value_has_no_form_in_opencl() -> None:
    with pytest.raises(InputError, match="'x' begins without a value"):
        convert_test(source_of(SYCL / "host" / "usm-uninitialised.litmus"), "opencl")


def test_an_atomic_type_alone_has_no_form_in_sycl() -> None:
    text = "OPENCL t\n{ [x]=0; }\nP0@wg 0, dev 0 (global atomic_int* x) { *x = 1; }\nexists (x=1)\n"
    with pytest.raises(InputError, match="'x' has an atomic type, and nothing accesses it atomically"):
        convert_test(Source("t.litmus", text), "sycl")


@pytest.mark.slow
@pytest.mark.parametrize("path", COMPARED, ids=lambda path: path.stem)
def test_both_forms_have_the_same_answer(path: Path) -> None:
    source = source_of(path)
    try:
        text = convert_test(source, "sycl")
    except InputError:
        pytest.skip("no form in SYCL")
    assert answer(Source(path.name, text)) == answer(source)
    again = convert_test(Source(path.name, text), "opencl")
    assert answer(Source(path.name, again)) == answer(source)


@pytest.mark.slow
@pytest.mark.parametrize("path", HOST_PROGRAMS, ids=lambda path: path.stem)
def test_host_programs_have_the_same_answer_in_opencl(path: Path) -> None:
    source = source_of(path)
    assert answer(Source(path.name, convert_test(source, "opencl"))) == answer(source)


def test_names_that_are_taken() -> None:
    text = """OPENCL taken-names
{ [x]=0; queue q = out_of_order dev 0; }
kernel k (global int* x) { int it = 1; int item = it; int nd_it = item; int this_item = nd_it; *x = this_item; }
P0@host () {
  int h = 0; int cgh = 1; int command_handler = 2;
  event e1 = clEnqueueNDRangeKernel(q, k, 2, 1);
  clEnqueueNDRangeKernel(q, k, 1, 1, wait(e1));
}
exists (x=1)
"""
    converted = convert_test(Source("taken.litmus", text), "sycl")
    assert "[=](nd_item<1> this_item_2)" in converted
    assert "q.submit([&](handler& command_handler_2) {" in converted


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("accessor a(b, h); h.single_task([=] { a[0] = k; });", "passed the values of variables of the host"),
        ("accessor a(b, h, no_init); h.single_task([=] { a[0] = 1; });", "gives up what a buffer holds"),
    ],
)
def test_what_only_programs_of_sycl_have(command: str, reason: str) -> None:
    group = f"q.submit([&](handler& h) {{ {command} }});"
    made = f"std::vector<int> v{{0}}; {{ buffer<int> b(v); int k = 1; k++; {group} }}"
    with pytest.raises(InputError, match=reason):
        convert_test(Source("t.litmus", f"SYCL t\n{{}}\nhost {{ queue q; {made} }}\nforall (true)\n"), "opencl")


VALUES_AND_FUNCTIONS = """OPENCL values
{ n = 3; int x[4] = {0, 0, 0, 0}; [f] = 0; }
static int times(const int a, int b) { return a * b; }
void publish(global int* to, global atomic_int* flag, int v) {
  if (v < 0) return;
  *to = v;
  atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
}
static int seen(global atomic_int* flag) {
  while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_device)) { }
  return 1;
}
kernel K (global int* x, global atomic_int* f, const int n) {
  if (get_group_id(0) == 0) publish(&x[1], f, times(2, n));
  else if (seen(f)) x[2] = x[1];
}
launch K global 2, local 1;
forall (x[2]=6)
"""


def test_functions_and_values_of_kernels_are_converted() -> None:
    source = Source("values.litmus", VALUES_AND_FUNCTIONS)
    text = convert_test(source, "sycl")

    assert "  const int n = 3;" in text
    assert "void publish(int* to, int* flag, int v) {" in text
    again = Source("again.litmus", convert_test(Source("values.litmus", text), "opencl"))
    assert answer(Source("values.litmus", text))[1:] == answer(source)[1:] == answer(again)[1:]


def test_a_function_that_asks_for_its_work_item_has_no_form() -> None:
    text = """OPENCL t
{ int x[2]; }
static int mine() { return get_global_id(0); }
kernel K (global int* x) { x[mine()] = 1; }
launch K global 2;
forall (x[1]=1)
"""
    with pytest.raises(InputError, match="'mine' asks for its work-item"):
        convert_test(Source("t.litmus", text), "sycl")


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        ("CLK_LOCAL_MEM_FENCE", "orders local memory alone; here all memory is ordered"),
        ("0", "orders neither global nor local memory; here all memory is ordered"),
        ("CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE", ""),
    ],
)
def test_what_a_barrier_leaves_out_is_told(flags: str, told: str) -> None:
    text = f"""OPENCL t
{{ int x[2]; }}
kernel K (global int* x, local int* t) {{
  int i = get_local_id(0);
  t[i] = 1;
  barrier({flags});
  x[i] = t[1 - i];
}}
launch K global 2, local 2;
forall (x[1]=1)
"""
    converted = convert_test(Source("t.litmus", text), "sycl")

    assert (f"// 'barrier({flags})' {told}" in converted) == bool(told)
    assert ("//" in converted) == bool(told)


@pytest.mark.parametrize("path", HOST_PROGRAMS, ids=lambda path: path.stem)
def test_what_the_host_accesses_needs_no_map_in_opencl(path: Path) -> None:
    """A buffer of SYCL is accessed by accessors, one of OpenCL between map and unmap (MAP-4)."""
    try:
        text = convert_test(source_of(path), "opencl")
    except InputError:
        pytest.skip("no form in OpenCL")
    (result,) = check_all(Source(path.name, text), models=("opencl-3.0",))
    assert "unmapped-access" not in {problem.kind for problem in result.undefined}
