"""What objects of the host refer to is that also where a function, a block or a lambda has the same name."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

_MEMORY = "int* x = malloc_shared<int>(2, q); x[0] = x[1] = 0; "
_WAITS = "struct V {{ queue& q_; V(queue& a) : q_(a) {{}} {} }};"


@pytest.mark.parametrize(
    ("function", "call"),
    [
        ("void f(queue& q) { q_.wait(); }", "V v(q); v.f(p);"),
        ("void f(queue& p) { queue q; q_.wait(); }", "V v(q); v.f(p);"),
        ("void f(queue& p) { auto w = [&](queue& q) { q_.wait(); }; w(p); }", "V v(q); v.f(p);"),
        ("~V() { q_.wait(); }", "{ V v(q); queue a = p; { queue q; x[1] = 0; } }"),
        ("void f() { q_.wait(); }", "V v(q); { queue q; v.f(); }"),
    ],
)
def test_queues(function: str, call: str) -> None:
    body = f"queue p; {_MEMORY} {{}}.single_task([=] {{ x[0] = 1; }}); {call} x[1] = x[0];"
    assert holds(body.replace("{}", "q"), "x[1]=1", _WAITS.format(function))
    assert kinds(body.replace("{}", "p"), _WAITS.format(function)) == {"data-race"}


def test_numbers_and_members() -> None:
    counts = """struct V { queue p_; int& n_; int k; V(int& a, int b) : n_(a), k(b) { { int b = 1; n_ += b; } n_ += b; }
      void f(int* x) { for (int n = 0; n < 2; n++) n_ += n;
        { int k = 5; n_ += k; } auto g = [&](int k) { n_ += k; }; g(k);
        x[0] = n_ + k; } };"""
    assert holds(f"{_MEMORY} int n = 0; int k = 70; V v(n, 10); v.f(x); x[1] = n + k;", "x[0]=37 /\\ x[1]=97", counts)


def test_elements_have_no_name() -> None:
    refers = "struct V { queue p_; const int& n_; V(const int& n) : n_(n) {} int f() { int s = n_; return s; } };"
    assert "give that a name of its own" in refused(f"{_MEMORY} V v(x[1]); x[1] = 3; x[0] = v.f();", refers)
