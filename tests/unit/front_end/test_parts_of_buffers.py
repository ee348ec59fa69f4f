"""Accessors of parts of buffers, and sub-buffers (SYCL 2020, 3.8.1, 4.7.2, 4.7.6.8)."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

from mcm.base.source import Source, Span
from mcm.sycl.entities import Accessor
from mcm.sycl.parts import offsets, stretches, stretches_of
from mcm.sycl.types import named
from mcm.syntax import ast

V = "std::vector<int> v{0, 1, 2, 3, 4, 5, 6, 7}; "
HALVES = "buffer<int> s(b, id<1>(0), range<1>(4)), t(b, id<1>(4), range<1>(4));"
KERNEL = "q.submit([&](handler& h) {{ accessor a({}); h.parallel_for(range<1>({}), [=](id<1> i) {{ {} }}); }});"


def on_vector(*commands: str) -> str:
    return V + "{ buffer<int> b(v); " + " ".join(commands) + " }"


def on_square(*commands: str) -> str:
    return "int v[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8}; { buffer<int, 2> b(v, range<2>(3, 3)); " + " ".join(commands) + " }"


@pytest.mark.parametrize(
    ("body", "question"),
    [
        # What is accessed is counted from the beginning of the part.
        (
            on_vector(KERNEL.format("b, h, range<1>(3), id<1>(2), write_only", 3, "a[i] = 9;")),
            "v[1]=1 /\\ v[2]=9 /\\ v[4]=9 /\\ v[5]=5",
        ),
        (on_vector(KERNEL.format("b, h, range<1>(2)", 2, "a[i] += 9;")), "v[0]=9 /\\ v[1]=10 /\\ v[2]=2"),
        (on_vector(KERNEL.format("b, h, range{2}, id{6}, read_write", 2, "a[i] = i;")), "v[6]=0 /\\ v[7]=1 /\\ v[5]=5"),
        (
            on_vector(
                "constexpr size_t n = 2; range<1> part{n}; id<1> off(n * 2); "
                "q.submit([&](handler& h) { auto a = b.get_access<access::mode::write>(h, part, off); "
                "h.single_task([=] { for (int& x : a) x = int(a.size()) + a.get_offset()[0]; }); });"
            ),
            "v[4]=6 /\\ v[5]=6 /\\ v[3]=3 /\\ v[6]=6",
        ),
        (
            on_square(
                "q.submit([&](handler& h) { accessor a(b, h, range<2>(2, 1), id<2>(1, 2), write_only); "
                "h.parallel_for(range<2>(2, 1), [=](item<2> i) { a[i] = 10 + a.get_range()[0]; }); });"
            ),
            "v[2]=2 /\\ v[5]=12 /\\ v[8]=12 /\\ v[4]=4",
        ),
        # Of the host, and of a fill and a copy.
        (on_vector("host_accessor a(b, range<1>(2), id<1>(3)); a[0] = a[1] + 10;"), "v[3]=14 /\\ v[4]=4"),
        (
            on_vector(
                "q.submit([&](handler& h) { accessor a(b, h, range<1>(2), id<1>(3), write_only); h.fill(a, 9); });"
            ),
            "v[2]=2 /\\ v[3]=9 /\\ v[4]=9 /\\ v[5]=5",
        ),
        (
            "int* x = malloc_shared<int>(2, q); "
            + on_vector(
                "q.submit([&](handler& h) { accessor a(b, h, range<1>(2), id<1>(3), read_only); "
                "h.copy(a, x); }).wait();"
            ),
            "x[0]=3 /\\ x[1]=4",
        ),
        # Accessors of parts order commands as those of the whole buffer do.
        (
            "int* x = malloc_shared<int>(1, q); "
            + on_vector(
                KERNEL.format("b, h, range<1>(2), id<1>(0), write_only", 1, "a[i] = 9; *x = 1;"),
                KERNEL.format("b, h, range<1>(2), id<1>(4), read_only", 1, "*x += a[i];"),
            ),
            "x[0]=5 /\\ v[0]=9",
        ),
        # Elements outside of the part keep what they hold.
        (
            on_vector(KERNEL.format("b, h, range<1>(2), id<1>(2), write_only, no_init", 2, "a[i] = 9;")),
            "v[1]=1 /\\ v[2]=9 /\\ v[3]=9 /\\ v[4]=4",
        ),
        # Sub-buffers.
        (
            on_vector("buffer<int, 1> s(b, id<1>(4), range<1>(4));", KERNEL.format("s, h", 4, "a[i] = a.size() + i;")),
            "v[3]=3 /\\ v[4]=4 /\\ v[7]=7",
        ),
        (
            on_vector(
                "buffer s{b, id{2}, range{4}}; auto t = buffer<int>(b, 5, 3);",
                KERNEL.format("s, h, range<1>(2), id<1>(1), write_only", 2, "a[i] = s_;").replace("s_", "20"),
                "host_accessor c(t); c[0] += s.size() * 10 + t.size();",
            ),
            "v[2]=2 /\\ v[3]=20 /\\ v[4]=20 /\\ v[5]=48",
        ),
        (
            on_square(
                "buffer<int, 2> s(b, id<2>(1, 0), range<2>(2, 3));",
                "q.submit([&](handler& h) { accessor a(s, h); "
                "h.parallel_for(s.get_range(), [=](id<2> i) { a[i] = 9; }); });",
            ),
            "v[2]=2 /\\ v[3]=9 /\\ v[8]=9",
        ),
        # Those that overlap order commands, and so do a buffer and a part of it.
        (
            on_vector(
                "buffer<int> s(b, id<1>(0), range<1>(4)), t(b, id<1>(3), range<1>(4));",
                KERNEL.format("s, h", 4, "a[i] = 1;"),
                KERNEL.format("t, h", 1, "a[i] += 1;"),
                KERNEL.format("b, h", 4, "a[i] *= 2;"),
            ),
            "v[0]=2 /\\ v[3]=4",
        ),
        (
            on_vector(
                HALVES,
                KERNEL.format("s, h", 4, "a[i] = 1;"),
                KERNEL.format("t, h", 4, "a[i] = 2;"),
                "host_accessor c(s); c[1] = c[0] + 2;",
            ),
            "v[1]=3 /\\ v[4]=2",
        ),
    ],
)
def test_what_is_of_a_part(body: str, question: str) -> None:
    assert holds(body, question)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (on_vector(KERNEL.format("b, h, range<1>(3), id<1>(2)", 4, "a[i] = 9;")), {"out-of-bounds"}),
        (on_vector(KERNEL.format("b, h, range<1>(3), id<1>(2)", 3, "a[i - 1] = 9;")), {"out-of-bounds"}),
        (on_vector(KERNEL.format("b, h, range<1>(3), id<1>(2)", 3, "int r = a[int(i) - 1];")), {"out-of-bounds"}),
        (on_vector("host_accessor a(b, range<1>(2)); int r = a[2];"), {"out-of-bounds"}),
        (
            on_vector("buffer<int> s(b, id<1>(0), range<1>(4));", KERNEL.format("s, h", 5, "a[i] = 9;")),
            {"out-of-bounds"},
        ),
        # In several dimensions each index has a bound of its own.
        (
            on_square("q.submit([&](handler& h) { accessor a(b, h); h.single_task([=] { a[0][3] = 1; }); });"),
            {"out-of-bounds"},
        ),
        (
            (
                "q.submit([&](handler& h) { local_accessor<int, 2> t(range<2>(2, 2), h); "
                "h.parallel_for(nd_range<1>(2, 2), [=](nd_item<1> i) { t[0][i.get_local_id(0) * 2] = 1; }); });"
            ),
            {"out-of-bounds"},
        ),
        # Sub-buffers that do not overlap order nothing.
        (
            "int* x = malloc_shared<int>(1, q); "
            + on_vector(
                HALVES,
                KERNEL.format("s, h", 1, "a[i] = 9; *x = 1;"),
                KERNEL.format("t, h", 1, "*x = a[i];"),
            ),
            {"data-race"},
        ),
        # What is given up of a part, and not written.
        (
            on_vector(KERNEL.format("b, h, range<1>(3), id<1>(2), write_only, no_init", 2, "a[i] = 9;"))
            + " int r = v[4];",
            {"uninitialised-read"},
        ),
    ],
)
def test_what_is_wrong_with_parts(body: str, expected: set[str]) -> None:
    assert kinds(body) == expected


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            on_vector(KERNEL.format("b, h, range<1>(3), id<1>(6)", 1, "a[i] = 9;")),
            "elements 6 to 8 are no part of a buffer of 8",
        ),
        (on_vector("buffer<int> s(b, id<1>(6), range<1>(3));"), "elements 6 to 8 are no part of a buffer of 8"),
        (
            on_vector("buffer<int> s(b, id<1>(4), range<1>(3)), t(s, id<1>(0), range<1>(1));"),
            "a sub-buffer is one of a buffer",
        ),
        (on_vector("buffer<int> s(b, id<1>(4));"), "a sub-buffer has a place and a range"),
        (on_vector("int n = 1; n++; buffer<int> s(b, id<1>(n), range<1>(1));"), "expected a constant place, found 'n'"),
        (on_square("buffer<int, 2> s(b, id<2>(0, 0), range<2>(2, 2));"), "do not follow each other"),
        (on_square("buffer<int, 2> s(b, id<1>(0), range<1>(2));"), "the buffer has 2 dimensions"),
        (
            on_vector(KERNEL.format("b, h, range<1>(3), id<1>(2)", 1, "int* p = a.get_pointer(); p[0] = 1;")),
            "a pointer into 'a', which is an accessor of a part of a buffer",
        ),
        (
            on_square("q.submit([&](handler& h) { accessor a(b, h, range<2>(2, 2)); h.fill(a, 1); });"),
            "the elements of 'a' do not follow each other",
        ),
    ],
)
def test_what_is_no_part(body: str, message: str) -> None:
    assert message in refused(body)


def test_elements_of_accessors() -> None:
    span = Span(Source("none", ""), 0, 0)
    type_ = named("int", ast.Empty(span=span))
    box = Accessor("b", type_, sizes=(2, 2), around=(3, 4), begins=(1, 1))
    assert offsets(box) == {5, 6, 9, 10}
    assert [(one.first, one.count) for one in stretches(box)] == [(5, 2), (9, 2)]
    rows = Accessor("b", type_, sizes=(2, 4), around=(3, 4), begins=(1, 0), start=100)
    assert [(one.first, one.count) for one in stretches(rows)] == [(104, 8)]
    assert [(one.first, one.count) for one in stretches_of("b", {7, 3, 2, 8})] == [(2, 2), (7, 2)]


_OF_TWO = "std::vector<int> v(4, 1); { buffer<int> b(v.data(), 2);"


@pytest.mark.parametrize(
    "body",
    [
        "q.submit([&](handler& h) { accessor a(b, h); h.parallel_for(3, [=](auto i) { a[i] = 7; }); });",
        "q.submit([&](handler& h) { auto a = b.get_access(h); h.single_task([=] { a[3] = 7; }); });",
        "host_accessor a(b); a[2] = 1;",
    ],
)
def test_buffers_of_the_first_elements_have_bounds(body: str) -> None:
    assert kinds(f"{_OF_TWO} {body} }}") == {"out-of-bounds"}


def test_buffers_of_the_first_elements() -> None:
    seven = "q.submit([&](handler& h) { accessor a(b, h); h.parallel_for(2, [=](auto i) { a[i] = 7; }); });"
    assert holds(f"{_OF_TWO} {seven} }}", "v[0]=7 /\\ v[1]=7 /\\ v[2]=1")
    sub = (
        "buffer<int> s(b, id<1>(1), range<1>(1)); q.submit([&](handler& h) { accessor a(s, h); "
        "h.single_task([=] { a[0] += 2; }); });"
    )
    assert holds(f"{_OF_TWO} {seven} {sub} }}", "v[0]=7 /\\ v[1]=9 /\\ v[2]=1")
    filled = "q.submit([&](handler& h) { accessor a(b, h); h.fill(a, 9); });"
    assert holds(f"{_OF_TWO} {filled} }}", "v[1]=9 /\\ v[2]=1")


def test_buffers_of_more_than_their_memory_are_refused() -> None:
    message = refused("std::vector<int> v(4); buffer<int> b(v.data(), 8);")
    assert "a buffer of 8 elements is made of 'v', which has 4" in message
