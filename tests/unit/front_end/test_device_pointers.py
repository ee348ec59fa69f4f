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


_SIX = "int* x = malloc_device<int>(6, q); int h[6]; q.fill(x, 1, 6).wait();"


@pytest.mark.parametrize(
    ("body", "question"),
    [
        ("int* y = x + 3; q.parallel_for(3, [=](id<1> i) { y[i] = i; x[i] = 2; }).wait();", "h[5]=2 /\\ h[0]=2"),
        ("const int n = 2; auto y = x + 2 * n; q.single_task([=] { *y = 7; y[1] = x[0]; }).wait();", "h[4]=7"),
        ("int* y = x + 4; step(q, x, y);", "h[4]=9"),
    ],
)
def test_places_in_memory_of_the_device(body: str, question: str) -> None:
    before = "void step(queue& q, int* a, int* b) { q.single_task([=] { b[0] = 9 * a[0]; }).wait(); }"
    assert holds(f"{_SIX} {body} q.memcpy(h, x, 6 * sizeof(int)).wait();", question, before)


def test_places_are_those_of_the_memory() -> None:
    overlap = "const int n = 2; auto y = x + n; q.parallel_for(3, [=](id<1> i) { y[i] = x[i]; }).wait();"
    assert kinds(_SIX + overlap) == {"data-race"}
    assert kinds(_SIX + overlap.replace("n = 2", "n = 3")) == set()
    assert kinds(_SIX + "int* y = x + 6; q.single_task([=] { y[0] = 4; }).wait();") == {"out-of-bounds"}
    assert kinds(_SIX + "int* y = x + 3; free(x, q); q.single_task([=] { y[0] = 4; }).wait();") == {"data-race"}


@pytest.mark.parametrize(
    "body",
    [
        "int n = 2; int* y = x + n; n = 1; q.single_task([=] { y[0] = 5; }).wait();",
        "const int i = 4; int* y = x + i; q.parallel_for(2, [=](id<1> i) { y[i] = 1; }).wait();",
        "int* y = x + 2; free(y, q);",
    ],
)
def test_places_that_are_not_followed(body: str) -> None:
    assert refused(_SIX + body)
