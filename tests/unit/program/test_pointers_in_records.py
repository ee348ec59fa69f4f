"""Structures with members that point to structures or vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcm import EngineName, InputError, KernelRequest, KernelSource, check, run

if TYPE_CHECKING:
    from collections.abc import Collection

TYPES = """
typedef struct { int a; int b; } P;
typedef struct { int k; global P* p; global int4* v; } C;
typedef struct { C inner; global P* q; } D;
typedef struct { global P* only; } E;
"""


def source(body: str, functions: str = "", result: str = "true", launch: str = "K global 1") -> KernelSource:
    """A kernel with two buffers that such members may point to."""
    text = f"{TYPES}{functions}\nkernel void K(global P* p, global int4* v, global int* o) {{ {body} }}"
    initial = ("P p[2] = {{1, 2}, {3, 4}}", "int4 v[2] = {{1, 2, 3, 4}, {5, 6, 7, 8}}", "o[2]")
    return KernelSource("k.cl", text, KernelRequest((launch,), initial=initial, questions=(f"forall ({result})",)))


@pytest.mark.parametrize(
    ("functions", "body", "result"),
    [
        ("", "C c; c.k = 1; c.p = p; *o = c.p[c.k].b + c.p->a;", 5),
        ("", "C c = {1, p, v}; *o = c.v[c.k].y + (c.p + 1)->a;", 9),
        ("", "C c = {.v = v + 1}; *o = (*c.v).w + (c.p == NULL);", 9),
        ("", "C c = {1, p}; C d = c; c.p++; *o = c.p->a * 10 + d.p->a;", 31),
        ("", "C c = {1, p}, d; d = c; *o = d.p[1].b + d.k;", 5),
        ("", "D d; d.inner.p = p; d.inner.k = 1; d.q = d.inner.p + 1; *o = d.q->a + d.inner.p[d.inner.k].b;", 7),
        ("", "E e = {p + 1}; e.only->a = 8; *o = p[1].a;", 8),
        ("int f(C c) { c.p++; return c.p->a; }", "C c = {1, p}; *o = f(c) * 10 + c.p->a;", 31),
        ("int f(const C* c) { return c->p[c->k].a; } int g(C* c) { return f(c) + (*c).k; }", "C c = {1, p}; *o = g(&c);", 4),  # noqa: E501
        ("int f(C* c) { C d = *c; d.p = d.p + 1; return d.p->a; }", "C c = {1, p}; *o = f(&c) * 10 + c.p->a;", 31),
        ("void f(C* c) { c->k = 1; }", "C c = {0, p}; f(&c); *o = c.p[c.k].a;", 3),
        ("", "C c, *d = &c; d->k = 1; d->p = p; d->p++; *o = c.p->a * 10 + (*d).k;", 31),
        ("int f(const C* c) { const C* d = c; return d->p->a; }", "C c = {1, p}, *d = &c; C* e = d; *o = f(e);", 1),
        ("", "C c = {1, p}, d = {2, p + 1}, *e = &c; *e = d; d.p = p; *o = e->p->a * 10 + c.k;", 32),
        ("int f(D d, int i) { return d.inner.p[i].b; }", "D d; d.inner.p = p; *o = f(d, 1);", 4),
    ],
)  # fmt: skip
def test_such_members_are_followed(functions: str, body: str, result: int) -> None:
    asked = source(body, functions, f"o[0]={result}")
    for engine in (EngineName.EXPLICIT, EngineName.SMT):
        found = check(asked, engine=engine)
        assert found.holds
        assert not found.undefined
    assert all(one.state.satisfies for one in run(asked, runs=1, seed=1).states)


@pytest.mark.parametrize(
    ("body", "kinds"),
    [
        ("C c = {get_global_id(0), p}; c.p[c.k].a = 1;", set()),
        ("C c = {get_global_id(0), p}; c.p[0].a = c.k;", {"data-race"}),
        ("C c = {get_global_id(0), p}; c.p[c.k + 1].a = 1;", {"out-of-bounds"}),
        ("C c; c.k = 1; o[get_global_id(0)] = c.p->a;", {"uninitialised-read", "out-of-bounds"}),
    ],
)
def test_problems_are_those_of_what_they_point_to(body: str, kinds: Collection[str]) -> None:
    assert {one.kind for one in check(source(body, launch="K global 2")).undefined} == set(kinds)


@pytest.mark.parametrize(
    ("functions", "body"),
    [
        ("void f(C* c, global P* p) { c->p = p; }", "C c; f(&c, p);"),
        ("void f(C* c) { c->p++; }", "C c; f(&c);"),
        ("C f(global P* p) { C c; c.p = p; return c; }", "C c = f(p);"),
        ("", "C c[2]; c[0].p = p;"),
        ("", "local C c; c.p = p;"),
        ("", "C c; C* d; d = &c; d->p = p;"),
        ("", "C c, d, *e = &c, *f = &d; e = f;"),
        ("", "C c, *e = &c; e++;"),
        ("", "C c, *e = &c; { C c; }"),
        ("void f(C* c) { C* d = c; d->p++; }", "C c; f(&c);"),
        ("", "C c; c.k = 1; uchar* d = (uchar*)&c;"),
        ("kernel void L(global C* c) { c->k = 1; }", "L((global C*)p);"),
    ],
)
def test_what_is_not_known_is_refused(functions: str, body: str) -> None:
    with pytest.raises(InputError) as caught:
        check(source(body, functions))
    assert any(one.code == "E100" and "structure" in one.message for one in caught.value.diagnostics)
