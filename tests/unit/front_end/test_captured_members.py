"""Kernels in functions of objects of the host that have copies of members."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

RUNNER = """
struct Runner {
  queue q;
  int k = 2;
  int w[3];
  int* r_;
  Runner(int* p) : r_(p) { for (int i = 0; i < 3; i++) w[i] = i + 1; }
  int more(int a) const { return a + k; }
  void run() { KERNEL }
};
"""
USE = "int* r = malloc_shared<int>(2, q); Runner x(r); x.run();"


def runner(kernel: str) -> str:
    return RUNNER.replace("KERNEL", kernel)


@pytest.mark.parametrize(
    ("kernel", "question"),
    [
        ("q.single_task([=, *this] { r_[0] = k; }); k = 5; q.wait();", "r[0]=2"),
        ("q.single_task([*this] { this->r_[0] = k; }); k = 5; q.wait();", "r[0]=2"),
        ("q.single_task([=, *this] { r_[0] = more(3); }); k = 5; q.wait();", "r[0]=5"),
        ("q.single_task([=, *this] { r_[0] = w[k]; }).wait();", "r[0]=3"),
        ("q.single_task([r = this->r_, n = k * 2] { r[0] = n; }); k = 5; q.wait();", "r[0]=4"),
        (
            "q.submit([&, this](handler& h) { h.parallel_for(2, [=, r = r_, k = k](id<1> i) { r[i] = k; }); }).wait();",
            "r[0]=2 /\\ r[1]=2",
        ),
    ],
)
def test_copies(kernel: str, question: str) -> None:
    assert holds(USE, question, runner(kernel))


def test_mistakes() -> None:
    kernel = "q.single_task([=, *this] { r_[0] = k; }); r_[0] = 1; q.wait();"
    assert kinds(USE, runner(kernel)) == {"data-race"}


@pytest.mark.parametrize(
    "kernel",
    [
        "q.single_task([=, this] { r_[0] = 1; }).wait();",
        "q.single_task([=, n = k] { r_[0] = n; }).wait();",
        "q.submit([=, this](handler& h) { h.single_task([=] { r_[0] = k; }); }).wait();",
    ],
)
def test_what_follows_this_is_refused(kernel: str) -> None:
    assert "'r_' in this lambda is a member of an object of the host" in refused(USE, runner(kernel))


def test_memory_of_a_member_that_is_followed() -> None:
    """What a member points to is assigned, and not the member."""
    before = (
        "struct Sum { queue q; int* s; Sum() { s = malloc_shared<int>(1, q); } "
        "int of() { *s = 0; q.single_task([s = this->s] { *s += 3; }).wait(); return *s; } };"
    )
    assert holds("Sum x; int n = x.of();", "0:n=3", before)
    assert holds("int* p; p = malloc_shared<int>(1, q); *p = 2; q.single_task([=] { *p += 1; }).wait();", "p[0]=3")
