"""Functions that return structures and vectors, and structures in structures as a whole."""

from __future__ import annotations

import pytest

from mcm import EngineName, InputError, Judged, Source, check, parse, run

ENGINES = (EngineName.EXPLICIT, EngineName.SMT)

TEXT = """OPENCL t
{{ x[4] = 0; int2 v[3] = {{{{1, 2}}, {{3, 4}}, {{0, 0}}}}; b[1] = {{{{1, 2, 3}}}}; rows[2] = 0; }}
struct pair {{ int a; int b; }};
struct box {{ struct pair p; int w; }};
struct row {{ int n; int w[2]; char c; }};
struct row filled(int a) {{ struct row r; r.n = a; r.w[0] = a + 1; r.w[1] = a + 2; r.c = a + 255; return r; }}
struct row element(global struct row* rows, int i) {{ return rows[i]; }}
int sum(struct row r) {{ r.w[0] += 100; return r.n + r.w[0] + 10 * r.w[1]; }}
int twice(const struct row r, int k) {{ return sum(r) + r.w[k]; }}
struct row bigger(struct row r, int by) {{ for (int k = 0; k < 2; k++) {{ r.w[k] += by; }} return r; }}
struct row either(struct row* r) {{ if (r->n) return *r; return filled(5); }}
struct pair make(int a);
struct pair make(int a) {{ return (struct pair){{ a, a + 1 }}; }}
struct pair both(int a) {{ if (a > 1) return make(a); struct pair p = make(a + 10); return p; }}
struct pair counted(global int* x, int a) {{ x[0] += a; struct pair p = {{ a, x[0] }}; return p; }}
int2 add(const int2 v, int2 w) {{ return v + w; }}
int2 product(int2 v, int2 w) {{ return (int2)(v.x * w.x - v.y * w.y, v.x * w.y + v.y * w.x); }}
int2 chosen(int c, int2 v) {{ return c ? v : v.yx; }}
kernel K (global int* x, global int2* v, global struct box* b, global struct row* rows) {{
{body}
}}
launch K global 1;
forall ({condition})
"""


