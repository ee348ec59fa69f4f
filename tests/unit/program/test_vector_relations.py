"""What operators and functions of vectors give beside sums: relations, choices, reordered and reinterpreted components.

The values are those that the OpenCL C specification gives; each is asked of both engines and of the machine.
"""

from __future__ import annotations

import pytest

from mcm import InputError, KernelRequest, KernelSource, check, run
from mcm.front_end.kernel_file import read

DECLARED = """
  uchar4 u = (uchar4)(200, 100, 1, 0), w = (uchar4)(100, 100, 2, 0);
  char4 c = (char4)(-128, 127, -1, 3);
  short4 s = (short4)(30000, -1, 4, 5);
  int4 n = (int4)(1, -2, 3, 4), m = (int4)(1, 2, -3, 0);
  float4 f = (float4)(1.5f, -2.5f, 300.0f, NAN), g = (float4)(i);
  uint number = 0x04030201;
"""
# Operators of vectors compute in the type of the components; a relation that holds is -1; the highest bit chooses.
VALUES = {
    "((u + w) / (uchar4)(2)).x": 22,
    "(u + w).x": 44,
    "(~u >> 1).x": 27,
    "(-u / 2).x": 28,
    "(s * 2 / 2).x": -2768,
    "convert_int4(u + w).x": 44,
    "(vload4(0, bytes) + vload4(0, bytes)).s1": 144,
    "(c - (char4)(1)).x": 127,
    "((u & (uchar)0x80) ? w : u).x": 100,
    "(convert_int4(u & 0x80) ? n : m).y": 2,
    "(n < m).y": -1,
    "(n == m).x + (n != m).x": -1,
    "(n && m).w + (n || m).w": -1,
    "(!m).w": -1,
    "(n > 2 ? n : -n).z": 3,
    "select(n, m, n < 0).y": 2,
    "select(n, m, (int4)(1)).y": -2,
    "any(n < 0) * 10 + all(n < 0)": 10,
    "any(-1) + all(1)": -1 + 2,
    "isless(f, g).x + isgreater(f, g).x": -1,
    "isnan(f).w + isnan(f).x": -1,
    "isnan(f.w) + isfinite(f.x)": 2,
    "isequal(f.w, f.w) + isunordered(f.w, 1.0f) * 2 + isordered(f.x, f.y) * 4": 6,
    "signbit(f.y) * 2 + signbit(f.x) + islessgreater(f.x, f.y) * 4": 6,
    "shuffle(n, (uint4)(3, 2, 1, 4)).x * 10 + shuffle(n, (uint4)(3, 2, 1, 4)).w": 41,
    "shuffle2(n, m, (uint2)(4, 2)).y + shuffle2(n, m, (uint2)(5, 0)).x": 5,
    "as_uchar4(number).y": 2,
    "as_uint((uchar4)(1, 2, 3, 4)) == number": 1,
    "as_ushort2(number).y": 0x0403,
    "as_short((uchar2)(2, 255)) + as_ushort((uchar2)(2, 1))": -254 + 258,
    "shuffle(n, as_uint4(m)).x": -2,
    "as_int4((float4)(1.0f)).z": 0x3F800000,
    "as_uint2((ulong)5 << 32 | 7).x * 10 + as_uint2((ulong)5 << 32 | 7).y": 75,
    "(int)as_ulong((uint2)(7, 5))": 7,
    # Of a shift as many bits count as number those of a component, though it is widened.
    "(u << (uchar)9).y": 200,
    "(s >> (short4)(17)).x + ((short4)(1) << s).w": 15032,
    "(c << (char4)(-1)).w": -128,
    "((uchar4)(1) << as_uchar4(0x09090909)).x": 2,
    "(number << 33) == (number << 1)": 1,
    # A relation has the type of signed components that are as large.
    "((u < w) - (char4)(1)).z": -2,
    "((convert_ulong4(n) < (ulong4)(2)) << (long4)(40)).x == (long)-1 << 40": 1,
    "(!u).w - (char)1": -2,
    "(int)sizeof(convert_long4(n) < 1)": 32,
    "(abs_diff(n, m) - 5u).x > 0": 1,
    "as_ushort((short)(i ? s : -s).y) + as_short4(i ? s : -s).y": 65534,
    "as_short4(select(s, -s, s)).y": 1,
    "as_ushort(select(s.x, s.y, s.y))": 65535,
    "convert_uchar4_sat(f).z": 255,
    "convert_uchar4_sat_rte(f).x * 10 + convert_uchar4_sat(f).w": 20,
    "convert_int4_rte(f).y + convert_int4_rtn(f).y * 10": -32,
    "convert_int_rtp(f.x) + convert_char_sat(f.z) * 10": 1272,
    "convert_char_sat(200) + convert_uchar_sat(-5) + convert_uint_sat(-1L)": 127,
    "convert_int_sat(3e9f) == INT_MAX && convert_int_sat(-3e9f) == INT_MIN": 1,
    "(g / (float4)(2)).x == 1.5f": 1,
    "((int4)(2.7f) * 2).x": 4,
    "add_sat(u, w).x * 1000 + sub_sat(w, u).x": 255000,
    "add_sat(INT_MAX, 1) == INT_MAX && sub_sat(INT_MIN, 1) == INT_MIN": 1,
    "add_sat(LONG_MAX, 1L) == LONG_MAX && sub_sat(LONG_MIN, 1L) == LONG_MIN && add_sat(-5L, 3L) == -2": 1,
    "add_sat(ULONG_MAX, (ulong)1) == ULONG_MAX && sub_sat((ulong)1, (ulong)2) == 0": 1,
    "mul_hi(0x80000000u, 6u) * 10 + mul_hi(-1, 5)": 29,
    "mul_hi(ULONG_MAX, ULONG_MAX) == ULONG_MAX - 1 && mul_hi(-1L, 5L) == -1": 1,
    "mul_hi(LONG_MIN, LONG_MIN) == 1L << 62": 1,
    "mad_hi(0x80000000u, 6u, 4u) + mad_sat((uchar)20, (uchar)20, (uchar)1)": 262,
    "hadd(7, 8) * 100 + rhadd(7, 8) * 10 + hadd(-7, -8)": 772,
    "abs_diff(-5, 7) + abs_diff(INT_MIN, INT_MAX) == 11": 1,
    "bitselect(0xf0, 0x0f, 0x3c)": 0xCC,
    "sub_sat((uchar4)(7), shuffle(u, (uchar4)(1, 2, 3, 0))).x": 0,
    "upsample((short)-2, (ushort)7) + upsample((uchar)1, (uchar)2)": -131065 + 258,
    "upsample(c, u).x * 2 + as_short4(upsample(u, w)).y": -65136 + 25700,
    "upsample(-1, 5u) == -4294967291 && upsample(0xffffffffu, 1u) >> 63 == 1": 1,
    "smoothstep(0.0f, 2.0f, 1.0f) == 0.5f": 1,
}


