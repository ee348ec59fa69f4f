"""Memory of numbers that is accessed as vectors and structures, through pointers that are cast, kept and moved."""

from __future__ import annotations

import pytest

from mcm import EngineName, InputError, Judged, KernelRequest, KernelSource, check

TYPES = """
typedef struct { uint size; ushort kind; uchar flags[2]; } header;
typedef struct { header h; uint body[2]; } packet;
typedef struct { float2 rows[2]; } matrix;
float4 at(global const float4* v, int i) { return v[i]; }
float sum(global float4* v, int i) { return at(v, i).x + at(v + 1, i).y; }
void put(global float4* v, float x) { v++; v->x = x; }
uint kind(global header* h) { return h->kind; }
"""
VALUES = {
    "v++; o[0] = v->x; v += 1; o[1] = (*v).x;": (4, 8),
    "global float4* w = v + 1; o[0] = w[0].y; w = &v[2]; o[1] = w->x; w--; w -= 1; o[2] = w->z;": (5, 8, 2),
    "global float4* w = 1 + v; o[0] = w - v; o[1] = v < w; o[2] = w - 1 == v; o[3] = w != NULL;": (1, 1, 1, 1),
    "if (v) o[0] = 1; if (!h || v == 0) o[0] = 2; o[1] = h && v ? 3 : 4; while (v != (global float4*)f) v--;": (
        1,
        3,
    ),
    "o[0] = ((global float*)v)[5]; o[1] = *(global ushort*)(h + 1); global int* w = (global int*)&v[1]; o[2] = *w;": (
        5,
        0x0A09,
        0x40800000,
    ),
    "float4 a = *v++; o[0] = a.w; o[1] = v->x; for (int k = 0; k < 1; k++, v++) o[2] = (v + 1)->x;": (3, 4, 8),
    "global float4* w; global header* x = 0; if (o[0] == 0) { w = v + 1; } x = h; o[0] = w->y; o[1] = x[1].kind;": (
        5,
        0x0E0D,
    ),
    "global float4* w = (global float4*)(f + 4); v = o[0] ? v : w; o[0] = v->x; v[-1].y = 3; o[1] = f[1];": (4, 3),
    "global float3* u = (global float3*)f; o[0] = u[1].x; u[2] = u[1]; o[1] = f[10]; o[2] = f[11];": (4, 6, 11),
    "o[0] = h->size; o[1] = h->kind; o[2] = h[1].flags[1]; h++; o[3] = h->size;": (0x04030201, 0x0605, 16, 0x0C0B0A09),
    "header c = h[1]; c.kind = 1; *h = c; o[0] = b[0]; o[1] = b[4]; o[2] = b[7]; h->flags[0]++; o[3] = b[6];": (
        9,
        1,
        16,
        16,
    ),
    "global packet* p = (global packet*)b; header c = p->h; o[0] = c.kind; o[1] = p->h.flags[1]; o[2] = p->body[1];": (
        0x0605,
        8,
        0x100F0E0D,
    ),
    "o[0] = ((global header*)b)->kind; o[1] = (*(global header*)(b + 8)).kind; o[2] = (h + 1)->kind;": (
        0x0605,
        0x0E0D,
        0x0E0D,
    ),
    "o[0] = sum(v, 1); o[1] = at((global float4*)f, 0).w; put(v + 1, 7); o[2] = f[8]; o[3] = kind(h) + kind(h + 1);": (
        13,
        3,
        7,
        0x0605 + 0x0E0D,
    ),
    "uchar own[8] = {1, 2, 3, 4, 5, 6}; header* p = (header*)own; p->kind++; o[0] = own[4]; o[1] = p->size;": (
        6,
        0x04030201,
    ),
}


def found_of(body: str, launch: str, question: str = "", engine: EngineName = EngineName.AUTO) -> Judged:
    parameters = "global float* f, global uchar* b, global uint* o"
    begun = "int i = get_global_id(0); global float4* v = (global float4*)f; global header* h = (global header*)b;"
    text = f"{TYPES}kernel void K({parameters}) {{ {begun} {body} }}"
    initial = (
        f"float f[12] = {{{', '.join(map(str, range(12)))}}}",
        f"uchar b[16] = {{{', '.join(map(str, range(1, 17)))}}}",
        "uint o[4]",
    )
    questions = (f"forall {question}",) if question else ()
    source = KernelSource("k.cl", text, KernelRequest((launch,), initial=initial, questions=questions))
    found = check(source, engine=engine)
    assert isinstance(found, Judged)
    return found


