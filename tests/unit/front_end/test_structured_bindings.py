"""Structured bindings and pairs: names for the members of objects, and for elements of arrays."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

from mcm import Source, format_test

PAIR = "struct Pair { int a; int b; }; Pair make(int i) { return Pair{i, i + 1}; }"
OBJECT = "struct Box { int n = 3; int e[2]; Box() { e[0] = 4; e[1] = 5; } };"
MEMORY = "int* x = malloc_shared<int>(4, q); for (int i = 0; i < 4; i++) x[i] = 0; q.single_task([=] { "


@pytest.mark.parametrize(
    ("before", "body", "question"),
    [
        (PAIR, "auto [a, b] = make(3); x[0] = 10 * a + b;", "x[0]=34"),
        (PAIR, "Pair p{1, 2}; auto [a, b] = p; a = 5; x[0] = 10 * a + p.a;", "x[0]=51"),
        (PAIR, "Pair p{1, 2}; auto& [a, b] = p; a = 5; x[0] = 10 * p.a + b;", "x[0]=52"),
        (PAIR, "const auto [a, b] = make(x[1]); x[0] = 10 * a + b;", "x[0]=1"),
        (PAIR, "Pair p[2] = {{1, 2}, {3, 4}}; int k = 1; auto& [a, b] = p[k]; k = 0; b = 9; x[0] = p[1].b;", "x[0]=9"),
        (OBJECT, "Box box; auto [n, e] = box; e[1] = 7; x[0] = 100 * n + 10 * e[1] + box.e[1];", "x[0]=375"),
        ("", "int v[2] = {1, 2}; auto [a, b] = v; a = 5; x[0] = 100 * a + 10 * b + v[0];", "x[0]=521"),
        ("", "std::array<int, 2> v{1, 2}; auto& [a, b] = v; a = 5; x[0] = 10 * b + v[0];", "x[0]=25"),
        (
            PAIR,
            (
                "Pair p[2] = {{1, 2}, {3, 4}}; for (auto& [a, b] : p) a += b; for (auto [a, b] : p) { x[0] += a; "
                "b = 9; } x[1] = p[1].b;"
            ),
            "x[0]=10 /\\ x[1]=4",
        ),
        ("", "std::pair<int, float> p(1, 2.5f); auto [a, b] = p; x[0] = a + b * 2;", "x[0]=6"),
        ("", "std::pair<int, int> p; p.second = 2; x[0] = p.first + p.second;", "x[0]=2"),
        ("", "int k = 4; auto p = std::make_pair(k, 2); auto [a, b] = p; x[0] = 10 * a + b;", "x[0]=42"),
        (
            (
                "std::pair<int, int> sorted(int a, int b) { return a < b ? std::make_pair(a, b) : std::pair<int, "
                "int>{b, a}; }"
            ),
            "auto [a, b] = sorted(7, 3); x[0] = 10 * a + b;",
            "x[0]=37",
        ),
    ],
)
def test_in_kernels(before: str, body: str, question: str) -> None:
    assert holds(f"{MEMORY}{body} }}).wait();", question, before)


@pytest.mark.parametrize(
    ("before", "body", "question"),
    [
        (PAIR, "auto [a, b] = make(3); int* x = malloc_shared<int>(1, q); *x = 10 * a + b;", "x[0]=34"),
        (
            "",
            (
                "std::array<int, 2> d = {1, 2}; auto [a, b] = d; const auto& [c, e] = d; d[0] = 5; "
                "int* x = malloc_shared<int>(1, q); q.single_task([=] { *x = 100 * a + b; }).wait(); *x += 10 * c;"
            ),
            "x[0]=152",
        ),
        (
            PAIR,
            ("int* x = malloc_shared<int>(1, q); auto [a, b] = make(3); q.single_task([=] { *x = a; }).wait();"),
            "x[0]=3",
        ),
        (
            PAIR,
            (
                "std::vector<Pair> v{{1, 2}, {3, 4}}; int s = 0; for (const auto& [a, b] : v) s += a * b; "
                "for (auto& [a, b] : v) b = s; int* x = malloc_shared<int>(1, q); *x = v[1].b;"
            ),
            "x[0]=14",
        ),
        (
            "std::pair<int*, int> made(queue& q) { return {malloc_shared<int>(2, q), 2}; }",
            "auto [x, n] = made(q); q.parallel_for(2, [=](id<1> i) { x[i] = n; }).wait();",
            "memory_1[1]=2",
        ),
    ],
)
def test_on_the_host(before: str, body: str, question: str) -> None:
    assert holds(body, question, before)


def test_parts_are_objects_of_memory() -> None:
    body = (
        "auto* p = malloc_shared<std::pair<int, int>>(1, q); p[0] = {1, 2}; "
        "q.parallel_for(2, [=](id<1> i) { auto& [a, b] = p[0]; if (i == 0) a = 1; else PART = 2; }).wait();"
    )

    assert kinds(body.replace("PART", "b")) == set()
    assert kinds(body.replace("PART", "a")) == {"data-race"}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("auto [a] = make(3);", "'make(3)' has 2 parts, and 1 names are given"),
        ("auto [a, b] = 3;", "what '3' consists of is not evident"),
        ("int [a, b] = make(3);", "expected 'auto' before the names of a structured binding"),
        ("auto&& [a, b] = make(3);", "'make(3)' is a value"),
        ("auto& [a, b] = make(3); a = 1;", "only a reference to const may name it"),
        ("auto p = std::make_pair(make(1), 2);", "the types of what this pair is made of are not evident"),
    ],
)
def test_refused(body: str, message: str) -> None:
    assert message in refused(f"{MEMORY}{body} }}).wait();", PAIR)


def test_layout() -> None:
    text = (
        "SYCL t\n{}\nq.single_task([=] { int p[2]={1,2}; const auto&[a,b]=p; auto[c,d]=p; int r=a; "
        "});\nexists (0:r=1)\n"
    )

    assert "  const auto& [a, b] = p;\n  auto [c, d] = p;\n" in format_test(Source("t", text))
