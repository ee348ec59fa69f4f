"""Lambdas in variables of the host, and lambdas and functors that function templates take."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

P = "int* p = malloc_shared<int>(2, q); p[0] = 1; p[1] = 2; "
FOR_EACH = (
    "template <typename F> void for_each(queue& q, size_t n, F f) { q.parallel_for(range<1>(n), [=](id<1> i) "
    "{ f(i); })%s; }"
)
LAUNCH = (
    "template <typename F> void launch(queue& q, F&& f) { q.submit([&](handler& h) { h.parallel_for(range<1>(2), f); "
    "}); q.wait(); }"
)
AXPY = (
    "template <typename T> class Axpy { public: Axpy(T a, const T* x, T* y) : a_(a), x_(x), y_(y) {} "
    "void operator()(id<1> i) const { y_[i] = a_ * x_[i] + y_[i]; } private: T a_; const T* x_; T* y_; };"
    "template <typename T> void axpy(queue& q, size_t n, T a, const T* x, T* y) "
    "{ q.parallel_for(range<1>(n), Axpy<T>(a, x, y)).wait(); }"
)


@pytest.mark.parametrize(
    ("body", "question", "before"),
    [
        ("for_each(q, 2, [=](size_t i) { p[i] *= 2; });", "p[1]=4", FOR_EACH % ".wait()"),
        ("auto f = [=](int i) { p[i] *= 2; }; for_each(q, 2, f);", "p[1]=4", FOR_EACH % ".wait()"),
        ("launch(q, [=](id<1> i) { p[i] += 5; });", "p[0]=6", LAUNCH),
        ("auto f = [=](id<1> i) { p[i] += 5; }; launch(q, f); launch(q, f);", "p[0]=11", LAUNCH),
        (
            (
                "auto f = [](int a) { return 2 * a; }; int n = 3; auto g = [=](int a) -> int { return f(a) + n; }; "
                "q.parallel_for(range<1>(2), [=](id<1> i) { p[i] = g(p[i]); }).wait();"
            ),
            "p[0]=5 /\\ p[1]=7",
            "",
        ),
        (
            (
                "q.submit([&](handler& h) { auto f = [=](int a) { return a + 1; }; h.parallel_for(range<1>(2), "
                "[=](id<1> i) { p[i] = f(p[i]); }); }).wait();"
            ),
            "p[1]=3",
            "",
        ),
        ("int d = 0; do { auto k = [=] { p[0] = d; }; q.single_task(k).wait(); d++; } while (d < 3);", "p[0]=2", ""),
        ("axpy<int>(q, 2, 2, p, p);", "p[0]=3 /\\ p[1]=6", AXPY),
        ("axpy(q, 2, 3, p, p);", "p[0]=4", AXPY),
    ],
)
def test_what_kernels_are_made_of(body: str, question: str, before: str) -> None:
    assert holds(P + body, question, before)


def test_kernels_of_a_function_template_that_nobody_waits_for() -> None:
    calls = "for_each(q, 2, [=](size_t i) { p[i] = 2; }); for_each(q, 2, [=](size_t i) { p[1 - i] = 3; }); q.wait();"
    assert kinds(P + calls, FOR_EACH % "") == {"data-race"}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("int n = 1; auto k = [=](id<1> i) { p[i] = n; }; n = 5; q.parallel_for(2, k).wait();", "'n' changes between"),
        (
            "int n = 1; auto k = [=] { p[0] = n; }; for (int t = 0; t < 2; t++) { q.single_task(k).wait(); n++; }",
            "'n' changes between the lambda 'k'",
        ),
        ("auto f = [&](int a) { return a; }; q.single_task([=] { p[0] = f(1); });", "has references to what the host"),
        ("auto f = [=](int a) { return p[a] + 1; }; int r = f(1);", "say what it returns"),
    ],
)
def test_what_is_refused(body: str, message: str) -> None:
    assert message in refused(P + body)
