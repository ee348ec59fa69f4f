"""Host tasks that refer to variables of the host, and host accessors without names."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

BUFFER = (
    "buffer<int> b(range<1>(2)); q.submit([&](handler& h) { accessor a(b, h, write_only); "
    "h.parallel_for(2, [=](id<1> i) { a[i] = i + 5; }); }); "
)
READ = "q.submit([&](handler& h) { accessor a(b, h, read_only_host_task); h.host_task([=, &r] { r = a[1]; }); });"
ADD = "q.submit([&](handler& h) { accessor a(b, h); h.single_task([=] { a[0]++; }); });"


@pytest.mark.parametrize(
    ("body", "question"),
    [
        ("int done = 0; q.submit([&](handler& h) { h.host_task([&] { done = 1; }); }).wait();", "done=1"),
        ("int n = 4, r = 0; q.submit([&](handler& h) { h.host_task([=, &r] { r = n; }); }); n = 5; q.wait();", "r=4"),
        ("int n = 4, r = 0; q.submit([&](handler& h) { h.host_task([&r, n] { r = n; }); }); q.wait();", "r=4"),
        ("std::vector<int> v(2); q.submit([&](handler& h) { h.host_task([&v] { v[1] = 3; }); }); q.wait();", "v[1]=3"),
        (f"{BUFFER} int r = 0; {READ} q.wait();", "r=6"),
        (f"{BUFFER} int r = b.get_host_access()[1];", "0:r=6"),
        (f"{BUFFER} int r = 0; if (b.get_host_access(read_only)[0] == 5) r = b.get_host_access()[1];", "0:r=6"),
        (f"{BUFFER} b.get_host_access()[0] = 9; int r = b.get_host_access()[0] + b.get_host_access()[1];", "0:r=15"),
        (f"{BUFFER} b.get_host_access()[0] = 9; {ADD} assert(b.get_host_access()[0] == 10);", "b[0]=10"),
    ],
)
def test_what_the_host_has(body: str, question: str) -> None:
    assert holds(body, question)


@pytest.mark.parametrize(
    "body",
    [
        "int done = 0; q.submit([&](handler& h) { h.host_task([&] { done = 1; }); }); int r = done; q.wait();",
        "int n = 4, r = 0; q.submit([&](handler& h) { h.host_task([&] { r = n; }); }); n = 5; q.wait();",
    ],
)
def test_references_to_what_the_host_uses_at_the_same_time(body: str) -> None:
    assert kinds(body) == {"data-race"}


def test_what_a_condition_makes_each_time_is_refused() -> None:
    message = refused(BUFFER + "int n = 0; while (b.get_host_access()[0] < n) { n--; }")
    assert "'b.get_host_access()' in the condition of a loop" in message
