"""`std::function` in programs: a lambda that it holds for good, and a parameter."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

MEMORY = "int* x = malloc_shared<int>(1, q); *x = 1; int k = 3; "
TIMED = "void timed(const std::function<void(queue&)>& f, queue& q) { f(q); q.wait(); }"


@pytest.mark.parametrize(
    ("body", "question"),
    [
        ("std::function<int(int)> f = [](int a) { return 2 * a; }; *x = f(3);", "x[0]=6"),
        ("const std::function<int(int)> f = [&](int a) { return k * a; }; *x = f(2);", "x[0]=6"),
        (
            (
                "std::function<event(int)> f = [&](int a) { return q.single_task([=] { *x = a; }); }; f(5).wait(); "
                "f(*x + 1).wait();"
            ),
            "x[0]=6",
        ),
    ],
)
def test_lambdas(body: str, question: str) -> None:
    assert holds(MEMORY + body, question)


def test_what_is_passed_may_name_what_the_lambda_names() -> None:
    """`*x` and `&x[0]` declare nothing, so that the `x` of the lambda is that of the caller."""
    body = "auto add = [&](int a) { int* p = &x[0]; return q.single_task([=] { *x = *p + a; }); }; add(*x + 1).wait();"
    assert holds(MEMORY + body, "x[0]=3")


def test_parameters() -> None:
    call = "timed([&](queue& p) { p.single_task([=] { *x = 7; }); }, q); *x += 1;"
    assert holds(MEMORY + call, "x[0]=8", TIMED)
    assert kinds(MEMORY + call + "q.wait();", TIMED.replace("q.wait();", "")) == {"data-race"}


@pytest.mark.parametrize(
    "body",
    [
        "std::function<int(int)> f = [&](int a) { return a == 0 ? 1 : a * f(a - 1); }; *x = f(3);",
        "std::function<int(int)> f = [](int a) { return a; }; f = [](int a) { return 2 * a; }; *x = f(3);",
        "std::function<int(int)> f; *x = 2;",
    ],
)
def test_what_holds_others_is_refused(body: str) -> None:
    assert refused(MEMORY + body)
