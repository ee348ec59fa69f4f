"""The functions of floats: their values in both engines and on the machine, and what is refused."""

from __future__ import annotations

import math
import struct

import pytest

from mcm import InvalidTestError, Judged, Source, check, run
from mcm.program.types import Scalar
from mcm.program.value_arithmetic import apply_binary, apply_unary

VALUES = {
    "sqrt(*x) == 1.5f": 1,
    "fabs(*y) == 0.5f": 1,
    "native_recip(*y) == -2.0f": 1,
    "half_divide(*x, 2.0f) == 1.125f": 1,
    "rsqrt(0.25f) == 2.0f": 1,
    "fmin(*x, *y) == *y": 1,
    "fmax(*x, sqrt(*y)) == *x": 1,
    "max(*x, 0) == 2.25f": 1,
    "clamp(*y, 0.0f, 1.0f) == 0": 1,
    "convert_int(*x) + convert_int(*y)": 2,
    "floor(*y)": -1,
    "ceil(*x)": 3,
    "trunc(*y) == 0": 1,
    "round(*y)": -1,
    "rint(*y) == 0": 1,
    "pow(*x, 2.0f) == 5.0625f": 1,
    "pown(*y, 3) == -0.125f": 1,
    "exp2(3.0f)": 8,
    "log(0.0f) == -INFINITY": 1,
    "exp(1000.0f) == INFINITY": 1,
    "fmod(-5.0f, 3.0f)": -2,
    "mad(*x, 2.0f, *y)": 4,
    "mix(0.0f, 8.0f, 0.25f)": 2,
    "step(0.0f, *y)": 0,
    "sinpi(1.0f) == 0.0f && cospi(1.0f) == -1.0f && sinpi(-0.5f) == -1.0f": 1,
    "maxmag(*x, -3.0f) == -3.0f && minmag(*x, -3.0f) == *x && maxmag(2.0f, -2.0f) == 2.0f": 1,
    "ldexp(*x, -2) == 0.5625f && ldexp(1.0f, 1000) == INFINITY && ldexp(-1.0f, 1000) == -INFINITY": 1,
    "logb(*x) + logb(*y)": 0,
    "logb(0.0f) == -INFINITY && rootn(-8.0f, 3) == -2.0f && isnan(rootn(-8.0f, 2))": 1,
    "atan2pi(1.0f, 1.0f) == 0.25f && tgamma(5.0f) == 24.0f && lgamma(0.0f) == INFINITY": 1,
    "isnan(sqrt(*y)) + isinf(1.0f / 0.0f) + isfinite(*x)": 3,
    "isnan(sqrt(*y) / 0.0f) + isnan(NAN / -0.0f) + isinf(*x / -0.0f)": 3,
    "as_int(-(float)(*x == *y)) == INT_MIN && signbit(-(float)(char)!*x)": 1,
    "isnan(*x) + isinf(*y) + isfinite(INFINITY)": 0,
    "as_int(*x) == 0x40100000": 1,
    "as_uint(*y) == 0xbf000000u": 1,
    "as_float(as_int(*x)) == *x": 1,
    "as_int(4294967295u)": -1,
    "select(3, 4, *x > *y)": 4,
    "convert_float_rtz(16777217) == 16777216.0f && convert_float_rtz(-16777217) == -16777216.0f": 1,
    "convert_float_rtp(16777217) == 16777218.0f && convert_float_rtn(-16777217) == -16777218.0f": 1,
    "convert_half_rtz(2050.9f) == 2050.0h && convert_half_rte(2049.1f) == 2050.0h": 1,
    "convert_half_rtz(1e6f) == 65504.0h && convert_half_rtp(1e6f) == INFINITY": 1,
    "convert_half_rtp(-1e6f) == -65504.0h": 1,
    "convert_float_rtp(7) == 7.0f && as_int(convert_float_rtz(-0.0f)) == INT_MIN && isnan(convert_half_rtn(NAN))": 1,
    "ilogb(*x) * 10 + ilogb(0.3f)": 8,
    "ilogb(0.0f) == INT_MIN && ilogb(-INFINITY) == INT_MAX && ilogb(NAN) == INT_MAX": 1,
    "nextafter(1.0f, *x) == as_float(0x3f800001) && nextafter(1.0f, *y) == as_float(0x3f7fffff)": 1,
    "as_int(nextafter(0.0f, *y)) == INT_MIN + 1 && nextafter(-1.0f, -2.0f) < -1.0f && nextafter(*x, *x) == *x": 1,
    "nextafter(INFINITY, 0.0f) == FLT_MAX && isnan(nextafter(NAN, *x)) && nextafter(1.0h, 2.0h) == 1.0009765625h": 1,
    "isnormal(*x) + isnormal(-FLT_MIN) + 4 * isnormal(1e-40f) + 8 * isnormal(INFINITY) + 16 * isnormal(NAN)": 2,
    "isnormal((half)6.103515625e-05f) && !isnormal((half)3e-05f)": 1,
    "(int)(M_LOG2E_F * 1000) + (int)(M_1_PI_F * 1000) + (int)(M_2_SQRTPI_F * 1000)": 2888,
    "FLT_MANT_DIG + FLT_MAX_EXP + SCHAR_MIN": 24,
    "isnan(nan(3u)) && as_uint(nan(0u)) == 0x7fc00000u": 1,
    "bitselect(*x, *y, as_float(0x80000000u)) == -2.25f && bitselect(*x, *y, as_float(0x7fffffff)) == 0.5f": 1,
    "FLT_MAX > 1.0f && M_PI_F > 3.14f && UCHAR_MAX == 255": 1,
    # Rounded once: as a product and a sum, it is 0.
    "fma(1.0f + FLT_EPSILON, 1.0f - FLT_EPSILON, -1.0f) == -FLT_EPSILON * FLT_EPSILON": 1,
    "(1.0f + FLT_EPSILON) * (1.0f - FLT_EPSILON) - 1.0f == 0": 1,
}


