"""Objects of the host in functions that are called several times, and calls of their functions within others."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused, warnings

V = """struct V { queue q_; int* x_; V(int n = 0) : x_(malloc_shared<int>(2, q_)) { x_[0] = x_[1] = n; }
  ~V() { free(x_, q_); }
  void step(int by) { int* x = x_; q_.parallel_for(2, [=](id<1> i) { x[i] += by; }).wait(); }
  int get(int i) { return x_[i]; } };
"""
RESULT = "int* r = malloc_shared<int>(1, q); r[0] = 0; "


@pytest.mark.parametrize(
    ("before", "body", "value"),
    [
        ("int once(int n) { V v(n); v.step(2); return v.get(1); }", "r[0] = once(1); r[0] += once(4);", 9),
        (
            "int get(V& v) { int n = v.get(0); return n; } int once() { V v; V w; w.step(2); return get(w); }",
            "int a = once(); r[0] = a + once();",
            4,
        ),
        (
            "struct O { queue q_; int n_ = 0; void all(int by) { V v; v.step(by); n_ += v.get(0); } };",
            "O o; o.all(1); o.all(2); r[0] = o.n_;",
            3,
        ),
        ("", "V s(3); V t(4); r[0] = s.get(0) * 10 + t.get(1) + r[0];", 34),
        ("", "V s(3); V t; t.step(s.get(0)); r[0] = t.get(1);", 3),
        pytest.param(
            "int total(V& v) { int s = 0; for (int i = 0; i < 2; i++) s += v.get(i); return s; }",
            "V v; while (total(v) < 6) v.step(1); r[0] = v.get(0);",
            3,
            marks=pytest.mark.slow,
        ),
        (
            "",
            "V v; int n = 0; for (int i = 0; v.get(0) < 4; i++) { n++; v.step(2); } r[0] = n;",
            2,
        ),
        (
            "struct U { queue q_; int n = 5; }; int first(U& u) { return u.n; } int first(V& v) { return v.get(0); }",
            "V v(2); U u; r[0] = first(v) + 10 * first(u);",
            52,
        ),
    ],
)
def test_objects_in_functions(before: str, body: str, value: int) -> None:
    assert holds(RESULT + body, f"r[0]={value}", V + before)


def test_a_function_with_an_object_that_does_not_wait() -> None:
    before = V.replace(".wait()", "") + "void once() { V v; v.step(2); int n = v.get(1); }"
    assert kinds("once(); once();", before) == {"data-race"}


def test_calls_whose_order_matters() -> None:
    before = "int next(queue& q, int* x) { x[0] += 1; return x[0]; }"
    assert "is called as a statement" in refused(f"{RESULT} int n = next(q, r) * 2 + next(q, r);", before)


def test_loops_that_are_left_in_the_middle() -> None:
    turns = "while (true) { if (r[0] > 1) break; q.single_task([=] { r[0] += 1; }).wait(); LAST }"
    assert warnings(RESULT + turns.replace("LAST", "")) == []
    assert warnings(RESULT + turns.replace("LAST", "q.single_task([=] { int n = 1; }); if (r[0] > 1) break; q.wait();"))


def test_a_class_that_has_one_of_its_own_in_a_function() -> None:
    before = "struct V { queue q_; void f(int n) { V v; v.f(n + 1); } };"
    assert "more than 200 objects of the host" in refused("V v; v.f(1);", before)


def test_events_that_functions_return() -> None:
    before = "event f(queue& q, int* x, event e) { return q.submit([&](handler& h) { h.depends_on(e); TASK }); }"
    before = before.replace("TASK", "h.single_task([=] { x[0] += 1; });")
    body = "event e = q.single_task([=] { r[0] = 1; }); std::vector<event> v; v.push_back(f(q, r, e)); event::wait(v);"
    assert holds(f"{RESULT} {body}", "r[0]=2", before)
    assert kinds(f"{RESULT} {body.replace('event::wait(v)', 'e.wait()')} r[0]++;", before) == {"data-race"}


def test_names_that_blocks_hide() -> None:
    body = "int n = 3; auto f = [&](int a) { r[0] += a + n; }; { int n = 5; f(n); } { int* r = &n; f(r[0]); }"
    assert holds(RESULT + body, "r[0]=14")
    before = "queue p; void g(int* x) { p.single_task([=] { x[0] = 1; }).wait(); }"
    assert holds(f"{RESULT} {{ queue p{{property::queue::in_order()}}; g(r); p.wait(); }}", "r[0]=1", before)


def test_memory_that_a_block_owns() -> None:
    function = """int f(queue& q, int n) { auto p = std::make_unique<int[]>(2); buffer<int> b(p.get(), range<1>(2));
      q.submit([&](handler& h) { accessor a(b, h); h.parallel_for(2, [=](id<1> i) { a[i] = 1; }); });
      if (n > 2) return 1; return 2; }"""
    assert holds(f"{RESULT} int n = f(q, r[0]); r[0] = n;", "r[0]=2", function)
    body = "std::unique_ptr<queue> o(new queue(gpu_selector_v)); o->single_task([=] { r[0] = 4; }); o->wait();"
    assert holds(RESULT + body, "r[0]=4")


def test_functions_of_classes_that_have_several_of_their_name() -> None:
    before = """struct P { int sq(int x) { return x * x; } }; int sq(int x) { return x; }
      float sq(float x, float y) { return x; }"""
    assert holds(f"{RESULT} q.single_task([=] {{ P p; r[0] = p.sq(3) + sq(2); }}).wait();", "r[0]=11", before)


def test_masks_of_sub_groups() -> None:
    body = "auto m = ext::oneapi::group_ballot(it.get_sub_group(), true); r[0] = m.count();"
    assert "a mask of a sub-group" in refused(
        f"{RESULT} q.parallel_for(nd_range<1>(2, 2), [=](nd_item<1> it) {{ {body} }});"
    )


def test_lambdas_of_the_host_that_declare_objects() -> None:
    body = """auto once = [&]() -> int { V v(1); int* s = malloc_shared<int>(1, q); *s = 0; v.step(1); int* x = v.x_;
      q.parallel_for(range<1>(2), reduction(s, plus<int>()), [=](id<1> i, auto& sum) { sum += x[i]; }).wait();
      q.parallel_for(2, [=](id<1>) {}).wait(); return *s; }; r[0] = once(); r[0] += once();"""
    assert holds(RESULT + body, "r[0]=8", V)


def test_functions_that_call_functions_of_the_host() -> None:
    before = """int once(int n) { V v(n); v.step(2); return v.get(1); } int twice() { int n = once(1);
      return n + once(2); }
      int tried() { try { int n = twice(); return n; } catch (const std::exception& e) { return 1; } }
      struct O { queue q_; int* p_;
        O() { p_ = malloc_shared<int>(1, q_); if (!p_) throw std::bad_alloc(); } };"""
    assert holds(f"{RESULT} O o; int n = tried(); r[0] = n;", "r[0]=7", V + before)
