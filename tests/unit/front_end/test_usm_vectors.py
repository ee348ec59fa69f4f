"""Vectors in USM, and memory of a kind that a condition chooses."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

SHARED = "usm_allocator<int, usm::alloc::shared> a(q); "
VECTOR = f"{SHARED}std::vector<int, decltype(a)> v(4, 1, a); "
KERNEL = "auto p = v.data(); q.parallel_for(4, [=](id<1> i) { p[i] += i; })"


@pytest.mark.parametrize(
    ("body", "question"),
    [
        (f"{SHARED}int i = 7; std::vector<int, decltype(a)> v(2, i, a); i = 8;", "v[1]=7"),
        (f"{VECTOR}{KERNEL}.wait();", "v[0]=1 /\\ v[3]=4"),
        (
            f"{VECTOR}int s = 0; for (int x : v) s += x; for (auto& x : v) x = s; v.front() = v.back() + v.size();",
            "v[0]=8",
        ),
        (
            (
                f"{SHARED}constexpr int n = 2; std::vector<int, decltype(a)> v(n, a), w(n + 1, a); "
                "std::iota(v.begin(), v.end(), 3); std::fill(w.begin(), w.end(), v[1]);"
            ),
            "v[0]=3 /\\ v[1]=4 /\\ w[2]=4",
        ),
        (
            (
                "std::vector<float, sycl::usm_allocator<float, sycl::usm::alloc::host>> v(2, 2.5f, "
                "sycl::usm_allocator<float, sycl::usm::alloc::host>(q)); v[1] = v[0] + v.empty();"
            ),
            "v[1]=2.5",
        ),
    ],
)
def test_vectors(body: str, question: str) -> None:
    assert holds(body, question)


def test_race_of_a_kernel_with_a_vector() -> None:
    assert kinds(f"{VECTOR}{KERNEL}; v[0] = 3;") == {"data-race"}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (f"{VECTOR}v.push_back(1);", "'push_back' of a vector in USM"),
        (f"{SHARED}std::vector<int, decltype(a)> v(a);", "made of a number of elements"),
    ],
)
def test_refused(body: str, message: str) -> None:
    assert message in refused(body)


@pytest.mark.parametrize(
    ("body", "question"),
    [
        (
            (
                "bool b = q.get_device().has(aspect::usm_shared_allocations); int* x = b ? malloc_shared<int>(2, "
                "q) : nullptr;"
            ),
            "x[1]=0",
        ),
        ("constexpr bool b = false; int* x = b ? malloc_device<int>(1, q) : sycl::malloc_host<int>(2, q);", "x[1]=0"),
        ("constexpr int n = 3; int* x; x = (n > 2) ? (int*)malloc_shared(8, q) : (int*)malloc_shared(4, q);", "x[1]=0"),
    ],
)
def test_chosen_memory(body: str, question: str) -> None:
    assert holds(f"{body} x[1] = 0;", question)


def test_memory_that_nothing_known_chooses() -> None:
    body = "bool b = true; if (*malloc_shared<int>(1, q)) b = false; int* x = b ? malloc_shared<int>(1, q) : nullptr;"

    assert "makes memory where a pointer to it is declared" in refused(body)
