"""Unions of members of several sizes, of vectors, arrays and structures, wherever they are."""

from __future__ import annotations

import pytest

from mcm import InputError, Judged, KernelRequest, KernelSource, check
from mcm.base.source import Source
from mcm.front_end.read import read_test

TYPES = """
typedef union { uint w; uchar b[4]; } word;
typedef union { ulong all; struct { ushort a, b; } halves; struct { uchar a, b, c, d; } bytes; } number;
typedef union { float4 v; float a[4]; struct { float x, y, z, w; } s; } vector;
typedef struct { int n; word u; float after; } item;
typedef struct { word each[2]; int n; } items;
typedef struct { char c; union { uchar b[8]; ulong l; } u; } padded;
uint second(word x) { return x.b[1]; }
void put(word* x, uchar value) { x->b[1] = value; }
number made(ulong all) { number n; n.all = all; return n; }
"""
VALUES = {
    "in a buffer": ("in[1].w = 0x01020304; o[0] = in[1].b[2]; in[0] = in[1]; o[1] = in->b[0];", (2, 4)),
    "in local memory": ("l[1].w = 0x01020304; l[0] = l[1]; o[0] = l[0].b[3];", (1,)),
    "in a variable": ("number n; n.all = 0x64636261; o[0] = n.bytes.b; n.halves.b = 7; o[1] = n.all;", (98, 0x76261)),
    "in arrays": ("word t[2]; t[1].w = 5; t[0] = t[1]; t[0].b[1] = 1; o[0] = t[0].w; o[1] = t[1].w;", (261, 5)),
    "passed": ("word x; x.w = 0; put(&x, 3); o[0] = second(x); o[1] = x.w;", (3, 768)),
    "returned": ("number n = made(0x100000002ul); o[0] = n.halves.a; o[1] = n.bytes.d;", (2, 0)),
    "pointers to members": (
        (
            "global uint* q = &in->w; *q = 0x0102; global uchar* b = in->b; b[1] += 1; o[0] = in->w;"
            "uint* r = &in[0].w; o[1] = *r;"
        ),
        (0x0202, 0x0202),
    ),
    "in structures": (
        (
            "it[0].n = 9; it[0].u.w = 0x0506; it[1] = it[0]; o[0] = it[1].u.b[1];"
            "item t = it[1]; t.u.b[0]++; o[1] = t.u.w;"
        ),
        (5, 0x0507),
    ),
    "in arrays in structures": (
        "items s; s.n = 1; s.each[0].w = 0x01020304; s.each[1] = s.each[0]; s.each[1].b[3] = 0; o[0] = s.each[1].w;",
        (0x020304,),
    ),
    "of vectors": (
        "vector u; u.v = (float4)(1, 2, 3, 4); o[0] = u.s.z; u.a[1] = 7; o[1] = u.v.y; u.v += u.v.wzyx; o[2] = u.a[0];",
        (3, 7, 5),
    ),
    "with an initial value": (
        (
            "word x = {0x0102}, y = {.w = 3}, z = {0}; vector u = {(float4)(1, 2, 3, 4)};"
            "o[0] = x.b[1]; o[1] = y.b[0]; o[2] = z.w; o[3] = u.a[3];"
        ),
        (1, 3, 0, 4),
    ),
    "in lists": (
        (
            "word x; x.w = 5; item t = {1, x, 2.0f}, u = {0}, w = {.after = 3.0f}; o[0] = t.u.b[0]; o[1] = t.after;"
            "o[2] = u.u.w; o[3] = w.after;"
        ),
        (5, 2, 0, 3),
    ),
    "measured": ("o[0] = sizeof(padded); o[1] = sizeof(item); o[2] = sizeof(number);", (16, 12, 8)),
    "seen in bytes": (
        "uchar own[16] = {0}; own[8] = 7; own[9] = 1; padded* p = (padded*)own; o[0] = p->u.l; o[1] = p->u.b[1];",
        (263, 1),
    ),
}


def judged(body: str, *initial: str, question: str = "", launch: str = "K global 1") -> Judged:
    parameters = "global word* in, global item* it, global uint* o, local word* l"
    text = f"{TYPES}kernel void K({parameters}) {{ {body} }}"
    questions = (f"forall {question}",) if question else ()
    request = KernelRequest((launch,), initial=initial, questions=questions)
    found = check(KernelSource("k.cl", text, request))
    assert isinstance(found, Judged)
    return found


@pytest.mark.parametrize(("body", "values"), VALUES.values(), ids=VALUES)
def test_values(body: str, values: tuple[int, ...]) -> None:
    question = " /\\ ".join(f"o[{place}]={one}" for place, one in enumerate(values))
    found = judged(body, "in[2]", "it[2]", "uint o[4]", "l[2]", question=f"({question})")
    assert (found.undefined, found.holds) == ((), True)


def test_bytes_are_locations_of_their_own() -> None:
    accesses = {"in[0].b[i] = 1;": set(), "if (i) in[0].w = 1; else in[0].b[2] = 1;": {"data-race"}}
    for access, kinds in accesses.items():
        found = judged(f"int i = get_global_id(0); {access}", "in[1]", launch="K global 2")
        assert {one.kind for one in found.undefined} == kinds


@pytest.mark.parametrize(
    ("body", "initial", "message"),
    [
        ("item t = {1, {2}, 3.0f};", (), "an initial value of a union of several sizes in a list, but 0"),
        ("item t = {1, 2, 3.0f};", (), "an initial value of a union of several sizes in a list, but 0"),
        ("word t[2] = {{1}, {2}};", (), "an initial value of a union of several sizes in a list, but 0"),
        ("word t = {.b = {1, 2}};", (), "such an initial value of a union of several sizes"),
        ("vector t = {1.0f};", (), "such an initial value of a union of several sizes"),
        ("word t = (word){1};", (), "an object without a name of a union of several sizes"),
        ("in->w = 1;", ("in[2] = {1, 2}",), "an initial value of a union of several sizes in a list, but 0"),
        ("in->w = 1;", ("in[2] = {{1}}",), "an initial value of a union of several sizes in a list, but 0"),
        ("in->x = 1;", (), "'in' has no member 'x'; it has 'w', 'b'"),
    ],
)
def test_what_is_refused(body: str, initial: tuple[str, ...], message: str) -> None:
    with pytest.raises(InputError) as error:
        judged(body, *initial)
    assert message in error.value.diagnostics[0].message


@pytest.mark.parametrize("value", ["{-1}", "{.w = 1}"])
def test_a_single_one_begins_with_no_value_but_0(value: str) -> None:
    lines = [
        "OPENCL one",
        f"{{ union word in = {value}; }}",
        "union word { uint w; uchar b[4]; };",
        "P0@wg 0, dev 0 (global union word* in) { in->w = 1; }",
        "exists (true)",
    ]
    with pytest.raises(InputError) as error:
        read_test(Source("one.litmus", "\n".join(lines)))
    (found,) = error.value.diagnostics
    assert "an initial value of a union of several sizes in a list, but 0" in found.message
    assert found.span.text == value
