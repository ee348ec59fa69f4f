"""Functions that give two results, one through a pointer into any address space."""

from __future__ import annotations

import pytest

from mcm import EngineName, InputError, Judged, KernelRequest, KernelSource, check, parse, run

TEXT = """
kernel void K(global float* x, global float* out) {
  float whole; int power; local float kept;
  out[0] = fract(x[0], &whole); out[1] = whole;
  out[2] = modf(x[0], out + 3);
  out[4] = frexp(x[1], &power); out[5] = power;
  out[6] = sincos(0.0f, &kept); out[7] = kept;
  float sum = fract(x[0] * 0.25f, &whole); sum += fract(x[1], &whole); out[8] = sum;
  out[9] = frexp(0.0f, &power); out[10] = power;
  out[11] = modf(-INFINITY, &whole) == 0.0f && whole == -INFINITY;
}
"""
VALUES = (0.25, -2.0, -0.75, -1.0, 0.75, 4, 0.0, 1.0, 0.5625, 0.0, 0, 1)


def source(text: str = TEXT, launch: str = "K global 1") -> KernelSource:
    asked = " /\\ ".join(f"out[{number}]={value}" for number, value in enumerate(VALUES))
    initial = ("float x[2] = {-1.75, 12}", "float out[12]")
    return KernelSource("k.cl", text, KernelRequest((launch,), (), initial, (f"forall ({asked})",)))


@pytest.mark.parametrize("engine", [EngineName.EXPLICIT, EngineName.SMT])
def test_both_results_are_there(engine: EngineName) -> None:
    found = check(source(), engine=engine)
    assert isinstance(found, Judged)
    assert (found.holds, found.undefined) == (True, ())


def test_runs_see_the_same() -> None:
    ran = run(source(), runs=1)
    assert (ran.positive, ran.problems) == (1, ())


def test_a_race_is_told_at_the_call() -> None:
    text = "kernel void K(global float* x, global float* out) {\n  float a = 0;\n  a += sincos(x[0], out); }\n"
    (problem,) = check(source(text, "K global 2, local 1")).undefined
    assert problem.location == "out[0]"
    assert {site.span.line for site in problem.sites} == {3}


def test_a_function_of_the_program_comes_first() -> None:
    text = """float fract(float x, float* y) { return x; }
kernel void K(global float* out) { float y; *out = fract(7.5f, &y); }
"""
    request = KernelRequest(("K global 1",), questions=("forall (out=7.5)",))
    found = check(KernelSource("k.cl", text, request))
    assert isinstance(found, Judged)
    assert found.holds


TYPES = """
kernel void K(global double* x, global float* out) {
  double whole; float kept; int power;
  out[0] = fract(x[0], &whole) * 4; out[1] = whole;
  out[2] = fract(-1.75f, &kept); out[3] = kept;
  out[4] = frexp(x[1], &power); out[5] = power;
  float4 wholes; float4 parts = modf((float4)(1.5f, -2.25f, INFINITY, 0), &wholes);
  out[6] = parts.x + parts.y * 100 + parts.z; out[7] = wholes.y;
  double2 cosines; double2 sines = sincos((double2)(0.0, x[0] + 1.75), &cosines);
  out[8] = sines.y + cosines.x + cosines.y * 10;
}
"""


def typed(text: str) -> KernelSource:
    values = {0: 1, 1: -2, 2: 0.25, 3: -2, 4: 0.75, 5: 4, 6: -24.5, 7: -2, 8: 11}
    asked = " /\\ ".join(f"out[{number}]={value}" for number, value in values.items())
    initial = ("double x[2] = {-1.75, 12}", "float out[9]")
    return KernelSource("k.cl", text, KernelRequest(("K global 1",), (), initial, (f"forall ({asked})",)))


@pytest.mark.parametrize("engine", [EngineName.EXPLICIT, EngineName.SMT])
def test_each_call_has_the_type_of_its_results(engine: EngineName) -> None:
    found = check(typed(TYPES), engine=engine)
    assert isinstance(found, Judged)
    assert (found.holds, found.undefined) == (True, ())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "kernel void K(global double* out) { double y; *out = frexp(1.5, out); }\n",
            "not yet supported: 'frexp' in a program that has doubles, of what has no plain type; give it a variable",
        ),
        (
            "kernel void K(global int2* out) { int2 e; float2 y = frexp((float2)(1), &e); *out = e; }\n",
            "not yet supported: 'frexp' of 'float2'",
        ),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        parse(KernelSource("k.cl", text, KernelRequest(("K global 1",))))
    assert message in [d.message for d in raised.value.diagnostics]


def test_a_function_that_keeps_the_second_result_only_computes() -> None:
    text = """float2 turned(float a) { float c; float s = sincos(a, &c); return (float2)(c, s); }
float kept(float a, global float* to) { return sincos(a, to); }
float2 product(float2 a, float2 b) { return a * b; }
kernel void K(global float* x, global float* out) {
  float2 v = product((float2)(x[0], x[1]), turned(0.0f));
  out[0] = v.x;
  WHERE
}
"""
    request = KernelRequest(("K global 1",), initial=("float x[2] = {5, 1}",), questions=("forall (out[0]=5)",))
    found = check(KernelSource("k.cl", text.replace("WHERE", ""), request))
    assert isinstance(found, Judged)
    assert found.holds
    changed = text.replace("WHERE", "float2 w = (float2)(1) * kept(0, out); out[0] = w.x;")
    with pytest.raises(InputError, match="would be computed once for each component"):
        check(KernelSource("k.cl", changed, request))
