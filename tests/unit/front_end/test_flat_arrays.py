"""Arrays of two dimensions of the host in buffers and commands, and prototypes of functions of the host."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

FILL = (
    "q.submit([&](handler& h) { accessor c(b, h, write_only); h.parallel_for(range<2>(2, 3), [=](id<2> i) "
    "{ c[i] = 10 * i[0] + i[1]; }); });"
)


@pytest.mark.parametrize(
    ("before", "body", "question"),
    [
        (
            "",
            "int a[2][3]; { buffer<int, 2> b(&a[0][0], range<2>(2, 3)); " + FILL + " } a[0][1] += a[1][2];",
            "a[1]=13 /\\ a[5]=12",
        ),
        (
            "",
            "int a[2][3] = {{1, 2, 3}, {4, 5, 6}}; { buffer<int, 2> b((int*)a, range<2>(2, 3)); " + FILL + " }",
            "a[5]=12",
        ),
        (
            "constexpr int m = 2, n = 3; int last(int (*a)[n]); int last(int (*a)[n]) { return a[m - 1][n - 1]; }",
            (
                "int (*a)[n] = new int[m][n]; { buffer b(reinterpret_cast<int*>(a), range(m, n)); "
                f"{FILL} }} a[0][0] = last(a); int k = a[0][0]; delete[] a; int* x = malloc_shared<int>(1, q); *x = k;"
            ),
            "x[0]=12",
        ),
        (
            "",
            (
                "int a[2][2] = {{1, 2}, {3, 4}}; int* d = malloc_shared<int>(4, q); "
                "q.memcpy(d, a[0], sizeof(a)).wait(); q.memcpy(a[1], d, 2 * sizeof(int)).wait(); "
                "a[a[0][0]][a[0][1] - 2] += 5;"
            ),
            "d[3]=4 /\\ a[2]=6 /\\ a[3]=2",
        ),
        # What is not passed on is left as it is.
        ("", "int a[2][2] = {{1, 2}, {3, 4}}; int* x = malloc_shared<int>(1, q); *x = a[1][0];", "x[0]=3"),
    ],
)
def test_arrays(before: str, body: str, question: str) -> None:
    assert holds(body, question, before)


def test_arrays_with_the_name_of_an_accessor() -> None:
    body = (
        "int a[2][3]; buffer<int, 2> b(&a[0][0], range<2>(2, 3)); q.submit([&](handler& h) { accessor a(b, h); "
        "h.single_task([=] { a[1][2] = 1; }); });"
    )

    assert "a buffer is made of memory" in refused(body)


@pytest.mark.parametrize("use", ["int n = sizeof(a) / sizeof(a[0]);", "int (*p)[3] = a + 1;", "auto n = std::size(a);"])
def test_arrays_whose_rows_matter(use: str) -> None:
    body = f"int a[2][3]; {{ buffer<int, 2> b(&a[0][0], range<2>(2, 3)); {FILL} }} {use}"

    assert "a buffer is made of memory" in refused(body)


def test_race_on_an_array() -> None:
    body = f"int a[2][3]; buffer<int, 2> b(&a[0][0], range<2>(2, 3)); {FILL.replace('c[i]', 'c[0][i[1]]')}"

    assert kinds(body) == {"data-race"}


@pytest.mark.parametrize(
    ("before", "body"),
    [
        (
            ("void run(queue& q, int* x); void run(queue& q, int* x) { q.single_task([=] { *x = 3; }).wait(); }"),
            "run(q, x);",
        ),
        (
            (
                "int run(queue& q, int* x, int k = 3); int run(queue& q, int* x, int k) "
                "{ q.single_task([=] { *x = k; }).wait(); return 3; }"
            ),
            "*x = run(q, x);",
        ),
        (
            (
                "template <typename T> void run(queue&, T*, T); template <typename T> void run(queue& q, T* x, T k) "
                "{ q.single_task([=] { *x = k; }).wait(); }"
            ),
            "run<int>(q, x, 3);",
        ),
        (
            ("int twice(int n); int half(int n) { return n / 2; } int twice(int n) { return 2 * n; }"),
            "*x = half(twice(3));",
        ),
    ],
)
def test_prototypes(before: str, body: str) -> None:
    assert holds(f"int* x = malloc_shared<int>(1, q); {body}", "x[0]=3", before)


def test_several_arrays_of_one_declaration() -> None:
    body = (
        "int a[2][3], b[3][2] = {}; for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) a[i][j] = i * 3 + j;"
        "{ buffer<int, 2> from(reinterpret_cast<int*>(a), range(2, 3)); buffer<int, 2> to(&b[0][0], range(3, 2));"
        "q.submit([&](handler& h) { accessor x(from, h, read_only); accessor y(to, h);"
        "h.parallel_for(range(2, 3), [=](auto i) { y[i[1]][i[0]] = x[i]; }); }); }"
    )
    assert holds(body, "b[1]=3 /\\ b[4]=2")
