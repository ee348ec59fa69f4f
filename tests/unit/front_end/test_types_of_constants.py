"""Constants of a host program are numbers of their types, in its own code and in kernels."""

from __future__ import annotations

import pytest
from host_samples import holds

_X = "int* x = malloc_shared<int>(3, q); x[0] = x[1] = x[2] = 0; std::vector<int> v(4, 1);"


@pytest.mark.parametrize(
    ("body", "question"),
    [
        # What is below 0 is a large number where it has no sign.
        (
            "size_t s = 3; x[0] = s - 4 > 0; q.single_task([=] { x[1] = s - 4 > 0; }).wait(); if (s - 4 > 0) x[2] = 9;",
            "x[0]=1 /\\ x[1]=1 /\\ x[2]=9",
        ),
        ("int s = 3; x[0] = s - 4 > 0; q.single_task([=] { x[1] = s - 4 < 0; }).wait();", "x[0]=0 /\\ x[1]=1"),
        ("const unsigned u = 5; x[0] = -u > 3; x[1] = ~u >> 28; x[2] = u / 2;", "x[0]=1 /\\ x[1]=15 /\\ x[2]=2"),
        ("constexpr size_t n = 4, m = n - 6; x[0] = m > 5; const int k = n - 6; x[1] = k;", "x[0]=1 /\\ x[1]=-2"),
        (
            "x[0] = v.size() - 5 > 0; x[1] = std::size(v) - 5 > 0; auto s = v.size(); x[2] = s - 5 > 0;",
            "x[1]=1 /\\ x[2]=1",
        ),
        ("for (size_t t = 0; t < 2; t++) q.single_task([=] { x[t] = t - 1 > 5; }).wait();", "x[0]=1 /\\ x[1]=0"),
        # A value is converted to the type of its variable.
        (
            "unsigned char c = 300; short s = 70000; bool b = 5; x[0] = c; x[1] = s; x[2] = b + 1;",
            "x[0]=44 /\\ x[1]=4464 /\\ x[2]=2",
        ),
        ("const float f = 3; x[0] = (f / 2) * 2; const int g = 2.7f; x[1] = g * 2;", "x[0]=3 /\\ x[1]=4"),
        (
            "const double d = 1; x[0] = (d / 2) * 4; const float e = 0.1; x[1] = e == 0.1f; x[2] = e == 0.1;",
            "x[0]=2 /\\ x[1]=1 /\\ x[2]=0",
        ),
    ],
)
def test_constants_have_their_types(body: str, question: str) -> None:
    assert holds(f"{_X} {body}", question)


def test_static_members_and_constants_of_files_have_their_types() -> None:
    before = "struct S { static constexpr unsigned n = 2; }; constexpr size_t m = 3;"
    assert holds(
        f"{_X} x[0] = S::n - 3 > 0; q.single_task([=] {{ x[1] = m - 4 > 0; }}).wait();", "x[0]=1 /\\ x[1]=1", before
    )


def test_what_functions_of_the_host_are_passed_and_return_is_converted() -> None:
    before = (
        "void f(queue& q, float* y, float v, unsigned n, bool b) { y[0] = v / 2; "
        "q.single_task([=] { y[1] = v / 2; y[2] = n - 5 > 0; y[3] = b + 1; }).wait(); }\n"
        "int g(queue& q, float v) { return v * 1.5f; }"
    )
    body = (
        "float* y = malloc_shared<float>(4, q); float* w = malloc_shared<float>(4, q); int k = 3; f(q, y, k, 4, 5); "
        "f(q, w, 3, k, k); float r = g(q, k); w[0] = r; y[0] += w[1];"
    )
    asked = "y[0]=3.0 /\\ y[1]=1.5 /\\ y[2]=1.0 /\\ y[3]=2.0 /\\ w[0]=4.0 /\\ w[2]=1.0 /\\ w[3]=2.0"
    assert holds(body, asked, before)
