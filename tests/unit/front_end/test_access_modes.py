"""Accessors for reading only: what they order, and that nothing writes through them."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused, source

from mcm import Judged, check

KERNEL = "buffer<int> b(range<1>(2)); q.submit([&](handler& h) {{ {} h.single_task([=] {{ {} }}); }});"
READ_ONLY = "accessor a(b, h, read_only);"


@pytest.mark.parametrize(
    ("accessor", "write"),
    [
        (READ_ONLY, "a[0] = 1;"),
        (READ_ONLY, "a[1] += 1;"),
        (READ_ONLY, "a[0]++;"),
        (READ_ONLY, "--a[0];"),
        (READ_ONLY, "atomic_ref<int, memory_order::relaxed, memory_scope::device>(a[0]).fetch_add(1);"),
        (READ_ONLY, "int& r = a[0]; r = 1;"),
        ("auto a = b.get_access<access::mode::read>(h);", "a[0] = 1;"),
        ("accessor<int, 1, access_mode::read> a(b, h);", "a[0] = 1;"),
        ("accessor<const int, 1> a(b, h);", "a[0] = 1;"),
    ],
)
def test_nothing_is_written_through_an_accessor_for_reading(accessor: str, write: str) -> None:
    assert "'a' is an accessor for reading only" in refused(KERNEL.format(accessor, write))


def test_nothing_is_written_through_a_host_accessor_for_reading() -> None:
    assert "'a' is an accessor for reading only" in refused(
        "buffer<int> b(range<1>(2)); host_accessor a(b, read_only); a[0] = 1;"
    )


def test_what_an_accessor_for_reading_may_do() -> None:
    body = (
        "std::vector<int> v{1, 2}; int r[1]; { buffer b(v); buffer<int> c(r, range<1>(1)); "
        "q.submit([&](handler& h) { accessor a(b, h, read_only); accessor o(c, h, write_only); "
        "h.single_task([=] { const int& x = a[1]; int y = a[0]; y++; o[0] = x + y; }); }); }"
    )
    assert holds(body, "r[0]=4")


@pytest.mark.parametrize(
    "accessor",
    [
        "accessor a(b, h, read_only_host_task);",
        "accessor<const int, 1, access_mode::read, target::host_task> a(b, h);",
    ],
)
def test_two_readers_do_not_wait_for_each_other(accessor: str) -> None:
    """What both write besides is a race: nothing but the buffer could order them."""
    body = (
        "int* x = malloc_shared<int>(1, q); std::vector<int> v{1}; buffer b(v); "
        + f"q.submit([&](handler& h) {{ {accessor} h.host_task([=] {{ *x = a[0]; }}); }});" * 2
        + "q.wait();"
    )
    assert kinds(body) == {"data-race"}
    assert (
        kinds(
            body.replace("read_only_host_task", "read_write_host_task")
            .replace("const int", "int")
            .replace("::read,", "::read_write,")
        )
        == set()
    )


WRITE_ONLY = "accessor a(b, h, write_only);"


@pytest.mark.parametrize(
    ("accessor", "does", "is_told"),
    [
        (WRITE_ONLY, "a[0] = 1;", False),
        (WRITE_ONLY, "a[0] = a[1] = 1;", False),
        (WRITE_ONLY, "int& r = a[0]; r = 1;", False),
        (WRITE_ONLY, "atomic_ref<int, memory_order::relaxed, memory_scope::device>(a[0]).store(1);", False),
        (WRITE_ONLY, "a[0] += 1;", True),
        (WRITE_ONLY, "a[0]++;", True),
        (WRITE_ONLY, "a[0] = a[1];", True),
        (WRITE_ONLY, "int r = a[0];", True),
        (WRITE_ONLY, "if (a[0] == 1) a[1] = 1;", True),
        ("auto a = b.get_access<access::mode::write>(h);", "a[0] = a[1] + 1;", True),
        ("accessor<int, 1, access_mode::write> a{b, h};", "a[0] = a[1] + 1;", True),
        ("accessor a(b, h);", "a[0] += 1;", False),
        ("accessor a(b, h, read_write);", "a[0] += 1;", False),
    ],
)
def test_what_is_read_through_an_accessor_for_writing_is_told(accessor: str, does: str, *, is_told: bool) -> None:
    body = "std::vector<int> v(2); buffer b(v); " + KERNEL.format(accessor, does).partition("; ")[2]
    found = check(source(body))
    assert isinstance(found, Judged)
    assert any(one.code == "W154" for one in found.diagnostics) is is_told


def test_members_of_what_is_written_are_not_read() -> None:
    body = (
        "std::vector<P> v(2); buffer<P> b(v); q.submit([&](handler& h) { accessor a(b, h, write_only); "
        "h.single_task([=] { a[0].x = 1; P p; p.x = p.y = 2; a[1] = p; }); });"
    )
    found = check(source(body, "", "struct P { int x; int y; };"))
    assert isinstance(found, Judged)
    assert found.diagnostics == ()
    read = check(source(body.replace("a[0].x = 1", "a[0].x = a[1].y"), "", "struct P { int x; int y; };"))
    assert isinstance(read, Judged)
    assert [one.code for one in read.diagnostics] == ["W154"]
