"""Mistakes of people who come from CUDA, C++, Rust or shaders: each is named, and what to write instead."""

from __future__ import annotations

import pytest

import mcm

LITMUS = """OPENCL t
{{ }}
P0 (global atomic_int* x) {{
  {}
}}
exists (x=1)
"""
KERNEL = "kernel void k(global int *x) {{\n  {}\n}}\n"

IN_A_THREAD = [
    ("__syncthreads();", "3:__syncthreads", "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)"),
    ("__threadfence();", "3:__threadfence", "memory_scope_device)"),
    ("int i = threadIdx.x;", "3:threadIdx", "get_local_id(0)"),
    ("int i = blockDim.x * blockIdx.x;", "3:blockDim", "get_local_size(0)"),
    ("__shared__ int t;", "3:__shared__", "'local'"),
    ("x.store(1, Ordering::Release);", "3:x.store", "atomic_store(x, …)"),
    ("int r = x->load(memory_order_acquire);", "3:x->load", "atomic_load(x)"),
    ("int r = x->size();", "3:x->size", "a call of a function of a class"),
    ("atomic_store_explicit(x, 1, std::memory_order_release);", "3:std::memory_order_release", "memory_order_release"),
    ("atomic_store_explicit(x, 1, memory_order::release);", "3:memory_order::release", "memory_order_release"),
    ("atomic_store_explicit(x, 1, Ordering::SeqCst);", "3:Ordering::SeqCst", "memory_order_seq_cst"),
    ("let mut r = 1;", "3:let", "this is Rust"),
    ("constexpr int n = 4;", "3:constexpr", "'const'"),
    ("auto r = 1;", "3:r", "'auto' deduces none"),
    ("int *p = malloc(4);", "3:malloc", "OpenCL C has no 'malloc', which is a function of C"),
    ("if (1) { } elif (2) { }", "3:elif", "else if"),
]


def complaints(text: str) -> list[tuple[str, str]]:
    with pytest.raises(mcm.InputError) as caught:
        mcm.parse(text)
    return [(f"{one.span.line - 1}:{one.span.text}", one.message) for one in caught.value.diagnostics]


@pytest.mark.parametrize(("statement", "place", "words"), IN_A_THREAD, ids=[one for one, _, _ in IN_A_THREAD])
def test_a_statement_of_another_language_is_named(statement: str, place: str, words: str) -> None:
    found = complaints(LITMUS.format(statement))
    assert [where for where, message in found if words in message] == [place], found


def test_names_that_only_look_foreign_are_names() -> None:
    """Words of other languages may be names here; a mistake behind one is that mistake."""
    text = LITMUS.format("int shared = 1; int let = shared; shared = let +;")
    assert [place for place, _ in complaints(text)] == ["3:;"]
    good = LITMUS.format("int shared = 1; int let = shared + 1; int new = let;")
    assert mcm.parse(good).header.name == "t"


def test_a_cuda_kernel_is_told_from_a_launch_of_nothing() -> None:
    request = mcm.KernelRequest(launches=("k global 2",))
    with pytest.raises(mcm.InputError) as caught:
        mcm.parse(mcm.KernelSource("k.cl", "__global__ void k(int *x) { x[0] = 1; }\n", request))
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.code, diagnostic.span.text) == ("E181", "__global__")
    assert diagnostic.message.endswith("this is CUDA, here it is 'kernel'")


def test_a_vector_is_not_made_as_in_cuda() -> None:
    request = mcm.KernelRequest(launches=("k global 2",))
    source = mcm.KernelSource("k.cl", KERNEL.format("int4 v = make_int4(1, 2, 3, 4); x[0] = v.x;"), request)
    with pytest.raises(mcm.InputError, match=r"unknown function 'make_int4': this is CUDA, here it is '\(int4\)\(…\)'"):
        mcm.parse(source)


@pytest.mark.parametrize(("written", "meant"), [("&", "/\\"), ("and", "/\\"), ("|", "\\/"), ("or", "\\/")])
def test_connectives_of_other_languages(written: str, meant: str) -> None:
    text = LITMUS.format("int r = 1;").replace("x=1", f"x=1 {written} 0:r=1")
    ((_, message),) = complaints(text)
    assert message.endswith(f"found '{written}'; did you mean '{meant}'?")


def test_registers_that_a_thread_has_are_named() -> None:
    ((_, message),) = complaints(LITMUS.format("int value = 1; int other = 2;").replace("x=1", "0:r9=1"))
    assert message == "thread P0 has no register 'r9'; it has 'value', 'other'"


def test_members_of_what_is_nothing() -> None:
    found = complaints(LITMUS.format("int j = 1; int i = foo.x; goo.x = 1; j.x = 2; int k = j.y;"))
    assert found == [
        ("3:foo", "unknown name 'foo'"),
        ("3:goo", "unknown name 'goo'"),
        ("3:j.x", "'j' is no structure or vector: it has no members"),
        ("3:j.y", "'j' is no structure or vector: it has no members"),
    ]


def of_program(body: str) -> list[tuple[str, int, int]]:
    text = "#include <sycl/sycl.hpp>\nint main() {\n  sycl::queue q;\n" + body + "}\n"
    with pytest.raises(mcm.InputError) as caught:
        mcm.parse(mcm.KernelSource("p.cpp", text))
    return [(one.message, one.span.line, one.span.column) for one in caught.value.diagnostics]


@pytest.mark.parametrize(
    ("body", "message", "line", "column"),
    [
        ("  int x = 1\n  q.wait();\n", "expected ';' after '1', found 'q'", 4, 12),
        ("  sycl::queue r\n  r.wait();\n", "expected ';' after 'r', found 'r'", 4, 16),
        ("  int x = 1;\n  return x\n", "expected ';' after 'x', found '}'", 5, 11),
        ("  int x = 1;\n  return (x + 1)\n", "expected ';' after ')', found '}'", 5, 17),
    ],
)
def test_a_semicolon_is_missing_at_the_end_of_its_line(body: str, message: str, line: int, column: int) -> None:
    assert of_program(body) == [(message, line, column)]


def test_words_of_cuda_in_a_sycl_program() -> None:
    kernel = "  q.parallel_for(sycl::range<1>(4), [=](sycl::id<1> i) { int r = threadIdx.x; __syncthreads(); });\n"
    assert [message for message, _, _ in of_program(kernel)] == [
        "unknown name 'threadIdx': this is CUDA",
        "unknown function '__syncthreads': this is CUDA",
    ]
