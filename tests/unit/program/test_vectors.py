"""Vectors as operands: component by component."""

from __future__ import annotations

import pytest

from mcm import EngineName, InputError, Judged, Source, check, parse, run

TEXT = """OPENCL vectors
{ p.x = {1, 2}; p.y = {10, 20}; q.x[2] = 0; q.y[2] = 0; }
int sum(int2 v) { return v.x + v.y; }
kernel K (global int2* p, global int2* q) {
  int2 a = p[0] + p[1] * 2, b = (int2)(7), c = -a;
  int4 d = (int4)(a, 1, 2);
  int k = 3;
  a += k;
  q[0] = a - (int2)(1, b.x) + (b << 1);
  q[1] += p[0];
  q[1] += 5;
  int r = sum(a + b) + d.z;
}
launch K global 1;
forall (q.x[0]=21 /\\ q.y[0]=60 /\\ q.x[1]=6 /\\ q.y[1]=15
  /\\ K[0]:c.x=-5 /\\ K[0]:c.y=-50 /\\ K[0]:r=76 /\\ K[0]:d.y=50)
"""


@pytest.mark.parametrize("engine", [EngineName.EXPLICIT, EngineName.SMT])
def test_operators_work_on_components(engine: EngineName) -> None:
    found = check(Source("v.litmus", TEXT), engine=engine)
    assert isinstance(found, Judged)
    assert (found.holds, found.undefined) == (True, ())


def test_the_machine_computes_the_same() -> None:
    ran = run(Source("v.litmus", TEXT), runs=2)
    assert (ran.positive, ran.problems) == (2, ())


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("int2 v; for (int i = 0; i < 1; v = (int2)(v.y, v.x)) { i++; }", "E100 4:36"),
        ("float2 v; v = cross(v, v);", "E119 4:15"),
        ("int2 v; v = normalize(v, v);", "E100 4:13"),
        ("float4 v; v = cross(v, vload4(atomic_fetch_add((global atomic_int*)x, 1), (global float*)0));", "E100 4:31"),
        ("int2 v; int4 w; v = v + w;", "E122 4:25"),
        ("int2 v; v = v * atomic_fetch_add((global atomic_int*)x, 1);", "E100 4:17"),
        ("int4 v = (int4)(1, 2, 3);", "E131 4:16"),
        ("int3 v; int2 w = v.xw;", "E183 4:20"),
        ("int3 v; int2 w = v.lo;", "E183 4:20"),
        ("int4 v; int2 w = v.xyz;", "E122 4:18"),
        ("int2 v; if (v) { *x = 1; }", "E100 4:13"),
        ("int2 v; int r = v + 1;", "E100 4:17"),
    ],
)
def test_what_is_not_known_is_named(body: str, wanted: str) -> None:
    text = f"OPENCL t\n{{ }}\nkernel K (global int* x) {{\n{body}\n}}\nlaunch K global 1;\nexists (x=0)\n"
    with pytest.raises(InputError) as raised:
        parse(Source("k.litmus", text))
    assert [f"{d.code} {d.span.line}:{d.span.column}" for d in raised.value.diagnostics if d.is_error] == [wanted]


GEOMETRY = """OPENCL geometry
{ p.x[2] = {3, 1}; p.y[2] = {4, 2}; p.z[2] = {0, 3}; p.w[2] = {0, 9}; }
kernel K (global float4* p) {
  float3 a = (float3)(p[0].x, p[0].y, p[0].z), b = (float3)(1.0f, 2.0f, 3.0f), c = cross(a, b), zero = (float3)(0.0f);
  float4 d = cross(p[0], p[1]);
  float3 n = normalize(a) * length(a) + fast_normalize(zero);
  float r = dot(a, b) + distance(a, zero) + fast_length(a) + fast_distance(a, a);
  a = a / length(a);
  b = (float3)(b.z, b.x, b.y);
  p[0] = normalize(p[0]);
  int even = c.x == 12 && c.y == -9 && c.z == 2 && d.x == 12 && d.y == -9 && d.z == 2 && d.w == 0;
  int unit = a.x == 3.0f / 5 && a.y == 4.0f / 5 && p[0].y == 4.0f / 5 && fabs(n.x - 3) < 0.0001f;
}
launch K global 1;
forall (K[0]:even=1 /\\ K[0]:unit=1 /\\ K[0]:r=21 /\\ K[0]:b.x=3 /\\ K[0]:b.y=1 /\\ K[0]:b.z=2)
"""


