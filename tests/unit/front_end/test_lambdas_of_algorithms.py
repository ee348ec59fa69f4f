"""Lambdas that algorithms of hosts call, what they return, and loops that macros are written with."""

from __future__ import annotations

import pytest
from host_samples import holds, refused

_V = "std::vector<int> v(3); "


@pytest.mark.parametrize(
    ("body", "question"),
    [
        ("std::generate(v.begin(), v.end(), [k = 1]() mutable { return k++; });", "v[0]=1 /\\ v[2]=3"),
        (
            "int c = 2; std::generate(v.begin(), v.end(), [k = 0, c]() mutable { int m = k * c; k += 2; return m; });",
            "v[1]=4 /\\ v[2]=8",
        ),
        ("int k = 3; std::generate_n(v.begin(), 2, [&k] { return 2 * k++; });", "v[0]=6 /\\ v[1]=8 /\\ 0:k=5"),
        ("int k = 3; auto next = [&]() { return k++; }; std::generate(begin(v), end(v), next);", "v[0]=3 /\\ v[2]=5"),
        ("for (auto&& e : v) e = 4; auto&& f = v[1]; f = 5;", "v[0]=4 /\\ v[1]=5"),
        # What a lambda returns says its type, which its own and the host's variables have.
        (
            (
                "int s = 3; auto f = [=](int a) { return s * a + 1; }; auto less = [](int a, int b) { return a < b; }; "
                "for (int i = 0; i < 3; i++) if (less(i, 2)) v[i] = f(i);"
            ),
            "v[0]=1 /\\ v[1]=4",
        ),
        (
            "auto make = [&](int k) { return malloc_shared<int>(k, q); }; int* x = make(2); x[1] = 4; v[0] = x[1];",
            "v[0]=4",
        ),
        ("double s = 0.5; auto f = [&](int a) { return s * a; }; v[0] = 4 * f(3);", "v[0]=6"),
        (
            (
                "std::mt19937 g(1); std::uniform_int_distribution<int> d(4, 4); auto next = [&]() { return d(g); }; "
                "std::generate(v.begin(), v.end(), next);"
            ),
            "v[2]=4",
        ),
    ],
)
def test_lambdas(body: str, question: str) -> None:
    before = "void other() { float k; }"
    assert holds(_V + body, question, before)


def test_macros_are_blocks() -> None:
    check = "#define CHECK(x) do { try { x; } catch (sycl::exception const& e) { std::exit(1); } } while (0)"
    body = (
        "int* d = nullptr; CHECK(d = malloc_device<int>(2, q)); if (d != nullptr) CHECK(q.fill(d, 7, 2).wait()); "
        "else return 1; int h[2]; CHECK(q.memcpy(h, d, 8).wait());"
    )
    assert holds(body, "h[1]=7", check)


def test_a_loop_that_is_left_is_none() -> None:
    assert holds("int n = 0; do { if (n == 0) break; n = 2; } while (0);", "0:n=0")


def test_a_variable_that_is_another_one_elsewhere_is_refused() -> None:
    body = "int k = 2; std::generate_n(v.begin(), k, [k = 0]() mutable { return k++; });"
    assert "'k' is declared const" in refused(_V + body)
