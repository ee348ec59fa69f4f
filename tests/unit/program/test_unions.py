"""Unions of numbers of one size, and numbers of 16 bits in memory."""

from __future__ import annotations

import pytest

from mcm import EngineName, InputError, Judged, KernelRequest, KernelSource, Source, check, format_test, parse, run

ENGINES = (EngineName.EXPLICIT, EngineName.SMT)

TEXT = """OPENCL t
{{ uint x[2]; m = 0; half h[2]; }}
union word {{ float f; uint u; int i; }};
struct box {{ union word v; int n; }};
uint bits(union word v) {{ return v.u; }}
union word made(float f) {{ union word r; r.f = f; return r; }}
kernel K (global uint* x, global union word* m, global half* h) {{
{body}
}}
launch K global 1;
forall ({condition})
"""


@pytest.mark.parametrize(
    ("body", "condition"),
    [
        ("union word v; v.f = 1.5f; uint r = v.u;", "K[0]:r=0x3fc00000"),
        ("union word v = {.u = 0x3f800000}; v.f += 1.0f; int r = v.f;", "K[0]:r=2"),
        ("union word v = {1.0f}; v.u ^= 0x80000000u; v.u++; int r = v.f < 0, s = v.u & 1;", "K[0]:r=1 /\\ K[0]:s=1"),
        ("union word v = {.i = -1}; uint r = v.u, s = bits(v);", "K[0]:r=0xffffffff /\\ K[0]:s=0xffffffff"),
        ("m[0].f = 1.0f; m->u++; uint r = (*m).u;", "K[0]:r=0x3f800001 /\\ m=0x3f800001"),
        ("struct box b; b.v = made(2.0f); b.n = 1; uint r = b.v.u;", "K[0]:r=0x40000000"),
        ("union word a[2]; a[1].i = -2; uint r = a[1].u; union word* p = &a[1]; p->f = 1; int s = p->f;", "K[0]:s=1"),
        ("union word v; float r = v.f = 3; uint* p = &v.u; *p += 1; uint s = v.u;", "K[0]:s=0x40400001"),
        ("int r = sizeof(union word) * 10 + sizeof(struct box);", "K[0]:r=48"),
        ("vstore_half_rtz(2049.9f, 0, h); vstore_half_rtp(-2049.0f, 1, h);", "h[0]=2048 /\\ h[1]=-2048"),
        ("vstore_half2_rtn((float2)(-1e-9f, 2051.0f), 0, h);", "h[0]=-0x1p-24 /\\ h[1]=2050"),
        ("float a = 2049.0f; vstore_half(a, 1, h); int r = vload_half(1, h);", "K[0]:r=2048 /\\ h[1]=2048"),
    ],
)
def test_members_are_seen_in_the_bits(body: str, condition: str) -> None:
    text = TEXT.format(body=body, condition=condition)

    for engine in ENGINES:
        found = check(Source("u.litmus", text), engine=engine)
        assert isinstance(found, Judged)
        assert (found.holds, found.undefined) == (True, ()), engine
    assert run(Source("u.litmus", text), runs=2).positive == 2
    assert "union word {\n  float f;" in format_test(Source("u.litmus", text))


def test_the_loop_that_adds_to_a_float() -> None:
    text = """typedef union { float f; uint u; } bits;
void add(volatile global float* to, float v) {
  bits old, next;
  do { old.u = atomic_cmpxchg((volatile global uint*)to, 0u, 0u); next.f = old.f + v; }
  while (atomic_cmpxchg((volatile global uint*)to, old.u, next.u) != old.u);
}
kernel void K(global float* x) { add(x, get_global_id(0) + 1); }
"""
    request = KernelRequest(launches=("K global 2, local 1",), initial=("x",), questions=("forall (x=3)",))
    found = check(KernelSource("add.cl", text, request=request))
    assert isinstance(found, Judged)
    assert (found.holds, found.undefined) == (True, ())
    # The usual one reads the old value by a plain access.
    plain = text.replace("old.u = atomic_cmpxchg((volatile global uint*)to, 0u, 0u)", "old.f = *to")
    raced = check(KernelSource("add.cl", plain, request=request))
    assert isinstance(raced, Judged)
    assert {problem.kind for problem in raced.undefined} == {"data-race"}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("union word v; int r = v.d;", "'v' has no member 'd'; it has 'f', 'u', 'i'"),
        ("union word v = {1, 2};", "the initial value of a union is that of one member"),
        ("union word v; float* p = &v.f;", "'&' of a member of a union that is no unsigned integer"),
        ("float f; vstore_half(f, 0, &f);", "expected a pointer to half"),
        ("int r = vstore_half(1.0f, 0, h);", "'vstore_half' returns nothing and has no value"),
        ("union other v;", "unknown type 'union other'"),
    ],
)
def test_what_is_refused(body: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        parse(Source("u.litmus", TEXT.format(body=body, condition="true")))
    assert message in raised.value.diagnostics[0].message


@pytest.mark.parametrize("member", ["global int* p;", "bool b;"])
def test_other_unions(member: str) -> None:
    text = TEXT.format(body="int r = 1;", condition="true").replace("int i; };", f"int i; {member} }};", 1)
    with pytest.raises(InputError, match="unions are of numbers, vectors, arrays of these, and structures of such"):
        parse(Source("u.litmus", text))


@pytest.mark.parametrize(
    ("initial", "condition"),
    [
        ("union u s[2] = {5, {.f = 2.5f}}", "out[0]=5 /\\ out[1]=1075838976"),
        ("s[2] = {{-1}, {1}}", "out[0]=-1 /\\ out[1]=1"),
        ("struct t p[2] = {{1, {2}}, {3, {.f = 1.0f}}}", "out[2]=2 /\\ out[3]=1065353216"),
        ("struct t p[2] = {{1, 7}}", "out[2]=7 /\\ out[3]=0"),
    ],
)
def test_buffers_of_unions_begin_with_a_member(initial: str, condition: str) -> None:
    text = """union u { int n; float f; };
struct t { int a; union u b; };
kernel void K(global union u* s, global struct t* p, global int* out) {
  out[0] = s[0].n; out[1] = s[1].n; out[2] = p[0].b.n; out[3] = p[1].b.n;
}"""
    request = KernelRequest(("K global 1",), initial=(initial,), questions=(f"forall ({condition})",))
    found = check(KernelSource("k.cl", text, request=request))
    assert isinstance(found, Judged)
    assert found.holds
