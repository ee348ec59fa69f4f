"""Objects of classes that only the host has: with queues, memory and containers among their members."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused, source

from mcm import Judged, check

SOLVER = """
class Solver {
 public:
  Solver(int n, int first = 1) : n_(n) { x_ = malloc_shared<int>(n_, q_); for (int i = 0; i < n_; i++) x_[i] = first; }
  ~Solver() { free(x_, q_); }
  void step(int by) { int* x = x_; KERNEL }
  int get(int i) const { return x_[i]; }
  int sum() { int s = 0; for (int i = 0; i < n_; i++) s += get(i); return s; }
  void twice() { step(1); this->step(2); }
 private:
  queue q_;
  int n_;
  int* x_ = nullptr;
};
"""
WAITS = "q_.parallel_for(range<1>(n_), [=](id<1> i) { x[i] += by; }).wait();"
RESULT = "int* r = malloc_shared<int>(2, q); r[0] = r[1] = 0; "


def solver(kernel: str = WAITS) -> str:
    return SOLVER.replace("KERNEL", kernel)


@pytest.mark.parametrize(
    ("body", "question"),
    [
        ("Solver s(2); s.step(3); r[0] = s.get(1); r[1] = s.sum();", "r[0]=4 /\\ r[1]=8"),
        ("Solver s{3, 5}; s.twice(); r[0] = s.sum();", "r[0]=24"),
        ("Solver s(2); Solver t(2, 7); s.step(1); t.step(2); r[0] = s.sum(); r[1] = t.sum();", "r[0]=4 /\\ r[1]=18"),
        ("{ Solver s(2); s.step(2); r[0] = s.get(0); } { Solver s(2); r[1] = s.get(0); }", "r[0]=3 /\\ r[1]=1"),
        (
            "Solver s(2); q.parallel_for(2, [=](id<1> i) { if (i == 0) return; r[0] = 4; }).wait(); r[1] = s.get(0);",
            "r[0]=4 /\\ r[1]=1",
        ),
        ("int n = r[1]; Solver s(2, n + 4); for (int i = 0; i < 2; i++) s.step(i); r[0] = s.get(0);", "r[0]=5"),
    ],
)
def test_objects(body: str, question: str) -> None:
    assert holds(RESULT + body, question, solver())


def test_mistakes() -> None:
    use = f"{RESULT} Solver s(2); s.step(3);"
    no_wait = solver(WAITS.replace(".wait()", ""))

    assert kinds(f"{use} r[0] = s.get(0);", no_wait) == {"data-race"}
    # The end of the object gives the memory back while the kernel runs.
    assert kinds(f"{{ {use} }}", no_wait) == {"data-race"}
    assert kinds(f"{use} return s.get(0);", solver()) == set()


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        ("q_.single_task([=] { x_[0] = 1; }).wait();", "'x_' in this lambda is a member of an object of the host"),
        ("q_.single_task([=] { x[0] = n_; }).wait();", "'n_' in this lambda is a member of an object of the host"),
        ("q_.single_task([this] { x_[0] = 1; }).wait();", "'x_' in this lambda is a member of an object of the host"),
        ("Solver* p = this; q_.wait();", "'this' in a function of 'Solver'"),
    ],
)
def test_kernels_that_follow_this(kernel: str, message: str) -> None:
    assert message in refused("Solver s(2); s.step(1);", solver(kernel))


PASSES = (
    solver()
    + """
