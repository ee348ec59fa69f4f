"""Shapes of public kernels, with what OpenCL C says that they leave behind."""

from __future__ import annotations

import pytest

from mcm import Judged, KernelRequest, KernelSource, check


def assert_leaves(text: str, question: str, *initial: str, launch: str = "K global 2, local 2") -> None:
    """Assert that a kernel is well-defined, and always ends so."""
    request = KernelRequest((launch,), initial=initial, questions=(f"forall {question}",))
    found = check(KernelSource("k.cl", text, request))

    assert isinstance(found, Judged)
    assert (found.undefined, found.holds) == ((), True)


DECLARED = """
kernel void K(global int* out);
__kernel void L(__global int* out);
static int next(int n);
kernel void K(global int* out) { out[get_global_id(0)] = next(1); L(out); }
__kernel void L(__global int* out) { out[get_global_id(0)] += 1; }
static int next(int n) { return n + 1; }
"""


def test_a_kernel_may_be_declared_before_it_is_defined() -> None:
    assert_leaves(DECLARED, "(out[0]=3 /\\ out[1]=3)")


POINTERS = {
    "through a parameter": (
        "void pick(global int** p, int k, global int* base) { *p = base + k; }",
        "global int* p; pick(&p, 3 * i, a); o[i] = *p;",
    ),
    "in an array": ("", "global int* p[2]; p[0] = a; p[1] = a + 3; global int** q = p; o[i] = *q[i];"),
    "that moves": ("", "global int* p[2]; p[0] = a; p[1] = a + 3; global int** q = p; q += i; o[i] = **q;"),
}


@pytest.mark.parametrize(("functions", "body"), POINTERS.values(), ids=POINTERS)
def test_private_pointers_to_global_memory_have_addresses(functions: str, body: str) -> None:
    text = f"{functions} kernel void K(global int* a, global int* o) {{ int i = get_global_id(0); {body} }}"
    assert_leaves(text, "(o[0]=1 /\\ o[1]=4)", "int a[4] = {1, 2, 3, 4}")


HALVES = {
    "float2 v = vload_half2(0, h + 1); o[0] = v.x + v.y;": "o[0]=5",
    "float3 v = vloada_half3(1, h); o[0] = v.x + v.z;": "o[0]=12",
    "o[0] = dot(vload_half4(1, h).xy, (float2)(1.0f, 4.0f));": "o[0]=29",
    "vstore_half2((float2)(2049.0f, 1.0f), 1, h);": "(h[2]=2048 /\\ h[3]=1)",
    "vstorea_half3_rte((float3)(1, 2, 3), 1, h);": "(h[4]=1 /\\ h[6]=3 /\\ h[7]=8)",
}


@pytest.mark.parametrize(("body", "question"), HALVES.items())
def test_vectors_of_halves(body: str, question: str) -> None:
    text = f"kernel void K(global half* h, global float* o) {{ {body} }}"
    assert_leaves(text, question, "half h[8] = {1, 2, 3, 4, 5, 6, 7, 8}", "float o[1]", launch="K global 1")


LOADED = {
    "o[0] = vload4(0, f + 1).y;": "o[0]=2",
    "o[0] = as_uchar4(0x01020304).z;": "o[0]=2",
    "vstore2(vload2(1, f), 0, o);": "(o[0]=2 /\\ o[1]=3)",
}


@pytest.mark.parametrize(("body", "question"), LOADED.items())
def test_vectors_without_a_type(body: str, question: str) -> None:
    text = f"kernel void K(global float* f, global float* o) {{ {body} }}"
    assert_leaves(text, question, "float f[5] = {0, 1, 2, 3, 4}", "float o[2]", launch="K global 1")


SCRATCH = {
    "a parameter": ("local uchar* s", "local uint* c = (local uint*)s;"),
    "an array": ("", "local uchar s[4]; local uint* c = (local uint*)s;"),
    "behind others": (
        "",
        "local char s[12]; local uint* c = (local uint*)(s + 4); local float* f = (local float*)&s[8]; *f = 1;",
    ),
}


