"""What SYCL refuses where a kernel is submitted: local memory without work-groups, operations of another type."""

from __future__ import annotations

import pytest
from host_samples import holds, refused

SUBMITTED = (
    "int* x = malloc_shared<int>(4, q); q.submit([&](handler& h) {{ local_accessor<int, 1> t(4, h); {} }}).wait();"
)


@pytest.mark.parametrize(
    "kernel",
    [
        "h.parallel_for(range<1>(4), [=](id<1> i) { t[i] = 1; x[i] = t[i]; });",
        "h.parallel_for(4, [=](item<1> i) { x[i] = t[i] = 1; });",
        "h.single_task([=] { t[0] = 1; });",
    ],
)
def test_local_memory_is_for_kernels_with_work_groups(kernel: str) -> None:
    assert "errc::kernel_argument" in refused(SUBMITTED.format(kernel))


def test_local_memory_that_the_kernel_does_not_use() -> None:
    kernel = "h.parallel_for(4, [=](id<1> i) { int t = 3; x[i] = t; });"

    assert holds(SUBMITTED.format(kernel), "x[3]=3")


FLOATS = (
    "float* f = malloc_shared<float>(2, q); f[0] = 1.5f; f[1] = 2.5f; float* s = malloc_shared<float>(1, q); s[0] = 0;"
)


IN_GROUP = "q.parallel_for(nd_range<1>(2, 2), [=](nd_item<1> it) { auto g = it.get_group(); "


@pytest.mark.parametrize("operation", ["plus<int>()", "plus<double>{}", "sycl::maximum<int>()"])
@pytest.mark.parametrize(
    "call",
    [
        "reduce_over_group(g, f[it.get_local_id(0)], {})",
        "exclusive_scan_over_group(g, f[it.get_local_id(0)], 0.0f, {})",
        "joint_reduce(g, f, f + 2, {})",
    ],
)
def test_an_operation_of_another_type_in_group_algorithms(call: str, operation: str) -> None:
    body = f"{FLOATS} {IN_GROUP} float r = {call.format(operation)}; }}).wait();"

    assert "SYCL mandates one type" in refused(body)


def test_an_operation_of_another_type_in_a_reduction() -> None:
    body = f"{FLOATS} q.parallel_for(2, reduction(s, plus<int>()), [=](id<1> i, auto& sum) {{ sum += f[i]; }}).wait();"

    assert "combines values of type float" in refused(body)


def test_the_initial_value_says_what_is_combined() -> None:
    value = "reduce_over_group(g, it.get_local_id(0) == 0 ? 1 : 2, 0.5f, plus<float>())"
    body = f"{FLOATS} {IN_GROUP} float r = {value}; if (g.leader()) s[0] = r; }}).wait();"

    assert holds(body, "s[0]=3.5")
