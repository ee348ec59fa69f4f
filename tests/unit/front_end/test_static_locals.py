"""Variables of functions that live as long as the program."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

HERE = "queue& here() { static queue q{default_selector_v}; return q; } "
USE = "int* x = malloc_shared<int>(2, here()); here().parallel_for(2, [=](id<1> i) { x[i] = i + 1; })"


def test_a_queue_for_all_who_ask() -> None:
    assert holds(
        f"{USE}; here().wait(); auto& one = here(); one.single_task([=] {{ x[0] += 4; }}).wait();", "x[0]=5", HERE
    )
    assert kinds(f"{USE}; int r = x[1];", HERE) == {"data-race", "uninitialised-read"}


def test_it_is_one_queue() -> None:
    in_order = HERE.replace("default_selector_v", "property::queue::in_order()")
    body = "int* x = malloc_shared<int>(1, here()); here().fill(x, 1, 1); "
    body += "here().single_task([=] { *x += 1; }); here().wait();"
    assert holds(body, "x[0]=2", in_order)
    assert kinds(body, HERE) == {"data-race", "uninitialised-read"}


@pytest.mark.parametrize(
    ("before", "result"),
    [
        ("int next() { static int n = 4; return ++n; }", 11),
        ("int next() { static int n; n += 2; return n; }", 6),
        ("int next() { static const int n = 4; return n; }", 8),
        ("int next() { static constexpr int n = 4; int m = n; return ++m; }", 10),
    ],
)
def test_numbers_that_stay(before: str, result: int) -> None:
    body = "int* x = malloc_shared<int>(1, q); int a = next(); int b = next(); x[0] = a + b;"
    assert holds(body, f"x[0]={result}", before)


@pytest.mark.parametrize(
    "before",
    [
        "int next(int a) { static int n = a; return n; }",
        "int one() { return 1; } int next(int a) { static int n = one(); return n; }",
    ],
)
def test_what_the_first_call_decides_is_refused(before: str) -> None:
    assert "storage class 'static'" in refused("int* x = malloc_shared<int>(1, q); x[0] = next(3);", before)
