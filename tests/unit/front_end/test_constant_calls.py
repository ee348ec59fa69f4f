"""Sizes that functions and constants come to, and the arguments of templates."""

from __future__ import annotations

import pytest
from host_samples import holds, refused

UP = "constexpr size_t up(size_t a, size_t b) { return (a + b - 1) / b; }"
LOG = "constexpr int log(int n) { if (n <= 1) return 0; else { return 1 + log(n / 2); } }"
FACTORIAL = "template <int N> constexpr int f() { if constexpr (N <= 1) return 1; else return N * f<N - 1>(); }"
TWICE = "template <int N> constexpr int twice() { return 2 * N; }"
STORE = "int* x = malloc_shared<int>(1, q); q.single_task([=] { *x = VALUE; }).wait();"


@pytest.mark.parametrize(
    ("before", "body", "question"),
    [
        (UP, "constexpr int n = 6; std::vector<int> v(up(n, 4) * 4, 2);", "v[7]=2"),
        (UP, "std::vector<int> v(up(5, up(4, 2)), 1);", "v[2]=1"),
        (LOG, "std::vector<int> v(log(8), 1);", "v[2]=1"),
        ("int four() { return 4; }", "std::vector<int> v(four(), 1);", "v[3]=1"),
        (
            "namespace u { constexpr int half(int n) { return n > 1 ? n / 2 : half(n + 2); } }",
            "std::vector<int> v(u::half(1), 5);",
            "v[0]=5",
        ),
        (FACTORIAL, "std::array<int, f<3>()> a{}; a[5] = 1; " + STORE.replace("VALUE", "f<4>()"), "x[0]=24 /\\ a[5]=1"),
        (TWICE, STORE.replace("VALUE", "twice<3>() + twice<6 / 2>()"), "x[0]=12"),
        # What is not evaluated may be anything.
        ("constexpr int f(int n) { return n == 0 ? 0 : 12 / n; }", "std::vector<int> v(f(0) + f(6), 1);", "v[1]=1"),
        # A name means what it does at the place of the call.
        (
            f"{UP} constexpr int n = 2;",
            "std::vector<int> v(up(n, 1), 1); { constexpr int n = 5; std::vector<int> w(up(n, 2), 3); v[0] = w[2]; }",
            "v[0]=3 /\\ v[1]=1",
        ),
        # Arguments of templates.
        ("constexpr int N = 3, M = N - 1;", "std::array<int, N + 1> a{}; std::array<int, M> b; b[1] = a[3];", "b[1]=0"),
        ("constexpr int N = 2;", STORE.replace("VALUE", "vec<int, 2 * N>(1, 2, 3, 4).w()"), "x[0]=4"),
        (
            "template <typename T, int N> struct B { T v[N]; int size() const { return N; } }; constexpr int K = 2;",
            "B<int, 2 * K> b; B<int, 4> c = b; " + STORE.replace("VALUE", "b.size() + c.size()"),
            "x[0]=8",
        ),
    ],
)
def test_numbers(before: str, body: str, question: str) -> None:
    assert holds(body, question, before)


@pytest.mark.parametrize(
    ("before", "body"),
    [
        # Another thing of the name is called, or it may be another number.
        (UP, "struct S { int up(int a, int b) { return 3; } }; int n = 4; n++; std::vector<int> v(up(n, 2));"),
        ("int f(int n) { return n - 4; }", "std::vector<int> v(f(3));"),
        ("unsigned f(unsigned n) { return n * 65536 * 65536; }", "std::vector<int> v(f(3));"),
        ("constexpr int n = 2; int f(int k) { return k; }", "int n = 3; n++; std::vector<int> v(f(n));"),
        ("int f(int n) { return f(n); }", "std::vector<int> v(f(3));"),
    ],
)
def test_no_constants(before: str, body: str) -> None:
    assert "no constant" in refused(body, before)


def test_members_that_hide_a_function() -> None:
    before = "int f(int n) { return n; } struct S { int f(int n) const { return 7; } int g() const { return f(2); } };"

    assert holds("S s; " + STORE.replace("VALUE", "s.g() * 10 + f(3)"), "x[0]=73", before)


def test_endless_templates() -> None:
    before = "template <int N> int f() { return f<N + 1>(); }"

    assert "more than 200 instances" in refused(STORE.replace("VALUE", "f<1>()"), before)
