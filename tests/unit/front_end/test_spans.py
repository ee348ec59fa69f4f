"""`std::span` in programs."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

X = "int* x = malloc_shared<int>(4, q); for (int i = 0; i < 4; i++) x[i] = i + 1; "
TASK = X + "q.single_task([=] { %s }).wait();"


@pytest.mark.parametrize(
    "declared",
    ["std::span<int> s(x, 4);", "std::span<int> s{x, 4};", "std::span s(x, 4);", "sycl::span<int, 4> s(x, 4);"],
)
def test_elements(declared: str) -> None:
    loop = "int t = 0; for (int& v : s) { v += 1; t += v; }"
    assert holds(TASK % f"{declared} s[0] = s[1] + s.back() + s.size(); {loop} x[0] += t;", "x[0]=34 /\\ x[3]=5")


def test_functions_take_them_and_parts() -> None:
    before = "int total(std::span<const int> s) { int t = 0; for (int v : s) t += v; return t; }"
    assert holds(
        TASK % "std::span<int> s(x, 4); x[0] = total(s.subspan(1, 2)) * 10 + total(s.first(2));", "x[0]=53", before
    )


@pytest.mark.slow
def test_one_of_the_host() -> None:
    assert holds(
        X + "std::span<int> s(x, 4); q.parallel_for(4, [=](id<1> i) { s[i] *= 2; }).wait();", "x[0]=2 /\\ x[3]=8"
    )
    assert "data-race" in kinds(X + "std::span<int> s(x, 4); q.parallel_for(4, [=](id<1> i) { s[0] += i; }).wait();")


def test_one_of_what_is_not_evident_is_refused() -> None:
    assert "what this span is of" in refused(TASK % "std::span s(f(x), 4);")
