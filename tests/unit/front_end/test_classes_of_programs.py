"""Classes in C++ programs: templates, members that are defined outside, nested classes, objects as kernels."""

from __future__ import annotations

import pytest

from mcm import InputError, Judged, Source, check, format_test
from mcm.front_end.kernel_source import KernelRequest, KernelSource
from mcm.front_end.read import read_test


def source(text: str, **request: tuple[str, ...]) -> KernelSource:
    return KernelSource("classes.cpp", text, KernelRequest(**request))


def main(classes: str, body: str, *, made: str = "int* x = malloc_shared<int>(4, q);") -> str:
    return (
        f"#include <sycl/sycl.hpp>\nusing namespace sycl;\n{classes}\nint main() {{\n  queue q;\n"
        f"  {made} x[0] = x[1] = x[2] = x[3] = 0;\n  {body}\n}}\n"
    )


def in_kernel(body: str) -> str:
    return f"q.single_task([=] {{ {body} }}).wait();"


LOCK = """
class Lock {
 public:
  explicit Lock(int& flag) : flag_(flag) {}
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  void lock() {
    int free = 0;
    while (!flag_.compare_exchange_strong(free, 1, memory_order::acquire, memory_order::relaxed)) { free = 0; }
  }
  void unlock() { flag_.store(0, memory_order::release); }
 private:
  atomic_ref<int, memory_order::relaxed, memory_scope::device> flag_;
};
template <typename L> class Guard {
  L& lock_;
 public:
  explicit Guard(L& l) : lock_{l} { lock_.lock(); }
  ~Guard() { lock_.unlock(); }
};
"""

RING = """
template <typename T, int N = 4>
class Ring {
  T data_[N] = {};
  int head_ = 0, tail_ = 0;
 public:
  static constexpr int capacity = N;
  bool push(const T& v) { if (full()) return false; data_[tail_ % N] = v; ++tail_; return true; }
  bool pop(T& v);
  bool full() const { return size() == N; }
  int size() const { return tail_ - head_; }
  Ring<T, N> copy() const { return *this; }
};
template <typename T> struct Two { T a, b; Two(T x, T y) : a(x), b(y) {} T sum() const { return a + b; } };
"""

QUEUE = """
class Queue {
 public:
  struct Slot { int value; bool full = false; };
  Queue();
  bool push(int v);
  int size() const { return count_; }
  const Slot& last() const { return slots_[count_ - 1]; }
 private:
  static constexpr int kSize = 2;
  Slot slots_[kSize];
  int count_;
};
Queue::Queue() : count_(0) {}
bool Queue::push(int v) {
  if (count_ == kSize) return false;
  slots_[count_].value = v;
  slots_[count_++].full = true;
  return true;
}
"""

ADD = """
struct Scale { int k; int operator()(int a) const { return a * k; } };
class Add {
 public:
  Add(int* to, int by) : to_(to), by_{by} {}
  void operator()(id<1> i) const { to_[i] = value(i); }
 private:
  int value(int i) const { return scale(i) + by_; }
  int* to_; int by_; Scale scale{10};
};
"""


@pytest.mark.parametrize(
    ("text", "values"),
    [
        (main(RING.replace("bool pop(T& v);", ""), in_kernel(
            "Ring<int> r; for (int i = 0; i < 6; i++) r.push(i); Ring<unsigned char, 2> s; s.push(300);"
            "x[0] = r.size() + r.capacity * 10 + s.size() * 100; x[1] = r.copy().full(); "
            "Two<Two<int>> t(Two<int>(1, 2), Two<int>(3, 4)); x[2] = t.a.sum() + t.b.b; x[3] = Ring<int, 3>::capacity;"
        )), [144, 1, 7, 3]),
        (main(QUEUE, in_kernel(
            "Queue w; w.push(5); x[0] = w.push(6); x[0] += w.push(7); x[1] = w.size(); x[2] = w.last().value;"
            "Queue::Slot s; x[3] = s.full;"
        )), [1, 2, 6, 0]),
        (main(ADD, "q.parallel_for(range<1>(4), Add(x, 3)).wait();"), [3, 13, 23, 33]),
        (main(ADD, "Add add{x, 1 + 1}; q.parallel_for<class K>(range<1>(4), add).wait();"), [2, 12, 22, 32]),
        (main(ADD, "Scale s{7}; q.single_task([=] { x[1] = s(2); Scale t = s; t.k++; x[2] = t(1); }).wait();"),
         [0, 14, 8, 0]),
        (main(LOCK, "q.parallel_for(nd_range<1>(2, 1), [=](nd_item<1>) {"
              " Lock l(x[0]); Guard<Lock> g(l); x[1] += 1; }).wait();"), [0, 2, 0, 0]),
    ],
)  # fmt: skip
def test_programs(text: str, values: list[int]) -> None:
    found = check(source(text))

    assert isinstance(found, Judged), found
    assert found.undefined == ()
    assert [list(state.values.values()) for state in found.states] == [values]
    # The test that the program is means the same.
    again = check(Source("classes.litmus", f"{format_test(source(text))}\nlocations [x;]\n"))
    assert isinstance(again, Judged), again
    assert [list(state.values.values()) for state in again.states] == [values]


