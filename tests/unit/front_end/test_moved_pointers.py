"""Names of memory that a host program gives other addresses, and sizes and parts of buffers."""

from __future__ import annotations

import pytest
from host_samples import holds, source

from mcm import InputError, check

TWO = "int *a = malloc_shared<int>(2, q), *b = malloc_shared<int>(2, q); a[0] = a[1] = 1; b[0] = b[1] = 2; "
PUT = "q.parallel_for(2, [=](id<1> i) { b[i] = a[1 - i] + 1; }).wait(); "


@pytest.mark.parametrize(
    ("body", "question"),
    [
        (TWO + "std::swap(a, b); q.single_task([=] { b[0] = 7; }).wait();", "a[0]=7 /\\ b[0]=2"),
        (TWO + "std::swap(a, b); a[1] = 5;", "b[1]=5 /\\ a[1]=1"),
        (TWO + "int* t = a; a = b; b = t; q.single_task([=] { *b = a[0] + 7; }).wait();", "a[0]=9 /\\ b[0]=2"),
        (TWO + "for (int k = 0; k < 3; k++) { " + PUT + "std::swap(a, b); }", "a[0]=3 /\\ b[0]=4"),
        # Before the first statement that moves it, the name is that of the memory.
        (TWO + "q.fill(a, 8, 2).wait(); std::swap(a, b); q.single_task([=] { a[0] += b[0]; }).wait();", "b[0]=10"),
        (TWO + "{ " + PUT + "a = b; *a = 6; }", "b[0]=6 /\\ a[0]=1"),
        (TWO + "int** t = &a; *t = b; q.single_task([=] { a[0] += 7; }).wait();", "b[0]=9 /\\ a[0]=1"),
        # A variable of that name in a kernel is another one.
        (TWO + "std::swap(a, b); q.single_task([=] { int a = 4; a++; b[0] = a; }).wait();", "a[0]=5 /\\ b[0]=2"),
    ],
)
def test_names_that_change_places(body: str, question: str) -> None:
    assert holds(body, question)


def test_functions_that_are_passed_addresses_of_names() -> None:
    outside = "void exchange(int** a, int** b) { int* t = *a; *a = *b; *b = t; }"
    body = TWO + "exchange(&a, &b); q.single_task([=] { a[0] += 7; }).wait();"
    assert holds(body, "a[0]=1 /\\ b[0]=9", outside)


def test_kernels_race_on_what_names_lead_to() -> None:
    body = TWO + "for (int k = 0; k < 2; k++) { " + PUT.replace(".wait()", "") + "std::swap(a, b); } q.wait();"
    for engine in ("explicit", "smt"):
        assert {one.kind for one in check(source(body), engine=engine).races} == {"data-race"}


@pytest.mark.parametrize("command", ["q.memcpy(r, a, sizeof(int)).wait();", "q.fill(a, 1, 2).wait();"])
def test_commands_on_names_that_may_have_changed_places_are_refused(command: str) -> None:
    exchanged = "if (a[0] == 1) { std::swap(a, b); } "
    with pytest.raises(InputError, match="a pointer that may lead to any memory"):
        check(source(TWO + "int* r = malloc_shared<int>(1, q); " + exchanged + command))


VECTOR = "std::vector<int> v(3); {{ buffer<int> b(v); {} }}"
SUM = "q.submit([&](handler& h) {{ accessor a(b, h{}); h.parallel_for({}, [=](id<1> i) {{ a[i] += {}; }}); }});"


@pytest.mark.parametrize(
    ("body", "question"),
    [
        (
            "std::vector<int> v(3); {{ buffer<int> b(v); {} }}".format(SUM.format("", "b.get_range()", "a.size()")),
            "v[2]=3",
        ),
        (
            VECTOR.format(
                "buffer<int> c(b.get_range());"
                + SUM.format("", "range<1>(b.size())", "a.get_range()[0] + a.get_count()")
            ),
            "v[2]=6",
        ),
        (
            VECTOR.format(SUM.format(", range<1>(3), id<1>(0), read_write", "a.get_range()", "1")),
            "v[2]=1",
        ),
        (
            (
                "std::vector<int> v(6); { buffer<int, 2> b(v.data(), range<2>(2, 3)); q.submit([&](handler& h) { "
                "accessor a(b, h); h.parallel_for(b.get_range(), [=](id<2> i) { a[i] = 10 * a.get_range()[0] + "
                "a.get_range().get(1); }); }); }"
            ),
            "v[5]=23",
        ),
        (
            (
                "int* x = malloc_shared<int>(1, q); *x = 0; buffer<int> b(range<1>(3)); { host_accessor a(b); "
                "std::iota(a.begin(), a.end(), 4); for (size_t i = 0; i < a.get_range()[0]; i++) *x += a[i]; }"
            ),
            "x[0]=15",
        ),
    ],
)
def test_sizes_of_buffers(body: str, question: str) -> None:
    assert holds(body, question)


def test_functions_that_move_pointers_are_called_twice() -> None:
    before = """int run(queue& q, int n) { int* a = malloc_shared<int>(1, q); int* b = malloc_shared<int>(1, q);
      *a = n; *b = 7;
      for (int i = 0; i < 1; i++) { q.single_task([=] { *b += *a; }).wait(); std::swap(a, b); } return *a; }"""
    body = "int* r = malloc_shared<int>(1, q); *r = 0; int n = run(q, 1); *r = n; n = run(q, 2); *r += n;"
    assert holds(body, "r[0]=17", before)
    object_ = """struct S { queue q_; int* a_; int* b_;
      S() { a_ = malloc_shared<int>(1, q_); b_ = malloc_shared<int>(1, q_); }
      ~S() { free(a_, q_); free(b_, q_); } void step() { int* b = b_; q_.single_task([=] { *b = 1; }).wait();
      std::swap(a_, b_); } }; int run() { S s; s.step(); return s.a_[0]; }"""
    body = "int* r = malloc_shared<int>(1, q); *r = 0; int n = run(); *r = n; n = run(); *r += n;"
    assert holds(body, "r[0]=2", object_)