@pytest.mark.parametrize(("body", "values"), VALUES.items())
def test_values(body: str, values: tuple[int, ...]) -> None:
    found = found_of(body, "K global 1", " /\\ ".join(f"o[{place}]={one}" for place, one in enumerate(values)))
    assert (found.undefined, found.holds) == ((), True)


def test_members_are_bytes() -> None:
    assert found_of("h[i].size = 1; b[12 - 8 * i] = 2;", "K global 2").undefined == ()
    assert {one.kind for one in found_of("h[i].size = 1; b[11 - 8 * i] = 2;", "K global 2").undefined} == {"data-race"}
    assert {one.kind for one in found_of("h[i].size = 1;", "K global 3").undefined} == {"out-of-bounds"}


@pytest.mark.parametrize("engine", [EngineName.EXPLICIT, EngineName.SMT])
@pytest.mark.parametrize(
    ("body", "is_aligned"),
    [
        ("global float4* w = (global float4*)(f + 4 * i); o[0] = w->x;", True),
        ("global float4* w = (global float4*)(f + 1); o[0] = w->x;", False),
        ("global float2* w = (global float2*)(f + o[0]); o[0] = w->x;", True),
        ("global float2* w = (global float2*)(f + o[0] + 1); o[0] = w->x;", False),
        ("global uint4* w = (global uint4*)(b + 8); o[0] = w[-1].z;", False),
        ("global header* w = (global header*)(b + 4); o[0] = w->size;", True),
        ("global header* w = (global header*)(b + 2); o[0] = w->flags[0];", False),
        ("global header* w = (global header*)(b + 3 * o[0]); o[0] = w->size;", True),
        ("o[0] = vload4(0, f + 1).x;", True),
    ],
)
def test_addresses_are_multiples_of_the_alignment(body: str, engine: EngineName, *, is_aligned: bool) -> None:
    found = found_of(body, "K global 1", engine=engine)
    assert [one.kind for one in found.undefined] == ([] if is_aligned else ["out-of-bounds"])
    assert all("the alignment of what it is cast to" in one.why for one in found.undefined)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("prefetch(v, 1);", "a pointer to numbers, cast to one to vectors or structures, as an argument"),
        (
            "global matrix* m = (global matrix*)f;",
            (
                "a pointer that is cast to one to structures whose members have no known places, or are arrays of "
                "structures or vectors"
            ),
        ),
    ],
)
def test_what_is_refused(body: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        found_of(body, "K global 1")
    assert error.value.diagnostics[0].message == f"not yet supported: {message}"


STRUCTURES = {
    "header s; s.size = 0x04030201; uchar* p = (uchar*)&s; p[6] = 7; o[0] = p[1]; o[1] = s.flags[0];": (2, 7),
    "header s = {0}; ((ushort*)&s)[2] = 5; header t = s; o[0] = t.kind; o[1] = s.size;": (5, 0),
    "header s = {0x04030201, 0x0605, {7, 8}}; uchar* p = (uchar*)&s; o[0] = p[7]; o[1] = s.flags[0];": (8, 7),
    "packet s = {{1, 2, {3}}, {4, 5}}; uint* w = (uint*)&s; w[3] = 9; o[0] = w[0]; o[1] = s.body[1];": (1, 9),
    "header s; name(&s, 3); const uchar* p = (const uchar*)&s; o[0] = p[4]; o[1] = s.kind;": (3, 3),
    "header s[2]; s[1].size = 4; uint* w = (uint*)s; o[0] = w[2]; w = (uint*)&s[1]; w[0]++; o[1] = s[1].size;": (4, 5),
    "local header t[1]; t->size = 1; local uchar* p = (local uchar*)t; p[1] = 1; o[0] = t[0].size; o[1] = 0;": (257, 0),
}


@pytest.mark.parametrize(("body", "values"), STRUCTURES.items())
def test_structures_are_seen_as_numbers(body: str, values: tuple[int, int]) -> None:
    text = f"""{TYPES}
      void name(header* h, ushort kind) {{ h->kind = kind; }}
      kernel void K(global uint* o) {{ {body} }}"""
    question = f"forall (o[0]={values[0]} /\\ o[1]={values[1]})"
    found = check(
        KernelSource("k.cl", text, KernelRequest(("K global 1",), initial=("uint o[2]",), questions=(question,)))
    )

    assert isinstance(found, Judged)
    assert (found.undefined, found.holds) == ((), True)


def test_padding_has_no_value() -> None:
    text = """
      typedef struct { uchar a; uint b; } padded;
      kernel void K(global uint* o) { padded p; p.a = 1; p.b = 2; o[0] = ((uchar*)&p)[PLACE]; }"""
    for place, kinds in ((0, []), (4, []), (1, ["uninitialised-read"])):
        source = KernelSource("k.cl", text.replace("PLACE", str(place)), KernelRequest(("K global 1",)))
        assert [one.kind for one in check(source).undefined] == kinds


SEEN = """
typedef struct { float x; float y; int id; } P;
struct quarter { half d; uchar qs[4]; };
void put(global struct quarter* q, int k) { global uchar* b = (global uchar*)q + 2; b[k] = k; }
kernel void K(global P* a, global P* b, global struct quarter* q, global int* o) {
"""


@pytest.mark.parametrize(
    ("body", "values"),
    [
        (
            "global P* p = a + 1; p->id = 3; global int* w = (global int*)p; w[2]++; o[0] = a[1].id; o[1] = a->id;",
            (4, 0),
        ),
        ("global P* p; p = &a[1]; p->id = 3; p++; p->id = 9; o[0] = ((global int*)p)[2]; o[1] = a[1].id;", (9, 3)),
        ("for (global P* p = a; p < a + 3; p++) { p->id = 7; o[0] += ((global int*)p)[2]; } o[1] = a[2].id;", (21, 7)),
        ("global P* p = a + 2, *r = p; p->id = 5; o[0] = *((global int*)r + 2); o[1] = r == &a[2];", (5, 1)),
        (
            "global P* p = o[0] ? a : b + 1; p->id = 6; global int* w = (global int*)p; o[0] = w[2]; o[1] = b[1].id;",
            (6, 6),
        ),
        ("b[1].id = 8; global int* w = (global int*)(o[0] ? &a[1] : &b[1]); o[0] = w[2]; o[1] = a[1].id;", (8, 0)),
        ("global P* p = o[0] ? 0 : &b[1]; if (p) { p->id = 4; o[0] = ((global int*)p)[2]; } o[1] = b[1].id;", (4, 4)),
        ("global P* p = o[0] ? &b[1] : NULL; if (p) o[0] = ((global int*)p)[2]; o[1] = p == NULL;", (0, 1)),
        ("global struct quarter* z = q + 1; put(z, 3); o[0] = q[1].qs[3]; o[1] = z->qs[2];", (3, 0)),
        ("P v = {1.0f, 2.0f, 3}; P* p = &v; uint* w = (uint*)p; w[2] = 11; o[0] = v.id; o[1] = (int)p->y;", (11, 2)),
    ],
)
def test_structures_are_seen_as_numbers_behind_pointers(body: str, values: tuple[int, int]) -> None:
    """A variable that leads to a structure may be seen as numbers, and one that leads to one of two structures."""
    question = f"forall (o[0]={values[0]} /\\ o[1]={values[1]})"
    request = KernelRequest(("K global 1",), initial=("a[3]", "b[3]", "q[2]", "int o[2]"), questions=(question,))
    found = check(KernelSource("k.cl", f"{SEEN}{body} }}", request))

    assert isinstance(found, Judged)
    assert (found.undefined, found.holds) == ((), True)


@pytest.mark.parametrize(("between", "races"), [("barrier(CLK_GLOBAL_MEM_FENCE);", False), ("", True)])
def test_numbers_behind_pointers_race_where_they_are_the_same(between: str, *, races: bool) -> None:
    body = f"int k = get_global_id(0); global struct quarter* z = q; put(z, k); {between} o[k] = z->qs[1 - k];"
    request = KernelRequest(("K global 2",), initial=("q[1]", "int o[2]"))
    found = check(KernelSource("k.cl", f"{SEEN}{body} }}", request))

    assert isinstance(found, Judged)
    assert bool(found.races) is races
