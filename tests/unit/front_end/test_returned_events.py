"""Functions of the host that return several events."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

MEMORY = "int* x = malloc_shared<int>(2, q); x[0] = x[1] = 0; "
LAUNCH = (
    "CLASS launch(queue& q, int* x, int k) { event one = q.single_task([=] { x[0] = k; }); "
    "event other = q.single_task([=] { x[1] = k; }); RETURN }"
)


@pytest.mark.parametrize(
    ("class_", "returned"),
    [
        ("std::pair<event, event>", "return {one, other};"),
        ("std::pair<sycl::event, sycl::event>", "return std::make_pair(one, other);"),
        ("std::tuple<event, event>", "return std::tuple<event, event>{one, other};"),
    ],
)
def test_events(class_: str, returned: str) -> None:
    before = LAUNCH.replace("CLASS", class_).replace("RETURN", returned)
    twice = "auto [a, b] = launch(q, x, 1); a.wait(); b.wait(); auto [c, d] = launch(q, x, 2); event::wait({c, d});"
    assert holds(MEMORY + twice, "x[0]=2 /\\ x[1]=2", before)
    # The second event is that of the second command.
    assert kinds(f"{MEMORY} auto [a, b] = launch(q, x, 1); b.wait(); x[1] = 3; q.wait();", before) == set()
    assert kinds(f"{MEMORY} auto [a, b] = launch(q, x, 1); b.wait(); x[0] = 3; q.wait();", before) == {"data-race"}


@pytest.mark.parametrize(
    ("returned", "call"),
    [
        ("return {one, other};", "launch(q, x, 1).first.wait();"),
        ("if (k == 0) return {one, one}; return {one, other};", "auto [a, b] = launch(q, x, 1); a.wait();"),
        ("return {one, q.single_task([=] { x[1] = 1; })};", "auto [a, b] = launch(q, x, 1); a.wait();"),
    ],
)
def test_others_are_refused(returned: str, call: str) -> None:
    before = LAUNCH.replace("CLASS", "std::pair<event, event>").replace("RETURN", returned)
    assert refused(MEMORY + call, before)
