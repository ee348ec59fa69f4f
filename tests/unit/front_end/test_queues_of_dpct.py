"""Queues that functions of the header of SYCLomatic return."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

ADD = "void add(int* x) { dpct::%s().single_task([=] { x[0] += 1; }); }"
X = "int* x = sycl::malloc_shared<int>(1, dpct::%s()); x[0] = 1; "
END = "dpct::get_current_device().queues_wait_and_throw();"


def test_all_who_ask_have_one_queue() -> None:
    queue = "get_in_order_queue"
    assert holds(f"{X % queue} add(x); add(x); {END}", "x[0]=3", ADD % queue)
    queue = "get_out_of_order_queue"
    assert kinds(f"{X % queue} add(x); add(x); {END}", ADD % queue) == {"data-race"}


@pytest.mark.parametrize("kind", ["in_order", "out_of_order"])
def test_queues_of_a_device(kind: str) -> None:
    body = (
        f"dpct::device_ext &dev = dpct::get_current_device(); sycl::queue &q1 = dev.{kind}_queue();"
        "int *x; x = sycl::malloc_shared<int>(1, q1); q1.single_task([=] { x[0] = 1; });"
        "q1.single_task([=] { x[0] += 1; }); dev.queues_wait_and_throw();"
    )
    if kind == "in_order":
        assert holds(body, "x[0]=2")
    else:
        assert "data-race" in kinds(body)


def test_a_queue_of_another_kind_in_each_version() -> None:
    assert "which" in refused("sycl::queue &q1 = dpct::get_default_queue(); q1.wait();")
