"""Variables of command groups, and pointers to objects that host and devices share."""

from __future__ import annotations

import pytest
from host_samples import holds, refused

X = "int* x = malloc_shared<int>(2, q); x[0] = x[1] = 1; int n = 1; "
ADD = "struct Add { int* x; void operator()() const { *x += 1; } };"
CELL = "struct Cell { int n; };"


@pytest.mark.parametrize(
    ("classes", "body", "question"),
    [
        (
            "",
            (
                "int a = 50; event e = q.submit([&](handler& h) { int a = n, b{n + 1}; "
                "h.single_task([=] { x[0] = a + b; }); }); n = a; e.wait();"
            ),
            "x[0]=3",
        ),
        (
            "",
            "auto g = [&](handler& h) { int k{n}; h.single_task([=] { *x = k; }); }; n = 5; q.submit(g).wait();",
            "x[0]=5",
        ),
        (ADD, "q.submit([&](handler& h) { Add f{x}; h.single_task(f); }).wait();", "x[0]=2"),
        (ADD, "Add f{x}; q.submit([&](handler& h) { h.single_task(f); }).wait();", "x[0]=2"),
        (
            CELL,
            "Cell* c = malloc_shared<Cell>(1, q); c->n = 3; Cell* d = c; q.single_task([=] { *x = d->n; }).wait();",
            "x[0]=3",
        ),
    ],
)
def test_what_kernels_have(classes: str, body: str, question: str) -> None:
    assert holds(X + body, question, classes)


def test_pointers_that_change_are_not_passed() -> None:
    body = "Cell* c = malloc_shared<Cell>(2, q); Cell* d = c; d++; q.single_task([=] { *x = d->n; });"
    assert "'d' is a variable of the host" in refused(X + body, CELL)
