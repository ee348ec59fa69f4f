"""Elements of containers of the host that begin with what is no constant, and other short forms."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

ADD = (
    "{ buffer b(%s); q.submit([&](handler& h) { accessor a(b, h); h.parallel_for(2, [=](id<1> i) { a[i] += i; }); }); }"
)


@pytest.mark.parametrize(
    "declared",
    ["std::vector<int> v(2, n);", "std::vector<int> v{n, n};", "int v[2] = {n, n};", "std::array<int, 2> v{n, n};"],
)
def test_numbers(declared: str) -> None:
    assert holds(f"int n = 3; n++; {declared} {ADD % 'v'}", "v[0]=4 /\\ v[1]=5")


def test_objects() -> None:
    before = "struct P { int a; int b; };"
    body = "P p{1, 2}; p.b = 5; std::vector<P> v(2, p), w{p, {p.b, 1}}; v[1].a = 7;"
    assert holds(body, "v.a[0]=1 /\\ v.a[1]=7 /\\ v.b[1]=5 /\\ w.a[1]=5 /\\ w.b[0]=5", before)


def test_one_value_is_not_evaluated_for_each() -> None:
    assert "expected constants" in refused("int n = 3; std::vector<int> v(2, n++);")


def test_too_many_values() -> None:
    assert "an array of 2 has 3 values" in refused("int n = 3; n++; std::array<int, 2> v{n, n, n};")


def test_pairs_by_their_values() -> None:
    made = "int n = 3; std::pair p(1, n); std::pair r{n, 2.5f};"
    body = f"int* x = malloc_shared<int>(2, q); q.single_task([=] {{ {made} %s }}).wait();"
    assert holds(body % "x[0] = p.second + r.first; x[1] = r.second * 2;", "x[0]=6 /\\ x[1]=5")
    assert "the types of what this pair" in refused(body % "std::pair o(f(1), 2);")


def test_begins_and_ends_by_the_namespace_of_their_argument() -> None:
    assert holds("std::vector<int> v(2); std::iota(begin(v), end(v), 4);", "v[0]=4 /\\ v[1]=5")


@pytest.mark.slow
def test_statements_that_commas_separate() -> None:
    made = "int *a = malloc_shared<int>(1, q), *b = malloc_shared<int>(1, q); *a = 1; *b = 2; "
    assert holds(made + "q.single_task([=] { *b += *a; }).wait(); sycl::free(a, q), free(b, q);", "b[0]=3")
    assert holds(made + "if (*a == 1) q.wait(), q.memcpy(b, a, sizeof(int)).wait(); q.wait();", "b[0]=1")
    assert kinds(made + "event e = q.single_task([=] { *b += *a; }); free(a, q), free(b, q); e.wait();") == {
        "data-race"
    }


def test_a_structure_with_an_array_that_changes() -> None:
    before = "struct C { int taps[2]; int k = 2; };"
    body = (
        "int* x = malloc_shared<int>(2, q); C c{{1, 2}}; c.taps[1] = 5; "
        "event e = q.parallel_for(2, [=](id<1> i) { x[i] = c.taps[i] * c.k; }); c.taps[0] = 9; c.k = 7; e.wait();"
    )
    assert holds(body, "x[0]=2 /\\ x[1]=10", before)


def test_what_a_function_returns_goes_where_an_id_says() -> None:
    before = (
        "struct V { int c[2]; }; void add(V& to, const V& v) { for (int i = 0; i < 2; i++) to.c[i] += v.c[i]; } "
        "V twice(V v) { V r{{0, 0}}; add(r, v); add(r, v); return r; }"
    )
    body = (
        "V* x = malloc_shared<V>(2, q); q.parallel_for(2, [=](id<1> i) { V v{{1, 2}}; x[1 - i] = twice(v); }).wait();"
    )
    assert holds(body, "x.c[0]=2 /\\ x.c[1]=4 /\\ x.c[3]=4", before)


def test_a_branch_that_a_template_chooses_in_each_of_several_calls() -> None:
    before = (
        "template <bool Twice> void run(queue& q, int* x) { q.single_task([=] { "
        "if constexpr (Twice) *x *= 2; else *x += 1; }).wait(); }"
    )
    assert holds("int* x = malloc_shared<int>(1, q); *x = 3; run<true>(q, x); run<false>(q, x);", "x[0]=7", before)


@pytest.mark.slow
def test_vectors_in_accessors_of_two_dimensions() -> None:
    body = (
        "{ buffer<int2, 2> b(range<2>(2, 2)); q.submit([&](handler& h) { accessor a(b, h); "
        "h.parallel_for(range<2>(2, 2), [=](item<2> it) { a[it] = int2(it[0], 1); a[it] += a[it[0]][%s]; }); }); "
        "host_accessor c(b); int* x = malloc_shared<int>(1, q); *x = c[1][1].x(); }"
    )
    assert holds(body % "it[1]", "x[0]=2")
    assert "out-of-bounds" in kinds(body % "it[1] + 1")


def test_what_a_template_is_of_follows_from_elements() -> None:
    before = (
        "template <typename T> T twice(T v) { return v + v; } template <typename T> void put(T* to, T v) { *to = v; }"
    )
    body = (
        "float* x = malloc_shared<float>(2, q); x[0] = 1.25f; "
        "q.submit([&](handler& h) { local_accessor<float> t(1, h); "
        "h.parallel_for(nd_range<1>(1, 1), [=](nd_item<1> it) { put(&t[0], 0.5f); "
        "x[1] = twice(x[0]) + twice(t[0]); }); }).wait();"
    )
    assert holds(body, "x[1]=3.5", before)
