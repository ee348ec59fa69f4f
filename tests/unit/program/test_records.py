"""Structures and small vectors, by member."""

from __future__ import annotations

import pytest

from mcm import EngineName, InputError, Judged, KernelRequest, KernelSource, Source, check, format_test, parse, run

ENGINES = (EngineName.EXPLICIT, EngineName.SMT)

TEXT = """OPENCL records
{ p.a = {1, 2}; p.b[2] = 0; p.more[4] = 0; f.y = 7; }
struct pair { int a; atomic_int b; int more[2]; };
struct nested { struct pair inner; int2 v; };
int sum(global struct pair* q, int i) { return q[i].a + q->a + q[i].more[1]; }
int both(const int2 v) { return v.x * 10 + v.y; }
kernel K (global struct pair* p, global int2* f) {
  int i = get_global_id(0);
  local struct nested n;
  int2 v = (int2)(3, 4);
  int2 w = {5}, u[2];
  w.y = v.x;
  v = w;
  u[1] = v;
  u[0].x = 0;
  p[i].more[1] = 10 * i;
  atomic_fetch_add(&p[i].b, 5);
  int r = sum(p, i) + sum(&p[i], 0);
  int t = both(v) + both(u[1]);
  if (i == 0) { n.v.x = 4; n.inner.a = n.v.x + f->y; (*f).x = v.s0; }
  global struct pair* q = p + 1;
  int z = q->a;
}
launch K global 2;
forall (K[0]:r=4 /\\ K[1]:r=27 /\\ K[1]:t=106 /\\ K[0]:z=2 /\\ f.x=5 /\\ p.b[1]=5 /\\ K[0]:v.y=3 /\\ n.inner.a@wg0=11)
"""


def complaints(text: str) -> list[str]:
    with pytest.raises(InputError) as raised:
        parse(Source("k.litmus", text))
    return [f"{d.code} {d.span.line}:{d.span.column}" for d in raised.value.diagnostics if d.is_error]


def test_members_are_variables_of_their_own() -> None:
    for engine in ENGINES:
        found = check(Source("r.litmus", TEXT), engine=engine)
        assert isinstance(found, Judged)
        assert (found.holds, found.undefined) == (True, ())
    ran = run(Source("r.litmus", TEXT), runs=3)
    assert (ran.positive, ran.problems) == (3, ())


def test_each_member_races_alone() -> None:
    text = """OPENCL t
    { }
    P0@wg 0 (global int2* f) { f->x = 1; }
    P1@wg 1 (global int2* f) { f->SECOND = 2; }
    exists (f.x=1)"""

    for engine in ENGINES:
        assert check(Source("t", text.replace("SECOND", "y")), engine=engine).undefined == ()
        assert check(Source("t", text.replace("SECOND", "x")), engine=engine).undefined != ()


def test_printing_keeps_structures() -> None:
    printed = format_test(Source("r.litmus", TEXT))

    assert "struct pair {\n  int a;\n  atomic_int b;\n  int more[2];\n};" in printed
    assert format_test(Source("r.litmus", printed)) == printed
    assert parse(Source("r.litmus", printed)).tree == parse(Source("r.litmus", TEXT)).tree


def test_structures_of_kernel_files() -> None:
    text = """typedef struct { int head; int items[4]; } Queue;
    struct point { float x, y; };
    typedef struct point Point;
    void push(global Queue* q, int v) { q->items[q->head++] = v; }
    kernel void K(global Queue* q, global Point* at, global int2* out) {
      push(q, 5); push(q, 6); at[get_global_id(0)].y = 1.5f; out[0].x = q->items[1];
    }"""
    request = KernelRequest(("K global 1",), initial=("q.items[4] = 0",), questions=("forall out.x[0]=6 /\\ q.head=2",))

    found = check(KernelSource("q.cl", text, request))
    assert isinstance(found, Judged)
    assert (found.holds, found.undefined) == (True, ())


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("p->c = 1;", ["E183 4:34"]),
        ("p.a = 1;", ["E119 4:31"]),
        ("int2 v; v->x = 1;", ["E119 4:39"]),
        ("int i; i.x = 1;", ["E119 4:38"]),
        ("int2 v = 3;", ["E131 4:40"]),
        ("int2 v = {1, 2, 3};", ["E131 4:47"]),
        ("int2 v; int r = v;", ["E100 4:47"]),
        ("int2 v; v.xy = 1;", ["E183 4:41"]),
        ("struct none n;", ["E145 4:31"]),
        ("int16 v;", ["E100 4:31"]),
        ("int2 v; int3 w; v = w;", ["E122 4:51"]),
    ],
)
def test_complaints(body: str, expected: list[str]) -> None:
    text = "OPENCL t\n{ }\nstruct pair { int a; int b; };\nP0 (global struct pair* p) {  BODY }\nexists (true)"

    assert complaints(text.replace("BODY", body)) == expected
