"""Host accessors that are there when a command on their buffer is submitted: it waits for their end."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused, source

from mcm import Verdict, check

BUFFER = "buffer<int> b{range<1>{2}}; int* x = malloc_shared<int>(1, q); *x = 0; "
FILLED = "q.submit([&](handler& h) { accessor a(b, h, write_only); h.parallel_for(2, [=](id<1> i) { a[i] = i; }); });"
READS = "q.submit([&](handler& h) { accessor a(b, h, read_only); h.single_task([=] { *x = a[0] + 10 * a[1]; }); });"
WRITES = "q.submit([&](handler& h) { accessor a(b, h); h.single_task([=] { a[0] = 5; }); });"


def test_a_command_comes_after_the_end_of_the_accessor() -> None:
    body = f"{BUFFER} {FILLED} {{ host_accessor r(b); r[0] = 2; {READS} r[1] = 3; }} q.wait();"
    assert holds(body, "x[0]=32")


def test_the_end_of_the_accessor_orders_nothing_else() -> None:
    body = f"{BUFFER} {FILLED} {{ host_accessor r(b); r[0] = 2; {READS} r[1] = 3; }} int s = *x;"
    assert kinds(body) == {"data-race"}


def test_the_end_of_a_program_ends_it() -> None:
    assert holds(f"{BUFFER} {FILLED} host_accessor r(b, read_only); {WRITES} *x = r[1];", "x[0]=1")


def test_who_waits_for_the_command_before_waits_forever() -> None:
    found = check(source(f"{BUFFER} {FILLED} host_accessor r(b); {WRITES} q.wait(); r[0] = 1;"))
    assert found.verdict is Verdict.NO_EXECUTION


def test_readers_do_not_wait_for_a_reader() -> None:
    assert holds(f"{BUFFER} {FILLED} host_accessor r(b, read_only); {READS} q.wait();", "x[0]=10")


def test_buffers_that_were_made_later_end_before() -> None:
    body = "std::vector<int> v{{1, 2}}; {{ buffer b(v); host_accessor r(b); {0} }} int s = v[0];"
    assert holds(body.format(WRITES), "0:s=5")
    other = "std::vector<int> w{3}; buffer c(w); q.submit([&](handler& h) { accessor a(b, h); accessor d(c, h); "
    found = check(source(body.format(f"{other} h.single_task([=] {{ d[0] = a[0]; }}); }});")))
    assert found.verdict is Verdict.NO_EXECUTION


@pytest.mark.parametrize("around", ["if (*x == 0)", "while (*x == 0)"])
def test_in_a_branch_it_ends_first(around: str) -> None:
    assert "close the block of the host accessor before it" in refused(
        f"{BUFFER} {FILLED} {around} {{ host_accessor r(b); {WRITES} }}"
    )
