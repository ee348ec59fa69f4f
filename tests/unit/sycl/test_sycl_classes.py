"""Classes: functions of objects, constructors, operators, destructors, function objects."""

from __future__ import annotations

import pytest

from mcm import EngineName, InputError, Judged, Source, check, parse, run

ENGINES = (EngineName.EXPLICIT, EngineName.SMT)

CLASSES = """
struct Vec {
  int x = 1, y = 2;
  Vec() = default;
  Vec(int a, int b) : x(a), y{b} {}
  explicit_less
  int norm() const { return x * x + y * y; }
  void add(int k) { x += k; this->y += k; }
  int twice(int k) const { return 2 * k; }
  int both() const { return norm() + twice(N); }
  static int halved(int a) { return a / 2; }
  static constexpr int N = 7;
  Vec operator+(const Vec& o) const { return Vec(x + o.x, y + o.y); }
  Vec operator-() const { return {-x, -y}; }
  Vec& operator+=(const Vec& o) { x += o.x; y += o.y; return *this; }
  Vec& operator++() { ++x; return *this; }
  bool operator==(const Vec& o) const { return x == o.x && y == o.y; }
  int& operator[](int i) { return i == 0 ? x : y; }
  int operator()(int a, int b = 3) const { return x * a + y * b; }
  friend Vec operator*(int k, const Vec& v) { return Vec(k * v.x, k * v.y); }
};
Vec operator*(const Vec& v, int k) { return k * v; }
bool operator<(const Vec& a, const Vec& b) { return a.norm() < b.norm(); }
struct Line {
  Vec from, to{5, 6};
  int e[2] = {3, 4};
  Line(int k) : from(k, k) {}
  int length() const { Vec d = to + -from; return d.norm(); }
  Vec& end() { return to; }
};
struct Pool {
  Vec items[3];
  int used = 0;
  Vec& at(int i) { return items[i]; }
  int add(const Vec& v) { items[used] = v; return used++; }
  int sum() const { int s = 0; for (int i = 0; i < used; i++) s += items[i].norm(); return s; }
};
struct Counter {
  atomic_ref<int, memory_order::relaxed, memory_scope::device> ref;
  Counter(int& c) : ref(c) {}
  int inc(int n = 1) { return ref.fetch_add(n); }
};
struct Guard {
  int& depth;
  int k;
  Guard(int& d, int n) : depth(d), k(n) { depth += k; }
  ~Guard() { depth = depth * 2 - k; }
};
struct One { int m; One& set(int k) { m = k; return *this; } One& twice() { m *= 2; return *this; } };
struct Plus { int operator()(int a, int b) const { return a + b; } };
struct Overloaded {
  int m;
  int f(int) const { return 1; }
  int f(float) const { return 2; }
  int f(int, int) const { return 3; }
  int& get() { return m; }
  int get() const { return m + 100; }
};
struct Holder {
  Overloaded in;
  int& at;
  Holder(int& a) : at(a) { in.m = 0; }
  int sum() const { return in.get(); }
};
int through(const Holder& h) { return h.in.get(); }
constexpr int M = 4;
struct Constants { int m = 0; static constexpr int K = 5; int f(int a = K, int b = M - 1) const { return a * b; } };
int leave(int& d, int x) {
  Guard g(d, x);
  if (x == 1) { return d; }
  { Guard h(d, 10); if (x == 2) { return d; } }
  return d;
}
int count(Counter& c) { c.inc(); return c.inc(2); }
int& larger(int& a, int& b) { return a < b ? b : a; }
int scaled(int a, int k = M) { return a * k; }
template_less
""".replace("  explicit_less\n", "").replace("template_less\n", "")

HEAD = f"""SYCL t
{{ int x[4] = {{1, 2, 3, 4}}; int t = 0; struct Vec v[2] = {{{{1, 3}}, {{2, 4}}}}; }}
{CLASSES}
q.parallel_for(nd_range<1>(1, 1), [=](nd_item<1> it) {{
"""


