"""Functions of numbers: which type they compute in, by the rules of <cmath> and of SYCL."""

from __future__ import annotations

import pytest
from host_samples import holds

MEMORY = "double* x = malloc_shared<double>(2, q); x[1] = 0; q.single_task([=] { "


@pytest.mark.parametrize(
    ("value", "bits"),
    [
        # Integers are of type `double`, and a `float` beside one too.
        ("std::sqrt(2) * (1 << 24)", 23726566),
        ("sqrt(3) * (1 << 26)", 116235962),
        ("std::pow(1.1f, 2) * (1 << 27)", 162403457),
        # Of functions of SYCL, that for the other arguments is called.
        ("sycl::pow(1.1f, 2) * (1 << 27)", 162403456),
        ("std::sqrt(2.0f) * (1 << 27)", 189812528),
        # Those for `float`.
        ("sqrtf(2.0) * (1 << 27)", 189812528),
        ("fabsf(-2.5) * 2", 5),
        ("std::fmaxf(1, 3)", 3),
    ],
)
def test_types_of_arguments(value: str, bits: int) -> None:
    assert holds(f"{MEMORY}x[0] = (long)({value}); }}).wait();", f"x[0]={bits}")


@pytest.mark.parametrize(
    ("declared", "question"),
    [
        ("auto r = std::sqrt(4); x[0] = r / 3 * 3 == 2; x[1] = sizeof(r);", "x[0]=1 /\\ x[1]=8"),
        ("auto r = sycl::sqrt(4.0f); x[0] = r; x[1] = sizeof(r);", "x[0]=2 /\\ x[1]=4"),
        ("auto r = std::max(2, 3); x[0] = r / 2; x[1] = sizeof(r);", "x[0]=1 /\\ x[1]=4"),
        ("auto r = sycl::fabs(float2(-1, 2)); x[0] = r.x(); x[1] = r.y();", "x[0]=1 /\\ x[1]=2"),
        ("auto r = sycl::native::sqrt(4.0f); x[0] = r; x[1] = sizeof(r);", "x[0]=2 /\\ x[1]=4"),
        # What chooses, and what asks about components.
        ("auto r = sycl::select(1.5f, 2.5f, true); x[0] = r * 2; x[1] = sizeof(r);", "x[0]=5 /\\ x[1]=4"),
        ("auto r = select(int2(3, 4), int2(5, 6), int2(0, -1)); x[0] = r.x(); x[1] = r.y();", "x[0]=3 /\\ x[1]=6"),
        ("x[0] = any(float2(1, 3) > float2(2)); x[1] = sycl::all(int2(-1, 1));", "x[0]=1 /\\ x[1]=0"),
    ],
)
def test_types_of_results(declared: str, question: str) -> None:
    assert holds(f"{MEMORY}{declared} }}).wait();", question)


def test_functions_of_the_program_with_these_names() -> None:
    before = "int select(int a, int b, int c) { return a + b + c; } bool any(int a) { return a == 1; }"
    body = f"{MEMORY}x[0] = select(1, 2, 3); x[1] = any(1) + any(2); }}).wait();"
    assert holds(body, "x[0]=6 /\\ x[1]=1", before)
