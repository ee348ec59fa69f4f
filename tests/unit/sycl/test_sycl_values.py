"""Lambdas in variables, structures, vectors, parameters that are references."""

from __future__ import annotations

import pytest

from mcm import EngineName, InputError, Judged, Source, check, format_test, parse, run

ENGINES = (EngineName.EXPLICIT, EngineName.SMT)

HEAD = """SYCL t
{ int x[4] = {1, 2, 3, 4}; int t = 0; int2 m[2]; }
struct Pair { int lo; int hi; };
struct Box { Pair p; int w; };
struct Array { int e[2]; };
Pair make(int a) { return Pair{a, a + 1}; }
Pair swapped(const Pair p) { Pair q; q.lo = p.hi; q.hi = p.lo; return q; }
void flip(Pair& p) { int t = p.lo; p.lo = p.hi; p.hi = t; }
void bump(int& v, int by) { v += by; }
int value(const int& v) { return v; }
Pair sum(const Pair& p, const Pair& q) { return {p.lo + q.lo, p.hi + q.hi}; }
int twice(int v) { return 2 * v; }
sycl::vec<int, 2> scaled(sycl::int2 v, int k) { return v * k; }
q.parallel_for(nd_range<1>(2, 2), [=](nd_item<1> it) {
  size_t i = it.get_global_id(0);
"""


ATOMIC = "atomic_ref<int, memory_order::relaxed, memory_scope::device> a(*t);"


