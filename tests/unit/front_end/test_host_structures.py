"""Structures of the host whose members are pointers to memory that is made for them."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

BODIES = (
    "struct Bodies { int *x, *v; int n; }; void move(Bodies b, int i) { b.x[i] += b.v[i]; } "
    "void fill(const Bodies& b, int k) { for (int i = 0; i < 2; i++) b.v[i] = k; }"
)
MADE = (
    "Bodies b; b.n = 2; b.x = malloc_shared<int>(b.n, q); b.v = (int*)malloc_shared(b.n * sizeof(int), q); "
    "for (int i = 0; i < b.n; i++) { b.x[i] = i; b.v[i] = 3; } "
)


@pytest.mark.parametrize(
    ("body", "question"),
    [
        (f"{MADE} q.parallel_for(b.n, [=](id<1> i) {{ move(b, i); }}).wait(); b.x[0] += 5;", "b_x[0]=8 /\\ b_x[1]=4"),
        (f"{MADE} q.parallel_for(b.n, [=](id<1> i) {{ b.x[i] = b.v[b.n - 1 - i] * 2; }}).wait();", "b_x[1]=6"),
        (
            (
                "Bodies b; b.x = malloc_shared<int>(1, q); b.v = malloc_shared<int>(1, q); b.x[0] = 1; b.v[0] = "
                "2; b.n = 1; "
                "if (b.x[0]) b.n = 4; q.single_task([=] { b.x[0] = b.n; }).wait();"
            ),
            "b_x[0]=4",
        ),
    ],
)
def test_members(body: str, question: str) -> None:
    assert holds(body, question, BODIES)


def test_missing_wait() -> None:
    assert kinds(f"{MADE} q.parallel_for(b.n, [=](id<1> i) {{ move(b, i); }}); b.x[0] += 5;", BODIES) == {"data-race"}


@pytest.mark.parametrize("use", ["fill(b, 4);", "Bodies c = b;", "Bodies* p = &b;"])
def test_objects_that_something_else_names(use: str) -> None:
    assert "makes memory where a pointer to it is declared" in refused(MADE + use, BODIES)
