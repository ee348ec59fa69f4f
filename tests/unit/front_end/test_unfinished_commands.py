"""Commands that nothing waits for before `main` returns, which W157 tells of (ADR 114)."""

from __future__ import annotations

import pytest
from host_samples import warnings

from mcm import Judged, KernelRequest, KernelSource, check

_X = "int* x = malloc_shared<int>(2, q); x[0] = x[1] = 0;"
_ADDED = "q.single_task([=] { x[0] += 1; })"


@pytest.mark.parametrize(
    "body",
    [
        f"{_ADDED};",
        f"{_ADDED}.wait(); q.fill(x, 1, 2);",
        f"event e = {_ADDED}; if (x[1] == 1) e.wait();",
        f"queue r; {_ADDED}; r.wait();",
        f"queue r{{property::queue::in_order()}}; {_ADDED}; int n; r.memcpy(&n, x + 1, sizeof(int)).wait();",
        f"for (int i = 0; i < 2; i++) {_ADDED};",
        (
            "std::vector<int> v(2); buffer<int> b(range<1>(2)); q.submit([&](handler& h) "
            "{ accessor a(b, h); h.parallel_for(2, [=](id<1> i) { a[i] = 1; }); }); q.single_task([=] { x[0] = 1; });"
        ),
    ],
)
def test_a_command_that_nothing_waits_for(body: str) -> None:
    assert "W157" in warnings(_X + body)


@pytest.mark.parametrize(
    "body",
    [
        f"{_ADDED}.wait();",
        f"{_ADDED}; q.wait_and_throw();",
        f"event e = {_ADDED}; e.wait();",
        f"std::vector<event> all; for (int i = 0; i < 2; i++) all.push_back({_ADDED}); event::wait(all);",
        f"event e = {_ADDED}; event f = q.single_task(e, [=] {{ x[1] = 1; }}); f.wait();",
        f"for (int i = 0; i < 2; i++) {_ADDED}; q.wait(); return 0;",
        (
            "{ buffer<int> b(x, range<1>(2)); q.submit([&](handler& h) { accessor a(b, h); "
            "h.parallel_for(2, [=](id<1> i) { a[i] = 1; }); }); }"
        ),
        (
            "buffer<int> b(x, range<1>(2)); q.submit([&](handler& h) { accessor a(b, h); "
            "h.parallel_for(2, [=](id<1> i) { a[i] = 1; }); }); return 0;"
        ),
    ],
)
def test_commands_that_are_complete(body: str) -> None:
    assert "W157" not in warnings(_X + body)


def test_a_queue_in_order_is_complete_with_its_last_command() -> None:
    body = f"queue r{{property::queue::in_order()}}; {_X.replace('q', 'r')} "
    loop = "int n = 3; n += x[0]; for (int i = 0; i < n; i++) { r.fill(x, 0, 1); r.single_task([=] { x[1] = i; }); }"
    assert "W157" not in warnings(f"{body} {loop} int m; r.memcpy(&m, x, sizeof(int)).wait();")
    assert "W157" in warnings(f"{body} {loop} int m; r.memcpy(&m, x, sizeof(int));")


def test_the_last_command_is_told_of() -> None:
    text = f"int main() {{ sycl::queue q; {_X.replace('malloc', 'sycl::malloc')} {_ADDED}; q.fill(x, 1, 2); }}"
    found = check(KernelSource("sample.cpp", text, KernelRequest()))
    assert isinstance(found, Judged)
    told = [one for one in found.diagnostics if one.code == "W157"]
    assert [one.span.text for one in told] == ["q.fill(x, 1, 2)"]
    assert "SYCL 2020, 3.9.8.1" in told[0].message
