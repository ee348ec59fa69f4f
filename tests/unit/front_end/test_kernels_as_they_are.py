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
