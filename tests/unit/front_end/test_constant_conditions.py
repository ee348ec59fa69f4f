"""`if constexpr`, and questions for types, in host programs, kernels and templates."""

from __future__ import annotations

import pytest
from host_samples import holds, refused

from mcm import KernelRequest, KernelSource, check, format_test

X = "int* x = malloc_shared<int>(2, q); "


@pytest.mark.parametrize(
    ("before", "body", "question"),
    [
        (
            "",
            "constexpr bool fast = true; q.single_task([=] { if constexpr (fast) *x = 1; else *x = 2; }).wait();",
            "x[0]=1",
        ),
        ("constexpr int n = 4;", "if constexpr (n > 4 || n == 3) { x[0] = 1; } else { x[0] = 2; }", "x[0]=2"),
        # What is not chosen is not there: commands on buffers may depend on it.
        (
            "",
            (
                "constexpr int n = 2; x[0] = 0; if constexpr (n == 2) { buffer<int> b(x, range<1>(1)); "
                "q.submit([&](handler& h) { accessor a(b, h); "
                "if constexpr (n > 2) h.fill(a, 1); else h.single_task([=] { a[0] = 7; }); }); }"
            ),
            "x[0]=7",
        ),
        (
            (
                "template <int N> int pick() { if constexpr (N == 1) return 10; else if constexpr (N == 2) return 20; "
                "else return 30; }"
            ),
            "q.single_task([=] { *x = pick<2>() + pick<3>(); }).wait();",
            "x[0]=50",
        ),
        (
            (
                "template <typename T> int which() { if constexpr (std::is_same_v<T, std::int32_t>) { return 1; } "
                "else if constexpr (std::is_floating_point<T>::value && sizeof(T) == 4) return 20; return 300; }"
            ),
            "q.single_task([=] { *x = which<int>() + which<float>() + which<long>(); }).wait();",
            "x[0]=321",
        ),
        (
            "",
            "constexpr int n = 3; constexpr int m = n > 2 ? 5 : 6; int* y = malloc_shared<int>(m, q); y[4] = 1;",
            "y[4]=1",
        ),
    ],
)
def test_what_is_chosen(before: str, body: str, question: str) -> None:
    assert holds(X + body, question, before)


def test_a_condition_that_is_no_constant_is_refused() -> None:
    assert "the condition of 'if constexpr' is one of constants, found 'x[0]'" in refused(X + "if constexpr (x[0]) {}")


def test_it_prints_as_it_was() -> None:
    text = (
        "int main() { sycl::queue q; q.single_task([=] { if constexpr (1 > 2) { int r = 1; } else { int r = 2; } }); }"
    )
    asked = KernelSource("sample.cpp", text, KernelRequest((), (), (), ()))
    assert "if constexpr (1 > 2) {" in format_test(asked)
    check(asked)


@pytest.mark.parametrize(
    "dead",
    [
        "q.single_task([=] { x[0] = 9; }).wait();",
        "auto e = q.single_task([=] { x[0] = 9; }); e.wait();",
        (
            "auto e = q.single_task([=] { x[0] = 8; }); q.submit([&](handler& h) { h.depends_on(e); "
            "h.single_task([=] { x[0] = 9; }); }).wait();"
        ),
    ],
)
def test_commands_where_constants_say_that_nothing_gets(dead: str) -> None:
    assert holds(f"{X} x[0] = 1; if (false) {{ {dead} }}", "x[0]=1")
    assert holds(f"{X} x[0] = 1; if (1 == 1) x[0] = 2; else {{ {dead} }}", "x[0]=2")


@pytest.mark.parametrize(
    ("body", "question"),
    [
        ("x[0] = std::numeric_limits<int>::max(); x[1] = std::numeric_limits<int32_t>::min() + 1;", "x[0]=2147483647"),
        ("x[0] = std::numeric_limits<unsigned>::max() >> 30; x[1] = std::numeric_limits<size_t>::max() > 5;", "x[0]=3"),
        (
            (
                "q.single_task([=] { float m = std::numeric_limits<float>::infinity(); x[0] = m > "
                "std::numeric_limits<float>::max(); x[1] = std::numeric_limits<float>::lowest() < -1e30f; }).wait();"
            ),
            "x[0]=1 /\\ x[1]=1",
        ),
        ("x[0] = 3; x[0] = std::max<int>(x[0], 7); x[1] = std::min({3, 1, x[0]});", "x[0]=7 /\\ x[1]=1"),
        (
            "q.single_task([=] { x[0] = std::max<float>(2, 2.5f) * 2; x[1] = std::min<unsigned>(-1, 5); }).wait();",
            "x[0]=5",
        ),
    ],
)
def test_limits_and_extremes(body: str, question: str) -> None:
    assert holds(X + body, question)