@pytest.mark.parametrize(
    ("body", "condition"),
    [
        # A copy of a variable, and the variable itself.
        ("int v = 1; auto f = [=](int a) { return v + a; }; v = 10; int r = f(1);", "0:r=2"),
        ("int v = 1; auto f = [&](int a) { return v + a; }; v = 10; int r = f(1);", "0:r=11"),
        ("int v = 1, w = 1; auto f = [=, &w] { return v * 10 + w; }; v = 5; w = 5; int r = f();", "0:r=15"),
        ("int v = 1, w = 1; auto f = [v, &w]() { return v * 10 + w; }; v = 5; w = 5; int r = f();", "0:r=15"),
        ("int v = 1; int& y = v; auto f = [=] { return y; }; v = 5; int r = f();", "0:r=1"),
        ("int v = 1; auto f = [&] { v++; }; f(); f(); int r = v;", "0:r=3"),
        # What it names is what stood around it.
        ("int v = 1; auto f = [&] { return v; }; int r; { int v = 9; r = f(); }", "0:r=1"),
        ("auto f = [=](int& a, int b) { a = b; }; int r; f(r, 4); f(x[i], 7);", "0:r=4 /\\ x[1]=7"),
        (
            "auto f = [=](size_t a) -> int { if (a > 0) return -1; return x[a]; }; int r = f(0), s = f(1);",
            "0:r=1 /\\ 0:s=-1",
        ),
        ("auto f = [=](nd_item<1> item) { return item.get_local_id(0) + 1; }; int r = f(it);", "1:r=2"),
        (
            "auto f = [=](int a) { auto g = [=](int b) { return twice(a) + b; }; return g(1) * 10; }; int r = f(2);",
            "0:r=50",
        ),
        (
            "auto f = [=](int a) { return a + 1; }; auto g = f; int r = 0; for (int k = 0; k < 3; k++) r += g(k);",
            "0:r=6",
        ),
        # What `auto` stands for: small integers are widened by operators, and `?:` has a type of both sides.
        ("unsigned char c = 200; auto v = -c; auto w = ~c; long s = 0; s += v; s += w; int r = s;", "0:r=-401"),
        ("unsigned char c = 200; auto v = true ? c : -1; auto w = c << 1; int r = v + w;", "0:r=600"),
        ("auto v = x[0] > 5 ? 1 : 2.5; int r = v * 2;", "0:r=5"),
        ("unsigned short c = 7; auto v = true ? c : c; v -= 8; int r = v;", "0:r=65535"),
        ("Pair l[2]; l[1] = make(4); auto f = [&](int a) { return a + l[1].hi; }; int r = f(2);", "0:r=7"),
        (
            "Array a; a.e[1] = 4; auto f = [&](int k) { return a.e[k] + 1; }; auto v = a.e[1]; int r = f(1) + v;",
            "0:r=9",
        ),
        (
            "int r = 0; switch (x[1]) { case 1: r = 9; break;  case 2: auto f = [&] { return 3 * r + 12; }; r = f(); }",
            "0:r=12",
        ),
        (f"{ATOMIC} auto add = [=](int n) {{ return a.fetch_add(n); }}; add(1); add(2);", "t=6"),
        ("Pair p = make(3); Pair* y = &p; y->lo += 10; int r = p.lo * 10 + p.hi;", "0:r=134"),
        ("auto p = swapped(make(3)); Pair q{p}; Pair o{}; int r = q.lo * 100 + q.hi * 10 + o.hi;", "0:r=430"),
        ("Pair l[2]; l[1] = Pair{7, 8}; auto f = [&](Pair u) { return u.lo * u.hi; }; int r = f(l[1]);", "0:r=56"),
        ("Pair p = sum(Pair{1, 2}, make(3)); int r = p.lo * 10 + p.hi + value(100 + p.lo);", "0:r=150"),
        ("auto f = [=](const int& a) -> sycl::int2 { return {a, 1}; }; auto v = f(7); int r = v.x() + v.y();", "0:r=8"),
        ("Box b{}; b.p = Pair{1, 2}; flip(b.p); int r = b.p.lo;", "0:r=2"),
        ("Pair p(1, 2); Pair s = Pair(3, 4); int r = p.hi + s.lo;", "0:r=5"),
        ("Pair p{1, 2}; flip(p); bump(p.lo, 3); int v = 1; bump(v, 1); int r = p.lo * 10 + value(v);", "0:r=52"),
        ("sycl::int4 v(5); v.y() = 7; v += 1; int r = v.x() * 100 + v.s1() * 10 + v[3];", "0:r=686"),
        ("vec<int, 2> v{x[0], x[1]}, w = scaled(v, 3); auto u = w - v; int r = u.x() * 10 + u.y();", "0:r=24"),
        ("auto v = int4(1, 2, 3, 4); vec<int, 2> h = v.hi(); int r = h.y() + h.size();", "0:r=6"),
        ("m[i] = sycl::int2{1, 2} * 2; int r = m[i].y();", "0:r=4 /\\ m.x[1]=2"),
        ("int b[] = {1, 2, 3}, r = sizeof(b) / sizeof(b[0]) + sizeof(Pair) + sizeof x[0];", "0:r=15"),
    ],
)
def test_values(body: str, condition: str) -> None:
    text = f"{HEAD}{body}\n}});\nforall ({condition})\n"

    for engine in ENGINES:
        found = check(Source("v.litmus", text), engine=engine)
        assert isinstance(found, Judged)
        assert (found.holds, found.undefined) == (True, ()), engine
    assert run(Source("v.litmus", text), runs=2).positive == 2


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("auto f = [=](int a) { if (a) return 1; return 2.0f; };", "this lambda returns 'int' and 'float'"),
        ("auto f = [=](int a) { return a; }; int r = f + 1;", "'f' is an object, expected a value"),
        ("Pair p{1, 2}; int r = p.mid;", "'p' has no member 'mid'"),
        ("int r = x.lo;", "'x' has no members that are part of the litmus language, found 'lo'"),
        ("vec<int, 2> v(1, 2, 3);", "3 values for the 2 components of a vector"),
        ("bump(3, 1);", "'3' is no object that a reference could refer to"),
        ("bump(x[0]);", "'bump' takes 2 arguments, found 1"),
    ],
)
def test_what_is_refused(body: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        parse(Source("v.litmus", f"{HEAD}{body}\n}});\nexists (t=0)\n"))
    assert message in raised.value.diagnostics[0].message


def test_a_lambda_keeps_its_layout() -> None:
    text = """SYCL t

{ int x=0; }

q.single_task([=]() {
  auto f = [=](int a) -> int { return a; };
  vec<int, 2> v(1, 2);
  int r = f(v.x());
});

exists (0:r=1)
"""
    assert format_test(Source("v.litmus", text)) == text


def test_what_is_discarded_is_not_read() -> None:
    text = "SYCL t\n{ int x = 0; }\nq.single_task([=] { *x = 1; });\nq.single_task([=] { (void)*x; });\nforall (x=1)"
    found = check(Source("v.litmus", text))
    assert isinstance(found, Judged)
    assert (found.holds, found.undefined) == (True, ())


def test_a_queue_may_be_declared() -> None:
    text = "SYCL t\n{ int x = 0; }\nsycl::queue q;\nq.single_task([=] { *x = 1; });\nq.wait();\nforall (x=1)"
    found = check(Source("v.litmus", text))
    assert isinstance(found, Judged)
    assert found.holds
    with pytest.raises(InputError, match="stands in a host program"):
        parse(Source("v.litmus", text.replace("queue q;", "queue q{property::queue::in_order()};")))
    with pytest.raises(InputError, match="one that others wait for stands in one, 'host"):
        parse(Source("v.litmus", text.replace("forall", "q.single_task([=] { *x = 2; });\nforall")))


def test_the_last_kernel_may_be_waited_for() -> None:
    one, two = "q.single_task([=] { *x = 1; })", "q.submit([&](handler& h) { h.single_task([=] { int r = 1; }); })"
    found = check(Source("v.litmus", f"SYCL t\n{{ int x = 0; }}\n{one};\n{two}.wait();\nforall (x=1)"))
    assert isinstance(found, Judged)
    assert found.holds
    with pytest.raises(InputError, match="one that others wait for stands in one, 'host"):
        parse(Source("v.litmus", f"SYCL t\n{{ int x = 0; }}\n{one}.wait();\n{two};\nforall (x=1)"))
