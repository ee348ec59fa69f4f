"""Containers and buffers that functions of the host return, function objects that they are passed, and defaults."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

_DOUBLED = (
    "std::vector<int> doubled(queue& q, const std::vector<int>& v) { std::vector<int> w(v.size());"
    "{ buffer a(v); buffer b(w); q.submit([&](handler& h) { accessor from(a, h, read_only); accessor to(b, h);"
    "h.parallel_for(v.size(), [=](id<1> i) { to[i] = 2 * from[i]; }); }); EARLY } return w; }"
)
_BUFFER = (
    "buffer<int> ones(queue& q, int n) { buffer<int> b{range<1>(n)}; q.submit([&](handler& h) {"
    "accessor a(b, h, write_only); h.parallel_for(n, [=](id<1> i) { a[i] = 1; }); }); return b; }"
)


def test_containers_of_two_calls() -> None:
    body = "std::vector<int> v{1, 2}, w{3}; auto a = doubled(q, v); std::vector<int> b = doubled(q, w);"
    assert holds(body, "a[1]=4 /\\ b[0]=6", _DOUBLED.replace("EARLY", ""))


def test_a_container_that_belongs_to_a_buffer_before_it_is_returned() -> None:
    body = "std::vector<int> v{1, 2}; auto a = doubled(q, v);"
    assert kinds(body, _DOUBLED.replace("EARLY", "w[0] = 3;")) == {"data-race"}


@pytest.mark.parametrize(
    ("inner", "question"),
    [
        ("std::vector<int> v(n, 1); v[0] = 3;", "a[0]=3 /\\ a[1]=1"),
        ("std::vector<int> v; v.resize(n); v[1] = 2;", "a[0]=0 /\\ a[1]=2"),
        ("std::vector<int> v; v.push_back(3); v.push_back(n);", "a[0]=3 /\\ a[1]=2"),
        ("std::array<int, 2> v{4, 5};", "a[1]=5"),
    ],
)
def test_how_a_container_gets_its_elements(inner: str, question: str) -> None:
    type_ = "std::array<int, 2>" if "array" in inner else "std::vector<int>"
    assert holds("auto a = made(2);", question, f"{type_} made(int n) {{ {inner} return v; }}")


def test_a_vector_that_a_function_fills() -> None:
    before = "void fill(std::vector<int>& v) { v.push_back(3); v.push_back(4); }"
    assert holds("std::vector<int> a; fill(a);", "a[1]=4", before)


def test_a_buffer_lives_on_in_the_caller() -> None:
    assert holds("auto b = ones(q, 2); host_accessor h{b}; h[0] += 1;", "b[0]=2 /\\ b[1]=1", _BUFFER)


@pytest.mark.parametrize(
    "operation", ["std::plus<int>()", "sycl::plus<>{}", "Add{}", "[](int a, int b) { return a + b; }"]
)
def test_operations_that_functions_are_passed(operation: str) -> None:
    before = (
        "struct Add { int operator()(int a, int b) const { return a + b; } };"
        "template <typename T, typename Op> void combine(queue& q, T* x, Op op) {"
        "q.single_task([=] { x[0] = op(x[0], x[1]); }).wait(); }"
    )
    body = f"int* x = malloc_shared<int>(2, q); x[0] = 1; x[1] = 2; combine(q, x, {operation});"
    assert holds(body, "x[0]=3", before)


def test_parameters_of_templates_with_values() -> None:
    before = (
        "template <int N = 2, typename T = int> T total(const T* x) {"
        "T s = 0; for (int i = 0; i < N; i++) s += x[i]; return s; }"
        "template <typename T, typename Op = sycl::maximum<T>> void apply(queue& q, T* x, Op op = Op()) {"
        "q.parallel_for(nd_range<1>(2, 2), [=](nd_item<1> it) { auto g = it.get_group();"
        "T r = reduce_over_group(g, x[it.get_local_id(0)], op); if (g.leader()) x[2] = r; }).wait(); }"
    )
    body = "int* x = malloc_shared<int>(3, q); x[0] = 1; x[1] = 2; apply(q, x); int n = total(x), m = total<3>(x);"
    assert holds(body, "x[2]=2 /\\ 0:n=3 /\\ 0:m=5", before)
    assert holds(body.replace("apply(q, x)", "apply(q, x, sycl::plus<int>())"), "x[2]=3 /\\ 0:m=6", before)


def test_a_container_that_is_made_of_what_the_function_counts() -> None:
    before = "std::vector<int> made(int n) { int m = n + 1; std::vector<int> v(m); return v; }"
    assert "the size of 'a' is no constant" in refused("auto a = made(2);", before)


def test_a_function_that_calls_another_one() -> None:
    before = (
        "std::vector<int> twos(int n) { std::vector<int> v(n, 2); return v; }"
        "std::vector<int> threes(int n) { std::vector<int> r(n); auto v = twos(n);"
        "for (int i = 0; i < n; i++) r[i] = v[i] + 1; return r; }"
    )
    assert holds("std::vector<int> r = threes(2);", "r[0]=3 /\\ r[1]=3", before)
