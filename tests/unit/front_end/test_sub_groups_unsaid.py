"""A launch that does not say how large the sub-groups are that its kernel uses."""

from __future__ import annotations

import pytest

from mcm import KernelRequest, KernelSource, check

TEXT = """
void meet(local int* t) { sub_group_barrier(CLK_LOCAL_MEM_FENCE); }
void between(local int* t) { meet(t); }
kernel void direct(global int* x) { x[get_global_id(0)] = sub_group_reduce_add(1); }
kernel void ids(global int* x) { x[get_global_id(0)] = get_num_sub_groups(); }
kernel void through(global int* x, local int* t) { t[get_local_id(0)] = 1; between(t); x[get_global_id(0)] = t[0]; }
kernel void scope(global atomic_int* x) {
  atomic_store_explicit(x, 1, memory_order_relaxed, memory_scope_sub_group);
}
kernel void none(global int* x) { x[get_global_id(0)] = get_local_id(0); }
"""


def warnings_of(launch: str) -> list[str]:
    found = check(KernelSource("k.cl", TEXT, KernelRequest((launch,))))
    return [one.message for one in found.diagnostics if one.code == "W125"]


@pytest.mark.parametrize("kernel", ["direct", "ids", "through", "scope"])
def test_a_launch_that_does_not_say_it_gets_a_warning(kernel: str) -> None:
    (message,) = warnings_of(f"{kernel} global 4, local 2")
    assert message == (
        f"'{kernel}' uses sub-groups, and the launch does not say how large they are: "
        "each work-group is one here; ', sub N' makes them of N work-items"
    )
    assert warnings_of(f"{kernel} global 2")


@pytest.mark.parametrize(
    "launch",
    ["direct global 4, local 4, sub 2", "through global 2, local 1", "scope global 1", "none global 4, local 2"],
)
def test_no_warning_where_it_is_said_or_means_nothing(launch: str) -> None:
    assert warnings_of(launch) == []
