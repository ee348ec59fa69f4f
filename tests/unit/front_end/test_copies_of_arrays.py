"""Arrays of the host of which kernels have copies: their elements when the kernel is enqueued."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

X = "int* x = malloc_shared<int>(4, q); "


@pytest.mark.parametrize(
    ("body", "question"),
    [
        ("std::array<int, 2> c{1, 2}; q.parallel_for(range<1>(2), [=](id<1> i) { x[i] = c[i]; }).wait();", "x[1]=2"),
        (
            "int c[3] = {1, 2, 3}; c[1] = 5; auto e = q.single_task([=] { x[0] = c[1]; }); c[1] = 6; e.wait();",
            "x[0]=5",
        ),
        (
            (
                "std::array<int, 2> c{1, 2}; for (int k = 0; k < 2; k++) { c[0] = k; "
                "q.single_task([=] { x[k] = 10 * c[0] + c.size(); }).wait(); }"
            ),
            "x[0]=2 /\\ x[1]=12",
        ),
        # In a loop that is done until something holds, and in lambdas and loops of kernels.
        (
            (
                "int c[2] = {0, 0}; *x = 0; while (*x < 2) { c[1]++; q.single_task([=] { "
                "auto f = [=](int a) { return a + c[1]; }; int s = 0; "
                "for (int v : c) s += v; *x = f(0) * s; }).wait(); }"
            ),
            "x[0]=4",
        ),
        (
            "float c[2] = {1, 2}; q.submit([&](handler& h) { h.single_task([=] { x[0] = c[0] + c[1]; }); }).wait();",
            "x[0]=3",
        ),
        (
            (
                "std::array<int, 2> c{1, 2}; q.submit([&](handler& h) { h.host_task([&] { c[0] = 4; }); }).wait(); "
                "q.submit([&](handler& h) { h.host_task([=] { x[0] = c[0]; }); }).wait();"
            ),
            "x[0]=4",
        ),
    ],
)
def test_kernels_have_the_elements(body: str, question: str) -> None:
    assert holds(X + body, question)


def test_an_element_without_a_value_is_read_when_the_kernel_is_enqueued() -> None:
    assert kinds(X + "int c[2]; c[0] = 1; q.single_task([=] { x[0] = c[0]; }).wait();") == {"uninitialised-read"}


def test_the_index_of_a_copy_has_a_bound() -> None:
    body = "int c[2] = {1, 2}; q.parallel_for(range<1>(3), [=](id<1> i) { x[i] = c[i]; }).wait();"
    assert "there is no element 2" in refused(X + body)


def test_the_host_reads_the_array_then() -> None:
    """A command that writes the array at the same time is in a race with that."""
    body = "int c[2] = {1, 2}; q.memcpy(c, x, 8); q.single_task([=] { x[2] = c[0]; }); q.wait();"
    assert kinds(X + "x[0] = x[1] = 1; " + body) == {"data-race"}


def test_a_copy_is_const() -> None:
    assert "const" in refused(X + "int c[2] = {1, 2}; q.single_task([=] { c[0] = 1; }).wait();")


def test_vectors_are_no_copies() -> None:
    assert "an object of the host" in refused(X + "std::vector<int> c(2); q.single_task([=] { x[0] = c[0]; }).wait();")
