"""Containers of the host whose elements are made by constructors, and templates in functions of the host."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

CLASS = (
    "class Pair { int a; int b; public: Pair() { a = 1; b = 2; } Pair(int x, int y) : a(x), b(y) {} "
    "int sum() const { return a + b; } };"
)


@pytest.mark.parametrize(
    ("body", "question"),
    [
        ("std::vector<Pair> v(2);", "v.a[1]=1 /\\ v.b[0]=2"),
        ("std::vector<Pair> v(2, Pair(3, 4));", "v.a[1]=3 /\\ v.b[0]=4"),
        ("std::vector<Pair> v{Pair(3, 4), Pair()};", "v.a[0]=3 /\\ v.a[1]=1"),
        ("std::vector<Pair> u, v; v.resize(2); u.resize(1); v[1] = Pair(5, u[0].sum());", "v.a[1]=5 /\\ v.b[1]=3"),
        ("std::array<Pair, 2> v;", "v.a[1]=1"),
        (
            (
                "std::vector<Pair> v(2); { buffer b(v); q.submit([&](handler& h) { accessor a(b, h); "
                "h.parallel_for(2, [=](id<1> i) { a[i] = Pair(i, a[i].sum()); }); }); }"
            ),
            "v.a[1]=1 /\\ v.b[0]=3",
        ),
    ],
)
def test_elements(body: str, question: str) -> None:
    assert holds(body, question, CLASS)


def test_races_of_elements() -> None:
    body = (
        "std::vector<Pair> v(1); { buffer b(v); q.submit([&](handler& h) { accessor a(b, h); "
        "h.parallel_for(2, [=](id<1> i) { a[0] = Pair(); }); }); }"
    )

    assert kinds(body, CLASS) == {"data-race"}


def test_objects_that_end() -> None:
    before = "struct Lock { int n; Lock() : n(0) {} ~Lock() { n = 1; } };"

    assert "whose objects end with '~Lock()'" in refused("std::vector<Lock> v(2);", before)


@pytest.mark.parametrize(
    ("before", "body"),
    [
        (
            (
                "template <typename T> T square(T x) { return x * x; } template <typename T> void fill(queue& q, "
                "int* x, T v) "
                "{ q.single_task([=] { *x = square(v); }).wait(); }"
            ),
            "int* x = malloc_shared<int>(1, q); fill<float>(q, x, 1.5f);",
        ),
        (
            (
                "template <typename T> T square(T x) { return x * x; } void fill(queue& q, int* x) "
                "{ float f = 1.5f; q.single_task([=] { *x = square(f); }).wait(); }"
            ),
            "int* x = malloc_shared<int>(1, q); fill(q, x);",
        ),
        (
            (
                "template <typename T> T square(T x) { return x * x; } void fill(queue& q, int* x, const float& v) "
                "{ q.single_task([=] { *x = square(v); }).wait(); }"
            ),
            "int* x = malloc_shared<int>(1, q); float f = 1.5f; fill(q, x, f);",
        ),
    ],
)
def test_templates_in_functions_of_the_host(before: str, body: str) -> None:
    assert holds(body, "x[0]=2", before)