@pytest.mark.parametrize(("expression", "value"), VALUES.items())
def test_values(expression: str, value: int) -> None:
    text = "OPENCL f\n{ float x = 2.25; float y = -0.5; }\n"
    text += f"P0@wg 0 (global float* x, global float* y) {{ int r0 = {expression}; }}\nforall (0:r0={value})\n"
    source = Source("f.litmus", text)

    for engine in ("explicit", "smt"):
        result = check(source, engine=engine)
        assert result.holds, list(result.states)
    assert [dict(count.state.values) for count in run(source, runs=1).states] == [{"0:r0": value}]


def test_an_argument_is_evaluated_once() -> None:
    text = (
        "OPENCL f\n{ }\nP0@wg 0 () { float i = 4, a = isinf(i++), b = mix(i++, 9.0f, 0.5f), c = select(i++, 0.0f, 0); }"
    )

    assert check(Source("f.litmus", f"{text}\nforall (0:i=7 /\\ 0:b=7 /\\ 0:c=6)\n")).holds


def test_what_domains_and_ranges_leave_open_is_that_of_ieee_754() -> None:
    assert math.isnan(_one("log", -1.0))
    assert math.isnan(_one("sin", math.inf))
    assert _one("floor", -math.inf) == -math.inf
    assert _one("sinh", -1000.0) == -math.inf
    assert math.copysign(1, _one("rint", -0.25)) == -1
    assert apply_binary("pow", -0.0, -3.0, Scalar.FLOAT) == -math.inf
    assert math.isnan(float(str(apply_binary("fmod", 1.0, 0.0, Scalar.FLOAT))))


def test_fma_rounds_once() -> None:
    """A sum that lies next to the middle of two floats, where rounding to 53 bits first would put it on the middle."""
    product = apply_binary("exact *", 1.0 + 2.0**-12, 1.0 + 2.0**-12, Scalar.FLOAT)
    middle = 1.0 + 2.0**-11 + 2.0**-24
    assert product == middle
    up, down = (apply_binary("exact +", product, sign * 2.0**-100, Scalar.FLOAT) for sign in (1, -1))
    assert (up, down) == (1.0 + 2.0**-11 + 2.0**-23, 1.0 + 2.0**-11)
    assert struct.unpack("f", struct.pack("f", middle))[0] == 1.0 + 2.0**-11


