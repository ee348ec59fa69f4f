"""Questions for limits of devices: they are those of one device, which is told."""

from __future__ import annotations

import pytest
from host_samples import holds, refused, warnings

_X = "int* x = malloc_shared<int>(1, q); *x = 0;"


@pytest.mark.parametrize(
    "device",
    ["q.get_device()", "q.get_info<info::queue::device>()", "device(gpu_selector_v)"],
)
def test_limits_decide_sizes(device: str) -> None:
    body = (
        f"size_t n = std::min<size_t>(2, {device}.get_info<info::device::max_work_group_size>());"
        "q.parallel_for(nd_range<1>(n, n), [=](nd_item<1> it) {"
        "if (it.get_local_id(0) == 1) *x = it.get_local_range(0); }).wait();"
    )
    assert holds(_X + body, "x[0]=2")
    assert warnings(_X + body) == ["W155"]


def test_each_limit_is_told_once_and_what_is_put_out_is_not() -> None:
    asked = "q.get_device().get_info<info::device::local_mem_size>()"
    assert warnings(f"{_X} if ({asked} < 64) *x = 1; if ({asked} > 64) *x = 2;") == ["W155"]
    assert warnings(f'{_X} std::cout << "local: " << {asked};') == []


def test_a_program_that_ends_where_a_device_is_too_small() -> None:
    asked = "q.get_device().get_info<info::device::local_mem_size>()"
    assert holds(f'{_X} if ({asked} < 64) throw std::runtime_error("too small"); *x = 1;', "x[0]=1")


def test_other_questions_are_refused() -> None:
    assert "is a number that each device has its own of" in refused(
        "auto n = q.get_device().get_info<info::device::vendor_id>();"
    )
