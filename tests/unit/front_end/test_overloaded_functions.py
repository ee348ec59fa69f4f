"""Functions of programs that have one name."""

from __future__ import annotations

import pytest
from host_samples import holds, refused

X = "int* x = malloc_shared<int>(4, q); float* f = malloc_shared<float>(1, q); "
BEFORE = (
    "struct P { int a; }; int val(int v) { return v; } int val(const P& p) { return p.a; } "
    "int val(int a, int b, int c = 1) { return val(a) * val(b) * c; } float val(float v) { return 2 * v; } "
    "void put(int* to, int v) { *to = v; } void put(float* to, int v) { *to = v + 0.5f; }"
)


@pytest.mark.slow
def test_functions_of_the_device() -> None:
    body = "P p{5}; int k = 3; x[0] = val(p); x[1] = val(k, 4); x[2] = val(1.5f); x[3] = val(x[0]); put(f, 3); "
    asked = "x[0]=5 /\\ x[1]=12 /\\ x[2]=7 /\\ x[3]=5 /\\ f[0]=3.5"
    assert holds(X + f"q.single_task([=] {{ {body} put(x + 2, 7); }}).wait();", asked, BEFORE)


def test_functions_of_the_host() -> None:
    before = (
        "void run(queue& q, int* x) { q.single_task([=] { *x = 1; }).wait(); } "
        "void run(queue& q, float* x) { q.single_task([=] { *x = 2.5f; }).wait(); }"
    )
    assert holds(X + "run(q, x); run(q, f);", "x[0]=1 /\\ f[0]=2.5", before)


@pytest.mark.parametrize("call", ["val(2.5)", "val(k + 1)", "val()"])
def test_a_call_that_does_not_tell_which_is_refused(call: str) -> None:
    before = "int val(int v) { return v; } float val(float v) { return v; }"
    assert "there are several functions 'val'" in refused(
        X + f"int k = 1; q.single_task([=] {{ x[0] = {call}; }}).wait();", before
    )


def test_objects_whose_calls_are_templates() -> None:
    before = (
        "struct Mul { template <typename T> T operator()(const T& a, const T& b) const { return a * b; } }; "
        "template <typename F> int fold(int* x, F f) { int t = x[0]; t = f(t, x[1]); return t; } "
    )
    task = "q.single_task([=] { Mul m; x[2] = fold(x, m); f[0] = m(f[0], 3.0f); }).wait();"
    assert holds(X + "x[0] = 3; x[1] = 4; f[0] = 0.5f; " + task, "x[2]=12 /\\ f[0]=1.5", before)
