"""Lambdas and functions with parameters of any type, and templates that are called with lambdas and objects."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds

R = "int* r = malloc_shared<int>(4, q); for (int i = 0; i < 4; i++) r[i] = i; "
EACH = "template <typename F> void each(int n, F&& f) { for (int i = 0; i < n; i++) f(i); }"


@pytest.mark.parametrize(
    ("kernel", "expected"),
    [
        ("auto add = [](auto a, auto b) { return a + b; }; r[0] = add(1, 2); r[1] = 2 * add(0.25f, 1);", (3, 2)),
        ("int k = 1; auto f = [=](auto a) { return a + k; }; k = 5; r[0] = f(1); r[1] = f(k);", (2, 6)),
        ("int k = 1; auto f = [&](auto& a) { a += k; }; f(r[0]); k = 5; f(r[1]);", (1, 6)),
        ("auto put = [=](auto* p, const auto& v) { *p = v; }; for (int i = 0; i < 2; i++) put(r + i, i + 7);", (7, 8)),
        ("auto one = [](auto a) { return a; }; auto two = [&](auto a) { return one(a) + 1; }; r[0] = two(1);", (2, 1)),
    ],
)
def test_lambdas_of_any_type(kernel: str, expected: tuple[int, int]) -> None:
    assert holds(f"{R} q.single_task([=] {{ {kernel} }}).wait();", f"r[0]={expected[0]} /\\ r[1]={expected[1]}")


def test_a_work_item_may_be_passed() -> None:
    body = (
        "q.parallel_for(nd_range<1>(2, 2), [=](nd_item<1> it) {"
        " auto put = [=](auto item, auto v) { r[item.get_local_id(0)] = v; }; put(it, 5); %s r[2] = r[0]; }).wait();"
    )
    assert "data-race" in kinds(R + body % "")
    assert (
        kinds(R + body.replace(" r[2] = r[0];", "if (it.get_local_id(0) == 0) r[2] = r[1];") % "it.barrier();") == set()
    )


@pytest.mark.parametrize(
    ("before", "kernel", "expected"),
    [
        (EACH, "int s = 0; each(3, [&](int i) { s += i; }); r[0] = s;", 3),
        (EACH, "int s = 0; auto f = [&](auto i) { s += i; }; each(4, f); r[0] = s;", 6),
        (
            "template <typename F> int apply(F f, int x) { return f(x); }",
            "r[0] = apply([](int a) { return a + 1; }, 4);",
            5,
        ),
        ("auto twice(auto x) { return x + x; }", "r[0] = twice(2) + 2 * twice(0.25f);", 5),
        ("auto next(const int* p) { return p[1]; }", "r[0] = next(r + 2);", 3),
        (
            "template <typename T> T twice(T x) { return x + x; } int four(int x) { return twice(x) * 2; }",
            "r[0] = four(2);",
            8,
        ),
    ],
)
def test_functions_that_kernels_call(before: str, kernel: str, expected: int) -> None:
    assert holds(f"{R} q.single_task([=] {{ {kernel} }}).wait();", f"r[0]={expected}", before)


def test_objects_of_classes_say_what_templates_are_of() -> None:
    before = (
        "struct Plus { int k; int operator()(int a, int b) const { return a + b + k; } };"
        "template <typename T, typename Op> T fold(const T* p, int n, T init, Op op) {"
        " for (int i = 0; i < n; i++) init = op(init, p[i]); return init; }"
        "struct Set { int* p; void operator()(id<1> i) const { p[i] = i + 2; } };"
        "template <typename F> event launch(queue& q, range<1> n, const F& f) { return q.parallel_for(n, f); }"
    )
    assert holds(f"{R} q.single_task([=] {{ r[0] = fold(r + 1, 2, 0, Plus{{1}}); }}).wait();", "r[0]=5", before)
    assert holds(f"{R} launch(q, range<1>{{4}}, Set{{r}}).wait();", "r[3]=5", before)
    assert kinds(f"{R} launch(q, range<1>{{4}}, Set{{r}}); r[0] = 1;", before) == {"data-race"}


@pytest.mark.parametrize("group", ["it.get_group()", "g"])
def test_groups_say_what_a_template_stands_for(group: str) -> None:
    fill = "template <typename G> void fill(G g, int* t) { t[g.get_local_linear_id()] = 5; SYNC }"
    body = (
        "q.parallel_for(nd_range<1>(2, 2), [=](sycl::nd_item<1> it) {"
        f" auto g = it.get_group(); fill({group}, r);"
        f" r[2 + it.get_local_id(0)] = r[1 - it.get_local_id(0)]; }}).wait();"
    )
    assert holds(R + body, "r[2]=5", fill.replace("SYNC", "group_barrier(g);"))
    assert kinds(R + body, fill.replace("SYNC", "")) == {"data-race"}
