"""Lists of devices and platforms, and the older function that gives memory back."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, warnings

_KERNEL = "int* x = malloc_shared<int>(1, d); d.single_task([=] { *x = 1; }).wait();"


@pytest.mark.parametrize(
    "body",
    [
        "auto all = device::get_devices(info::device_type::gpu); if (all.empty()) return 1; queue d(all[0]);",
        "std::vector<platform> p = platform::get_platforms(); auto all = p[0].get_devices(); queue d{all[0]};",
        "auto one = platform::get_platforms()[0].get_devices()[0]; queue d(one);",
        "for (auto& p : platform::get_platforms()) for (auto& d : p.get_devices()) std::cout << 1; queue d;",
    ],
)
def test_one_device(body: str) -> None:
    assert holds(body + _KERNEL, "x[0]=1")
    assert warnings(body + _KERNEL) == []


def test_a_queue_for_each_device_is_told_of() -> None:
    body = (
        "std::vector<queue> all; for (auto& d : device::get_devices()) all.push_back(queue(d));"
        "int* x = malloc_shared<int>(1, all[0]); *x = 0;"
        "for (size_t i = 0; i < all.size(); i++) all[i].single_task([=] { *x += 1; });"
    )
    assert holds(body + "for (auto& d : all) d.wait();", "x[0]=1")
    assert warnings(body + "for (auto& d : all) d.wait();") == ["W155"]
    assert kinds(body + "int n = *x;") == {"data-race"}


def test_memory_that_dpct_gives_back() -> None:
    body = "sycl::queue& d = dpct::get_in_order_queue(); int* x = malloc_shared<int>(1, d);"
    body += "d.single_task([=] { *x = 1; });"
    assert kinds(body + "dpct::dpct_free(x, d);") == {"data-race"}
    assert kinds(body + "d.wait(); dpct::dpct_free(x, d);") == set()
