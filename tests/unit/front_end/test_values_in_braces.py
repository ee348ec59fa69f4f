"""Numbers in braces, arrays of the host with values, containers by `auto`, by other names, and given up."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

_X = "int* x = malloc_shared<int>(2, q); x[0] = x[1] = 0;"
_KERNEL = "q.parallel_for(range<1>(2), [=](id<1> i) { x[i] += 1; }).wait();"


@pytest.mark.parametrize(
    ("value", "result"),
    [("int{3}", 3), ("int{}", 0), ("std::size_t{2} + int{1}", 3), ("T{4} / T{2}", 2), ("int{int{5}}", 5)],
)
def test_numbers_in_braces(value: str, result: int) -> None:
    before = f"template <typename T> T made() {{ return {value}; }}"
    assert holds(f"{_X} q.single_task([=] {{ x[0] = made<int>(); }}).wait();", f"x[0]={result}", before)


def test_bodies_behind_types_are_no_values() -> None:
    before = "enum class Kind : int { a, b };"
    body = "q.single_task([=] { auto f = [=](int n) -> int { return n + 1; }; x[0] = f(1); }).wait();"
    assert holds(_X + body, "x[0]=2", before)


@pytest.mark.parametrize(
    ("declared", "question"),
    [
        ("int* p = new int[2]{5, 6};", "p[1]=6"),
        ("int* p = new int[3]{5};", "p[0]=5 /\\ p[2]=0"),
        ("int* p = new int[2]();", "p[0]=0 /\\ p[1]=0"),
        ("auto* p = new float[]{1.5f, 2.5f};", "p[1]=2.5"),
    ],
)
def test_new_arrays_with_values(declared: str, question: str) -> None:
    assert holds(f"{declared} int n = p[0];", question)


def test_a_new_array_without_values_has_none() -> None:
    assert kinds("int* p = new int[2]; int n = p[1];") == {"uninitialised-read"}


@pytest.mark.parametrize(
    ("declared", "question"),
    [
        ("auto v = std::vector<int>(2, 1), w = std::vector<int>{3, 4};", "v[1]=1 /\\ w[1]=4"),
        ("auto v = std::vector<int>(); v.resize(2);", "v[1]=0"),
        ("const auto v = std::array<int, 2>{3, 4};", "v[0]=3"),
    ],
)
def test_containers_by_auto(declared: str, question: str) -> None:
    assert holds(declared, question)


@pytest.mark.parametrize("named", ["using Ints = std::vector<int>;", "typedef std::vector<int> Ints;"])
def test_names_for_containers_in_parameters(named: str) -> None:
    before = (
        f"{named} void count(Ints& v) {{ for (size_t i = 0; i < v.size(); i++) v.at(i) = i; }}"
        "void add(queue& q, const Ints& v, Ints& w) { buffer a(v); buffer b(w); q.submit([&](handler& h) {"
        "accessor from(a, h, read_only); accessor to(b, h); h.parallel_for(v.size(), [=](auto i) { to[i] = from[i]; });"
        "}); }"
    )
    assert holds("Ints v, w; v.resize(2); w.resize(2); count(v); add(q, v, w);", "w[1]=1", before)


def test_containers_that_are_given_up() -> None:
    body = "std::vector<int> v(2, 1); int n = v[0]; v.clear(); v.shrink_to_fit();"
    assert holds(body, "v[0]=1")


@pytest.mark.parametrize(
    "body",
    [
        "std::vector<int> v(2, 1); v.clear(); int n = v[0];",
        "std::vector<int> v(2, 1); for (int i = 0; i < 2; i++) { v[i] = 1; v.clear(); }",
    ],
)
def test_containers_are_not_given_up_before_they_are_used(body: str) -> None:
    assert "found 'clear'" in refused(body)


@pytest.mark.parametrize("type_", ["long long", "unsigned long", "unsigned char", "int"])
def test_types_of_several_words_as_arguments_of_templates(type_: str) -> None:
    before = (
        "template <typename T> T added(T a, T b) { return T(a) + T{b}; } "
        "template <typename T> void go(queue& q, int* x) { T y{}; T z(4); T w = T{1}; "
        "q.single_task([=] { *x = added<T>(z, w) + y; }).wait(); }"
    )
    assert holds(f"int* x = malloc_shared<int>(1, q); go<{type_}>(q, x);", "x[0]=5", before)
