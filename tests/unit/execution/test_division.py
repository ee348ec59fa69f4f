"""C-DIV: integers are not divided by zero, and quotients are in range, for both engines and the machine."""

from __future__ import annotations

import pytest

from mcm import EngineName, Judged, Source, check, run

TEXT = """OPENCL t
{{ global int x[2]; }}
P0@dev 0 (global int* x) {{ int z = x[0]; int r = 4; float f = 1; uchar c = 1; int a[2] = {{1, 2}}; {} }}
exists (x[1]=0)
"""
UNDEFINED = ["r = r / z;", "r = r % z;", "r /= z;", "r %= z;", "x[1] /= z;", "a[1] /= z;", "c %= z;", "r /= 0 * r;"]
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


def kinds(body: str) -> list[set[str]]:
    source = Source("t.litmus", TEXT.format(body))
    found = []
    for engine in (EngineName.EXPLICIT, EngineName.SMT):
        result = check(source, engine=engine)
        assert isinstance(result, Judged)
        found.append({problem.kind for problem in result.undefined})
    return [*found, {problem.kind for problem in run(source, runs=1).problems}]


@pytest.mark.parametrize("body", UNDEFINED)
def test_a_divisor_of_zero_is_undefined(body: str) -> None:
    assert kinds(body) == [{"division-by-zero"}] * 3


@pytest.mark.parametrize("body", BEYOND)
def test_a_quotient_outside_the_type_is_undefined(body: str) -> None:
    assert kinds(body) == [{"division-overflow"}] * 3


@pytest.mark.parametrize("body", DEFINED)
def test_other_divisions_are_not(body: str) -> None:
    assert kinds(body) == [set()] * 3
