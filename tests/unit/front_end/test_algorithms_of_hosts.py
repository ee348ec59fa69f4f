"""Algorithms of the standard library in host programs: loops, before a statement where they have values."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

V = "std::vector<int> v{3, 1, 2}, w(3); int* x = malloc_shared<int>(4, q); "


@pytest.mark.parametrize(
    ("body", "question"),
    [
        ("std::fill_n(v.begin(), 2, 7);", "v[0]=7 /\\ v[1]=7 /\\ v[2]=2"),
        ("std::fill_n(x, 4, 7); std::fill(x + 1, x + 3, 5);", "x[0]=7 /\\ x[1]=5 /\\ x[2]=5 /\\ x[3]=7"),
        ("std::iota(std::begin(v) + 1, std::end(v), 7);", "v[0]=3 /\\ v[1]=7 /\\ v[2]=8"),
        ("std::copy(v.cbegin() + 1, v.cend(), w.begin());", "w[0]=1 /\\ w[1]=2 /\\ w[2]=0"),
        ("std::copy(&v[0], &v[2], &w[1]);", "w[0]=0 /\\ w[1]=3 /\\ w[2]=1"),
        ("std::transform(v.begin(), v.end(), w.begin(), [](int a) { return 2 * a; });", "w[0]=6 /\\ w[2]=4"),
        ("std::transform(v.begin(), v.end(), v.begin(), w.begin(), std::plus<int>());", "w[0]=6 /\\ w[2]=4"),
        (
            "int k = 2; std::transform(v.begin(), v.end(), w.begin(), v.begin(), [=](int a, int b) { return k; });",
            "v[0]=2 /\\ v[2]=2",
        ),
        ("std::for_each(v.begin(), v.end(), [](int& a) { a += 1; a *= 2; });", "v[0]=8 /\\ v[2]=6"),
        ("std::generate(v.begin(), v.end(), [] { return 4; });", "v[0]=4 /\\ v[2]=4"),
        ("std::reverse(v.begin(), v.end());", "v[0]=2 /\\ v[1]=1 /\\ v[2]=3"),
        ("std::sort(v.begin(), v.end());", "v[0]=1 /\\ v[1]=2 /\\ v[2]=3"),
        ("std::sort(v.begin(), v.end(), std::greater<int>());", "v[0]=3 /\\ v[1]=2 /\\ v[2]=1"),
        ("std::partial_sum(v.begin(), v.end(), w.begin());", "w[0]=3 /\\ w[1]=4 /\\ w[2]=6"),
        ("std::swap(v[0], v[1]);", "v[0]=1 /\\ v[1]=3"),
        # What has a value.
        ("x[0] = *std::max_element(v.begin(), v.end()) + *std::min_element(v.begin(), v.end());", "x[0]=4"),
        ("auto it = std::min_element(v.begin(), v.end()); *it = 9;", "v[1]=9"),
        ("size_t k = std::max_element(v.begin() + 1, v.end()) - v.begin(); x[0] = k;", "x[0]=2"),
        ("x[0] = std::accumulate(v.begin(), v.end(), 1, std::multiplies<>{});", "x[0]=6"),
        (
            "x[0] = std::accumulate(v.begin(), v.end(), 0, [](int a, int b) { return a > b ? a : b; });",
            "x[0]=3",
        ),
        ("x[0] = std::reduce(v.begin(), v.end(), 0) * std::count(v.begin(), v.end(), 1);", "x[0]=6"),
        ("x[0] = std::count_if(v.begin(), v.end(), [](int a) { return a > 1; });", "x[0]=2"),
        ("x[0] = std::inner_product(v.begin(), v.end(), v.begin(), 0);", "x[0]=14"),
        (
            "x[0] = std::equal(v.begin(), v.end(), w.begin()); x[1] = std::is_sorted(v.begin(), v.end());",
            "x[0]=0 /\\ x[1]=0",
        ),
        (
            "if (std::all_of(v.begin(), v.end(), [](int a) { return a > 0; })) { x[0] = 1; } else { x[0] = 2; }",
            "x[0]=1",
        ),
        ("assert(std::none_of(v.begin(), v.end(), [](int a) { return a > 3; })); x[0] = 1;", "x[0]=1"),
        ("bool any = std::any_of(v.begin(), v.end(), [](int a) { return a == 3; }); x[0] = any;", "x[0]=1"),
    ],
)
def test_what_algorithms_do(body: str, question: str) -> None:
    assert holds(V + body, question)


def test_an_algorithm_reads_memory() -> None:
    """It races with a command that writes what it goes through."""
    write = "q.parallel_for(range<1>(4), [=](id<1> i) { x[i] = i; });"
    read = "int m = *std::max_element(x, x + 4);"
    assert kinds(f"{V} std::fill_n(x, 4, 0); {write} {read} q.wait();") == {"data-race"}
    assert kinds(f"{V} {write} q.wait(); {read}") == set()


def test_what_is_beyond_the_end_is_out_of_bounds() -> None:
    assert kinds(V + "std::fill_n(v.begin(), 4, 7);") == {"out-of-bounds"}
    assert kinds(V + "std::copy(x, x + 4, v.begin());") == {"out-of-bounds", "uninitialised-read"}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        # Which of the operands is evaluated is not plain.
        ("bool b = x[0] && std::all_of(v.begin(), v.end(), [](int a) { return a > 0; });", "'std::all_of'"),
        ("std::sort(v.begin(), v.end(), [](int a, int b) { return a > b; });", "'std::sort'"),
        ("std::generate(v.begin(), v.end(), [n = 0]() mutable { if (n) return 1; return n++; });", "'std::generate'"),
        ("x[0] = *std::max_element(v.begin(), w.end());", "'std::max_element'"),
    ],
)
def test_other_algorithms_are_named(body: str, message: str) -> None:
    assert message in refused(V + body)


@pytest.mark.parametrize("swap", ["std::swap(a, b);", "a.swap(b);"])
def test_containers_change_their_elements(swap: str) -> None:
    body = f"std::vector<int> a(2, 1), b(2, 2); {swap} {{ buffer<int> c(a); "
    body += "q.submit([&](handler& h) { accessor d(c, h); h.single_task([=] { d[0] += 10; }); }); }"
    assert holds(body, "a[0]=12 /\\ a[1]=2 /\\ b[0]=1")
