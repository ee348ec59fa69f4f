"""Kernels that use memory of the host: W156 tells of them, where they are no host tasks."""

from __future__ import annotations

import pytest
from host_samples import holds, warnings

IN_GROUP = "q.submit([&](handler& h) {"
OF_BUFFER = "accessor p(b, h); h.single_task([=] { p[0] = 1; });"
WRITES = "q.single_task([=] { p[0] = 1; }).wait();"


@pytest.mark.parametrize(
    "made",
    [
        "std::vector<int> v(2); int* p = v.data();",
        "std::vector<int> v(2); int* p = &v[0];",
        "std::vector<int> v(2); auto o = v.data(); int* p = o;",
        "int* p = new int[2];",
        "int* p = (int*)malloc(2 * sizeof(int));",
        "int a[2]; int* p = a;",
        "int x = 0; int* p = &x;",
    ],
)
def test_a_kernel_that_is_passed_an_address_of_the_host(made: str) -> None:
    assert "W156" in warnings(f"{made} {WRITES}")


@pytest.mark.parametrize(
    "body",
    [
        f"int* p = malloc_shared<int>(2, q); {WRITES}",
        f"int* u = malloc_shared<int>(2, q); int* p = u + 1; {WRITES}",
        f"std::vector<int> v(2); int* p = v.data(); {IN_GROUP} h.host_task([=] {{ p[0] = 1; }}); }}).wait();",
        f"std::vector<int> v(2); {{ buffer<int> b(v.data(), range<1>(2)); {IN_GROUP} {OF_BUFFER} }}); }}",
        "std::array<int, 2> p{1, 2}; int* r = malloc_shared<int>(1, q); q.single_task([=] { r[0] = p[0]; }).wait();",
    ],
)
def test_other_memory(body: str) -> None:
    assert warnings(body) == []


def test_it_is_taken_for_memory_that_the_device_has() -> None:
    assert holds(f"std::vector<int> v(2); int* p = v.data(); {WRITES}", "v[0]=1")