def asked() -> KernelSource:
    stores = "\n".join(f"  o[{number}] = {expression};" for number, expression in enumerate(VALUES))
    text = f"kernel void K(global int *o, global uchar *bytes, int i) {{{DECLARED}{stores}\n}}"
    initial = (f"int o[{len(VALUES)}]", "uchar bytes[4] = {0, 200, 1, 1}", "i = 3")
    return KernelSource("vectors.cl", text, KernelRequest(("K global 1",), initial=initial))


def _told(values: dict[str, object]) -> dict[str, object]:
    return {expression: values[f"o[{number}]"] for number, expression in enumerate(VALUES)}


@pytest.mark.parametrize("engine", ["explicit", "smt"])
def test_values(engine: str) -> None:
    found = check(asked(), engine=engine)

    assert not found.undefined
    assert [_told(dict(state.values)) for state in found.states] == [VALUES]


def test_the_machine_computes_the_same() -> None:
    assert [_told(dict(count.state.values)) for count in run(asked(), runs=2).states] == [VALUES]


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        ("uchar4 v = (uchar4)(3); v <<= (uchar4)(9); v >>= (uchar)8; o[0] = v.y;", 6),
        ("short4 v = (short4)(-7); for (v >>= (short4)(18); v.y > 0;) {} o[0] = v.x;", -2),
        # What calls with calls in them give is used where they have been made.
        ("short2 v = (short2)(7, 9); v -= hadd(-v, select(v, (short2)(3), v)); o[0] = v.x - v.y;", -2),
        # Components are kept in variables of several types, of which nothing is said.
        ("int2 v = (int2)(1, 2); float2 f = (float2)(3, 4); v = v.yx; f = f.yx; o[0] = v.x * 10 + f.x;", 24),
    ],
)
def test_statements(statements: str, expected: int) -> None:
    text = f"kernel void K(global int *o) {{ {statements} }}"
    found = check(KernelSource("vectors.cl", text, KernelRequest(("K global 1",), initial=("int o[1]",))))

    assert not found.undefined
    assert not found.diagnostics
    assert [state.values["o[0]"] for state in found.states] == [expected]


