"""Pointers that own memory or a queue: plain ones, whose memory is given back at the end of their block."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

_ADD = "q.parallel_for(range<1>(2), [=](id<1> i) { x[i] += 1; })"


@pytest.mark.parametrize(
    "owner",
    [
        "auto p = std::make_unique<int[]>(2); int* h = p.get(); h[0] = 4;",
        "std::unique_ptr<int[]> p(new int[2]); p[0] = 4; p[1] = 0; int* h = p.get();",
        "std::shared_ptr<int> p{malloc_host<int>(2, q), [=](int* m) { free(m, q); }}; int* h = p.get(); *p = h[1] = 4;",
    ],
)
def test_memory_of_an_owner(owner: str) -> None:
    body = f"{owner} int* x = malloc_device<int>(2, q); q.memcpy(x, p.get(), 8).wait(); {_ADD}.wait();"
    body += "q.memcpy(p.get(), x, 8)"
    assert holds(f"{body}.wait(); int n = h[0];", "0:n=5")
    assert kinds(f"{body}; int n = h[0];") == {"data-race"}


def test_a_number_that_is_owned() -> None:
    assert holds("auto p = std::make_unique<int>(3); auto r = std::make_unique<int>(); int n = *p + *r;", "0:n=3")


@pytest.mark.parametrize("wait", [True, False])
def test_memory_is_given_back_at_the_end_of_a_block(wait: bool) -> None:
    body = (
        "event e; { std::unique_ptr<int[], D> p(malloc_shared<int>(2, q), D{q}); int* x = p.get();"
        f"e = q.parallel_for(range<1>(2), [=](id<1> i) {{ x[i] = 1; }}); {'e.wait();' if wait else ''} }} e.wait();"
    )
    before = "struct D { queue q; void operator()(int* p) const { sycl::free(p, q); } };"
    assert kinds(body, before) == (set() if wait else {"data-race"})


@pytest.mark.parametrize(
    "owner",
    [
        "auto o = std::make_unique<queue>(gpu_selector_v);",
        "std::unique_ptr<sycl::queue> o = std::make_unique<sycl::queue>();",
        "queue* o = new queue(property::queue::in_order());",
    ],
)
def test_queues_that_are_owned(owner: str) -> None:
    before = "void run(queue* q, int* x) { q->single_task([=] { *x = 4; }); }"
    body = f"{owner} int* x = malloc_shared<int>(1, *o); run({'o' if 'new' in owner else 'o.get()'}, x);"
    assert holds(f"{body} o->wait(); int n = *x;", "0:n=4", before)
    assert kinds(f"{body} int n = *x; o->wait();", before) >= {"data-race"}


@pytest.mark.parametrize("use", ["p.reset();", "auto r = std::move(p);", "int* x = p.release();"])
def test_owners_that_change(use: str) -> None:
    assert "an owning pointer" in refused(f"std::unique_ptr<int[]> p(new int[2]); {use}")


@pytest.mark.parametrize("type_", ["auto", "std::unique_ptr<buffer<int>>"])
def test_buffers(type_: str) -> None:
    """The end of the owner is that of the buffer, which waits and writes back."""
    made = f"{type_} b = std::make_unique<sycl::buffer<int>>(v.data(), range<1>(2));"
    kernel = "q.submit([&](handler& h) { accessor a(*b, h); h.parallel_for(b->size(), [=](id<1> i) { a[i] = 1; }); });"
    body = f"std::vector<int> v(2, 0); {{ {made} {kernel} END }} int s = v[0];"
    assert holds(body.replace("END", ""), "0:s=1")
    assert kinds(body.replace("END", "int t = v[1];")) == {"data-race"}


@pytest.mark.parametrize("made", ["auto b = {};", "std::unique_ptr<buffer<int>> b; b = {};"])
def test_buffers_that_end_early(made: str) -> None:
    made = made.format("std::make_unique<buffer<int>>(v.data(), range<1>(2))")
    kernel = "q.submit([&](handler& h) { accessor a(*b, h); h.parallel_for(b->size(), [=](id<1> i) { a[i] = 1; }); });"
    body = f"std::vector<int> v(2, 0); {made} {kernel}"
    assert holds(f"{body} b.reset(); int s = v[0] + v[1];", "0:s=2")
    assert kinds(f"{body} int t = v[1]; b.reset();") == {"data-race"}


def test_buffers_that_may_end_early() -> None:
    body = "std::vector<int> v(2, 0); auto b = std::make_unique<buffer<int>>(v.data(), range<1>(2)); "
    for uses in ("if (v[0]) b.reset();", "int n = 1; b.reset(); v[0] = n;", "auto c = std::move(b);"):
        assert "'b' owns a queue or a buffer" in refused(body + uses)
