"""Structures of which members are arrays of vectors or of structures."""

from __future__ import annotations

import pytest

from mcm import InputError, Judged, KernelRequest, KernelSource, Source, check

TYPES = """
typedef struct { int a; short b[2]; } part;
typedef struct { part p[2]; int n; } whole;
typedef struct { float3 v[2]; int id; } corners;
typedef struct { whole w; int last; } outer;
"""
VALUES = {
    "a list": (
        (
            "whole s = {{{1, {2, 3}}, {4, {5}}}, 6}; int k = 1;"
            "o[0] = s.p[0].b[1]; o[1] = s.p[k].a; o[2] = s.p[k].b[0]; o[3] = s.p[k].b[k] + s.n;"
        ),
        (3, 4, 5, 6),
    ),
    "a list without inner braces": (
        (
            "whole s[2] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}; "
            "o[0] = s[0].p[1].b[1]; o[1] = s[0].n; o[2] = s[1].p[0].b[1]; o[3] = s[1].p[1].a;"
        ),
        (6, 7, 10, 11),
    ),
    "structures in a list": (
        (
            "part x = {1, {2, 3}}; whole s = {{x, x}, 8};"
            "o[0] = s.p[0].a; o[1] = s.p[0].b[1]; o[2] = s.p[1].b[0]; o[3] = s.n;"
        ),
        (1, 3, 2, 8),
    ),
    "elements that are copied": (
        (
            "whole s = {{{1, {2, 3}}, {4, {5, 6}}}, 7}; part q = s.p[1]; q.a++; s.p[0] = q; s.p[1] = (part){9, {8, 7}};"
            "o[0] = s.p[0].a; o[1] = s.p[0].b[1]; o[2] = s.p[1].a; o[3] = s.p[1].b[1];"
        ),
        (5, 6, 9, 7),
    ),
    "pointers to elements": (
        (
            "whole s = {0}; part* r = s.p; r->a = 1; r++; r->b[1] = 2; part* z = &s.p[1]; z->a = 3; *(&s.p[0]) = *z;"
            "o[0] = s.p[0].a; o[1] = s.p[0].b[1]; o[2] = sum(s.p, 2); o[3] = sum(s.p + 1, 1);"
        ),
        (3, 2, 10, 5),
    ),
    "pointers behind variables": (
        (
            "part s = {1, {2, 3}}; int n = 0; for (part* p = &s; p < &s + 1; p++) n += p->b[1];"
            "o[0] = n; o[1] = &s + 1 > &s; o[2] = 1; o[3] = 1;"
        ),
        (3, 1, 1, 1),
    ),
    "one in another": (
        (
            "outer s, t; s.w.p[1].b[0] = 1; s.w.p[0].a = 2; t = s; outer* p = &t; "
            "o[0] = t.w.p[1].b[0]; o[1] = p->w.p[0].a; o[2] = 1; o[3] = 1;"
        ),
        (1, 2, 1, 1),
    ),
    "in memory": (
        (
            "g[1].p[1].b[1] = 5; (g + 1)->p[0].a = 6; g[0] = g[1]; whole s = *g; part l = g->p[1];"
            "o[0] = s.p[1].b[1]; o[1] = s.p[0].a; o[2] = l.b[1]; o[3] = g[0].n;"
        ),
        (5, 6, 5, 0),
    ),
    "vectors": (
        (
            "corners c; c.v[0] = (float3)(1, 2, 3); c.v[1] = c.v[0].zyx * 2.0f; int k = 1; c.v[k].yz = c.v[0].xx;"
            "o[0] = c.v[1].x; o[1] = c.v[k].y; o[2] = dot(c.v[0], c.v[1]); c.v[0] += c.v[1]; o[3] = c.v[0].x;"
        ),
        (6, 1, 11, 7),
    ),
    "vectors in memory": (
        (
            "h->v[1] = (float3)(1, 2, 3); h[1].v[0].xy = h[0].v[1].yz; o[0] = h[1].v[0].x; o[1] = h[1].v[0].y;"
            "global float3* v = h[1].v; o[2] = v[0].x; v++; *v = (float3)(9); o[3] = h[1].v[1].z;"
        ),
        (2, 3, 2, 9),
    ),
}


@pytest.mark.parametrize(("body", "values"), VALUES.values(), ids=VALUES)
def test_values(body: str, values: tuple[int, ...]) -> None:
    function = "int sum(part* q, int n) { int t = 0; for (int i = 0; i < n; i++) t += q[i].a + q[i].b[1]; return t; }"
    parameters = "global whole* g, global corners* h, global int* o"
    text = f"{TYPES}{function}\nkernel void K({parameters}) {{ {body} }}"
    question = " /\\ ".join(f"o[{place}]={one}" for place, one in enumerate(values))
    request = KernelRequest(("K global 1",), initial=("g[2]", "h[2]"), questions=(f"forall ({question})",))
    found = check(KernelSource("k.cl", text, request))

    assert isinstance(found, Judged)
    assert (found.undefined, found.holds) == ((), True)


