"""Parameters that refer to arrays, `float (&m)[n][n]`."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

FILL = "void fill(int (&m)[2][2], int v) { for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) m[i][j] = v + j; }"
ADD = (
    "void add(queue& q, int (&m)[2][2]) { buffer<int, 2> b(&m[0][0], range<2>(2, 2)); "
    "q.submit([&](handler& h) { accessor a(b, h, read_write); "
    "h.parallel_for(range<2>(2, 2), [=](id<2> i) { a[i] += 1; }); }); }"
)
SUM = "int sum(const int (&m)[2]) { int s = 0; for (int i = 0; i < 2; i++) s += m[i]; return s; }"


def test_rows() -> None:
    assert holds("int a[2][2]; fill(a, 3); add(q, a);", "a[0]=4 /\\ a[3]=5", f"{FILL}\n{ADD}")


def test_one_dimension_and_a_missing_wait() -> None:
    use = "int a[2] = {1, 2}; {{ buffer<int> b(a, range<1>(2)); }} int* r = malloc_shared<int>(1, q); {} r[0] = sum(a);"
    assert holds(use.replace("{{", "{").replace("}}", "}").replace("{} ", ""), "r[0]=3", SUM)
    kernel = (
        "int* y = malloc_shared<int>(2, q); y[0] = 0; q.single_task([=] { y[0] = 1; }); int a[2] = {y[0], 2}; sum(a);"
    )
    assert kinds(kernel, SUM) == {"data-race"}


@pytest.mark.parametrize(
    "body",
    [
        "q.single_task([=] { *x = m[0]; }).wait();",
        "*x = sizeof(m);",
        "for (int i : m) *x = i;",
    ],
)
def test_sizes_and_copies_are_refused(body: str) -> None:
    before = f"void f(queue& q, int (&m)[2], int* x) {{ {body} }}"
    assert "refers to an array" in refused("int a[2] = {1, 2}; int* x = malloc_shared<int>(1, q); f(q, a, x);", before)