@pytest.mark.parametrize("engine", [EngineName.EXPLICIT, EngineName.SMT])
def test_geometric_functions(engine: EngineName) -> None:
    found = check(Source("g.litmus", GEOMETRY), engine=engine)
    assert isinstance(found, Judged)
    assert (found.holds, found.undefined) == (True, ())
    assert not any("#" in name for state in found.states for name in dict(state.values))


def test_the_machine_computes_geometric_functions() -> None:
    ran = run(Source("g.litmus", GEOMETRY), runs=2)
    assert (ran.positive, ran.problems) == (2, ())


def test_components_that_are_swapped_in_loops_and_functions() -> None:
    text = """OPENCL swapped
    { }
    int turned(int2 v) { v = (int2)(v.y, -v.x); v *= v.x + 1; return v.x * 10 + v.y; }
    kernel K () {
      int2 v = (int2)(1, 2);
      float2 w = (float2)(0.5f, 2.0f);
      for (int i = 0; i < 3; i++) { v = (int2)(v.y, v.x); w += (float2)(1.0f, w.x); }
      int r = turned(v), s = w.y * 2;
    }
    launch K global 1;
    forall (K[0]:v.x=2 /\\ K[0]:v.y=1 /\\ K[0]:r=16 /\\ K[0]:s=13)
    """
    for engine in (EngineName.EXPLICIT, EngineName.SMT):
        assert check(Source("s.litmus", text), engine=engine).holds


SWIZZLES = """OPENCL swizzles
{ p.x = {1, 5}; p.y = {2, 6}; p.z = {3, 7}; p.w = {4, 8}; }
struct pair { int lo; int hi; };
kernel K (global int4* p) {
  int4 v = p[1].wzyx, u = (int4)(v.lo, v.hi.yx);
  int2 a = v.s03, b = p[0].even + u.odd;
  v.xy = v.yx;
  v.zw += (int2)(10, 20);
  p[0].lo = (int2)(7);
  int8 e = (int8)(u, p[0]);
  e.s7 = e.lo.x + e.s0;
  int16 f = (int16)(e, e * 2);
  int r = f.sF + f.s8 + dot(((float2)(1.0f, 2.0f)).xy, (float2)(3.0f));
  struct pair s; s.lo = 1; s.hi = s.lo + 1;
}
launch K global 1;
forall (K[0]:v.x=7 /\\ K[0]:v.y=8 /\\ K[0]:v.z=16 /\\ K[0]:v.w=25 /\\ K[0]:u.z=5 /\\ K[0]:u.w=6
  /\\ K[0]:a.x=8 /\\ K[0]:a.y=5 /\\ K[0]:b.x=8 /\\ K[0]:b.y=9 /\\ p.x[0]=7 /\\ p.y[0]=7 /\\ p.z[0]=3
  /\\ K[0]:e.s4=7 /\\ K[0]:e.s7=16 /\\ K[0]:r=57 /\\ K[0]:s.hi=2)
"""


@pytest.mark.parametrize("engine", [EngineName.EXPLICIT, EngineName.SMT])
def test_swizzles(engine: EngineName) -> None:
    found = check(Source("w.litmus", SWIZZLES), engine=engine)
    assert isinstance(found, Judged)
    assert (found.holds, found.undefined) == (True, ())


def test_the_machine_computes_swizzles() -> None:
    ran = run(Source("w.litmus", SWIZZLES), runs=2)
    assert (ran.positive, ran.problems) == (2, ())


def test_a_vector_begins_with_a_number_in_each_component() -> None:
    text = "OPENCL n\n{ }\nkernel K () { float4 v = 0.5f, w = v.wwww * 2; int2 u; u.xy = 3; int r = w.z + u.y; }\n"

    assert check(Source("n.litmus", f"{text}launch K global 1;\nforall (K[0]:r=4 /\\ K[0]:u.x=3)\n")).holds
