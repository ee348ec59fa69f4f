"""Functions that return lambdas, as kernels and in kernels."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

FUNCTIONS = (
    "auto scaled(int* x, float k) { return [=](id<1> i) { x[i] = x[i] * k / 2; }; } "
    "auto adder(int v) { return [v](int a) { return a + v; }; }"
)
MEMORY = "int* x = malloc_shared<int>(2, q); x[0] = 4; x[1] = 6; "


@pytest.mark.parametrize(
    ("body", "question"),
    [
        ("q.parallel_for(2, scaled(x, 3)).wait();", "x[0]=6 /\\ x[1]=9"),
        ("auto k = scaled(x, 3); q.parallel_for(2, k).wait(); q.parallel_for(2, k).wait();", "x[0]=9 /\\ x[1]=13"),
        ("int n = 5; q.single_task([=] { auto f = adder(n); auto g = adder(1); x[0] = f(g(1)); }).wait();", "x[0]=7"),
    ],
)
def test_values(body: str, question: str) -> None:
    assert holds(MEMORY + body, question, FUNCTIONS)


def test_missing_wait() -> None:
    assert kinds(f"{MEMORY} q.parallel_for(2, scaled(x, 3)); x[0] = 1;", FUNCTIONS) == {"data-race"}


def test_refused() -> None:
    message = "'scaled', which returns a lambda, is passed names and numbers here"

    assert message in refused(f"{MEMORY} q.parallel_for(2, scaled(x + 1, 3)).wait();", FUNCTIONS)
