"""Vectors and arrays of queues, which are names for queues."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

X = "int* x = malloc_shared<int>(4, q); "
EACH = "for (int i = 0; i < 2; i++) all[i].single_task([=] { x[i] = i + 1; }); "


@pytest.mark.parametrize(
    "declared",
    [
        "std::vector<queue> all(2);",
        "queue all[2];",
        "sycl::queue all[2] = {queue{}, queue{property::queue::in_order()}};",
        "std::array<queue, 2> all;",
        "std::vector<queue> all{q, queue{}};",
        "std::vector<queue> all(2, q);",
        "std::vector<queue> all; for (int i = 0; i < 2; i++) all.push_back(queue{});",
        "std::vector<queue> all; all.emplace_back(q.get_device(), property::queue::in_order()); all.push_back(q);",
    ],
)
def test_each_queue_is_waited_for(declared: str) -> None:
    assert holds(f"{X} {declared} {EACH} for (auto& p : all) p.wait(); x[2] = x[0] + x[1];", "x[2]=3")


@pytest.mark.parametrize(
    "body",
    [
        "std::vector<queue> all(2); " + EACH + "all[0].wait(); int r = x[1]; all[1].wait();",
        "queue all[2]; all[0].single_task([=] { x[0] = 1; }); all[1].single_task([=] { x[0] = 2; }); q.wait();",
    ],
)
def test_queues_are_queues_of_their_own(body: str) -> None:
    assert "data-race" in kinds(X + "x[0] = x[1] = 0; " + body)


def test_copies_of_a_queue_are_that_queue() -> None:
    body = "queue p{property::queue::in_order()}; std::vector<queue> all(2, p); "
    assert holds(
        f"{X} {body} all[0].fill(x, 1, 4); all[1].single_task([=] {{ x[0]++; }}); all.back().wait();", "x[0]=2"
    )
    assert holds(f"{X} {body} all.at(0).fill(x, 1, 4); p.wait(); x[0]++;", "x[0]=2")


def test_arrays_of_events_are_lists() -> None:
    body = "event es[2]; for (int i = 0; i < 2; i++) es[i] = q.single_task([=] { x[i] = 1; }); event::wait(es);"
    assert holds(X + body, "x[0]=1 /\\ x[1]=1")
    assert holds(X + body.replace("event es[2];", "std::array<sycl::event, 2> es;"), "x[0]=1 /\\ x[1]=1")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("std::vector<queue> all(2); int k = 0; k++; all[k].wait();", "names one of 2 queues, found 'all[k]'"),
        ("std::vector<queue> all(2); all[2].wait();", "names one of 2 queues, found 'all[2]'"),
        ("std::vector<queue> all; if (x[0]) all.push_back(q); all[0].wait();", "depends on a branch"),
        ("int k = 0; k++; std::vector<queue> all(k);", "expected a constant number of queues, found 'k'"),
    ],
)
def test_which_queue_is_meant_is_plain(body: str, message: str) -> None:
    assert message in refused(X + body)