@pytest.mark.parametrize(("parameter", "body"), SCRATCH.values(), ids=SCRATCH)
def test_scratch_of_bytes_that_is_seen_as_words(parameter: str, body: str) -> None:
    first = parameter and f"{parameter}, "
    text = f"""kernel void K({first}global uint* o) {{
      {body.replace("*f = 1;", "if (get_local_id(0) == 1) *f = 1;")}
      if (get_local_id(0) == 0) *c = 3;
      barrier(CLK_LOCAL_MEM_FENCE);
      atomic_inc(c);
      barrier(CLK_LOCAL_MEM_FENCE);
      o[get_global_id(0)] = *c;
    }}"""
    assert_leaves(text, "(o[0]=5 /\\ o[1]=5)")


def test_scratch_of_which_bytes_are_accessed_stays_one_of_bytes() -> None:
    text = """kernel void K(global uint* o) {
      local uchar s[4];
      s[get_local_id(0)] = 2 - get_local_id(0); s[get_local_id(0) + 2] = 0;
      barrier(CLK_LOCAL_MEM_FENCE);
      o[get_global_id(0)] = *(local uint*)s;
    }"""
    assert_leaves(text, "o[0]=258")


VECTORS = {
    "int4 v = (int4)(1, 2, 3, 4); int k = 2; v[1] = 7; v[k] += v[0]; o[0] = v.y; o[1] = v.z;": (7, 4),
    "int4 v = a[0]; int4 w = v + v; w.x = w[1] + 1; o[0] = w[0]; o[1] = v[3];": (5, 4),
    "int4 r = shuffle(a[0], (uint4)(3, 2, 1, 0)); o[0] = r.x; o[1] = r.w;": (4, 1),
    "int k = 1; int4 r = shuffle2(a[0], a[k], (uint4)(7, 0, 3, 1)); o[0] = r.x; o[1] = r.y;": (8, 1),
    "int4 r; r = shuffle(*a + 1, (uint4)(2)) + 1; o[0] = r.z; if (r.x) o[1] = shuffle(a[1], (uint4)(1)).x;": (5, 6),
    "int4 v = (int4)(0); o[0] = vec_step(v) + vec_step(a[0]); o[1] = vec_step(float3) * 10 + vec_step(int);": (8, 41),
}


@pytest.mark.parametrize(("body", "values"), VECTORS.items())
def test_elements_of_vectors(body: str, values: tuple[int, int]) -> None:
    text = f"kernel void K(global int4* a, global int* o) {{ {body} }}"
    question = f"(o[0]={values[0]} /\\ o[1]={values[1]})"
    assert_leaves(text, question, "a[2] = {{1, 2, 3, 4}, {5, 6, 7, 8}}", "int o[2]", launch="K global 1")


def test_all_of_a_vector_is_read_that_is_shuffled() -> None:
    text = "kernel void K(global int4* a) { if (get_local_id(0)) a->w = 1; else a[1] = shuffle(a[0], (uint4)(0)); }"
    found = check(KernelSource("k.cl", text, KernelRequest(("K global 2, local 2",))))
    assert {one.kind for one in found.undefined} == {"data-race"}


def test_a_variable_may_be_named_event() -> None:
    text = """kernel void k(global const int* src, global int* dst, local int* t) {
      event_t event = async_work_group_copy(t, src, 1, 0);
      event = async_work_group_copy(t + 1, src + 1, 1, event);
      wait_group_events(1, &event);
      dst[get_local_id(0)] = t[get_local_id(0)];
    }"""
    request = KernelRequest(
        ("k global 2, local 2",), initial=("int src[2] = {3, 4}",), questions=("forall (dst[1]=4)",)
    )
    found = check(KernelSource("copies.cl", text, request))
    assert isinstance(found, Judged)
    assert (found.holds, found.undefined) == (True, ())
