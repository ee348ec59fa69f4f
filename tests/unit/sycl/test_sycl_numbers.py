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
    ],
)
def test_functions_of_numbers(expression: str, value: int) -> None:
    text = f"SYCL f\n{{ int x = 3; }}\nq.single_task([=] {{ int r = {expression}; }});\nforall (0:r={value})\n"
    assert check(Source("f.litmus", text)).holds