def judged(body: str, launch: str, *initial: str, question: str = "") -> Judged:
    text = f"{TYPES}kernel void K(global whole* g) {{ int i = get_global_id(0); {body} }}"
    questions = (f"forall {question}",) if question else ()
    found = check(KernelSource("k.cl", text, KernelRequest((launch,), initial=initial, questions=questions)))
    assert isinstance(found, Judged)
    return found


def test_initial_values_are_in_the_order_of_the_text() -> None:
    values = "g[2] = {{{{1, {2, 3}}, {4, {5, 6}}}, 7}, {{{8, {9, 10}}, {11, {12, 13}}}, 14}}"
    question = "(g.p.a[1]=4 /\\ g.p.b[3]=6 /\\ g.p.a[2]=8 /\\ g.p.b[7]=13 /\\ g.n[1]=14)"
    assert judged("", "K global 1", values, question=question).holds


def test_elements_are_locations_of_their_own() -> None:
    assert judged("g->p[i].a = 1;", "K global 2", "g[1]").undefined == ()
    assert [one.kind for one in judged("g->p[i / 2].a = 1;", "K global 2", "g[1]").undefined] == ["data-race"]
    assert [one.kind for one in judged("g->p[i].a = 1;", "K global 3", "g[1]").undefined] == ["out-of-bounds"]


def test_there_are_as_many_structures_as_uses_need() -> None:
    states = judged("g[i].p[1].a = 1;", "K global 2").states
    assert len([name for name in states[0].values if name.startswith("g.p.a")]) == 4


BY_VALUE = """
typedef struct { int k[2]; float2 rows[2]; short n; } given;
float second(given g, int i) { return g.rows[i].y; }
kernel void K(const given g, given h, global float* o) {
  int i = get_global_id(0);
  h.k[i] += g.k[1 - i];
  given copy = h;
  o[i] = copy.k[i] * 10 + second(g, i) + h.n;
}
"""


@pytest.mark.parametrize(
    "initial",
    [
        ("g = {{1, 2}, {{3, 4}, {5, 6}}, 7}", "h = {{1}, {{0}}, 9}"),
        ("g = {{1, 2}, {(float2)(3, 4), (float2)(5, 6)}, 7}", "h = {.k = {1}, .n = 9}"),
        ("g.k = {1, 2}", "g.rows.x = {3, 5}", "g.rows.y = {4, 6}", "g.n = 7", "h = {1, 0, 0, 0, 0, 0, 9}"),
    ],
)
def test_kernels_are_given_structures_with_arrays(initial: tuple[str, ...]) -> None:
    request = KernelRequest(("K global 2",), initial=initial, questions=("forall (o[0]=43 /\\ o[1]=25)",))
    found = check(KernelSource("k.cl", BY_VALUE, request))

    assert isinstance(found, Judged)
    assert (found.undefined, found.holds) == ((), True)


def test_a_value_that_is_missing_is_told_of_the_array() -> None:
    with pytest.raises(InputError) as error:
        check(KernelSource("k.cl", BY_VALUE, KernelRequest(("K global 2",), initial=("h = {0}", "g.rows.x = {1}"))))
    assert [one.message.partition(";")[0] for one in error.value.diagnostics] == [
        f"parameter 'g.{name}' is no pointer and has no value" for name in ("k", "rows.y", "n")
    ]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("int* q = (int*)&g->p[0];", ("E100", "not yet supported: 'g->p' as a whole; name its members")),
        ("g->p.a = 1;", ("E119", "'g->p.a' is a member of what is an array of structures or vectors")),
        ("g[0].n[0].a = 1;", ("E183", "'g' has no member 'n.a'; it has 'p.a', 'p.b', 'n'")),
        ("g->p[0].c = 1;", ("E183", "'g' has no member 'p.c'; it has 'p.a', 'p.b', 'n'")),
    ],
)
def test_mistakes(body: str, expected: tuple[str, str]) -> None:
    with pytest.raises(InputError) as error:
        judged(body, "K global 1")
    (found,) = error.value.diagnostics
    assert (found.code, found.message) == expected


@pytest.mark.parametrize(
    ("structure", "body", "message"),
    [
        (
            "struct in { int2 v[2]; }; struct s { struct in p[2]; };",
            "",
            "an array of structures that have arrays of structures or vectors in them",
        ),
        (
            "struct s { int2 v[2]; };",
            "clEnqueueFillBuffer(q, x, 0);",
            "a command on 'x', whose members have no known sizes or are arrays of structures or vectors",
        ),
    ],
)
def test_what_is_refused(structure: str, body: str, message: str) -> None:
    text = f"OPENCL refused\n{{ struct s x[2]; queue q = in_order dev 0; }}\n{structure}\n"
    text += f"P0@host (global struct s* x) {{ {body} }}\nexists (true)\n"
    with pytest.raises(InputError) as error:
        check(Source("refused", text))
    assert [one.message for one in error.value.diagnostics if one.is_error] == [f"not yet supported: {message}"]
