"""Vectors that a program also sees as arrays of numbers."""

from __future__ import annotations

import pytest

from mcm import EngineName, InputError, Judged, Source, check, parse, run

PRIVATE = """OPENCL private
{ float out[4]; }
float sum(float4 v) { return v.x + v.y + v.z + v.w; }
void put(float4* p, float x) { p->x = x; }
kernel K (global float* out) {
  float4 v = (float4)(1.0f, 2.0f, 3.0f, 4.0f), w = (float4)(1.0f), a[2];
  float* p = (float*)&v;
  float s = 0;
  for (int i = 0; i < 4; i++) s += p[i] * (i + 1);
  out[0] = s;
  v.yz = v.zy;
  p[3] += p[1];
  v += w;
  put(&v, 7.0f);
  out[1] = sum(v);
  a[0] = w; a[1] = v * 2;
  out[2] = ((float*)a)[7] + ((float*)&a[1])[0] + ((float*)(a + 1))[1];
  w = v;
  out[3] = w.w;
}
launch K global 1;
forall (out[0]=30.0 /\\ out[1]=22.0 /\\ out[2]=38.0 /\\ out[3]=8.0)
"""

UNION = """OPENCL union
{ float4 in[1] = {{1, 2, 3, 4}}; float out[3]; }
union four { float4 v; float a[4]; float first; };
kernel K (global const float4* in, global float* out) {
  union four u = {.v = in[0]}, z = {(float4)(0.5f)};
  u.first = 3;
  u.v.y += 2;
  u.a[2] = u.v.y + u.first;
  z.v += u.v;
  out[0] = z.a[0];
  out[1] = z.a[2];
  int last = 3;
  out[2] = u.a[last];
}
launch K global 1;
forall (out[0]=3.5 /\\ out[1]=7.5 /\\ out[2]=4.0)
"""

BUFFER = """OPENCL buffer
{ int4 p[2] = {{1, 2, 3, 4}, {5, 6}}; int sum[2]; }
kernel K (global int4* p, global int* sum) {
  int i = get_global_id(0);
  global int* n = (global int*)p;
  p[i].w += 10;
  global int* mine = (global int*)&p[i];
  mine[0] = n[4 * i + 1];
  sum[i] = mine[0] + p[i].w + p->x * 0;
}
launch K global 2, local 1;
"""

QUEUE = """OPENCL two-kernels
{ queue q = in_order dev 0; float p[8] = {1, 2, 3, 4, 5, 6, 7, 8}; }
kernel a (global float4* p) { p[get_global_id(0)] *= 2.0f; }
kernel b (global float* p) { p[get_global_id(0)] += 1.0f; }
P0@host (global float* p) {
  clEnqueueNDRangeKernel(q, a, 2, 1);
  clEnqueueNDRangeKernel(q, b, 8, 4);
  clFinish(q);
}
forall (p[0]=3.0 /\\ p[7]=17.0)
"""


@pytest.mark.parametrize("text", [PRIVATE, UNION, QUEUE], ids=["private", "union", "two-kernels"])
@pytest.mark.parametrize("engine", [EngineName.EXPLICIT, EngineName.SMT])
def test_both_ways_see_the_same_memory(text: str, engine: EngineName) -> None:
    found = check(Source("v.litmus", text), engine=engine)
    assert isinstance(found, Judged)
    assert (found.holds, found.undefined) == (True, ())


@pytest.mark.parametrize("text", [PRIVATE, UNION, QUEUE], ids=["private", "union", "two-kernels"])
def test_the_machine_computes_the_same(text: str) -> None:
    ran = run(Source("v.litmus", text), runs=2)
    assert (ran.positive, ran.problems) == (2, ())


@pytest.mark.parametrize(
    ("condition", "holds"),
    [("p.x[0]=2 /\\ p.y[1]=6 /\\ p.w[1]=10", True), ("p[0]=2 /\\ p[4]=6 /\\ p[7]=10", True), ("p.s0[1]=5", False)],
)
def test_a_question_may_name_components_or_numbers(condition: str, *, holds: bool) -> None:
    found = check(Source("v.litmus", BUFFER.replace(" + p->x * 0", "") + f"forall ({condition})\n"))
    assert isinstance(found, Judged)
    assert (found.holds, found.undefined) == (holds, ())


def test_an_element_of_the_numbers_is_a_component() -> None:
    found = check(Source("v.litmus", BUFFER + "forall (true)\n"))
    assert isinstance(found, Judged)
    (race,) = found.races
    assert {site.text for site in race.sites} == {"p->x", "mine[0] = n[4 * i + 1]"}
    assert race.location == "p[0]"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # What is no vector somewhere in the kernel is left alone.
        ("float s = 0;", "float s = 0; { int v = 1; s += v; }"),
        ("float s = 0;", "float s = 0; for (float4 v = w; v.x < 0;) s += v.x;"),
        # An array that begins with vectors.
        ("a[2];", "a[2] = {(float4)(1.0f)};"),
        ("(float4)(1.0f), a[2]", "(float4)(1.0f), a[2]; float3 t = (float3)(1.0f); s += ((float*)&t)[0]; float4 b[2]"),
    ],
)
def test_what_cannot_be_an_array_is_refused(before: str, after: str) -> None:
    assert before in PRIVATE
    with pytest.raises(InputError):
        parse(Source("v.litmus", PRIVATE.replace(before, after, 1)))


def test_commands_on_such_vectors_are_refused() -> None:
    text = QUEUE.replace("clFinish", "clEnqueueFillBuffer(q, p, (float4)(0)); clFinish").replace(
        "P0@host (global float*", "P0@host (global float4*"
    )
    with pytest.raises(InputError):
        parse(Source("v.litmus", text))


def test_sub_buffers_of_such_vectors_are_refused() -> None:
    text = BUFFER.replace("int sum[2];", "int sum[2]; s = clCreateSubBuffer(p, 1, 1);")
    text = text.replace("global int* sum)", "global int* sum, global int* s)")
    with pytest.raises(InputError):
        parse(Source("v.litmus", text))
