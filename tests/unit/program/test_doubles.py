"""Doubles and halves: how they are computed, converted, stored, and what devices need for them."""

from __future__ import annotations

import math
import struct

import pytest

from mcm import InputError, Judged, Source, check, convert_test, run
from mcm.front_end.read import read_test
from mcm.program.capability import required_features
from mcm.program.types import Scalar
from mcm.program.value_arithmetic import apply_binary, apply_unary, convert

VALUES = {
    "*d + 0.2 == 0.30000000000000004": 1,
    "(float)*d == 0.1f && (double)(float)*d != *d": 1,
    "*d * 3": 0,
    "1.0 / 3.0 == 1.0f / 3.0f": 0,
    "16777217.0 - 1 == 16777216": 1,
    "16777217.0f - 1 == 16777216": 0,
    "as_long(1.0) == 0x3ff0000000000000": 1,
    "as_double(0xbff0000000000000ul) == -1": 1,
    "convert_int(sqrt(2.0) * 1e9)": 1414213562,
    "convert_double(*f) == 0.5": 1,
    "fmax(*d, 0.05) == *d": 1,
    "mad(*d, 10.0, 1.0)": 2,
    "isinf(DBL_MAX * 2) && !isinf((double)FLT_MAX * 2)": 1,
    "M_PI == (double)M_PI_F": 0,
    "*h": 2048,
    "*h + 1.0h": 2048,
    "*h + 1.0f": 2049,
    "(half)0.1f == 0.1h && 0.1h != 0.1f": 1,
    "isinf((half)65520.0f) && !isinf((half)65519.0f)": 1,
    "as_ushort(1.5h) == 0x3e00": 1,
    "as_half((ushort)0xc000) == -2": 1,
    "convert_half(2049) == 2048 && convert_half(2051.0f) == 2052": 1,
    "sqrt((half)4.0f) == 2.0h": 1,
    "isinf((half)65520) && (half)65519 == 65504 && (half)-100000 < -65504": 1,
    "as_uint((float)0x1000001000000001L) == 0x5d800001": 1,
}


@pytest.mark.parametrize(("expression", "value"), VALUES.items())
def test_values(expression: str, value: int) -> None:
    text = "OPENCL doubles\n{ double d = 0.1; float f = 0.5; half h = 2048; }\n"
    text += f"P0@wg 0 (global double* d, global float* f, global half* h) {{ long r0 = {expression}; }}\n"
    source = Source("doubles", f"{text}forall (0:r0={value})\n")

    for engine in ("explicit", "smt"):
        result = check(source, engine=engine)
        assert result.holds
        assert not result.undefined
    assert [dict(count.state.values)["0:r0"] for count in run(source, runs=2).states] == [value]


def test_literals_are_floats_where_nothing_is_a_double() -> None:
    """OpenCL C makes them so on devices without doubles; a program with doubles is for others."""
    body = "P0@wg 0 (global int* x {1}) {{ int r0 = 0.1 == 0.1f; }}"
    text = "OPENCL literals\n{{ [x]=0; {0} }}\n" + body + "\nforall (0:r0={2})\n"

    assert check(Source("literals", text.format("", "", 1))).holds
    assert check(Source("literals", text.format("double d = 0.5;", ", global double* d", 0))).holds


@pytest.mark.parametrize("language", ["C", "SYCL"])
def test_literals_are_doubles_elsewhere(language: str) -> None:
    text = f"{language} literals\n{{ int x = 0; }}\nP0 (int* x) {{ int r0 = 0.1 == 0.1f; }}\nforall (0:r0=0)\n"

    assert check(Source("literals", text)).holds


@pytest.mark.parametrize(("type_", "form"), [(Scalar.FLOAT, "f"), (Scalar.HALF, "e")])
@pytest.mark.parametrize("symbol", ["+", "-", "*", "/"])
def test_every_operation_rounds_as_the_type_does(type_: Scalar, form: str, symbol: str) -> None:
    numbers = [float(str(convert(one, type_))) for one in (0.1, -2.5, 3.0, 100.5, 2.0**-9, 1 / 3)]

    for left in numbers:
        for right in numbers:
            wanted = apply_binary(symbol, left, right, Scalar.DOUBLE)
            assert apply_binary(symbol, left, right, type_) == struct.unpack(form, struct.pack(form, wanted))[0]
    assert apply_binary("+", 0.1, 0.2, Scalar.DOUBLE) == 0.1 + 0.2


