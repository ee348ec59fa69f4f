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
        ("int2 v; v = (int2)(v.y, v.x);", "E100 4:13"),
        ("int2 v; int4 w; v = v + w;", "E122 4:25"),
        ("int2 v; v = v * atomic_fetch_add((global atomic_int*)x, 1);", "E100 4:17"),
        ("int4 v = (int4)(1, 2, 3);", "E131 4:16"),
        ("int2 v; if (v) { *x = 1; }", "E100 4:13"),
        ("int2 v; int r = v + 1;", "E100 4:17"),
    ],
)
def test_what_is_not_known_is_named(body: str, wanted: str) -> None:
    text = f"OPENCL t\n{{ }}\nkernel K (global int* x) {{\n{body}\n}}\nlaunch K global 1;\nexists (x=0)\n"
    with pytest.raises(InputError) as raised:
        parse(Source("k.litmus", text))
    assert [f"{d.code} {d.span.line}:{d.span.column}" for d in raised.value.diagnostics if d.is_error] == [wanted]
