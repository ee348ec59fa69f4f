"""References to buffers and queues whose type is written, and what chooses among them."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds

TURNS = (
    "std::vector<int> v(2, 0), w(2, 0); { buffer<int> x(v), y(w); for (int t = 0; t < 2; t++) { "
    "buffer<int, 1>& from = TEST ? x : y; const sycl::buffer<int>& into = TEST ? y : x; "
    "q.submit([&](handler& h) { accessor a(from, h, read_only); accessor b(into, h, write_only); "
    "h.parallel_for(2, [=](id<1> i) { b[i] = a[i] + 1; }); }); } }"
)


@pytest.mark.parametrize("test", ["t % 2 == 0", "(t & 1) == 0", "(t ^ 1) > 0", "!(t | 0)"])
def test_buffers(test: str) -> None:
    assert holds(TURNS.replace("TEST", test), "v[0]=2 /\\ w[1]=1")


def test_queues() -> None:
    memory = "queue p; int* x = malloc_shared<int>(1, q);"
    body = f"{memory} queue& w = WHICH; q.single_task([=] {{ *x = 1; }}); w.wait(); *x = 2;"
    assert kinds(body.replace("WHICH", "q")) == set()
    assert kinds(body.replace("WHICH", "p")) == {"data-race"}
