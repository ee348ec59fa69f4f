"""Hints where memory is wanted: commands that do nothing, whose events others wait for."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds

_X = "int* x = malloc_shared<int>(2, q); x[0] = x[1] = 1;"
_KERNEL = "auto k = q.parallel_for(range<1>(2), e, [=](id<1> i) { x[i] += 1; });"


@pytest.mark.parametrize(
    "hint",
    [
        "auto e = q.prefetch(x, 8);",
        "event e = q.mem_advise(x, 8, 0);",
        "event e; e = q.prefetch(x, 8);",
        "auto e = q.submit([&](handler& h) { h.prefetch(x, 8); });",
        "q.prefetch(x, 8).wait(); event e;",
    ],
)
def test_commands_wait_for_hints(hint: str) -> None:
    assert holds(f"{_X} {hint} {_KERNEL} k.wait();", "x[0]=2")


def test_who_waits_for_a_hint_waits_for_what_it_depends_on() -> None:
    body = f"{_X} event e; {_KERNEL} auto f = q.prefetch(x, 8, k);"
    assert holds(f"{body} f.wait(); int n = x[0];", "0:n=2")
    assert kinds(f"{body} int n = x[0]; f.wait();") == {"data-race"}


def test_a_function_of_that_name_is_called() -> None:
    before = "struct Cache { int n; int prefetch(int a, int b) const { return n + a + b; } };"
    body = f"{_X} q.single_task([=] {{ Cache c{{3}}; x[0] = c.prefetch(1, 2); }}).wait();"
    assert holds(body, "x[0]=6", before)