@pytest.mark.parametrize(
    ("body", "condition"),
    [
        # Functions of objects, members by themselves and by `this`, functions that call others.
        ("Vec a; a.add(2); int r = a.norm();", "0:r=25"),
        ("Vec a(3, 4), *p = &a; p->add(1); int r = p->both() + a.x;", "0:r=59"),
        ("Vec a[2]; int i = x[0]; a[i].add(4); int r = a[1].norm() * 10 + a[0].x;", "0:r=611"),
        ("Vec a; Vec& b = a; b.add(1); const Vec c = a; int r = c.norm() + Vec::halved(9) + Vec::N + c.N;", "0:r=31"),
        ("int r = Vec(2, 3).norm() + Vec{1, 1}.norm();", "0:r=15"),
        ("auto a = Vec(2, 3); auto f = [&](int k) { a.add(k); return a.x; }; int r = f(4);", "0:r=6"),
        ("Vec v; v.add(v.norm()); int r = v.y;", "0:r=7"),
        # What objects begin with.
        ("Vec a, b{}, c = Vec(), d{7, 8}, e = {5, 6}; int r = a.y + b.x + c.y + d.x + e.y;", "0:r=18"),
        ("Line l(3); int r = l.length() * 100 + l.e[1] * 10 + l.from.x;", "0:r=1343"),
        ("Line l[2] = {Line(1), Line(2)}; l[1].to = l[0].from; int r = l[1].length();", "0:r=2"),
        ("Line a[2] = {Line(1), 4}, b[2]{Line(2), 3}; int r = a[1].from.x + b[1].from.x * 10;", "0:r=34"),
        ("Vec a[3] = {Vec(3, 3), {4, 5}}; int r = a[0].x * 100 + a[1].y * 10 + a[2].y;", "0:r=352"),
        # Operators, in chains, of the file and of the class.
        ("Vec a(1, 2), b(3, 4); Vec c = a + b + a; int r = c.x * 10 + c.y;", "0:r=58"),
        ("Vec a(1, 2); a += Vec(1, 1); (a += a) += Vec(1, 0); int r = a.x * 10 + a.y;", "0:r=56"),
        ("Vec a(1, 2); Vec b = -(2 * a * 3); int r = b.x * 10 + b.y + (a == Vec(1, 2)) + !(a < b);", "0:r=-71"),
        ("Vec a(1, 2); a[1] = 9; a[0] += 4; ++a; int r = a[0] * 10 + a.y + a(1) + a(1, 0);", "0:r=108"),
        ("Vec a(1, 2), b; b = a; b.x = 5; int r = a.x + (a < b || b < a);", "0:r=2"),
        ("Vec a(1, 2); Vec b = a += Vec(1, 1); int r = b.y;", "0:r=3"),
        ("Vec a(1, 1), e(3, 3); for (Vec b(1, 1); b < e; ++b) a += b; int r = a.x;", "0:r=11"),
        ("One o[2]; int i = 0; o[1].m = 7; o[i++].set(4).twice(); int r = o[0].m * 100 + o[1].m * 10 + i;", "0:r=871"),
        # References to structures, and to numbers, that functions return.
        ("Line l(1); l.end().add(1); l.end().x += 10; int r = l.to.x;", "0:r=16"),
        ("int a = 1, b = 2; larger(a, b) = 7; int r = a * 10 + b + scaled(2) + scaled(2, 1);", "0:r=27"),
        # Objects whose members are variables.
        ("Pool p; p.add(Vec(1, 1)); p.add(Vec{2, 2}); p.at(1).x = 0; int r = p.sum() * 10 + p.used;", "0:r=62"),
        ("Counter c(*t); c.inc(); int r = count(c);", "0:r=2 /\\ t=4"),
        ("Plus plus; int r = plus(1, 2) + plus(3, 4);", "0:r=10"),
        # Ends of objects: of blocks, of loops, of functions.
        ("int d = 1; { Guard g(d, 3); d += 1; } int r = d;", "0:r=7"),
        ("int d = 0; { Guard g(d, 1); Guard h(d, 2); } int r = d;", "0:r=7"),
        ("int d = 0, e = 0, f = 0; int r = leave(d, 1) + leave(e, 2) + leave(f, 3);", "0:r=29 /\\ 0:d=1 /\\ 0:f=29"),
        (
            "int d = 0; for (int i = 0; i < 3; i++) { Guard g(d, 1); if (i) break; continue; } int r = d;",
            "0:r=3",
        ),
        # Which of several functions is meant.
        ("Overloaded o{5}; int r = o.f(1) + o.f(1.0f) * 10 + o.f(1, 2) * 100;", "0:r=321"),
        ("Overloaded o{5}; o.get() = 6; const Overloaded& c = o; int r = o.get() + c.get();", "0:r=112"),
        # Functions that change nothing are those of what does not change: members, elements and what is referred to.
        ("Holder h(*t); h.in.m = 6; int r = h.sum() * 1000 + through(h);", "0:r=106106"),
        ("const Overloaded l[2] = {{2}, {3}}; Overloaded o{1}; int r = l[1].get() * 10 + o.get();", "0:r=1031"),
        ("int M = 50, K = 60, m = 70; Constants c; int r = scaled(2) + c.f() + m + M + K;", "0:r=203"),
        # Memory: each function reads and writes what it says.
        ("v[1].add(1); Vec* p = v; p[0].y = p[1](1, 1); int r = v->norm();", "0:r=65 /\\ v.x[1]=3 /\\ v.y[0]=8"),
        ("v[0] = Vec(7, 8); v[1] += v[0]; int r = v[1].x;", "0:r=9"),
        # Arrays of the standard library.
        (
            "std::array<int, 3> a{}; a.fill(4); a[1] = 5; int r = a.data()[1] * 10 + a.at(2) + a.size() + a.back();",
            "0:r=61",
        ),
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
        ("Vec a(1, 2, 3);", "no constructor of 'Vec' takes 3 arguments"),
        ("Vec a; a.sub(1);", "'Vec' has no function 'sub'"),
        ("Vec a; a.add();", "'add' takes 1 argument, found 0"),
        ("Vec a; int r = a.z;", "'a' has no member 'z'"),
        ("Pool p; int r = p.z;", "'Pool' has no member 'z'; it has 'items', 'used'"),
        ("Pool p; int r = p;", "'p' is an object of 'Pool', of which a member is a value"),
        ("Pool p[2];", "'Pool' has members such as references: its objects are variables, one by one"),
        ("Counter c;", "no constructor of 'Counter' takes 0 arguments"),
        ("Vec a; int r = (a += a).x + a.y;", "'(a += a)' returns the object itself"),
        ("int d = 0; Guard g[2];", "'Guard' has members such as references"),
        ("int r = this->x;", "'this' has no members"),
        ("Pool p; auto f = [=] { return p.sum(); };", "'p' is captured by value, but has members such as references"),
    ],
)
def test_what_is_refused(body: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        parse(Source("t.litmus", f"{HEAD}{body}\n}});\n"))

    assert any(message in one.message for one in raised.value.diagnostics), raised.value.diagnostics


@pytest.mark.parametrize(
    ("member", "message"),
    [
        ("static int n;", "'n' is a static member, which is a constant"),
        ("T(const T& o) : m(o.m) { m++; }", "a constructor that says how 'T' is copied"),
        ("int f();", "'f' has no body here"),
        ("int f() { return f(); }", "recursion is not allowed"),
        ("T(int a) : n(a) {} int f() { return 1; }", "'T' has no member 'n'"),
    ],
)
def test_what_classes_cannot_be(member: str, message: str) -> None:
    made = "T a(1);" if "int a" in member else "T a;"
    text = f"SYCL t\n{{ }}\nstruct T {{ int m; {member} }};\nq.single_task([=] {{ {made} a.m = 1; int r = a.f(); }});\n"
    with pytest.raises(InputError) as raised:
        parse(Source("t.litmus", text))

    assert any(message in one.message for one in raised.value.diagnostics), raised.value.diagnostics


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("struct T : U { int m; };", "a class that inherits from another: this is C++"),
        ("struct T { virtual int f() { return 1; } };", "a virtual function: this is C++"),
        ("union T { int m; int f() { return m; } };", "a union, 'T'"),
    ],
)
def test_classes_that_are_not_part_of_the_language(text: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        parse(Source("t.litmus", f"SYCL t\n{{ int x = 0; }}\n{text}\nq.single_task([=] {{ *x = 1; }});\n"))

    assert raised.value.diagnostics[0].message.startswith(message), raised.value.diagnostics


CELL = """SYCL cell
{ struct Cell c = {0}; }
struct Cell {
  int value;
  void add(int n) { value += n; }
  int swap(int n) { return atomic_ref<int, memory_order::relaxed, memory_scope::device>(value).exchange(n); }
};
"""


@pytest.mark.parametrize("engine", ENGINES)
def test_functions_of_objects_in_memory_access_it(engine: EngineName) -> None:
    launch = "q.parallel_for(nd_range<1>(2, 1), [=](nd_item<1> it) {{ {0} }});\n"
    racy = check(Source("r.litmus", CELL + launch.format("c->add(1);")), engine=engine)
    atomic = check(Source("a.litmus", CELL + launch.format("int r = c->swap(1);")), engine=engine)

    assert isinstance(racy, Judged)
    assert isinstance(atomic, Judged)
    assert [race.kind for race in racy.undefined] == ["data-race"]
    assert {site.text for race in racy.races for site in race.sites} == {"value += n", "value"}
    assert atomic.undefined == ()
    assert len(atomic.states) == 2


def test_a_name_in_a_function_of_a_class_means_what_it_does_there() -> None:
    text = """SYCL names
{ int s = 5; int out[2]; }
constexpr int n = 3;
struct Reader {
  const int& from;
  Reader(const int& f) : from(f) {}
  int get() const { int s = 1; int n = 2; return from + s + n; }
  int outer() const { return n; }
};
q.single_task([=] {
  int n = 70;
  Reader r(*s);
  out[0] = r.get() + n;
  out[1] = r.outer();
});
forall (out[0]=78 /\\ out[1]=3)
"""
    found = check(Source("names.litmus", text))

    assert isinstance(found, Judged)
    assert (found.holds, found.undefined) == (True, ())