void run(Solver& s, int s_n_, int q) { { int s = 3; q += s; } s.step(q + s_n_); }
template <class T> void twice(T& s, int by) { run(s, by, 0); run(s, by, 0); }
void both(Solver& a, Solver& b) { a.step(1); int n = a.get(0); b.step(n); }
int total(const Solver& s) { return s.sum(); }
struct Other { Solver& s_; Other(Solver& s) : s_(s) {} void go(Solver& by) { both(by, s_); } };
struct Owner { Solver s_; int by_ = 5; Owner() : s_(2) {} void go() { s_.step(by_); } };
"""
)


@pytest.mark.parametrize(
    ("body", "question"),
    [
        ("Solver s(2); int n = total(s); r[0] = n; run(s, 1, 2); r[1] = total(s);", "r[0]=2 /\\ r[1]=14"),
        (
            "Solver s(2); Solver t(2, 7); twice(t, 1); twice(s, 2); r[0] = s.get(0); r[1] = t.get(0);",
            "r[0]=11 /\\ r[1]=15",
        ),
        (
            "Solver s(2); Solver t(2, 7); both(t, s); both(s, t); r[0] = s.get(0); r[1] = t.get(0);",
            "r[0]=10 /\\ r[1]=18",
        ),
        ("Solver s(2); Solver t(2, 7); Other o(s); o.go(t); r[0] = s.get(0); r[1] = t.get(0);", "r[0]=9 /\\ r[1]=8"),
        ("Owner o; o.go(); r[0] = o.s_.get(0); r[1] = total(o.s_);", "r[0]=6 /\\ r[1]=12"),
    ],
)
def test_objects_that_are_passed(body: str, question: str) -> None:
    assert holds(RESULT + body, question, PASSES)


@pytest.mark.parametrize("function", ["int total(Solver s) { return 1; }", "int total(Solver* s) { return 1; }"])
def test_objects_that_are_passed_otherwise(function: str) -> None:
    assert "its members and functions are named" in refused("Solver s(2); int n = total(s);", solver() + function)


def test_an_object_that_is_passed_and_not_waited_for() -> None:
    before = solver(WAITS.replace(".wait()", "")) + "void run(Solver& s) { s.step(1); }"

    assert kinds(f"{RESULT} Solver s(2); run(s); r[0] = s.get(0);", before) == {"data-race"}


@pytest.mark.parametrize(
    ("before", "body", "question"),
    [
        # A queue that is passed, and a buffer and a vector as members.
        (
            (
                "struct Data { queue& q_; std::vector<int> v_; int k_; Data(queue& q, int k) : q_(q), v_(2, "
                "3), k_{k} {} "
                "void run() { buffer b(v_); int k = k_; q_.submit([&](handler& h) { accessor a(b, h); "
                "h.parallel_for(2, [=](id<1> i) { a[i] += k; }); }); } };"
            ),
            "Data d(q, 4); d.run(); d.v_[1] += d.k_;",
            "d_v_[0]=7 /\\ d_v_[1]=11",
        ),
        # A template, whose functions give a pointer and take some.
        (
            (
                "template <typename T> class Array { size_t n_; queue& q_; T* d_; public: Array(size_t n, queue& "
                "q) : n_(n), q_(q) "
                "{ d_ = malloc_device<T>(n, q_); } ~Array() { sycl::free(d_, q_); } T* data() const { return d_; } "
                "void to(const T* h) { q_.memcpy(d_, h, n_ * sizeof(T)).wait(); } "
                "void from(T* h) { q_.memcpy(h, d_, n_ * sizeof(T)).wait(); } };"
            ),
            (
                "std::vector<float> v(2, 1.5f); Array<float> a(2, q); a.to(v.data()); float* p = a.data(); "
                "q.parallel_for(2, [=](id<1> i) { p[i] *= 2; }).wait(); a.from(v.data());"
            ),
            "v[1]=3.0",
        ),
        # Members that get their values in the body of the constructor.
        (
            (
                "class Simulation { std::vector<int> v_; int n_; void init(); public: Simulation() { n_ = 2; } "
                "void start(); }; "
                "void Simulation::init() { for (int i = 0; i < n_; i++) v_[i] = i; } "
                "void Simulation::start() { v_.resize(n_); init(); queue q; buffer b(v_); q.submit([&](handler& h) "
                "{ accessor a(b, h); h.parallel_for(n_, [=](id<1> i) { a[i] *= 5; }); }); }"
            ),
            "Simulation s; s.start();",
            "s_v_[1]=5",
        ),
    ],
)
def test_members(before: str, body: str, question: str) -> None:
    assert holds(body, question, before)


SHARED = """
template <typename T> class Shared {
  T* p; size_t n; queue& q;
public:
  Shared(size_t n, queue& q) : p(malloc_shared<T>(n, q)), n(n), q(q) {}
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  ~Shared() { sycl::free(p, q); }
  T* get() const { return p; }
  T& operator[](size_t i) { return p[i]; }
  const T& operator[](size_t i) const { return p[i]; }
};
"""
ADDED = (
    "Shared<int> a(4, q), b{4, q}; for (int i = 0; i < 4; i++) { a[i] = i; b[3 - i] = a[i] + 1; } int* x = a.get(); "
)
ADDED += "int* y = b.get(); q.parallel_for(4, [=](id<1> i) { x[i] += y[i]; })"


def test_several_objects_and_their_elements() -> None:
    assert holds(f"{RESULT} {{ {ADDED}.wait(); r[0] = a[0]; r[1] = a[b[1]] * 2; }}", "r[0]=4 /\\ r[1]=8", SHARED)
    assert kinds(f"{ADDED}; ", SHARED) == {"data-race"}


@pytest.mark.parametrize(("value", "result"), [("p[i] + 1", 10), ("p[i + i]", 6), ("n - i", 6)])
def test_what_an_index_returns_is_one_value(value: str, result: int) -> None:
    shared = "class Shared { int* p; int n; queue q; public: Shared(int n) : p(malloc_shared<int>(n, q)), n(n) {} "
    shared += f"int* get() {{ return p; }} int operator[](int i) const {{ return {value}; }} }}; "
    body = "Shared a(4); for (int i = 0; i < 4; i++) a.get()[i] = 4; if (2 > 1) a.get()[2] = 3;"
    assert holds(f"{RESULT} {body} r[0] = a[1] * 2;", f"r[0]={result}", shared)


def test_an_index_that_does_more_is_refused() -> None:
    more = SHARED.replace("size_t i) { return p[i]; }", "size_t i) { n++; return p[i]; }")
    assert "which only the host has" in refused("Shared<int> a(4, q); a[1] = 2;", more)
    twice = SHARED.replace("return p[i]; }", "return p[i + i]; }")
    assert "which only the host has" in refused("Shared<int> a(8, q); int n = 1; a[n++] = 2;", twice)


MATRIX = """
template <typename T> class Matrix {
  size_t rows_, cols_;
  std::vector<T> data_;
public:
  Matrix(size_t rows, size_t cols, T v = T{}) : rows_(rows), cols_(cols), data_(rows * cols, v) {}
  T& operator()(size_t i, size_t j) { return data_[i * cols_ + j]; }
  const T& operator()(size_t i, size_t j) const { return data_[i * cols_ + j]; }
  size_t rows() const { return rows_; }
  size_t size() const { return data_.size(); }
  T* data() { return data_.data(); }
  const T* data() const { return data_.data(); }
};
"""
DOUBLED = (
    "Matrix<int> a(2, 2, 1), c(2, 2); a(0, 1) = 3; { buffer<int, 2> b(a.data(), range<2>(a.rows(), 2)), "
    "d(c.data(), {2, a.rows()}); q.submit([&](handler& h) { accessor x(b, h, read_only), y(d, h, write_only); "
    "h.parallel_for(b.get_range(), [=](id<2> i) { y[i] = 2 * x[i]; }); });"
)


def test_objects_that_are_called() -> None:
    asked = "int n = c(1 - 1, a.rows() - 1) + a.size();"
    assert holds(f"{DOUBLED} }} {asked}", "0:n=10", MATRIX)


def test_an_element_is_accessed_where_the_object_is_called() -> None:
    result = check(source(f"{DOUBLED}\nint n = c(0, 1); }}", "", MATRIX))
    assert isinstance(result, Judged)
    assert any(site.span.text == "c(0, 1)" for race in result.races for site in race.sites)


ENDS = """
struct Memory {
  queue& q; int* x;
  Memory(queue& q_) : q(q_) { x = malloc_shared<int>(1, q); }
  ~Memory() { free(x, q); }
};
struct Waits { queue& q; Waits(queue& q_) : q(q_) {} ~Waits() { q.wait(); } };
struct First { Memory m; Waits w; First(queue& q) : m(q), w(q) {} ~First() {} };
struct Last { Waits w; Memory m; Last(queue& q) : w(q), m(q) {} };
"""


@pytest.mark.parametrize(
    ("objects", "is_race"),
    [
        ("Memory m(q); Waits w(q); int* p = m.x; RUN", False),
        ("Waits w(q); Memory m(q); int* p = m.x; RUN", True),
        ("Memory m(q); Waits w(q); int* p = m.x; RUN if (n[0]) return n[0] + 1; return 0;", False),
        ("Waits w(q); Memory m(q); int* p = m.x; RUN return n[0] + 1;", True),
        ("First f(q); int* p = f.m.x; RUN", False),
        ("Last f(q); int* p = f.m.x; RUN", True),
        ("Memory m(q); { Waits w(q); int* p = m.x; RUN }", False),
    ],
)
def test_objects_end_in_the_reverse_order(objects: str, is_race: bool) -> None:
    body = "int* n = malloc_shared<int>(1, q); n[0] = 0; " + objects.replace("RUN", "q.single_task([=] { *p = 1; });")

    assert kinds(body, ENDS) == ({"data-race"} if is_race else set())


@pytest.mark.parametrize("last", ["", "return 0;"])
def test_buffers_that_end_before_an_object_wait_for_kernels(last: str) -> None:
    body = (
        "Memory m(q); m.x[0] = 0; buffer<int> b(m.x, range<1>(1)); q.submit([&](handler& h) { accessor a(b, h); "
        "h.single_task([=] { a[0] = 1; }); });"
    )

    assert kinds(body + last, ENDS) == set()
