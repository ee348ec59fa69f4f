"""Pointers of the host to memory of the device, and addresses of containers that are passed."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

DEVICE = "int* d = malloc_device<int>(2, q); std::vector<int> v(2, 1); q.memcpy(d, v.data(), 8).wait(); "
KERNEL = "q.parallel_for(2, [=](id<1> i) { p[i] += 2; })"
BACK = "q.memcpy(v.data(), d, 8).wait();"


@pytest.mark.parametrize(
    "declared", ["int* p = d;", "auto p = d;", "auto* p = d;", "const int* c = d; int* p = d; int* r = p;"]
)
def test_other_names(declared: str) -> None:
    assert holds(f"{DEVICE} {declared} {KERNEL}.wait(); {BACK}", "v[0]=3")
    assert kinds(f"{DEVICE} {declared} {KERNEL}; {BACK}") == {"data-race"}


def test_pointers_that_change() -> None:
    """Which memory such a name means follows from exchanges, as before; from assignments it does not."""
    changed = "int* e = malloc_device<int>(2, q); int* p = d; p = e;"

    assert "the host cannot access 'd'" in refused(f"{DEVICE} {changed} {KERNEL}.wait();")


def test_addresses_of_containers() -> None:
    before = (
        "void up(queue& q, const int* h, int* d, int n) { q.memcpy(d, h, n * sizeof(int)).wait(); } "
        "int sum(queue& q, const int* h, int n) { q.wait(); int s = 0; for (int i = 0; i < n; i++) s += "
        "h[i]; return s; }"
    )
    body = f"{DEVICE} v[1] = 5; up(q, v.data(), d, 2); int* p = d; {KERNEL}.wait(); {BACK} v[0] = sum(q, v.data(), 2);"

    assert holds(body, "v[0]=10 /\\ v[1]=7", before)


def test_arrays_of_memory_of_one_statement_of_constants() -> None:
    body = (
        "constexpr int S = 2, N = 2; std::vector<int*> b(S); for (int s = 0; s < S; s++) b[s] = "
        "malloc_shared<int>(N, q); "
        "for (int s = 0; s < S; s++) b[s][1] = s + 4;"
    )

    assert holds(body, "b_0[1]=4 /\\ b_1[1]=5")
