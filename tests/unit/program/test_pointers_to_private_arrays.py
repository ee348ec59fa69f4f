"""Pointers into private arrays of which only what is read says where they lead; a C compiler computes the same."""

from __future__ import annotations

import pytest

from mcm import InputError, Judged, KernelRequest, KernelSource, check, run
from mcm.engine.choose import EngineName

FILE = """
typedef struct { int n; int w[2]; } S;
static void put(int *to, int value) { *to = value; }
static int put_back(int *to) { *to += 1; return *to; }
static int second(const int *from) { return from[1]; }
kernel void K(global const int *in, global int *out) {
  int a[4] = {10, 11, 12, 13};
  int b[2] = {20, 21};
  S s[2];
  for (int i = 0; i < 2; i++) { s[i].n = 30 + i; s[i].w[0] = 40 + i; s[i].w[1] = 50 + i; }
  int one = in[0], two = in[1], less = in[2];
  EXPRESSION
}
"""
IN = "in[3] = {1, 2, -1}"

CASES = {
    "int *p = &a[one]; out[0] = *p;": 11,
    "int *p = a + one; p += two; out[0] = *p;": 13,
    "int *p = &a[two + 1]; p--; p = p - one; out[0] = *p;": 11,
    "int *p = &a[two]; out[0] = p[less] + p[one];": 24,
    "int *p = two + a; out[0] = *(less + p);": 11,
    "int *p = &a[two]; *p = 7; *(p + one) += 1; out[0] = 100 * a[2] + a[3];": 714,
    "int *p = one ? &a[two] : &b[one]; out[0] = *p;": 12,
    "int *p = one == 1 ? b : a; out[0] = p[one];": 21,
    "int *p = (two == 1 ? &b[0] : &a[0]) + one; *p = 5; out[0] = a[1] + b[1];": 26,
    "put(&a[two], 3); out[0] = a[2] + second(&a[one]);": 6,
    "put(a + one, one); out[0] = a[one];": 1,
    "S *q = &s[one]; out[0] = q->n + q->w[one];": 82,
    "S *q = s + one; q->w[one] = 3; (q - 1)->n = 4; out[0] = s[1].w[1] + 10 * s[0].n;": 43,
    "int *p = &s[one].w[one]; *p = 9; out[0] = s[1].w[1] + s[1].w[0];": 50,
    "int *p = &a[two], *q = &a[one]; out[0] = (p - q) + 10 * (p > q) + 100 * (p == q + 1);": 111,
    "int *p = a; while (*p < 11 + one) p++; out[0] = p - a;": 2,
    "int c = 5, *p = &c; p = p + (one - 1); out[0] = *p;": 5,
    "uint u = one; int *p = &a[u]; ulong l = two; p = p + l; out[0] = *p;": 13,
}


def _checked(expression: str, engine: EngineName = EngineName.AUTO, *questions: str) -> Judged:
    request = KernelRequest(("K global 1",), initial=(IN, "out[1] = 0"), questions=questions)
    found = check(KernelSource("pointers.cl", FILE.replace("EXPRESSION", expression), request), engine=engine)
    assert isinstance(found, Judged)
    return found


@pytest.mark.parametrize(("expression", "expected"), CASES.items())
def test_a_pointer_leads_to_the_element_that_values_say(expression: str, expected: int) -> None:
    found = _checked(expression, EngineName.AUTO, f"forall out[0]={expected}")

    assert found.undefined == ()
    assert found.holds


@pytest.mark.parametrize("expression", ["a[2] + put_back(&a[one])", "second(&a[one]) + put_back(a)"])
def test_a_call_that_changes_the_array_is_refused_beside_another_access(expression: str) -> None:
    with pytest.raises(InputError) as caught:
        _checked(f"out[0] = {expression};")

    assert [diagnostic.code for diagnostic in caught.value.diagnostics] == ["E154"]


@pytest.mark.parametrize(
    "expression",
    [
        "int c = 2, *p = &c; out[0] = c + put_back(p);",
        "int c = 2, *p = &c; out[0] = put_back(p) + put_back(&c);",
        "int c = 2, *p = &c, *q = &c; out[0] = second(q - 1) + put_back(p);",
        "int *p = a; out[0] = a[one] + put_back(p);",
    ],
)
def test_a_pointer_that_is_made_before_may_lead_to_what_is_beside_a_call(expression: str) -> None:
    with pytest.raises(InputError) as caught:
        _checked(expression)

    assert [diagnostic.code for diagnostic in caught.value.diagnostics] == ["E154"]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        # Nobody points to what is beside the call, or another variable is known to be written.
        ("int c = 2, d = 4, *p = &c; out[0] = d + 0 * put_back(p);", 4),
        ("int c = 2, d = 4; out[0] = d + 0 * put_back(&c) + 0 * put_back(&d);", None),
        ("int c = 2, d = 4; out[0] = 0 * put_back(&c) + 0 * put_back(&d) + 3;", 3),
    ],
)
def test_what_cannot_be_the_same_may_stand_beside_a_call(expression: str, expected: int | None) -> None:
    if expected is None:
        with pytest.raises(InputError):
            _checked(expression)
        return
    assert _checked(expression, EngineName.AUTO, f"forall out[0]={expected}").holds


@pytest.mark.parametrize("engine", [EngineName.EXPLICIT, EngineName.SMT])
def test_both_engines_follow_it(engine: EngineName) -> None:
    found = _checked("int *p = &a[two]; *p = 5; out[0] = p[less] + p[0];", engine, "forall out[0]=16")

    assert found.undefined == ()
    assert found.holds


@pytest.mark.parametrize(
    "expression",
    [
        "int *p = &a[two]; out[0] = p[two];",
        "int *p = &a[less]; *p = 1;",
        "int c = 1, *p = &c; p = p + one; out[0] = *p;",
    ],
)
def test_an_access_outside_the_array_is_a_fault(expression: str) -> None:
    (problem,) = _checked(expression).undefined

    assert problem.kind == "out-of-bounds"


def test_a_pointer_that_only_points_outside_is_none() -> None:
    assert _checked("int *p = &a[two]; p = p + two; out[0] = p - a;", EngineName.AUTO, "forall out[0]=4").holds


def test_the_machine_follows_it() -> None:
    request = KernelRequest(("K global 1",), initial=(IN, "out[1] = 0"))
    text = FILE.replace("EXPRESSION", "int *p = &a[two]; *p = 5; out[0] = p[less] + p[0];")
    result = run(KernelSource("pointers.cl", text, request))

    (found,) = result.states
    assert found.state.values["out[0]"] == 16
