"""The functions of integers and floats that kernels call by their names in SYCL."""

from __future__ import annotations

import pytest

from mcm import Source, check


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("sycl::max(*x, 2) + sycl::abs(-*x)", 6),
        ("std::min(*x, 2)", 2),
        ("clamp(*x, 0, 1)", 1),
        ("sycl::native::sqrt(sycl::fabs(-4.0f)) + sycl::half_precision::recip(1.0f)", 3),
        ("sycl::max(2.5f, 1.0f) * 2", 5),
        # What begins with a type in brackets is no cast where the type is called.
        ("(float(*x) / 2) * 2 + (int(2.5f) + 1) * (size_t(*x) - 2)", 6),
        ("(unsigned(-*x) >> 31) + (bool(*x))", 2),
        # Distances have the types of their arguments, and not the unsigned ones of OpenCL C.
        ("sycl::abs(-*x) - 5 < 0", 1),
        ("abs_diff(*x, 5) - 4 < 0", 1),
    ],
)
def test_functions_of_numbers(expression: str, value: int) -> None:
    text = f"SYCL f\n{{ int x = 3; }}\nq.single_task([=] {{ int r = {expression}; }});\nforall (0:r={value})\n"
    assert check(Source("f.litmus", text)).holds


def test_host_code_calls_functions_of_numbers() -> None:
    body = "int* x = malloc_shared<int>(1, q); *x = 3; int r = std::max(*x, 2) + sycl::clamp(*x, 0, 1);"
    text = f"SYCL f\n{{ }}\nhost {{ queue q; {body} float s = sycl::sqrt(4.0f); }}\nforall (0:r=4 /\\ 0:s=2.0)\n"
    assert check(Source("f.litmus", text)).holds


def test_distances_of_opencl_c_are_unsigned() -> None:
    text = "OPENCL f\n{ int x = -3; }\nP0@dev 0 (global int* x) { int r = abs(*x) - 5 < 0; }\nforall (0:r=0)\n"
    assert check(Source("f.litmus", text)).holds


def test_distances_of_short_vectors_are_signed() -> None:
    body = "sycl::short2 v(-3, 3); sycl::short2 w = sycl::abs(v) - sycl::short2(5, 5); int r = w.x() < 0;"
    text = f"SYCL f\n{{ int x = 3; }}\nq.single_task([=] {{ {body} }});\nforall (0:r=1)\n"
    assert check(Source("f.litmus", text)).holds
