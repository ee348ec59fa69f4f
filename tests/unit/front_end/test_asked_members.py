"""Sizes that functions of structures return, and members of objects without names."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

BOX = (
    "struct Box { size_t b, e; int k = 3; size_t size() const { return e - b; } size_t from() const { return b; } "
    "int most() { return k * 2; } float part() const { return k; } auto all() const { return (k + 1) * 2; } "
    "int twice(int n) const { return 2 * n; } };"
)
FILLS = (
    "template <class F> void fill(queue& q, KIND r, const F& f) "
    "{ q.parallel_for(range<1>(r.e - r.b), [=](id<1> i) { f(i[0] + r.b); }).wait(); } "
)


@pytest.mark.parametrize(
    ("body", "question"),
    [
        (
            "Box p{1, 3}; int* x = malloc_shared<int>(p.size(), q); x[0] = p.from(); x[1] = p.most();",
            "x[1]=6 /\\ x[0]=1",
        ),
        ("Box p{0, 2}; int* x = malloc_shared<int>(p.all(), q); x[7] = p.part() / 2 * 2;", "x[7]=3"),
        (
            (
                "const Box p{2, 4}; int* x = malloc_shared<int>(2, q); "
                "q.parallel_for(p.size(), [=](id<1> i) { x[i] = p.size() + p.from(); }).wait();"
            ),
            "x[0]=4 /\\ x[1]=4",
        ),
        ("Box p = Box{0, 2}; p.k = 5; int* x = malloc_shared<int>(p.size(), q); x[0] = p.most();", "x[0]=10"),
    ],
)
def test_what_functions_return(body: str, question: str) -> None:
    assert holds(body, question, BOX)


@pytest.mark.parametrize("kind", ["Range", "const Range&"])
def test_objects_without_names(kind: str) -> None:
    before = "struct Range { size_t b, e; }; " + FILLS.replace("KIND", kind)
    body = "int* x = malloc_shared<int>(3, q); x[0] = 7; fill(q, Range{1, 3}, [=](size_t i) { x[i] = i; });"
    assert holds(body, "x[0]=7 /\\ x[1]=1 /\\ x[2]=2", before)


def test_names_that_mean_something_else() -> None:
    other = "struct Other { int k; int size() const { return k; } };"
    body = (
        "Box p{0, 2}; int* x = malloc_shared<int>(p.size(), q); { Other p{5}; x[0] = p.size(); } "
        "{ int k = 9; x[1] = p.most() + k; }"
    )
    # A name that is declared again is not looked at, and its size is not known.
    assert refused(body, BOX + other)
    body = body.replace("Other p{5}; x[0] = p", "Other o{5}; x[0] = o")
    assert holds(body, "x[0]=5 /\\ x[1]=15", BOX + other)


def test_functions_of_objects_in_memory_read_it() -> None:
    body = (
        "Box* p = malloc_shared<Box>(2, q); p[0].k = p[1].k = 1; q.parallel_for(2, [=](id<1> i) "
        "{ Box& one = p[i]; Box& other = p[1 - i]; one.k = other.most(); }).wait();"
    )
    assert kinds(body, BOX) == {"data-race"}
