"""Commands of OpenCL host programs on buffers of structures and vectors: one command, about all of their members."""

from __future__ import annotations

from typing import Final

import pytest

from mcm import EngineName, InputError, Source, check, parse, run

STRUCTURES: Final = """struct S { int a; float b; };
struct T { int n; short v[2]; };
union V { int i; float f; };
struct U { union V u; };
"""
KERNEL: Final = "kernel K (global struct S* p) { p[1].a = 7; }\n"


def text(body: str, condition: str, objects: str) -> str:
    """A host program, with a queue of either kind."""
    queues = "queue q = in_order dev 0; queue o = out_of_order dev 0; user_event u;"
    return f"OPENCL t\n{{ {objects} {queues} }}\n{STRUCTURES}{KERNEL}P0@host () {{ {body} }}\nforall ({condition})"


def always(body: str, condition: str, objects: str) -> None:
    """Both engines and the machine agree that a state is the only one, without undefined behaviour."""
    source = Source("t", text(body, condition, objects))
    for engine in (EngineName.EXPLICIT, EngineName.SMT):
        found = check(source, "opencl-3.0", engine=engine)
        assert found.holds
        assert not found.undefined
    assert all(one.state.satisfies for one in run(source, runs=3, seed=1).states)


S_TWO: Final = "buffer struct S p[2] = {{1, 2}, {3, 4}}; buffer struct S r[2];"


@pytest.mark.parametrize(
    ("objects", "body", "condition"),
    [
        (S_TWO, "clEnqueueCopyBuffer(q, p, r); clFinish(q);", "r.a[0]=1 /\\ r.a[1]=3 /\\ r.b[1]=4"),
        (S_TWO, "clEnqueueReadBuffer(q, p, CL_TRUE, r);", "r.a[0]=1 /\\ r.b[1]=4"),
        (S_TWO, "clEnqueueWriteBuffer(q, r, CL_TRUE, p);", "r.a[0]=1 /\\ r.b[1]=4"),
        (S_TWO, "clEnqueueSVMMemcpy(q, CL_TRUE, r, p);", "r.a[0]=1 /\\ r.b[1]=4"),
        (S_TWO, "clEnqueueFillBuffer(q, p, 0); clFinish(q);", "p.a[1]=0 /\\ p.b[1]=0"),
        (S_TWO, "struct S s = {5, 6}; clEnqueueFillBuffer(q, p, s); clFinish(q);", "p.a[1]=5 /\\ p.b[0]=6"),
        (S_TWO, "struct S s = {5, 6}; clEnqueueFillBuffer(q, p, &s); clFinish(q);", "p.a[1]=5 /\\ p.b[0]=6"),
        (S_TWO, "clEnqueueSVMMemFill(q, p, (struct S){5}); clFinish(q);", "p.a[1]=5 /\\ p.b[0]=0"),
        (
            S_TWO,
            "clEnqueueNDRangeKernel(q, K, 1, 1); clEnqueueCopyBuffer(q, p, r); clFinish(q);",
            "r.a[1]=7 /\\ r.b[1]=4",
        ),
        (
            "buffer struct T t[2];",
            "struct T s = {1, {2, 3}}; clEnqueueFillBuffer(q, t, s); clFinish(q);",
            "t.n[1]=1 /\\ t.v[0]=2 /\\ t.v[3]=3",
        ),
        (
            "buffer struct T t;",
            "clEnqueueWriteBuffer(q, t, CL_TRUE, (struct T){1, {2, 3}});",
            "t.n=1 /\\ t.v[0]=2 /\\ t.v[1]=3",
        ),
        (
            "buffer int4 v[2];",
            "clEnqueueFillBuffer(q, v, (int4)(1, 2, 3, 4)); clFinish(q);",
            "v.x[0]=1 /\\ v.w[1]=4",
        ),
        ("buffer float2 v[2];", "clEnqueueFillBuffer(q, v, 1); clFinish(q);", "v.x[0]=1 /\\ v.y[1]=1"),
        (
            (
                "buffer struct T t[3] = {{1, {2, 3}}, {4, {5, 6}}, {7, {8, 9}}}; s = clCreateSubBuffer(t, 1, 2);"
                "buffer struct T r[2];"
            ),
            "clEnqueueCopyBuffer(q, s, r); clEnqueueFillBuffer(q, s, 0); clFinish(q);",
            "t.n[0]=1 /\\ t.n[1]=0 /\\ t.v[1]=3 /\\ t.v[4]=0 /\\ r.n[1]=7 /\\ r.v[0]=5 /\\ r.v[3]=9",
        ),
        # What a read is into.
        (
            "buffer struct S p = {1, 2.5};",
            "struct S s; int e = clEnqueueReadBuffer(q, p, CL_TRUE, &s);",
            "0:e=0 /\\ 0:s.a=1 /\\ 0:s.b=2.5",
        ),
        (
            "buffer struct T t = {1, {2, 3}};",
            "struct T s; clEnqueueReadBuffer(q, t, CL_TRUE, &s); int x = s.n + 10 * s.v[0] + 100 * s.v[1];",
            "0:x=321",
        ),
        ("buffer int2 v = {1, 2};", "int2 s; clEnqueueReadBuffer(q, v, CL_TRUE, &s); int x = s.y;", "0:x=2"),
        # Bytes mean something else as another type.
        ("buffer float f = 1.0; buffer int i;", "clEnqueueCopyBuffer(q, f, i); clFinish(q);", "i=1065353216"),
        ("buffer float f = 1.0;", "int i; clEnqueueReadBuffer(q, f, CL_TRUE, &i);", "0:i=1065353216"),
        ("buffer uint i = 7; buffer int j;", "clEnqueueCopyBuffer(q, i, j); clFinish(q);", "j=7"),
        ("buffer int2 v = {1, 2}; buffer int i[2];", "clEnqueueCopyBuffer(q, v, i); clFinish(q);", "i[0]=1 /\\ i[1]=2"),
        (
            "buffer struct U w;",
            "struct U s; s.u.i = 5; clEnqueueFillBuffer(q, w, s); clEnqueueReadBuffer(q, w, CL_TRUE, &s); int x=s.u.i;",
            "0:x=5",
        ),
    ],
)
def test_values(objects: str, body: str, condition: str) -> None:
    always(body, condition, objects)


