"""C-DIV: integers are not divided by zero, and quotients are in range, for both engines and the machine."""

from __future__ import annotations

import pytest

from mcm import EngineName, Judged, Source, Verdict, check, run

TEXT = """OPENCL t
{{ global int x[2]; }}
P0@dev 0 (global int* x) {{ int z = x[0]; int r = 4; float f = 1; uchar c = 1; int a[2] = {{1, 2}}; {} }}
exists (x[1]=0)
"""
ZERO = ["r = r / z;", "r = r % z;", "r /= z;", "r %= z;", "x[1] /= z;", "a[1] /= z;", "c %= z;", "r /= 0 * r;"]
BEYOND = [
    *("r = (z - 2147483647 - 1) / (z - 1);", "r = (z - 2147483647 - 1) % (z - 1);", "r = INT_MIN; r /= z - 1;"),
    *("x[1] = INT_MIN; x[1] %= z - 1;", "long l = LONG_MIN; l /= z - 1;"),
    "int m = -2147483647 - 1; m /= -1;",
    "int m = -2147483647 - 1; int k = m / -1;",
    "uint m = 0x80000000; *(int*)&m /= -1;",
    "*(global uint*)x = 0x80000000; *x %= -1;",
]
DEFINED = [
    *("f /= z;", "r /= 2;", "if (z) { r /= z; }", "z && (r /= z);", "r /= !z;", "r %= z - 1;"),
    *("r = (z - 2147483647) / (z - 1);", "char d = CHAR_MIN; d /= z - 1;", "uint u = 0x80000000u; u /= z - 1;"),
    *("long l = INT_MIN; l /= z - 1;", "if (z) { r = INT_MIN; r /= z - 1; }", "r = INT_MIN / 1;"),
]


# A host program is C, a work-item's program OpenCL C.
HOST = TEXT.replace("P0@dev 0 (global", "P0@host (global")
C = "C" + TEXT.removeprefix("OPENCL").replace("global int", "int").replace("@dev 0 (int", " (int")


def found(body: str, text: str = TEXT) -> list[tuple[set[str], set[str]]]:
    """The kinds of what is undefined, and of what is implementation-defined, by each engine."""
    source = Source("t.litmus", text.format(body))
    results = [check(source, engine=engine) for engine in (EngineName.EXPLICIT, EngineName.SMT)]
    assert all(isinstance(result, Judged) for result in results)
    return [
        ({problem.kind for problem in result.undefined}, {problem.kind for problem in result.impl_defined})
        for result in results
        if isinstance(result, Judged)
    ]


def met(body: str, text: str = TEXT) -> set[str]:
    """The kinds of what the machine meets."""
    return {problem.kind for problem in run(Source("t.litmus", text.format(body)), runs=1).problems}


@pytest.mark.parametrize("body", [*ZERO, *BEYOND])
def test_in_opencl_c_a_quotient_that_does_not_exist_is_any_value(body: str) -> None:
    assert found(body) == [(set(), {"unspecified-quotient"})] * 2
    assert met(body) == {"unspecified-quotient"}


def test_a_program_with_such_a_quotient_is_implementation_defined() -> None:
    result = check(Source("t.litmus", TEXT.format("r /= z;").replace("x[1]=0", "x[1]=7")))
    assert isinstance(result, Judged)
    assert result.verdict is Verdict.IMPL_DEFINED
    (problem,) = result.impl_defined
    # States have 0 for the quotient: that no state is as asked says nothing of other values.
    assert result.observation is None
    assert (problem.rules, problem.why) == (("C-DIV",), "the divisor is zero, so that the result may be any value")


def test_what_is_undefined_is_the_stronger_verdict() -> None:
    """The search does not end at the quotient: the race is found, also where only the verdict is asked for."""
    text = TEXT.format("r /= z; x[0] = r;").replace("exists", "P1@dev 0 (global int* x) { x[0] = 1; }\nexists")
    for states in (True, False):
        for engine in (EngineName.AUTO, EngineName.EXPLICIT, EngineName.SMT):
            result = check(Source("t.litmus", text), engine=engine, states=states)
            assert isinstance(result, Judged)
            assert result.verdict is Verdict.UNDEFINED, (states, engine)


def test_without_the_rule_nothing_is_said() -> None:
    result = check(Source("t.litmus", TEXT.format("r /= z;")), without=["C-DIV"])
    assert isinstance(result, Judged)
    assert not result.impl_defined


@pytest.mark.parametrize("text", [HOST, C], ids=["host", "C"])
def test_a_divisor_of_zero_is_undefined_in_c(text: str) -> None:
    assert found("r = r / z;", text) == [({"division-by-zero"}, set())] * 2
    assert found("r = INT_MIN; r /= z - 1;", text) == [({"division-overflow"}, set())] * 2
    assert met("r = r / z;", text) == {"division-by-zero"}


@pytest.mark.parametrize("body", DEFINED)
def test_other_divisions_have_a_result(body: str) -> None:
    assert found(body) == [(set(), set())] * 2
    assert met(body) == set()
