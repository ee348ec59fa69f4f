"""`std::tuple`, what functions return in one, and types that a conversion says."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

_X = "int* x = malloc_shared<int>(3, q); x[0] = 1; "
_TWO = (
    "std::tuple<int, float> two(queue& q, int* x) { q.single_task([=] { x[0]++; })WAIT; "
    "return std::make_tuple(x[0], 1.5f); }"
)


@pytest.mark.parametrize(
    ("before", "body", "question"),
    [
        (_TWO.replace("WAIT", ".wait()"), "auto [a, b] = two(q, x); x[1] = a; x[2] = b * 2;", "x[1]=2 /\\ x[2]=3"),
        (_TWO.replace("WAIT", ".wait()"), "float f; std::tie(x[1], f) = two(q, x); x[2] = f * 2;", "x[1]=2 /\\ x[2]=3"),
        (
            "std::tuple<int, int, int> three(int* x) { return {x[0], x[0] + 1, 7}; }",
            "q.single_task([=] { auto [a, b, c] = three(x); x[1] = b; x[2] = c; }).wait();",
            "x[1]=2 /\\ x[2]=7",
        ),
        ("", "auto t = std::make_tuple(4, 5u, *x); x[1] = std::get<1>(t); x[2] = std::get<2>(t);", "x[1]=5 /\\ x[2]=1"),
        # A tuple that has no name is its parts.
        (
            "",
            (
                "q.parallel_for(nd_range<2>({1, 2}, {1, 2}), [=](nd_item<2> it) "
                "{ auto [i, j] = std::tuple{it.get_global_id(0), it.get_global_id(1)}; x[i + j + 1] = j; }).wait();"
            ),
            "x[1]=0 /\\ x[2]=1",
        ),
        (
            "",
            "const auto n = std::size_t{2}; auto m = uint32_t(0); int* y = malloc_host<int>(n, q); y[1] = m - 1 > 5;",
            "y[1]=1",
        ),
    ],
)
def test_tuples(before: str, body: str, question: str) -> None:
    assert holds(_X + body, question, before)


def test_what_a_function_does_not_wait_for_races() -> None:
    assert kinds(_X + "auto [a, b] = two(q, x); q.wait();", _TWO.replace("WAIT", "")) == {"data-race"}


def test_types_that_are_not_evident_are_refused() -> None:
    said = "the types of what this tuple is made of are not evident"
    assert said in refused(_X + "auto t = std::make_tuple(x[0] + 1, 2);")
