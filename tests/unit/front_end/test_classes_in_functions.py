"""Classes that functions of a program define."""

from __future__ import annotations

import pytest
from host_samples import holds, refused

_X = "int* x = malloc_shared<int>(2, q); x[0] = 1; x[1] = 2;"


@pytest.mark.parametrize(
    ("body", "question"),
    [
        (
            (
                "struct Pair { int low; int high; }; Pair* p = malloc_shared<Pair>(2, q); p[0].low = 4; p[0].high = 5; "
                "q.single_task([=] { p[1] = p[0]; x[0] = p[1].high; }).wait();"
            ),
            "x[0]=5",
        ),
        (
            (
                "class Add { int* p; int k; public: Add(int* p, int k) : p(p), k(k) {} "
                "void operator()(id<1> i) const { p[i] += k; } }; q.parallel_for(range<1>(2), Add(x, 3)).wait();"
            ),
            "x[0]=4 /\\ x[1]=5",
        ),
        ("q.single_task([=] { struct One { int a; }; One t{3}; x[0] = t.a; }).wait();", "x[0]=3"),
    ],
)
def test_classes_in_functions(body: str, question: str) -> None:
    assert holds(f"{_X} {body}", question)


def test_classes_in_functions_of_the_host() -> None:
    before = (
        "void f(queue& q, int* x) { struct Two { int a, b; }; Two t{1, 2}; q.single_task([=] { *x = t.b; }).wait(); }"
    )
    assert holds(f"{_X} f(q, x);", "x[0]=2", before)


def test_two_classes_of_one_name_are_refused() -> None:
    one = "{ struct One { int a; }; One o{1}; x[0] = o.a; }"
    other = "{ struct One { int b; }; One o{1}; x[0] = o.b; }"
    assert "a class or another type of your own here" in refused(f"{_X} {one} {other}")
