"""Lambdas that the host calls where they stand."""

from __future__ import annotations

from host_samples import holds, kinds

_MEMORY = "int* x = malloc_shared<int>(1, q); x[0] = 0; int n = 3; "


def test_they_are_called_once_where_they_stand() -> None:
    commands = "[&] { q.single_task([=] { x[0] = n; }).wait(); }(); n = 9; "
    assert holds(f"{_MEMORY}{commands}int v = [&](int a) -> int {{ return a + n; }}(4); x[0] += v;", "x[0]=16")


def test_nothing_waits_for_their_commands() -> None:
    assert kinds(f"{_MEMORY}[&] {{ q.single_task([=] {{ x[0] = n; }}); }}(); x[0] += 1;") == {"data-race"}
