"""Structures and unions that functions and structures define."""

from __future__ import annotations

import pytest

from mcm import InputError, Judged, KernelRequest, KernelSource, Source, check

KERNEL = """{before}
kernel void K(global int* out) {{
{body}
}}
"""


def asked(body: str, before: str = "") -> KernelSource:
    request = KernelRequest(launches=("K global 1",), initial=("int out[2]",), questions=("forall (out[0]=3)",))
    return KernelSource("k.cl", KERNEL.format(body=body, before=before), request=request)


@pytest.mark.parametrize(
    ("body", "before"),
    [
        pytest.param("union { float f; uint u; } v; v.f = 1.0f; out[0] = v.u == 0x3f800000 ? 3 : 0;", "", id="no tag"),
        pytest.param("union { uint u; float f; } v = {0}, *p = &v; p->u = 3; out[0] = v.u;", "", id="several"),
        pytest.param("struct p { int a, b; } q = {1, 2}; struct p r = q; out[0] = r.a + r.b;", "", id="a tag"),
        pytest.param("struct p { int a; }; if (1) { struct p q = {3}; out[0] = q.a; }", "", id="alone"),
        pytest.param("typedef struct { int a; } t; t v = {3}; { t w = v; out[0] = w.a; }", "", id="typedef"),
        pytest.param(
            "struct { struct { int a; } in; int b; } v; v.in.a = 1; v.b = 2; out[0] = v.in.a + v.b;", "", id="inner"
        ),
        pytest.param(
            "struct { int a; } v = {f(1)}; out[0] = v.a;",
            "struct struct_1 { int b; };\nint f(int x) { struct { int a; } v = {x + 2}; return v.a; }",
            id="names of their own",
        ),
        pytest.param(
            "union __attribute__((aligned(4))) { uint u; float f; } v; v.u = 3; out[0] = v.u;", "", id="attributes"
        ),
        pytest.param(
            "struct outer v = g(2); struct inner w = v.in; out[0] = w.a + v.b;",
            "struct outer { int b; struct inner { int a; } in; };\n"
            "struct outer g(int a) { struct outer v = {1, {a}}; return v; }",
            id="in one of the file",
        ),
        pytest.param(
            "t v; v.in.at.a = 1; v.bits.u = 2; out[0] = v.in.at.a + v.bits.i;",
            "typedef struct { struct { struct { int a; } at; } in; union { int i; uint u; } bits; } t;",
            id="in one of the file without a tag",
        ),
        pytest.param(
            "out[0] = s.a + t[1].b.u;",
            "constant struct { int a; } s = {1};\n"
            "__constant const struct t { int a; union { uint u; float f; } b; } t[] = {{1, {1}}, {1, {2}}};",
            id="of variables of the file",
        ),
        pytest.param(
            "struct p q = f(1); out[0] = q.a;",
            "struct __attribute__((aligned(8))) p { int a; } __attribute__((packed));\n"
            "struct p f(int a) { struct p q = {a + 2}; return q; }",
            id="without variables",
        ),
        pytest.param("/* struct { */ struct { int a; /* } */ } v; v.a = 3; out[0] = v.a;", "", id="comments"),
    ],
)
def test_they_are_those_of_the_whole_file(body: str, before: str) -> None:
    found = check(asked(body, before))

    assert isinstance(found, Judged)
    assert (found.holds, found.undefined) == (True, ())


def test_of_litmus_tests_those_without_a_tag() -> None:
    body = "union { uint u; float f; } v; v.u = 3; *x = v.u;"
    text = f"OPENCL t\n{{ x = 0; }}\nP0 (global int* x) {{ {body} }}\nforall (x=3)\n"

    found = check(Source("t.litmus", text))
    assert isinstance(found, Judged)
    assert found.holds


@pytest.mark.parametrize(
    ("body", "before", "line", "message"),
    [
        ("struct p { int a; } q;", "struct p { int b; };", 3, "another structure is called 'p'"),
        ("union { int i; bool b; } v;", "", 3, "its member 'b' is no number"),
        ("struct { int a; } v;\nv.b = 1;", "", 4, "'v' has no member 'b'"),
        ("union { int i; goto f; } v;", "", 3, "'goto' where no statement begins is not supported"),
    ],
)
def test_what_is_wrong_is_said_where_it_stands(body: str, before: str, line: int, message: str) -> None:
    with pytest.raises(InputError) as caught:
        check(asked(body, before))

    (first, *_) = caught.value.diagnostics
    assert (first.span.source.name, first.span.source.position(first.span.start)[0]) == ("k.cl", line)
    assert message in first.message