@pytest.mark.parametrize(
    ("expression", "code"),
    [
        ("as_int3((long4)(1)).x", "E100"),
        ("convert_float_sat(1)", "E119"),
        ("o[1] ? shuffle(((global int4*)o)[0], (uint4)(1)).x : 0", "E100"),
        ("mad_sat(1L, 2L, 3L)", "E100"),
        ("any(1.5f)", "E119"),
        ("upsample(1, 2)", "E119"),
        ("upsample((uchar)1, (ushort)2)", "E119"),
        ("upsample(1L, (ulong)2)", "E119"),
        ("upsample(o, 2u)", "E119"),
        ("add_sat(1.5f, 1.0f)", "E119"),
        ("isless(1.5f)", "E104"),
        ("((int4)(1) < (int2)(1)).x", "E122"),
    ],
)
def test_what_is_refused(expression: str, code: str) -> None:
    text = f"kernel void K(global int *o) {{ o[0] = {expression}; }}"
    with pytest.raises(InputError) as raised:
        read(KernelSource("vectors.cl", text, KernelRequest(("K global 1",))))
    assert [one.code for one in raised.value.diagnostics if one.is_error] == [code]


SEEN = """
kernel void K(global uint* in, global uint* out, const global float* f, global float* g) {
  int i = get_global_id(0);
  global uint4* p = (global uint4*)in;
  const global float2* q = (const global float2*)(f + 2);
  uint4 v = p[i];
  ((global uint4*)out)[i] = v + 1;
  p[i] = v * 2;
  p[i].x = 77;
  *((global float2*)g + i) = q[i];
  g[4 + i] = (*q).y + (*(q + 1)).x + ((global float2*)f)[0].y;
}
"""


def test_numbers_are_accessed_as_vectors() -> None:
    initial = ("uint in[8] = {1,2,3,4,5,6,7,8}", "uint out[8]", "float f[8] = {10,11,12,13,14,15,16,17}", "float g[6]")
    wanted = {
        "in": [77, 4, 6, 8, 77, 12, 14, 16],
        "out": [2, 3, 4, 5, 6, 7, 8, 9],
        "g": [12, 13, 14, 15, 38, 38],
    }
    source = KernelSource("views.cl", SEEN, KernelRequest(("K global 2",), initial=initial))
    for engine in ("explicit", "smt"):
        found = check(source, engine=engine)
        assert not found.undefined
        (state,) = found.states
        values = dict(state.values)
        assert {name: [values[f"{name}[{at}]"] for at in range(len(each))] for name, each in wanted.items()} == wanted


