"""Buffers whose end writes nothing back: of iterators, and of memory that is const."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

ADD = "q.submit([&](handler& h) { accessor a(b, h); h.parallel_for(range<1>(2), [=](id<1> i) { a[i] += 5; }); });"
READ = (
    "q.submit([&](handler& h) { accessor a(b, h, read_only); accessor o(c, h, write_only); "
    "h.parallel_for(range<1>(2), [=](id<1> i) { o[i] = a[i]; }); });"
)


@pytest.mark.parametrize(
    ("body", "question"),
    [
        (f"std::vector<int> v{{1, 2}}; {{ buffer<int> b(v.begin(), v.end()); {ADD} q.wait(); }}", "v[0]=1 /\\ b[1]=7"),
        (f"int v[4] = {{1, 2, 3, 4}}; buffer<int> b(v + 1, v + 3); {ADD} q.wait();", "v[1]=2 /\\ b[0]=7 /\\ b[1]=8"),
        (
            (
                "int* v = malloc_shared<int>(2, q); v[0] = v[1] = 3; buffer<int, 1> b{v, v + 2}; v[0] = 9; "
                f"{ADD} host_accessor a(b); int r = a[0];"
            ),
            "0:r=8 /\\ v[0]=9",
        ),
        (f"const std::vector<int> v{{1, 2}}; {{ buffer b(v); {ADD} }} int r = v[0];", "v[0]=1 /\\ b[0]=6 /\\ 0:r=1"),
        (f"const int v[2] = {{1, 2}}; {{ buffer<int> b(v, range<1>(2)); {ADD} }}", "v[0]=1 /\\ b[0]=6"),
        (f"std::vector<int> v{{1, 2}}; {{ buffer b(std::as_const(v)); {ADD} }}", "v[0]=1 /\\ b[0]=6"),
        # What is not const is written back, and what commands only read is no other memory.
        (f"std::vector<int> v{{1, 2}}; {{ buffer b(v); {ADD} }}", "v[0]=6"),
        (f"const std::vector<int> v{{1, 2}}; int w[2]; {{ buffer b(v); buffer c(w, range<1>(2)); {READ} }}", "w[1]=2"),
    ],
)
def test_what_a_buffer_does_not_write_back(body: str, question: str) -> None:
    assert holds(body, question)


def test_what_is_const_by_the_name_of_a_parameter() -> None:
    one = "void f(queue& q, const std::vector<int>& in) { buffer b(in); " + ADD + " }"
    assert holds("std::vector<int> v{1, 2}; f(q, v);", "v[0]=1", one)
    other = one.replace("const ", "")
    assert holds("std::vector<int> v{1, 2}; f(q, v);", "v[0]=6", other)


def test_the_elements_of_a_structure_are_copied() -> None:
    body = (
        "P p[2] = {{1, 2}, {3, 4}}; buffer<P> b(p, p + 2); q.submit([&](handler& h) { accessor a(b, h); "
        "h.single_task([=] { a[1].x = 7; }); }); q.wait();"
    )
    assert holds(body, "p.x[1]=3 /\\ b.x[1]=7 /\\ b.y[0]=2", "struct P { int x; int y; };")


def test_the_end_of_a_buffer_with_a_copy_of_iterators_waits_for_nothing() -> None:
    body = (
        "int* x = malloc_shared<int>(1, q); std::vector<int> v{1}; { buffer<int> b(" + "%s); q.submit([&](handler& h) "
        "{ accessor a(b, h); h.single_task([=] { *x = a[0]; }); }); } int r = *x;"
    )
    assert "data-race" in kinds(body % "v.begin(), v.end()")
    assert kinds(body % "v") == set()


def test_memory_of_which_nothing_is_known() -> None:
    assert "needs memory that the program makes before" in refused("int* y; buffer<int> b(y, y + 2);")
