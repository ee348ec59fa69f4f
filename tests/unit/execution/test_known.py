"""Private computation that is known: skeletons are those that symbolic execution alone makes, faults included."""

from __future__ import annotations

import pytest

from mcm.base.source import Source
from mcm.execution.elaborate import elaborate
from mcm.execution.known import Known
from mcm.front_end.read import read_test

BODIES = {
    "arithmetic": "int i = 7; i = i * 3 - 20 / 6 % 4; i <<= 2; i ^= 5; uchar c = i + 300; *x = c;",
    "floats": "float f = 1.5f; f = f / 2 + 1; int i = f; *x = i;",
    "unsigned numbers wrap": "uint u = 0; u = u - 1; ulong w = u; *x = w > 5;",
    "logic": "int i = 0; int j = i && 1 / i || !i; *x = j ? i + 1 : i - 1;",
    "arrays": "int a[3] = {1, 2}; for (int i = 0; i < 3; i++) { a[i] += i; } *x = a[0] + a[1] + a[2];",
    "pointers": "global int* p = x + 1; p++; *p = 1; *x = p - x;",
    "an address of a private variable": "int i = 1; int* p = &i; *p = 2; *x = i; *x = *p + i;",
    "a division by zero": "int i = 0; *x = 1 / i;",
    "a variable without a value": "int i; *x = i + 1;",
    "an element that is not there": "int a[2] = {1, 2}; int i = 2; *x = a[i];",
    "an index that is changed beside": "int i = 0; x[i] = i++;",
    "a value that is changed beside": "int i = 0; int j = i + i++;",
    "an expectation that is changed beside": "int e = 0; atomic_compare_exchange_strong(y, &e, e + 1);",
    "what memory decides": "int i = *x; int j = 1; if (i) { j = 2; } x[j] = j;",
    "a loop that memory ends": "int j = 0; while (atomic_load(y)) { j++; } x[j] = j;",
    "a private variable by a function": "int i = 1; *x = twice(i) + i;",
}
TEXT = """OPENCL t
{{ global int x[4]; }}
int twice(int n) {{ n *= 2; return n; }}
P0@dev 0 (global int* x, global atomic_int* y) {{ {} }}
P1@dev 0 (global int* x, global atomic_int* y) {{ atomic_store(y, 1); }}
"""


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_it_makes_no_difference(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = read_test(Source("t.litmus", TEXT.format(body))).program
    found = elaborate(program)
    with monkeypatch.context() as patch:
        patch.setattr(Known, "value", lambda *_: None)
        patch.setattr(Known, "of_variable", lambda *_: None)
        assert found == elaborate(program)


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("a division by zero", "unspecified-quotient"),
        ("a variable without a value", "uninitialised-read"),
        ("an element that is not there", "out-of-bounds"),
        ("an index that is changed beside", "unsequenced-race"),
        ("a value that is changed beside", "unsequenced-race"),
    ],
)
def test_faults_are_seen(name: str, fault: str) -> None:
    (skeleton,) = elaborate(read_test(Source("t.litmus", TEXT.format(BODIES[name]))).program)
    assert [one.kind for one in skeleton.faults] == [fault]


def test_what_is_known_is_computed_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    known = []
    real = Known.value

    def noted(self: Known, node: object) -> object:
        known.append(real(self, node))  # type: ignore[arg-type]
        return known[-1]

    monkeypatch.setattr(Known, "value", noted)
    elaborate(read_test(Source("t.litmus", TEXT.format(BODIES["arithmetic"]))).program)
    assert known
    assert None not in known[:10]