def test_a_map_is_one_of_all_members() -> None:
    mapped = "clEnqueueMapBuffer(q, p, CL_TRUE, CL_MAP_WRITE); p->a = 3; p->b = 4; clEnqueueUnmapMemObject(q, p);"
    kernel = "kernel K (global struct S* p) { p->a = 1; }\n"
    head = f"OPENCL t\n{{ buffer struct S p; queue q = in_order dev 0; }}\n{STRUCTURES}{kernel}"
    host = "P0@host (global struct S* p) {{ {} clFinish(q); }}\nforall (p.a=3 /\\ p.b=4)"
    assert check(Source("t", head + host.format(mapped))).holds
    late = check(Source("t", head + host.format(mapped + " p->b = 5;")))
    assert [one.kind for one in late.undefined] == ["unmapped-access"]


def test_an_unmap_is_told_by_the_name_of_the_structure() -> None:
    found = parse(Source("t", text("clEnqueueUnmapMemObject(q, v);", "true", "buffer int2 v;"))).diagnostics
    assert any("'v' is never mapped" in one.message for one in found)


def test_a_failed_read_changes_nothing() -> None:
    body = "struct S s = {8, 9}; clSetUserEventStatus(u, -5); int e = clEnqueueReadBuffer(q, p, CL_TRUE, &s, wait(u));"
    found = check(Source("t", text(body, "0:e=-14 /\\ 0:s.a=8 /\\ 0:s.b=9", "buffer struct S p = {1, 2};")))
    assert found.holds


@pytest.mark.parametrize(
    ("command", "races"),
    [
        ("clEnqueueCopyBuffer(o, p, r);", True),
        ("clEnqueueCopyBuffer(o, p, r, wait(e));", False),
        ("clEnqueueCopyBuffer(o, r, p);", True),
        ("clEnqueueFillBuffer(o, p, 0);", True),
        ("clEnqueueFillBuffer(o, r, 0);", False),
        ("clEnqueueReadBuffer(o, p, CL_TRUE, r);", True),
        ("struct S s; clEnqueueReadBuffer(o, p, CL_TRUE, r, wait(e));", False),
    ],
)
def test_races(command: str, races: bool) -> None:
    body = f"event e = clEnqueueNDRangeKernel(o, K, 1, 1); {command} clFinish(o);"
    for engine in (EngineName.EXPLICIT, EngineName.SMT):
        found = check(Source("t", text(body, "true", S_TWO)), "opencl-3.0", engine=engine)
        assert {one.kind for one in found.undefined} == ({"data-race"} if races else set())


@pytest.mark.parametrize(
    ("objects", "body", "message"),
    [
        (S_TWO, "clEnqueueFillBuffer(q, p, 5);", "'5' is no 'struct S', which each element of the memory is"),
        (S_TWO, "int2 v; clEnqueueFillBuffer(q, p, v);", "'v' is no 'struct S'"),
        ("buffer float2 w;", "int2 v; clEnqueueFillBuffer(q, w, v);", "'v' is no 'float2'"),
        ("buffer float2 w;", "float3 v; clEnqueueFillBuffer(q, w, v);", "'v' has 3 components"),
        (S_TWO, "int x = clEnqueueReadBuffer(q, p, CL_TRUE);", "a read of a structure needs a location"),
        (S_TWO, "struct S s; clEnqueueReadBuffer(q, p, CL_TRUE, &s);", "'p' has 2 elements, found one value"),
        (S_TWO, "clEnqueueWriteBuffer(q, p, CL_TRUE, (struct S){1, 2});", "'p' has 2 elements, found one value"),
        (
            "buffer struct S p;",
            "struct S s; clEnqueueReadBuffer(q, p, CL_FALSE, &s);",
            "a read that does not block into a variable",
        ),
        ("buffer struct S p;", "struct T s; clEnqueueReadBuffer(q, p, CL_TRUE, &s);", "'&s' is no variable like"),
        ("buffer struct S p; buffer struct T t;", "clEnqueueCopyBuffer(q, p, t);", "divided into members"),
        (S_TWO + "buffer struct S o3[3];", "clEnqueueCopyBuffer(q, p, o3);", "divided into members, or elements,"),
        ("buffer char c; buffer int i;", "clEnqueueCopyBuffer(q, c, i);", "what those of 'char' in 'c' mean as 'int'"),
        (S_TWO, "int x; clEnqueueFillBuffer(q, x, 0);", "expected the name of a location, found 'x'"),
    ],
)
def test_what_is_refused(objects: str, body: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        check(Source("t", text(body, "true", objects)))
    assert message in next(one.message for one in caught.value.diagnostics if one.is_error)
