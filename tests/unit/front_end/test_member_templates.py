"""Functions of classes that are templates, static members, specialised templates, and objects that are placed."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

_X = "int* x = malloc_shared<int>(2, q); x[0] = x[1] = 0;"
_OPS = """
struct Ops {
  template <typename T> static T twice(T a) { return a + a; }
  template <typename T, int N = 2> T scaled(T a) const { return a * k * N; }
  template <typename T> T both(T a) const { return twice<T>(a) + scaled(a); }
  int k;
};
"""


@pytest.mark.slow
def test_functions_that_are_templates() -> None:
    body = (
        f"{_X} Ops o{{3}}; q.parallel_for(range<1>(2), [=](id<1> i) {{ "
        "x[i] = Ops::twice(static_cast<int>(i[0])) + o.scaled(1) + Ops::twice<int>(1) + o.template scaled<int, 1>(2); "
        "}).wait();"
    )
    assert holds(body, "x[0]=14 /\\ x[1]=16", _OPS)
    assert holds(f"{_X} Ops o{{3}}; q.single_task([=] {{ x[0] = o.both(2); }}).wait();", "x[0]=16", _OPS)


def test_what_the_template_stands_for_has_to_be_evident() -> None:
    body = f"{_X} Ops o{{3}}; q.single_task([=] {{ x[0] = o.scaled(x[1] + 1); }}).wait();"
    assert refused(body, _OPS).startswith("what 'T' stands for in this call of 'scaled' is not evident: write it")


_LATCH = """
struct Latch {
  explicit Latch(size_t groups) : counter(0), expected(groups) {}
  template <int Dimensions>
  void arrive_and_wait(nd_item<Dimensions>& it) {
    auto group = it.get_group();
    group_barrier(group);
    if (group.leader()) {
      atomic_ref<size_t, memory_order::acq_rel, memory_scope::device> counted(counter);
      counted++;
      while (counted.load() != expected) {}
    }
    group_barrier(group);
  }
  size_t counter;
  size_t expected;
};
"""


@pytest.mark.slow
def test_a_latch_that_is_placed_in_memory() -> None:
    body = (
        "void* p = malloc_shared(sizeof(Latch), q); Latch* latch = new (p) Latch(2); "
        "int* d = malloc_shared<int>(2, q); int* s = malloc_shared<int>(2, q); "
        "q.parallel_for(nd_range<1>{2, 1}, [=](nd_item<1> it) { d[it.get_global_id(0)] = 1; "
        "latch->arrive_and_wait(it); s[it.get_global_id(0)] = d[0] + d[1]; }).wait(); free(p, q);"
    )
    assert holds(body, "s[0]=2 /\\ s[1]=2", _LATCH)
    assert "data-race" in kinds(body, _LATCH.replace("acq_rel", "relaxed"))
    assert "data-race" in kinds(body.replace(".wait(); free", "; free"), _LATCH)


def test_objects_that_are_placed_where_a_pointer_leads() -> None:
    before = "struct L { explicit L(int n) : c(n) {} int c; };"
    body = "L* l = malloc_shared<L>(1, q); new (l) L(3); q.single_task([=] { l->c += 1; }).wait();"
    assert holds(body, "l.c[0]=4", before)


_TRAITS = """
template <typename T> struct Traits { static constexpr size_t width = 2; static constexpr T zero = 1; };
template <> struct Traits<float> { static constexpr int width = 4; static constexpr float zero = 0.5f; };
struct Tile { static constexpr int rows = 2, unused = 0; static constexpr int items = 3; };
struct Whole { static constexpr int items{2}; static constexpr int all = items * 2; };
"""


def test_static_members_are_sizes() -> None:
    body = (
        "int* x = malloc_shared<int>(Traits<int>::width, q); std::array<int, Whole::all> a{}; "
        "q.parallel_for(range<1>(Traits<int>::width), [=](id<1> i) "
        "{ x[i] = Traits<int>::zero + Traits<float>::width + Traits<float>::zero * 4 + Tile::items; }).wait(); "
        "x[0] = a.size();"
    )
    assert holds(body, "x[0]=4 /\\ x[1]=10", _TRAITS)
