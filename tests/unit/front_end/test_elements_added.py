"""Vectors that get their elements one by one, sizes that are powers, lambdas of pointers and of command groups."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

ADD = "q.submit([&](handler& h) { accessor a(b, h); h.parallel_for(range<1>(2), [=](id<1> i) { a[i] += 5; }); });"


@pytest.mark.parametrize(
    ("body", "question"),
    [
        ("std::vector<int> v; v.push_back(1); v.emplace_back(2); int r = v.size();", "v[0]=1 /\\ v[1]=2 /\\ 0:r=2"),
        ("std::vector<int> v; v.reserve(9); for (int i = 0; i < 3; ++i) { v.push_back(i * 2); }", "v[1]=2 /\\ v[2]=4"),
        ("std::vector<int> v; for (int i = 2; i <= 3; i += 1) v.push_back(i);", "v[0]=2 /\\ v[1]=3"),
        (
            (
                "std::vector<int> v; for (int i = 0; i < 2; i++) { int k = i + 1; v.push_back(k); k++; } "
                f"{{ buffer b(v); {ADD} }}"
            ),
            "v[0]=6 /\\ v[1]=7",
        ),
        ("constexpr int n = 2; int s = pow(2, n); int* v = malloc_shared<int>(s, q); v[3] = s;", "v[3]=4"),
        (
            "int n = static_cast<int>(std::pow(3, 2)) - 7; auto v = malloc_shared<int>((size_t)n, q); v[n - 1] = 2;",
            "v[1]=2",
        ),
    ],
)
def test_elements_and_sizes(body: str, question: str) -> None:
    assert holds(body, question)


def test_a_vector_whose_size_depends_on_a_branch() -> None:
    body = "std::vector<int> v; for (int i = 0; i < 4; i++) if (i % 2) v.push_back(i); v[0] = 1;"
    assert "the size of 'v' is no constant" in refused(body)


def test_an_array_as_a_parameter_is_a_pointer() -> None:
    before = "void f(queue& q, int a[], int n) { int* p = a; q.single_task([=] { p[n] = 3; }).wait(); }"
    assert holds("int* x = malloc_shared<int>(2, q); x[0] = 0; f(q, x, 1);", "x[0]=0 /\\ x[1]=3", before)


GROUP = (
    "int* x = malloc_shared<int>(2, q); x[0] = 1; x[1] = 2; auto add = [=](int* p, const int& n) { *p += n; }; "
    "auto group = [=](handler& h) { h.parallel_for(range<1>(2), [=](id<1> i) { add(x + i, 2); }); };"
)


def test_a_command_group_in_a_variable() -> None:
    assert holds(f"{GROUP} q.submit(group).wait(); q.submit(group).wait();", "x[0]=5 /\\ x[1]=6")
    assert kinds(f"{GROUP} q.submit(group); q.submit(group); q.wait();") == {"data-race"}


def test_a_lambda_with_the_name_of_a_member_that_it_calls() -> None:
    """The name of a member is no mention of a variable that is called so."""
    body = (
        "int* x = malloc_shared<int>(1, q); x[0] = 1; auto fetch_add = [=](int* p) { "
        "return atomic_ref<int, memory_order::relaxed, memory_scope::device>(*p).fetch_add(2); }; "
        "q.parallel_for(range<1>(2), [=](id<1> i) { fetch_add(x); }).wait();"
    )
    assert holds(body, "x[0]=5")


def test_what_launches_nothing_is_told() -> None:
    assert "'submit' takes the lambda of a command group" in refused("int n = 1; q.submit(n);")


def test_the_type_that_counts_times() -> None:
    clock = "std::chrono::steady_clock::now()"
    body = f"using ns = std::chrono::nanoseconds; ns::rep best = 5; auto t = {clock}; best = ({clock} - t).count();"
    assert holds(body + " int r = best;", "0:r=0")