def test_work_items_race_for_the_same_vector() -> None:
    text = "kernel void K(global uint* p) { ((global uint2*)p)[get_global_id(0) / 2] = (uint2)(1); }"
    found = check(KernelSource("views.cl", text, KernelRequest(("K global 4",))))

    assert {problem.kind for problem in found.undefined} == {"data-race"}


@pytest.mark.parametrize(
    "body",
    [
        "int n = 0; int2 v[2]; v[0] = v[n++] + n;",
        "int n = 0; int2 v[2]; v[n++] = (int2)(n);",
    ],
)
def test_steps_that_would_be_computed_several_times_are_refused(body: str) -> None:
    """What is taken apart into components is written for each of these."""
    text = f"kernel void K(global int *x, global uint *p) {{ {body} }}"
    with pytest.raises(InputError) as raised:
        read(KernelSource("views.cl", text, KernelRequest(("K global 1",))))
    assert [one.code for one in raised.value.diagnostics if one.is_error] == ["E100"]


def test_a_pointer_may_be_another_one_for_a_while() -> None:
    text = "kernel void K(global int *x) { *(global int*)((global char*)x) = 3; }"
    request = KernelRequest(("K global 1",), questions=("forall x[0]=3",))

    assert check(KernelSource("views.cl", text, request)).holds


def test_an_index_that_steps_is_computed_once() -> None:
    text = """
struct pair { int a; int b; };
kernel void K(global float4* r, global int* o, global struct pair* p) {
  int n = 0;
  float4 a = (float4)(1, 2, 3, 4);
  r[n++] = a;
  r[n++] = a * 2;
  float4 c = r[--n];
  o[0] = n; o[1] = c.z;
  struct pair q = p[n++];
  p[n--] = q;
  o[2] = p[2].b; o[3] = n;
}
"""
    initial = ("r[2]", "int o[4]", "p[3] = {{1, 2}, {3, 4}, {5, 6}}")
    asked = "forall o[0]=1 /\\ o[1]=6 /\\ o[2]=4 /\\ o[3]=1 /\\ r.x[0]=1 /\\ r.w[1]=8"
    found = check(KernelSource("steps.cl", text, KernelRequest(("K global 1",), initial=initial, questions=(asked,))))

    assert found.holds
    assert not found.undefined


# What is computed has 8 bits where C would make it an int.
NARROW = {
    "sub_sat(a > b, (char2)(-128)).x": 127,
    "add_sat(isless((float2)(1), (float2)(2)), (int2)(-2147483647)).x": -2147483648,
    "as_uchar2(u < (uchar2)(9)).x": 255,
    "as_char2(n ? u : (uchar2)(200)).y": -56,
    "as_long2(w > (long2)(0)).x": -1,
    "rotate(!a, (char2)(1)).x": -1,
    "add_sat(select(a, b, a > b), (char2)(127)).x": 127,
    "((u < (uchar2)(9)) & (char2)(-1)).x > 0": 0,
    "(u << (uchar2)(9)).x": 14,
    "(a >> (char2)(9)).y": 3,
    "((short2)(1) << (short2)(17)).x": 2,
    "((int2)(1) << (int2)(33)).x": 2,
}


@pytest.mark.parametrize(("expression", "value"), NARROW.items())
def test_components_are_not_widened(expression: str, value: int) -> None:
    text = f"""kernel void K(global int* out) {{
      char2 a = (char2)(0, 7), b = (char2)(100, 100); uchar2 u = (uchar2)(7, 8); long2 w = (long2)(4);
      int n = 0; a.x = 0; out[0] = {expression};
      u <<= (uchar2)(8); out[1] = u.x;
    }}"""
    asked = f"forall (out[0]={value} /\\ out[1]=7)"
    found = check(KernelSource("k.cl", text, KernelRequest(("K global 1",), initial=("out[2]",), questions=(asked,))))
    assert found.holds, [dict(state.values) for state in found.states]