VECTORS = """OPENCL vectors
{ v.x = 1; v.y = -2; float p[4] = {1, 2, 3, 4}; float q[4]; }
kernel K (global float2* v, global float* p, global float* q) {
  float2 a = v[0], b = fabs(a) * native_sqrt(4.0f), c = max(a, 0.0f);
  int2 i = convert_int2(b);
  float r0 = dot(a, b), r1 = length(b - (float2)(-1, -0.0f)), r2 = distance(a, c);
  int r3 = i.y;
  float2 d = vload2(1, p);
  vstore2(d + b, 0, q);
}
launch K global 1;
forall (K[0]:r0=-6 /\\ K[0]:r1=5 /\\ K[0]:r2=2 /\\ K[0]:r3=4
  /\\ K[0]:c.x=1 /\\ K[0]:c.y=0 /\\ q[0]=5 /\\ q[1]=8 /\\ q[2]=0)
"""


def test_vectors_go_component_by_component() -> None:
    result = check(Source("v.litmus", VECTORS))
    assert isinstance(result, Judged)
    assert (result.holds, result.undefined) == (True, ())
    ran = run(Source("v.litmus", VECTORS), runs=2)
    assert (ran.positive, ran.problems) == (2, ())


def test_vectors_in_memory_race() -> None:
    body = "float2 d = vload2(get_global_id(0), p); vstore2(d, 0, p);"
    text = f"OPENCL r\n{{ float p[4]; }}\nkernel K (global float* p) {{ {body} }}\n"
    result = check(Source("r.litmus", f"{text}launch K global 2;\nforall (true)\n"))
    assert isinstance(result, Judged)
    assert {race.location for race in result.races} == {"p[0]"}
    assert {site.text for race in result.races for site in race.sites} == {
        "vload2(get_global_id(0), p)",
        "vstore2(d, 0, p)",
    }


def test_a_function_of_the_program_comes_first() -> None:
    text = "OPENCL f\n{ }\nfloat dot(float2 a, float2 b) { return 7; }\n"
    text += "P0@wg 0 () { float2 v = (float2)(1); float r0 = dot(v, v); }"

    assert check(Source("f.litmus", f"{text}\nforall (0:r0=7)\n")).holds


@pytest.mark.parametrize(
    ("header", "expression", "code", "message"),
    [
        ("OPENCL", "nan(1.0f)", "E119", "'nan' takes a 'ushort', 'uint' or 'ulong'; '1.0f' has type 'float'"),
        (
            "OPENCL",
            "bitselect(1.0f, 2.0f, (float)*x)",
            "E100",
            "not yet supported: bits that a float chooses; choose by the bits of an integer, 'as_float(n)'",
        ),
        ("OPENCL", "convert_float_sat(1)", "E119", "'convert_float_sat': only conversions to integers are saturated"),
        ("OPENCL", "convert_float_rtz(1L)", "E100", "not yet supported: 'convert_float_rtz' of an integer of 64 bits"),
        ("OPENCL", "abs(1.0f)", "E119", "'abs' takes no float; 'fabs' does"),
        ("OPENCL", "popcount(1.0f)", "E119", "'popcount' takes no float"),
        ("OPENCL", "sqrt(x)", "E119", "'x' has type 'global int*', expected a number"),
        ("OPENCL", "sqrt(1, 2)", "E104", "'sqrt' takes 1 argument, found 2"),
        ("OPENCL", "as_int(1l)", "E119", "'1l' has 64 bits, and 'int' has 32"),
        ("C", "rsqrt(1)", "E140", "'rsqrt' exists in OpenCL C only"),
    ],
)
def test_what_is_refused(header: str, expression: str, code: str, message: str) -> None:
    parameters = "global int* x" if header == "OPENCL" else "int* x"
    text = f"{header} f\n{{ [x] = 0; }}\nP0 ({parameters}) {{ int r0 = {expression}; }}\nexists (0:r0=1)\n"
    with pytest.raises(InvalidTestError) as refused:
        check(Source("f.litmus", text))

    assert [(one.code, one.message) for one in refused.value.diagnostics] == [(code, message)]


def _one(name: str, value: float) -> float:
    found = apply_unary(name, value, Scalar.FLOAT)
    assert isinstance(found, float)
    return found
