"""Lists that are assigned to objects, copies of buffers, and memory that is made elsewhere than for a pointer."""

from __future__ import annotations

import pytest
from host_samples import holds, refused, source

from mcm.front_end.read import format_test

ADD = " ".join(
    f"q.submit([&](handler& h) {{ accessor a({name}, h); h.single_task([=] {{ a[0] += 1; }}); }});" for name in "bd"
)
PAIR = "struct P { int x; int y; }; struct Q { P p; int n; };"


@pytest.mark.parametrize(
    ("body", "question"),
    [
        ("P* p = malloc_shared<P>(2, q); p[0] = {1, 2}; p[1] = {3}; p[0] = {p[0].y, p[0].x};", "p.x[0]=2 /\\ p.y[1]=0"),
        (
            "P* p = malloc_shared<P>(1, q); q.single_task([=] { P a; a = {3, 4}; *p = {a.y, a.x}; }).wait();",
            "p.x[0]=4 /\\ p.y[0]=3",
        ),
        ("int4* p = malloc_shared<int4>(1, q); q.single_task([=] { p[0] = {1, 2, 3, 4}; }).wait();", "p.z[0]=3"),
        ("Q* p = malloc_shared<Q>(1, q); q.single_task([=] { p[0].p = {1, 2}; p[0].n = {5}; }).wait();", "p.n[0]=5"),
        ("Q* p = malloc_shared<Q>(1, q); p[0] = {{1, 2}, 5};", "p.p.y[0]=2 /\\ p.n[0]=5"),
        (f"std::vector<int> v{{0}}; {{ buffer<int> b(v); buffer<int> c = b; auto d = c; {ADD} }}", "v[0]=2"),
    ],
)
def test_what_is_assigned(body: str, question: str) -> None:
    assert holds(body, question, PAIR)


def test_memory_that_no_pointer_is_declared_for() -> None:
    assert "makes memory where a pointer to it is declared" in refused(
        "std::vector<int*> p(2); int n = rand() % 2; p[n] = malloc_shared<int>(1, q);"
    )


def test_a_list_that_is_assigned_is_printed() -> None:
    assert "p[0] = {1, 2};" in format_test(source("P* p = malloc_shared<P>(1, q); p[0] = {1, 2};", "", PAIR))
