"""Pointers to structures and vectors that step in expressions, and calls behind `?:` that return these."""

from __future__ import annotations

import pytest

from mcm import EngineName, InputError, Judged, KernelRequest, KernelSource, check, parse, run

TEXT = """
struct pair {{ int a; int b; }};
int2 twice(int2 v) {{ return v * 2; }}
int2 moved(global int2* v, int2 w) {{ *v += w; return *v + w; }}
struct pair swapped(struct pair p) {{ struct pair q; q.a = p.b; q.b = p.a; return q; }}
int2 least(int2 v, int2 w) {{ return v.x < w.x ? twice(v) : w; }}
kernel void K(global struct pair* p, global int2* v, global int* out) {{
  int n = 0;
  {}
}}
"""
VALUES = {
    "p->a = 1; (p++)->b = 2; p->a = 3; p--; out[0] = p[0].b * 10 + p[1].a;": 23,
    "global struct pair* q = p; q++->a = 5; *q = *p; out[0] = p[1].a;": 5,
    "global int2* w = v; *w++ = (int2)(1, 2); *w = (int2)(3); w--; int2 u = *w++; out[0] = u.y * 10 + w->x;": 23,
    "int2 t[3] = {{1, 2}, {3, 4}, {5, 6}}; int2* w = t + 2; int2 u = *--w; out[0] = u.x + (w++)->y;": 7,
    "int2 t[2] = {{1, 2}, {3, 4}}; int2* w = t; while (w < t + 2) n += (w++)->y; out[0] = n;": 6,
    "int2 a = (int2)(1, 2); int2 b = n == 0 ? twice(a) : a; out[0] = b.x * 10 + b.y;": 24,
    "int2 a = (int2)(1, 2); const int2 b = n ? twice(a) : a; out[0] = b.y;": 2,
    "struct pair q = {1, 2}; q = n ? q : swapped(q); out[0] = q.a * 10 + q.b;": 21,
    "out[0] = least((int2)(1, 2), (int2)(3, 4)).y;": 4,
    "int2 a, b; a = b = (int2)(1, 2); out[0] = a.x + b.y;": 3,
    "int2 a = (int2)(1, 2); v[0] = a = a * 2; out[0] = v[0].x * 10 + a.y;": 24,
    "int2 a = (int2)(1, 2); a = v[1] = a.yx; out[0] = v[1].x * 10 + a.y;": 21,
    "struct { int2 lo, hi; } s; s.lo = s.hi = (int2)(3, 4); out[0] = s.lo.x + s.hi.y;": 7,
    # A call stands before what it cannot change.
    "int2 a = (int2)(1, 2), b = moved(v, a) - a; out[0] = b.x * 10 + b.y;": 12,
    "int2 a = (int2)(1, 2); v[1] = max(a * 2, -moved(v, a)); out[0] = v[1].x * 10 + v[0].y;": 22,
    "struct pair q = n ? (struct pair){1, 2} : (struct pair){3, 4}, r = {5, 6}; out[0] = q.b + r.a;": 9,
    "struct pair q; q = n == 0 ? (struct pair){1, 2} : *p; out[0] = q.b;": 2,
    "struct pair q = {1, 2}, r = {3, 4}; struct pair s = n ? q : r; out[0] = s.a * 10 + s.b;": 34,
    "struct pair q = {1, 2}, r = {3, 4}; const struct pair s = n ? q : n == 0 ? r : q, t = q; out[0] = s.b + t.a;": 5,
    "struct pair q = {1, 2}; p[1] = n == 0 ? q : *p; p[0] = n ? q : p[1]; out[0] = p[0].a * 10 + p[1].b;": 12,
    "struct pair q = {1, 2}, r = {3, 4}; q = q.a == 1 ? r : q; out[0] = q.a;": 3,
    "struct { struct pair in; } o; o.in.a = 7; struct pair q = {1, 2}; q = n ? q : o.in; out[0] = q.a;": 7,
    "v[0].s1 = 4; struct { int2 w; } s; s.w = v[0]; s.w.s0 = 3; out[0] = s.w.s1 + s.w.x;": 7,
}


def source(body: str, value: int = 0) -> KernelSource:
    request = KernelRequest(("K global 1",), (), ("p[2]", "v[2]", "out[1]"), (f"forall (out[0]={value})",))
    return KernelSource("k.cl", TEXT.format(body), request)


@pytest.mark.parametrize(("body", "value"), VALUES.items())
def test_values(body: str, value: int) -> None:
    asked = source(body, value)
    for engine in (EngineName.EXPLICIT, EngineName.SMT):
        found = check(asked, engine=engine)
        assert isinstance(found, Judged)
        assert (found.holds, found.undefined) == (True, ()), engine
    ran = run(asked, runs=1)
    assert (ran.positive, ran.problems) == (1, ())


def test_what_is_not_chosen_is_not_called() -> None:
    text = TEXT.replace("return v * 2;", "return v / 0;").format(
        "int2 a = v[0]; int2 b = n ? twice(a) : a; out[0] = b.x;"
    )
    assert check(KernelSource("k.cl", text, source("").request)).undefined == ()


@pytest.mark.parametrize("body", ["*p++ = *p;", "n = n && (p++)->a;", "v[0] = (int2)(*v++);"])
def test_steps_whose_order_may_be_seen_are_refused(body: str) -> None:
    with pytest.raises(InputError):
        parse(source(body))


@pytest.mark.parametrize(
    "body",
    [
        "int2 a = moved(v, (int2)(1)) + v[0];",
        "int2 a = (int2)(1), *b = &a; int2 c = moved(v, *b) + a;",
        "local int2 a; int2 c = moved(v, (int2)(1)) + a;",
        "v[1] = v[0] = (int2)(1);",
        "int2 a = (int2)(1); v[a.x] = a = (int2)(0);",
    ],
)
def test_what_may_come_in_another_order_is_refused(body: str) -> None:
    with pytest.raises(InputError):
        check(source(body))


@pytest.mark.parametrize(
    "statement",
    [
        "swapped(n ? q : r);",
        "out[0] = swapped(n ? q : r).a;",
        "int m = 0; p[m++] = n ? q : r;",
        "p[n] = n++ ? q : r;",
        "struct pair t[2] = {n ? q : r, q};",
        "struct { struct pair in; int k; } o = {n ? q : r, 1};",
    ],
)
def test_a_structure_that_is_chosen_inside_an_expression_is_refused(statement: str) -> None:
    with pytest.raises(InputError) as raised:
        parse(source(f"struct pair q = {{1, 2}}, r = {{3, 4}}; {statement}"))

    (found,) = raised.value.diagnostics
    assert (found.code, found.span.text.replace("++", "")) == ("E100", "n ? q : r")
    assert f"give it a name, 's = {found.span.text};'" in found.message
