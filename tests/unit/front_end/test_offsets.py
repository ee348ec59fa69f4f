"""Ranges whose ids begin with others than 0, and commands that update the host."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused, warnings

MEMORY = "int* x = malloc_shared<int>(8, q); for (int i = 0; i < 8; i++) x[i] = 0; "


@pytest.mark.parametrize(
    ("launch", "question"),
    [
        ("parallel_for(range<1>(2), id<1>(3), [=](id<1> i) { x[i] = i; })", "x[0]=0 /\\ x[3]=3 /\\ x[4]=4"),
        ("parallel_for(nd_range<1>(4, 2, 3), [=](nd_item<1> t) { x[t.get_global_id()] = 1; })", "x[2]=0 /\\ x[6]=1"),
        (
            (
                "parallel_for(range<2>(1, 2), id<2>(1, 2), [=](item<2> t) "
                "{ x[t.get_linear_id()] = 10 * t[0] + t.get_id(1) + 100 * t.get_offset()[1]; })"
            ),
            "x[0]=212 /\\ x[1]=213",
        ),
        (
            (
                "parallel_for(nd_range<1>(2, 1, 3), [=](nd_item<1> t) { x[t.get_global_linear_id()] = "
                "10 * t.get_global_range(0) + t.get_group(0); })"
            ),
            "x[0]=20 /\\ x[1]=21 /\\ x[3]=0",
        ),
        ("parallel_for(range<1>(2), id<1>(0), [=](id<1> i) { x[i] = 1; })", "x[0]=1 /\\ x[1]=1"),
    ],
)
def test_ids(launch: str, question: str) -> None:
    assert holds(f"{MEMORY} q.{launch}.wait();", question)


def test_ids_with_names() -> None:
    body = (
        "id<1> from(3); range<1> all(2); q.parallel_for(nd_range<1>(all, range<1>(1), from), [=](nd_item<1> t) "
        "{ auto put = [=](int by) { x[t.get_global_id(0)] = by; }; put(7); }).wait();"
    )
    assert holds(MEMORY + body, "x[3]=7 /\\ x[4]=7 /\\ x[0]=0")


def test_offsets_keep_kernels_apart() -> None:
    one = "q.parallel_for(range<1>(4), [=](id<1> i) { x[i] = 1; });"
    other = "q.parallel_for(range<1>(4), id<1>(FROM), [=](id<1> i) { x[i] = 2; }); q.wait();"
    assert kinds(MEMORY + one + other.replace("FROM", "4")) == set()
    assert kinds(MEMORY + one + other.replace("FROM", "3")) == {"data-race"}
    assert kinds(MEMORY + one + other.replace("FROM", "5")) == {"out-of-bounds"}


def test_what_knows_nothing_of_offsets() -> None:
    before = "void put(id<1> i, int* x) { x[i] = 1; }"
    body = "q.parallel_for(range<1>(2), id<1>(1), [=](id<1> i) { put(i, x); }).wait();"
    assert "is passed to a function: pass the numbers" in refused(MEMORY + body, before)
    body = "q.parallel_for(range<1>(2), id<2>(1, 1), [=](id<1> i) { x[i] = 1; }).wait();"
    assert "the range has 1 dimensions, but its offset has 2" in refused(MEMORY + body)


UPDATE = (
    "std::vector<int> v(2, 0); { buffer<int> b(v); q.submit([&](handler& h) { accessor a(b, h); "
    "h.parallel_for(2, [=](id<1> i) { a[i] = 1; }); }); "
    "q.submit([&](handler& h) { accessor a(b, h, read_only); h.update_host(a); })WAIT; int s = v[0]; }"
)


def test_updates_of_the_host() -> None:
    """They are commands, which the host may wait for; the memory belongs to the buffer all the same."""
    assert holds(UPDATE.replace("WAIT", ".wait()"), "v[0]=1")
    assert warnings(UPDATE.replace("WAIT", ".wait()")) == ["W153"]
    assert kinds(UPDATE.replace("WAIT", "")) == {"data-race"}
