"""Structures are copied where not all of their members have values; what has none may still not be used."""

from __future__ import annotations

import pytest

from mcm import EngineName, Judged, KernelRequest, KernelSource, check, run

TEXT = """
struct s {{ int a; int b; int t[2]; }};
struct pair {{ int a; int b; }};
struct pair same(struct pair p) {{ return p; }}
struct pair made(int n) {{ struct pair p; p.a = n; if (n > 1) p.b = n; return p; }}
int first(struct pair p) {{ return p.a; }}
int second(struct pair p) {{ return p.b; }}
void put(struct pair* to, struct pair from) {{ *to = from; }}
kernel void K(global int* x, global int* out, global struct pair* all) {{
  struct s s; s.a = 1; s.t[1] = 2;
  struct pair p; p.a = 3;
  {}
}}
"""
DEFINED = {
    "struct s q = s; *out = q.a + q.t[1];": 3,
    "struct s q; q = s; q.b = 5; *out = q.b + q.t[1];": 7,
    "*out = first(p) + first(same(p));": 6,
    "struct pair q = same(same(p)); q.b = 1; struct pair r = q; *out = r.b;": 1,
    "struct pair q = made(*x); if (*x > 1) q.a = q.b; *out = q.a;": 2,
    "struct pair q[2]; q[1] = p; struct pair r = q[1]; *out = r.a;": 3,
    "struct pair q; put(&q, p); *out = q.a;": 3,
    "struct pair q = {1, 2}; if (*x == 1) q = p; *out = q.b;": 2,
    "struct pair q[2] = {p, {7, 8}}; *out = q[0].a + q[1].b;": 11,
}
UNDEFINED = [
    "struct s q = s; *out = q.b;",
    "struct s q; q = s; *out = q.t[0];",
    "*out = second(p);",
    "struct pair q = same(p); *out = q.b;",
    "struct pair q = made(*x - 1); *out = q.b;",
    "struct pair q = {1, 2}; q = p; *out = q.b;",
    "struct pair q = {1, 2}; put(&q, p); *out = q.b;",
    "struct pair q = {1, 2}; if (*x == 2) q = p; *out = q.b;",
    "all[0] = p;",
    "struct pair q = p; q.b += 1;",
]
ENGINES = (EngineName.EXPLICIT, EngineName.SMT)


def source(body: str, question: str) -> KernelSource:
    request = KernelRequest(("K global 1",), (), ("x = 2",), (question,))
    return KernelSource("k.cl", TEXT.format(body), request)


@pytest.mark.parametrize(("body", "value"), DEFINED.items())
def test_members_without_values_are_copied(body: str, value: int) -> None:
    asked = source(body, f"forall (out={value})")
    for engine in ENGINES:
        found = check(asked, engine=engine)
        assert isinstance(found, Judged)
        assert (found.holds, found.undefined) == (True, ()), engine
    ran = run(asked, runs=1)
    assert (ran.positive, ran.problems) == (1, ())


@pytest.mark.parametrize("body", UNDEFINED)
def test_members_without_values_are_not_used(body: str) -> None:
    asked = source(body, "exists (true)")
    for engine in ENGINES:
        assert {problem.kind for problem in check(asked, engine=engine).undefined} == {"uninitialised-read"}, engine
    assert {problem.kind for problem in run(asked, runs=1).problems} == {"uninitialised-read"}
