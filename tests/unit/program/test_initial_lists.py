"""Lists of initial values in lists, with names, or with braces left out: each value is where C puts it."""

from __future__ import annotations

import pytest

from mcm import EngineName, InputError, Judged, KernelRequest, KernelSource, Source, check, format_test, parse, run

TYPES = """
union word { float f; uint u; };
struct in { int a; int b[2]; };
struct out { struct in i; short c; };
struct all { union word w; float4 v; struct in i; int m[2][2]; };
constant struct in table[2] = {{1, {2, 3}}, {4, {5}}};
constant struct all one = {{.u = 7}, (float4)(1, 2, 3, 4), {5, {6, 7}}, {{8}, {9, 10}}};
"""
LISTS = {
    "struct out s = {{1, {2, 3}}, 4};": {"s.i.a": 1, "s.i.b[0]": 2, "s.i.b[1]": 3, "s.c": 4},
    "struct out t = {1, 2, 3, 4};": {"t.i.a": 1, "t.i.b[1]": 3, "t.c": 4},
    "struct out u = {1, {2}, 3};": {"u.i.a": 1, "u.i.b[0]": 2, "u.i.b[1]": 0, "u.c": 3},
    "struct out d = {.c = 9, .i = {.b = {[1] = 8}}};": {"d.c": 9, "d.i.b[1]": 8, "d.i.b[0]": 0, "d.i.a": 0},
    "struct out n[2] = {{{1}}, {.c = 5}};": {"n[0].i.a": 1, "n[1].c": 5, "n[1].i.a": 0, "n[0].i.b[0]": 0},
    "struct in e[] = {1, 2, 3, 4, {5}};": {"e[0].b[1]": 3, "e[1].a": 4, "e[1].b[0]": 5, "e[1].b[1]": 0},
    "struct in g[] = {[1] = {1}, {2}};": {"g[0].a": 0, "g[1].a": 1, "g[2].a": 2, "sizeof(g) / 12": 3},
    "struct out w = {e[0], 6};": {"w.i.b[0]": 2, "w.c": 6},
    "struct out k = {(struct in){7, {8, 9}}, 1};": {"k.i.a": 7, "k.i.b[1]": 9, "k.c": 1},
    "struct all y = {1.5f, {1, 2}, .m = {{3}, 4}};": {"y.w.u": 0x3FC00000, "y.v.y": 2, "y.v.z": 0, "y.m[1][0]": 4},
    "struct all z = {{.u = 3}, y.v * 2, e[1]};": {"z.w.u": 3, "z.v.y": 4, "z.i.b[0]": 5, "z.m[0][0]": 0},
    "union word us[2] = {{2.0f}, {.u = 1}};": {"us[0].u": 0x40000000, "us[1].u": 1},
    "float4 vs[3] = {(float4)(1), {2, 3}};": {"vs[0].w": 1, "vs[1].y": 3, "vs[1].z": 0, "vs[2].x": 0},
    "int m[2][3] = {{1}, 2, 3};": {"m[0][0]": 1, "m[0][1]": 0, "m[1][0]": 2, "m[1][1]": 3, "m[1][2]": 0},
    "int h[2][2] = {[1] = {[0] = 4}};": {"h[0][0]": 0, "h[1][0]": 4},
    "struct out r = {0}; r = (struct out){{1, {2, 3}}, .c = 4};": {"r.i.a": 1, "r.i.b[1]": 3, "r.c": 4},
    "int b = 1;": {"table[0].b[1]": 3, "table[1].b[0]": 5, "table[1].b[1]": 0, "one.w.u": 7, "one.v.z": 3},
    "int c = {3};": {"c": 3, "one.i.b[1]": 7, "one.m[0][1]": 0, "one.m[1][1]": 10},
}


def source() -> KernelSource:
    wanted = [(one, value) for members in LISTS.values() for one, value in members.items()]
    wrong = "\n".join(f"if ({one} != {value}) *x += 1;" for one, value in wanted)
    text = f"{TYPES}\nkernel void K(global int* x) {{\n{chr(10).join(LISTS)}\n{wrong}\n}}\n"
    return KernelSource("k.cl", text, KernelRequest(("K global 1",), questions=("forall (x=0)",)))


@pytest.mark.parametrize("engine", [EngineName.EXPLICIT, EngineName.SMT])
def test_values_are_where_they_belong(engine: EngineName) -> None:
    found = check(source(), engine=engine)
    assert isinstance(found, Judged)
    assert (found.holds, found.undefined) == (True, ())


def test_runs_see_the_same() -> None:
    ran = run(source(), runs=1)
    assert (ran.positive, ran.problems) == (1, ())


def test_initial_states_may_have_nested_lists() -> None:
    text = f"{TYPES} kernel void K(global struct in* p) {{ p[1].b[0] += p[0].b[1]; }}"
    request = KernelRequest(("K global 1",), initial=("p[2] = {{1, {2, 3}}, 4, 5}",), questions=("forall (p.b[2]=8)",))
    for one in (KernelSource("k.cl", text, request), Source("k", format_test(KernelSource("k.cl", text, request)))):
        found = check(one)
        assert isinstance(found, Judged)
        assert found.holds


def test_what_is_printed_is_read_again() -> None:
    text = (
        "OPENCL t\n{ }\nstruct s { int a; int b[2]; };\nP0 () { struct s v = {.b = {1}, 2}; struct s w = {3, {4, 5}}; }"
    )
    printed = format_test(Source("t", text))
    assert "w = {3, {4, 5}};" in printed
    assert format_test(Source("t", printed)) == printed


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ("struct in s = {1, {2, 3, 4}};", "E131: 3 initial values for 2 elements"),
        ("struct in s = {1, 2, 3, 4};", "E131: 4 values for 2 members"),
        ("int a[2] = {{1, 2}, 3};", "E131: a number has one initial value, found '{1, 2}'"),
        (
            "struct all s = {{1}, 2.0f};",
            "E131: '2.0f' is for a vector: write '(float4)(…)', or its components in braces",
        ),
        ("struct in s = {1, .a = 2};", "E131: '2': there is a value for this already"),
        ("struct in s = {.c = 2};", "E183: there is no member 'c'; the structure has 'a', 'b'"),
    ],
)
def test_what_does_not_fit_is_refused(body: str, complaint: str) -> None:
    text = f"{TYPES} kernel void K(global int* x) {{ {body} }}"
    with pytest.raises(InputError) as raised:
        parse(KernelSource("k.cl", text, KernelRequest(("K global 1",))))
    assert complaint in [f"{one.code}: {one.message}" for one in raised.value.diagnostics]