def test_accessors_are_members_of_an_object_that_is_a_kernel() -> None:
    text = """#include <sycl/sycl.hpp>
using namespace sycl;
class Reduce {
  accessor<int, 1, access::mode::read> in_;
  accessor<int, 1, access::mode::read_write> out_;
  local_accessor<int, 1> tmp_;
  int load(nd_item<1> it) const { int in = it.get_global_id(0); return in_[in]; }
 public:
  Reduce(accessor<int, 1, access::mode::read> i, accessor<int, 1, access::mode::read_write> o, local_accessor<int, 1> t)
      : in_(i), out_(o), tmp_(t) {}
  void operator()(nd_item<1> it) const {
    int t = it.get_local_id(0);
    tmp_[t] = load(it);
    group_barrier(it.get_group());
    if (t == 0) out_[it.get_group(0)] = tmp_[0] + tmp_[1];
  }
};
int main() {
  queue q;
  std::vector<int> v{1, 2, 3, 4}, r(2);
  buffer<int, 1> in(v.data(), range<1>(4)), out(r.data(), range<1>(2));
  q.submit([&](handler& h) {
    auto i = in.get_access<access::mode::read>(h);
    auto o = out.get_access<access::mode::read_write>(h);
    local_accessor<int, 1> t(range<1>(2), h);
    h.parallel_for(nd_range<1>(range<1>(4), range<1>(2)), Reduce(i, o, t));
  });
}
"""
    found = check(source(text, questions=("forall (r[0]=3 /\\ r[1]=7)",)))

    assert isinstance(found, Judged), found
    assert (found.holds, found.undefined) == (True, ())


@pytest.mark.parametrize(
    "kernel",
    [
        "[=](id<1> i) { int v = a[i]; a[i] = v + 1; }",
        "Next(a)",
    ],
)
def test_a_name_in_a_kernel_hides_what_a_buffer_is_of(kernel: str) -> None:
    text = f"""#include <sycl/sycl.hpp>
using namespace sycl;
class Next {{
  accessor<int, 1, access_mode::read_write> data_;
 public:
  Next(accessor<int, 1, access_mode::read_write> data) : data_(data) {{}}
  void operator()(id<1> i) const {{ data_[i] = next(i); }}
  int next(int i) const {{ int v = data_[i]; return v + 1; }}
}};
int main() {{
  queue q;
  std::vector<int> v{{4, 6}};
  buffer<int> b(v);
  q.submit([&](handler& h) {{
    accessor a(b, h);
    h.parallel_for(range<1>(2), {kernel});
  }});
}}
"""
    found = check(source(text, questions=("forall (v[0]=5 /\\ v[1]=7)",)))

    assert isinstance(found, Judged), found
    assert (found.holds, found.undefined) == (True, ())


def test_memory_of_structures_is_shown_by_members() -> None:
    text = main(
        "struct Point { int a; int b; void set(int v) { a = v; b = -v; } };",
        "p[0].set(1); q.single_task([=] { p[1].set(5); }).wait();",
        made="Point* p = malloc_shared<Point>(2, q); int* x = malloc_shared<int>(4, q);",
    )
    found = check(source(text))

    assert isinstance(found, Judged), found
    (state,) = found.states
    assert {name: value for name, value in state.values.items() if name.startswith("p")} == {
        "p.a[0]": 1,
        "p.a[1]": 5,
        "p.b[0]": -1,
        "p.b[1]": -5,
    }


@pytest.mark.parametrize(
    ("classes", "message"),
    [
        ("struct B { int v; };\nstruct D : public B { int w; };", "4: E207 'D' inherits from another class"),
        ("struct D { virtual int f() { return 1; } };", "3: E207 'virtual': functions that a class inherits"),
        ("struct D { int v; operator int() const { return v; } };", "3: E207 a conversion, 'operator int()'"),
        ("struct D { int v; int f() { throw 1; } };", "3: E207 an exception"),
        ("struct D { int v; int f() const; };", "3: E207 'f' has no body here"),
    ],
)
def test_what_is_refused(classes: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        read_test(source(main(classes, in_kernel("D d; d.v = 1; x[0] = d.f();"))))

    first = raised.value.diagnostics[0]
    assert f"{first.span.line}: {first.code} {first.message}".startswith(message)


@pytest.mark.parametrize("change", ["set(s);", "s.set();", "int* p = &s.k; *p = 2;"])
def test_an_object_of_the_host_that_changes_is_copied_when_a_kernel_is_enqueued(change: str) -> None:
    classes = "struct S { int k; void set() { k = 2; } };\nvoid set(S& s) { s.k = 2; }"
    text = main(classes, f"S s{{1}}; {change} auto e = q.single_task([=] {{ x[0] = s.k; }}); s.k = 3; e.wait();")
    found = check(source(text))

    assert isinstance(found, Judged), found
    assert {state.values["x[0]"] for state in found.states} == {2}
    assert not found.races


def test_a_template_that_says_not_of_what_is_refused() -> None:
    text = main("template <typename T> struct Box { T v; Box(T a) : v(a) {} };", in_kernel("Box b(1); x[0] = b.v;"))
    with pytest.raises(InputError, match="what 'Box' is made of is not evident"):
        read_test(source(text))
