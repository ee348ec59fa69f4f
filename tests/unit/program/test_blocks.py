"""Device-side enqueue as OpenCL C writes it: blocks, ranges, events, user events and markers of kernels."""

from __future__ import annotations

import pytest

from mcm import EngineName, InputError, Judged, KernelRequest, KernelSource, Source, check, format_test, parse, run

TEXT = """OPENCL blocks
{ int a[8]; int b[2]; n = 2; }
void work(global int* to, int i) { to[i] = i; }
kernel child (global int* a) { a[get_global_id(0)] += 10; }
kernel parent (global int* a, global int* b, int n) {
  queue_t q = get_default_queue(), other = q;
  ndrange_t r = ndrange_1D(n);
  int k = 2 + n;
  global int* p = a + 4;
  clk_event_t done, more[2];
  void (^first)(void) = ^{ work(a, get_global_id(0)); };
  int r0 = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, r, 0, NULL, &done, first);
  enqueue_kernel(other, CLK_ENQUEUE_FLAGS_NO_WAIT, r, 1, &done, &more[0], ^{ child(a); });
  enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(0, 1, 1), 0, NULL, &more[1], ^(void){
    p[1] = k;
    int own = k + 1;
    const size_t sizes[2] = {1, 2};
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_2D(sizes, sizes), ^{ p[2 + get_global_id(1)] = k + own; });
  });
  k = 100;
  p = b;
  enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 2, more, NULL, ^{ p[0] = k + a[0]; b[1] = a[1] + n; });
  release_event(done);
}
launch parent global 1;
forall (a[0]=10 /\\ a[1]=11 /\\ a[5]=4 /\\ a[6]=9 /\\ a[7]=9 /\\ b[0]=110 /\\ b[1]=13 /\\ parent[0]:r0=0)
"""


@pytest.mark.parametrize("engine", [EngineName.EXPLICIT, EngineName.SMT])
def test_blocks_run_with_the_values_that_variables_had(engine: EngineName) -> None:
    found = check(Source("b.litmus", TEXT), engine=engine)
    assert isinstance(found, Judged)
    assert (found.holds, found.undefined) == (True, ())


def test_the_machine_runs_them() -> None:
    ran = run(Source("b.litmus", TEXT), runs=5)
    assert (ran.positive, ran.problems) == (5, ())


def test_a_block_is_a_kernel_that_shows_what_it_was_passed() -> None:
    threads = {thread.name: thread for thread in parse(Source("b.litmus", TEXT)).program.threads}
    assert [r.name for r in threads["parent_block4[0]"].registers if not r.is_parameter] == ["p", "k"]
    assert {"parent_block1[1]", "parent_block2[0]", "parent_block3_block1[1]"} <= threads.keys()


def test_what_is_printed_is_read_again() -> None:
    printed = format_test(Source("b.litmus", TEXT))
    assert "void (^first)(void) = ^{ work(a, get_global_id(0)); };" in printed
    assert format_test(Source("b.litmus", printed)) == printed


def test_a_child_learns_of_its_parent_through_fine_grain_svm_only() -> None:
    text = """OPENCL t
{ KIND [x]=0; }
kernel K (global int* x) {
  *x = 1;
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ int r0 = *x; });
}
launch K global 1;
exists (K_block1[0]:r0=0)
"""
    for kind, races in (("fine_svm", False), ("coarse_svm", True), ("buffer", True)):
        found = check(Source("t.litmus", text.replace("KIND", kind)))
        assert isinstance(found, Judged)
        assert bool(found.undefined) is races, kind


def test_a_kernel_file_knows_the_buffers_of_its_blocks() -> None:
    text = """kernel void K(global int *x, int n) {
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(n),
    ^{ x[get_global_id(0)] = 1; });
}"""
    request = KernelRequest(launches=("K global 1",), initial=("n = 3",), questions=("forall x[2]=1",))
    found = check(KernelSource("b.cl", text, request=request))
    assert isinstance(found, Judged)
    assert found.holds


def errors(body: str) -> list[str]:
    text = f"OPENCL t\n{{ }}\nkernel K (global int* x) {{\n{body}\n}}\nlaunch K global 1;\nexists (x=0)\n"
    with pytest.raises(InputError) as raised:
        parse(Source("k.litmus", text))
    return [f"{d.code} {d.span.line}:{d.span.column}" for d in raised.value.diagnostics if d.is_error]


RANGE = "CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1)"


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("clk_event_t e; capture_event_profiling_info(e, CLK_PROFILING_COMMAND_EXEC_TIME, x);", ["E100 4:16"]),
        (f"int k; enqueue_kernel(get_default_queue(), {RANGE}, ^{{ k = 1; }});", ["E124 4:89"]),
        (f"enqueue_kernel(get_default_queue(), {RANGE}, 1, &e, NULL, ^{{ *x = 1; }});", ["E161 4:83"]),
        (f"enqueue_kernel(get_default_queue(), {RANGE}, 0, NULL, &e, ^{{ *x = 1; }});", ["E161 4:89"]),
        ("enqueue_kernel(get_default_queue(), 0, ndrange_1D(1.5, 1, 1), ^{ *x = 1; });", ["E169 4:51"]),
        (
            f"clk_event_t e[2]; enqueue_kernel(get_default_queue(), {RANGE}, 0, NULL, &e[1.5], ^{{ *x = 1; }});",
            ["E169 4:107"],
        ),
        (
            f"clk_event_t e[2]; enqueue_kernel(get_default_queue(), {RANGE}, 1, &e[1.5], NULL, ^{{ *x = 1; }});",
            ["E169 4:100"],
        ),
        ("enqueue_marker(get_default_queue(), 0, NULL, NULL);", ["E166 4:1"]),
        (f"enqueue_kernel(get_default_queue(), {RANGE}, ^(local void* p) {{ *x = 1; }});", ["E169 4:79"]),
        (f"enqueue_kernel(get_default_queue(), {RANGE}, ^(global int* p) {{ *x = 1; }}, 4);", ["E169 4:79"]),
        (f"enqueue_kernel(get_default_queue(), {RANGE}, ^{{ *x = 1; }}, 4);", ["E169 4:79"]),
        ("int k = ^{ *x = 1; };", ["E040 4:9"]),
    ],
)
def test_misuse_is_named(body: str, wanted: list[str]) -> None:
    assert errors(body) == wanted