@pytest.mark.parametrize(("type_", "bits"), [(Scalar.HALF, 0x7C00), (Scalar.DOUBLE, 0x7FF0000000000000)])
def test_bits(type_: Scalar, bits: int) -> None:
    integer = Scalar.USHORT if type_ is Scalar.HALF else Scalar.ULONG

    assert apply_unary("bits", math.inf, integer) == bits
    assert apply_unary("bits", bits, type_) == math.inf
    assert math.isnan(float(str(apply_unary("bits", bits + 1, type_))))


def test_vectors_and_atomics() -> None:
    text = """OPENCL kinds
    { double v[4] = {1, 2, 3, 4}; double sum = 0.25; }
    kernel K (global double* v, global atomic_double* sum) {
      double2 d = vload2(get_global_id(0), v);
      double2 e = d * 0.5 + (double2)(1.0, 2.0);
      local double t[2];
      t[get_local_id(0)] = e.x + e.y;
      barrier(CLK_LOCAL_MEM_FENCE);
      atomic_fetch_add(sum, t[1 - get_local_id(0)]);
      double m = work_group_reduce_max(d.y);
    }
    launch K global 2, local 2;
    forall (sum>11 /\\ sum<12 /\\ K[0]:m=4)
    """

    for engine in ("explicit", "smt"):
        result = check(Source("kinds", text), engine=engine)
        assert result.holds
        assert not result.undefined


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("fma(*d, *d, *d)", "E100"),
        ("as_int(*d)", "E119"),
        ("*d % 2", "E119"),
        ("d[*d]", "E119"),
        ("(global int*)*d == 0", "E122"),
    ],
)
def test_what_is_refused(call: str, expected: str) -> None:
    text = f"OPENCL d\n{{ double d = 1; }}\nP0@wg 0 (global double* d) {{ int r = {call}; }}\nexists (0:r=1)\n"

    with pytest.raises(InputError) as error:
        check(Source("d", text))
    assert [one.code for one in error.value.diagnostics] == [expected]


def test_what_devices_need() -> None:
    text = "{ double d = 1; } P0@wg 0 {0}{ double r = *d; half h = (half)r; }\nexists (0:h=1)\n"
    opencl = f"OPENCL d\n{text.replace('{0}', '(global double* d)')}"
    sycl = f"SYCL d\n{text.replace('{0}', '(double* d)')}"

    assert [one.feature for one in required_features(read_test(Source("d", opencl)).program)] == [
        "__opencl_c_fp64",
        "cl_khr_fp16",
    ]
    assert [one.feature for one in required_features(read_test(Source("d", sycl)).program)] == [
        "aspect::fp64",
        "aspect::fp16",
    ]


def test_in_sycl() -> None:
    text = """SYCL doubles
    { double d[2] = {0.5, 1.5}; double sum = 0; half h = 1; }
    q.parallel_for(range<1>(2), [=](id<1> i) {
      auto x = d[i] * 2.0;
      sycl::half y = *h + sycl::half(0.5f);
      atomic_ref<double, memory_order::relaxed, memory_scope::device>(*sum).fetch_add(x + y);
    });
    forall (sum=7)
    """
    for engine in ("explicit", "smt"):
        assert check(Source("doubles", text), engine=engine).holds
    opencl = convert_test(Source("doubles", text), "opencl")
    assert "global double* d" in opencl


def test_hexadecimal_numbers_are_exact() -> None:
    body = """  int r0 = 0x1p-16f * 65536 == 1.0f;
  int r1 = 0x1.8p+1;
  int r2 = sizeof(0x8.p0f) == 4 && 0X1P4f == 16;
  *d = 0x1.999999999999ap-4;
  int r3 = *d == 0.1;
"""
    text = f"OPENCL h\n{{ double d; }}\nP0 (global double* d) {{\n{body}}}\n"
    found = check(Source("h.litmus", text + "forall (0:r0=1 /\\ 0:r1=3 /\\ 0:r2=1 /\\ 0:r3=1)\n"))
    assert isinstance(found, Judged)
    assert found.holds
