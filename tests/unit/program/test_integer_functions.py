"""`min`, `popcount` and so on: their values in both engines and on the machine, and what is refused."""

from __future__ import annotations

import pytest

from mcm import InputError, InvalidTestError, Judged, Source, check, parse, run

LEAST = "(-2147483647 - 1)"

VALUES = {
    "max(*x, *y)": 5,
    "min(*x, *y)": -3,
    "max(*y, *x)": 5,
    "min((uint)1, 2)": 1,
    # The usual arithmetic conversions, as for operators.
    "max((uint)1, -1) == 4294967295u": 1,
    "clamp(*x, -1, 4)": 4,
    "clamp(*y, -1, 4)": -1,
    "clamp(2, -1, 4)": 2,
    "abs(*y - 4)": 7,
    "abs(*x)": 5,
    "abs((uint)7)": 7,
    "abs((char)-128)": 128,
    f"abs({LEAST}) == 2147483648u": 1,
    "max(max(1, *x), min(9, 7))": 7,
    "popcount(*x)": 2,
    "popcount(*y)": 31,
    "popcount((uchar)*y)": 7,
    "popcount((char)*y)": 7,
    "popcount(0xF0F0F0F0F0F0F0F0ul)": 32,
    "clz(*x)": 29,
    "clz(*y)": 0,
    "clz(0)": 32,
    "clz((short)1)": 15,
    "clz((ulong)*x)": 61,
    "ctz(*x + 3)": 3,
    "ctz(*y)": 0,
    "ctz(0)": 32,
    "ctz((uchar)0)": 8,
    "ctz((ulong)1 << 40)": 40,
    "rotate(*x, 4)": 80,
    "rotate((uint)*y, 1u) == 4294967291u": 1,
    "rotate((uchar)129, (uchar)1)": 3,
    "rotate(*x, 32)": 5,
    "rotate(*x, -1) == (int)0x80000002u": 1,
    "mul24(*x, *y)": -15,
    "mad24(*x, *y, 20)": 5,
    # The idiom of queues in one word: the lowest free place.
    "31 - clz(*x & -*x)": 0,
}


def asked(expression: str, value: int) -> Source:
    text = f"OPENCL f\n{{ [x] = 5; [y] = -3; }}\nP0@wg 0 (global int* x, global int* y) {{ int r0 = {expression}; }}"
    return Source("f.litmus", f"{text}\nforall (0:r0={value})\n")


@pytest.mark.parametrize(("expression", "value"), VALUES.items())
def test_values(expression: str, value: int) -> None:
    source = asked(expression, value)

    for engine in ("explicit", "smt"):
        result = check(source, engine=engine)
        assert result.holds, list(result.states)
    assert [dict(count.state.values) for count in run(source, runs=1).states] == [{"0:r0": value}]


def test_an_argument_is_evaluated_once() -> None:
    text = "OPENCL f\n{ }\nP0@wg 0 () { int i = -5; int r0 = abs(i++); int r1 = max(i++, 0); }"

    assert check(Source("f.litmus", f"{text}\nforall (0:i=-3 /\\ 0:r0=5 /\\ 0:r1=0)\n")).holds


def test_a_function_of_the_program_comes_first() -> None:
    text = "OPENCL f\n{ }\nint max(int a, int b) { return 7; }\nP0@wg 0 () { int r0 = max(1, 2); }\nforall (0:r0=7)\n"

    assert check(Source("f.litmus", text)).holds


def test_abs_of_c_is_signed() -> None:
    text = "C f\n{ }\nP0 () { int r0 = -5; long r1 = -abs(r0); }\nforall (0:r1=-5)\n"

    assert check(Source("f.litmus", text)).holds


@pytest.mark.parametrize(
    ("header", "expression", "code", "message"),
    [
        ("OPENCL", "max(x, 1)", "E119", "'x' has type 'global int*', expected an integer"),
        ("OPENCL", "max(1)", "E104", "'max' takes 2 arguments, found 1"),
        ("OPENCL", "abs(1, 2)", "E104", "'abs' takes 1 argument, found 2"),
        ("C", "max(1, 2)", "E140", "'max' exists in OpenCL C only"),
    ],
)
def test_what_is_refused(header: str, expression: str, code: str, message: str) -> None:
    parameters = "global int* x" if header == "OPENCL" else "int* x"
    text = f"{header} f\n{{ [x] = 0; }}\nP0 ({parameters}) {{ int r0 = {expression}; }}\nexists (0:r0=1)\n"
    with pytest.raises(InvalidTestError) as refused:
        check(Source("f.litmus", text))

    assert [(one.code, one.message) for one in refused.value.diagnostics] == [(code, message)]


NESTED = {
    "rotate(rotate(x[1], 3), 4)": 5 << 7,
    "hadd(hadd(x[1], 7), hadd(x[1], 1))": 4,
    "select(1, 2, select(1, x[1], x[1] > 4))": 2,
    "once(once(x[1]))": 7,
    "hadd(once(changed(x)), 2)": 4,
}
OPEN = ["hadd(changed(x), x[1])", "x[1] + changed(x)", "hadd(x[1]++, hadd(x[1], 2))"]
NESTING = """OPENCL t
{ int x[2] = {0, 5}; }
int once(int a) { return a + 1; }
int changed(global int* x) { return x[1]++; }
"""


@pytest.mark.parametrize(("expression", "value"), NESTED.items())
def test_what_is_computed_from_a_call_comes_after_it(expression: str, value: int) -> None:
    text = f"{NESTING}P0 (global int* x) {{ x[0] = {expression}; }}\nforall (x[0]={value})\n"
    found = check(Source("t.litmus", text))
    assert isinstance(found, Judged)
    assert (found.holds, found.undefined) == (True, ())


@pytest.mark.parametrize("expression", OPEN)
def test_what_else_an_expression_does_may_come_before_a_call(expression: str) -> None:
    text = f"{NESTING}P0 (global int* x) {{ x[0] = {expression}; }}\nexists (true)\n"
    with pytest.raises(InputError) as raised:
        parse(Source("t.litmus", text))
    assert [one.code for one in raised.value.diagnostics] == ["E154"]