@pytest.mark.parametrize(
    ("body", "condition"),
    [
        ("struct pair p = make(3); int r = p.a * 10 + p.b;", "K[0]:r=34"),
        ("const struct pair p = make(3), q = make(p.b); int r = q.b;", "K[0]:r=5"),
        ("int2 a = (int2)(max(1, add(v[0], v[1]).x), min(9, add(v[0], v[1]).y)); int r = a.x * 10 + a.y;", "K[0]:r=46"),
        ("int r = (x[0], make(4).b);", "K[0]:r=5"),
        ("int2 a = (int2)(1, -add(v[0], v[1]).y); int r = a.y;", "K[0]:r=-6"),
        ("int c = 3; int2 a = (int2)(c, counted(x, 2).b); int r = a.x * 10 + a.y;", "K[0]:r=32"),
        ("int r = both(5).b * 100 + both(0).a;", "K[0]:r=610"),
        ("struct pair p = counted(x, 3); p = counted(x, p.b + 1); counted(x, 1); int r = p.b;", "K[0]:r=7 /\\ x[0]=8"),
        ("if (make(2).a == 2) { x[1] = 1; } int r = 0; switch (make(1).b) { case 2: r = 1; }", "x[1]=1 /\\ K[0]:r=1"),
        ("for (int i = 0; i < 3; i++) { struct pair p = make(i); x[1] += p.b; }", "x[1]=6"),
        ("for (struct pair p = make(0); p.a < 3; p.a++) { x[1] += p.b; }", "x[1]=3"),
        ("struct pair l[2]; l[1] = make(7); int r = l[1].b;", "K[0]:r=8"),
        ("v[2] = add(product(v[0], v[1]), v[0]) * 2;", "v.x[2]=-8 /\\ v.y[2]=24"),
        ("int2 w = v[1]; w += chosen(x[0], w); int r = w.x;", "K[0]:r=7"),
        ("int2 w = add(v[0], add(v[1], v[1])); int r = w.y;", "K[0]:r=10"),
        # Whatever the indices are, all is read before anything is written.
        ("int i = v[2].x; v[0] = v[i].yx;", "v.x[0]=2 /\\ v.y[0]=1"),
        ("struct row p = filled(3); int r = p.n + 10 * p.w[1] + 100 * p.c;", "K[0]:r=253"),
        ("struct row l[2]; l[1] = filled(1); int r = l[1].w[0] * 10 + l[1].w[1];", "K[0]:r=23"),
        ("rows[1] = filled(7); struct row p = element(rows, x[0] + 1); int r = p.w[1];", "K[0]:r=9 /\\ rows.w[3]=9"),
        ("struct row p = filled(0); p = either(&p); p = either(&p); int r = p.w[0];", "K[0]:r=6"),
        ("int r = filled(4).w[1];", "K[0]:r=6"),
        # A function has a copy of the array.
        ("struct row p = filled(1); int r = sum(p); int w = p.w[0];", "K[0]:r=133 /\\ K[0]:w=2"),
        ("rows[1] = filled(1); int r = twice(rows[x[0] + 1], 1);", "K[0]:r=136 /\\ rows.w[2]=2"),
        ("struct row l[2]; l[1] = filled(1); int r = twice(bigger(l[x[0] + 1], 5), 0);", "K[0]:r=195"),
        ("struct box c = {0}; c.p = b[0].p; c.p.a += 1; b[0].p = c.p; int r = b->p.a;", "K[0]:r=2 /\\ b.p.b[0]=2"),
        ("struct box c = b[0]; struct pair q = c.p; b[0].p = make(q.b); int r = b[0].p.b;", "K[0]:r=3"),
    ],
)
def test_what_functions_return(body: str, condition: str) -> None:
    body = body.replace("struct box c = {0};", "struct box c; c.w = 0;")
    text = TEXT.format(body=body, condition=condition)

    for engine in ENGINES:
        found = check(Source("r.litmus", text), engine=engine)
        assert isinstance(found, Judged)
        assert (found.holds, found.undefined) == (True, ()), engine
    assert run(Source("r.litmus", text), runs=2).positive == 2


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("x[1] = x[0] + counted(x, 1).a;", "and what else stands there may come before or after it"),
        ("x[1] = atomic_inc(x) + make(1).a;", "and what else stands there may come before or after it"),
        ("x[1] = make(counted(x, 2).a + 1).b;", "and what else stands there may come before or after it"),
        ("if (x[0] && make(1).a) { x[1] = 2; }", "which may not be called at all"),
        ("int2 a = (int2)(x[0], counted(x, 2).b);", "may come before or after it"),
        ("int r = (x[0] = 1, counted(x, 1).a);", "may come before or after it"),
        ("int r = (x[0] = 1, make(x[0]).a);", "may come before or after it"),
        ("struct pair p = make(x[0] ? make(1).a : 2);", "which may not be called at all"),
        ("while (make(x[0]).a) { x[0] = 2; }", "in what a loop repeats; call it in the body"),
        ("struct pair p = make(1, 2);", "'make' takes 1 argument, found 2"),
        ("int r = make(1);", "'make(1)' as a whole; name its members"),
        ("struct pair p = {x[0]++, x[0]};", "which of these values is evaluated first, and it matters"),
        (
            "struct pair p = {1, 2}; p = (struct pair){atomic_inc(x), atomic_inc(x)};",
            "which of these values is evaluated",
        ),
        ("int2 w = (int2)(counted(x, 1).a, x[0]);", "and what else stands there may come before or after it"),
    ],
)
def test_calls_that_cannot_be_moved(body: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        parse(Source("r.litmus", TEXT.format(body=body, condition="true")))
    assert message in raised.value.diagnostics[0].message
